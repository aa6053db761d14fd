"""Exact sums, with their signs, by the fractions of Python's standard library.

    sums.py DTYPE < vectors > sums

DTYPE is f16, bf16, f32 or f64. One vector a line: the bits of its elements in hexadecimal, all of the type's width, run
together. One sum a line: `numerator/denominator` in lowest terms, or inf, -inf or nan.
"""

import math
import struct
import sys
from fractions import Fraction

# The letter struct knows the type by; a bf16 is the upper half of an f32.
LETTERS = {"f16": "e", "bf16": "f", "f32": "f", "f64": "d"}


def decode(dtype, line):
    data = bytes.fromhex(line)
    if dtype == "bf16":
        data = b"".join(data[at : at + 2] + b"\0\0" for at in range(0, len(data), 2))
    letter = LETTERS[dtype]
    return struct.unpack(f">{len(data) // struct.calcsize(letter)}{letter}", data)


def exact(numbers):
    if any(map(math.isnan, numbers)) or {math.inf, -math.inf} <= set(numbers):
        return "nan"
    for infinite in (math.inf, -math.inf):
        if infinite in numbers:
            return str(infinite)
    total = sum(map(Fraction, numbers), Fraction(0))
    return f"{total.numerator}/{total.denominator}"


for line in sys.stdin:
    print(exact(decode(sys.argv[1], line)))
