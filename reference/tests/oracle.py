"""Correctly rounded L1 and L2 norms, by the Python standard library alone.

Reads one vector a line on standard input: the float type (f16, bf16, f32, f64), the norm (L1, L2)
and the bits of each element in hexadecimal. Writes one line each: the bits of the norm, followed by
"tie" where it lies exactly halfway between two neighbours.

Nothing here follows the Rust evaluator. Elements become fractions through the interpreter's own
float decoding; the answer is found by bisection over all floats of the type, which their bits put
in order, and an exact comparison with the midpoint of two neighbours.
"""

import struct
import sys
from fractions import Fraction


def widen(dtype, bits):
    """The float with these bits, exactly, as a Python float."""
    if dtype == "f16":
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    if dtype == "bf16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    if dtype == "f32":
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


INFINITY = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0000000000000}


def position(dtype, bits):
    """Where a non-negative float stands on the number line; infinity, one step past the greatest."""
    if bits < INFINITY[dtype]:
        return Fraction(widen(dtype, bits))
    return 2 * Fraction(widen(dtype, bits - 1)) - Fraction(widen(dtype, bits - 2))


def rounded(dtype, power, total):
    """The line for the float nearest to total ** (1 / power), ties to even."""
    low, high = 0, INFINITY[dtype]
    if position(dtype, high) ** power <= total:
        return f"{high:x}"
    while high - low > 1:
        middle = (low + high) // 2
        if position(dtype, middle) ** power <= total:
            low = middle
        else:
            high = middle
    midpoint = ((position(dtype, low) + position(dtype, high)) / 2) ** power
    if midpoint == total:
        return f"{low + low % 2:x} tie"
    return f"{low if total < midpoint else high:x}"


def main():
    answers = []
    for line in sys.stdin.read().splitlines():
        dtype, norm, *elements = line.split()
        power = {"L1": 1, "L2": 2}[norm]
        numbers = [Fraction(widen(dtype, int(bits, 16))) for bits in elements]
        total = sum((abs(number) ** power for number in numbers), Fraction(0))
        answers.append(rounded(dtype, power, total))
    print("\n".join(answers))


main()
