"""Correctly rounded L1 and L2 norms, by the standard library of Python (3.8 or newer) alone.

    norms.py DTYPE NORM < vectors > answers

DTYPE is f16, bf16, f32 or f64, NORM is L1 or L2. One vector a line: the bits of its elements in
hexadecimal, all of the type's width, run together. One answer a line: the bits of the norm.

Nothing here follows the Rust evaluators. The interpreter itself turns bits into floats and back, and
tells what overflows. All elements of a vector are scaled to one grid of integers; the norm is the
number below the root, or the next, as an exact comparison with the point halfway tells.
"""

import math
import struct
import sys

# The letter struct knows the type by, significand bits, and log2 of the smallest subnormal.
TYPES = {"f16": ("e", 11, -24), "bf16": ("f", 8, -133), "f32": ("f", 24, -149), "f64": ("d", 53, -1074)}


def decode(dtype, line):
    """The floats whose bits these are, as Python floats, which hold each exactly."""
    letter = TYPES[dtype][0]
    data = bytes.fromhex(line)
    if dtype == "bf16":
        # The upper half of an f32.
        data = b"".join(data[at : at + 2] + b"\0\0" for at in range(0, len(data), 2))
    return struct.unpack(f">{len(data) // struct.calcsize(letter)}{letter}", data)


def encode(dtype, number):
    """The bits of a float that the type holds, or of infinity where it is too large for the type."""
    letter = TYPES[dtype][0]
    try:
        data = struct.pack(">" + letter, number)
    except OverflowError:
        data = struct.pack(">" + letter, math.inf)
    return (data[:2] if dtype == "bf16" else data).hex()


def scaled(integer, log2):
    """integer * 2**log2, which is a float unless it is too large."""
    try:
        return math.ldexp(integer, log2)
    except OverflowError:
        return math.inf


def total_of(numbers, power):
    """Integers n and k, where n * 2**(power * k) is the sum of the absolute values to this power."""
    parts = [math.frexp(abs(number)) for number in numbers if number]
    grid = min((log2 for _, log2 in parts), default=0)
    # A Python float is x * 2**log2, where x has 53 bits.
    terms = (int(x * 2.0**53) ** power << power * (log2 - grid) for x, log2 in parts)
    return sum(terms), grid - 53


def rounded(dtype, numbers, power):
    """The norm, rounded to the nearest float, ties to even."""
    _, precision, smallest = TYPES[dtype]
    if any(map(math.isnan, numbers)):
        return math.nan
    if any(map(math.isinf, numbers)):
        return math.inf
    total, grid = total_of(numbers, power)
    # The norm lies from 2**log2 on, below twice that; its neighbours are multiples of 2**place.
    log2 = (total.bit_length() - 1) // power + grid
    place = max(log2 - (precision - 1), smallest)
    # On a grid fine enough for halves of 2**place, the neighbour below is steps * 2**(place - grid).
    if grid > place - 1:
        total, grid = total << power * (grid - place + 1), place - 1
    whole = total >> power * (place - grid)
    steps = math.isqrt(whole) if power == 2 else whole
    halfway = (2 * steps + 1) ** power << power * (place - 1 - grid)
    if total > halfway or total == halfway and steps % 2:
        steps += 1
    return scaled(steps, place)


def main():
    dtype, norm = sys.argv[1:]
    power = {"L1": 1, "L2": 2}[norm]
    for line in sys.stdin:
        print(encode(dtype, rounded(dtype, decode(dtype, line), power)))


main()
