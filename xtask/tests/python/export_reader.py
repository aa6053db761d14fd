"""Reads `cases export --format json` by docs/export.md alone, and holds what it says of values against exact arithmetic.

    python3 export_reader.py cases.ndjson

For each case it prints its name, the SHA-256 of its data (elements as little-endian bytes), and for each answer that has
values the SHA-256 of the nearest floats and of the ends of every accuracy class. It stops at the first statement that is not so:
a nearest float that is not, a class that leaves out the nearest float or accepts fewer floats than a tighter one.
The standard library is enough.
"""

import hashlib
import itertools
import json
import math
import struct
import sys
from fractions import Fraction

WIDTH = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8}
# Digits of the significand and the exponent of the least float.
FLOAT = {"f16": (11, -24), "bf16": (8, -133), "f32": (24, -149), "f64": (53, -1074)}
MASK = (1 << 64) - 1


def splitmix64(seed, index):
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def bits_of(integer, scale, dtype):
    """The bits of integer · 2^scale."""
    if dtype in FLOAT:
        value = math.ldexp(integer, scale)
        if dtype == "bf16":
            return struct.unpack("<I", struct.pack("<f", value))[0] >> 16
        pack, unpack = {"f16": ("<e", "<H"), "f32": ("<f", "<I"), "f64": ("<d", "<Q")}[dtype]
        return struct.unpack(unpack, struct.pack(pack, value))[0]
    value = Fraction(integer) * Fraction(2) ** scale
    assert value.denominator == 1
    return value.numerator % (1 << 8 * WIDTH[dtype])


def repeated(entries, count):
    """A list that is shorter than the tensor starts again."""
    if count == 0:
        return []
    return list(itertools.islice(itertools.cycle(entries), count))


def words(text, count):
    return repeated([int(word, 16) for word in text.split()], count)


def elements(array):
    """The bits of a tensor's elements."""
    count, dtype = math.prod(array["shape"]), array["dtype"]
    if "random" in array:
        rule = array["random"]
        width = rule["high"] - rule["low"] + 1
        draw = lambda index: rule["low"] + splitmix64(rule["seed"], index) % width
        bits = [bits_of(draw(index), rule["scale"], dtype) for index in range(count)]
    else:
        bits = words(array["bits"], count)
    for index, word in array.get("except", {}).items():
        bits[int(index)] = int(word, 16)
    return bits


def value_of(bits, dtype):
    """A finite non-negative float; of infinity what would follow the greatest."""
    digits, least = FLOAT[dtype]
    exponent, fraction = divmod(bits, 1 << digits - 1)
    if exponent:
        return Fraction(fraction + (1 << digits - 1)) * Fraction(2) ** (exponent - 1 + least)
    return Fraction(fraction) * Fraction(2) ** least


def infinity(dtype):
    digits, _ = FLOAT[dtype]
    return (1 << 8 * WIDTH[dtype] - 1) - (1 << digits - 1)


def sign(dtype):
    return 1 << 8 * WIDTH[dtype] - 1


def place(bits, dtype):
    """The place of a float among all, by their values; both zeros have one."""
    magnitude = bits & sign(dtype) - 1
    return -magnitude if bits & sign(dtype) else magnitude


def at_place(number, dtype):
    return sign(dtype) | -number if number < 0 else number


def is_nearest(bits, square_or_value, root, dtype):
    """No float is nearer, and of two that are as near the even one is taken."""
    if square_or_value < 0:
        return bits >= sign(dtype) and is_nearest(bits - sign(dtype), -square_or_value, root, dtype)
    middle = lambda low: (value_of(low, dtype) + value_of(low + 1, dtype)) / 2
    above = lambda real: square_or_value - real * real if root else square_or_value - real
    if bits > 0:
        off = above(middle(bits - 1))
        if off < 0 or off == 0 and bits % 2:
            return False
    if bits < infinity(dtype):
        off = above(middle(bits))
        if off > 0 or off == 0 and bits % 2:
            return False
    return True


def ends(bounds, nearest, count, dtype):
    """The least and the greatest bits that a class accepts, of each element; None where it accepts none."""
    below, above = repeated(bounds["below"], count), repeated(bounds["above"], count)
    places = [place(bits, dtype) for bits in nearest]
    low = [None if off is None else at_place(at - int(off), dtype) for at, off in zip(places, below)]
    high = [None if off is None else at_place(at + int(off), dtype) for at, off in zip(places, above)]
    return low, high


def digest(bits, width):
    hashed = hashlib.sha256()
    for element in bits:
        hashed.update((MASK if element is None else element).to_bytes(8, "little")[: 8 if width is None else width])
    return hashed.hexdigest()[:16]


def check(near, name):
    """What an answer near exact reals says of itself; its digests."""
    count, dtype = math.prod(near["shape"]), near["dtype"]
    significands = repeated(near["significands"].split(), count)
    exponents, roots = repeated(near["exponents"], count), repeated(near["roots"], count)
    nearest = words(near["nearest"], count)
    known = {}
    for significand, exponent, root, bits in zip(significands, exponents, roots, nearest):
        if (significand, exponent, root, bits) in known:
            continue
        known[significand, exponent, root, bits] = True
        if significand == "inf":
            assert bits == infinity(dtype), name
        elif significand == "-inf":
            assert bits == sign(dtype) | infinity(dtype), name
        elif significand == "NaN":
            assert bits > infinity(dtype), name
        else:
            real = int(significand) * Fraction(2) ** exponent
            assert is_nearest(bits, real, root, dtype), f"{name}: {bits:x} is not nearest to {significand}"
    digests, tighter = [digest(nearest, WIDTH[dtype])], None
    for bounds in near["accepted"]:
        low, high = ends(bounds, nearest, count, dtype)
        of = lambda bits: place(bits, dtype)
        for at, (least, most, bits) in enumerate(zip(low, high, nearest)):
            if least is None or bounds.get("or-infinite") or bounds.get("or-zero"):
                continue
            # Where naive squares overflow or vanish, the one answer is infinity or zero.
            alone = least == most and least in (0, infinity(dtype))
            assert alone or of(least) <= of(bits) <= of(most), f"{name}: {bounds['class']} leaves out the nearest of element {at}"
            if tighter and tighter[0][at] is not None:
                assert of(least) <= of(tighter[0][at]) and of(tighter[1][at]) <= of(most), f"{name}: {bounds['class']} accepts less"
        flags = [repeated([int(one) for one in bounds.get(flag, [False])], count) for flag in ("or-zero", "or-infinite")]
        digests += [bounds["class"], *(digest(column, None) for column in (low, high, *flags))]
        tighter = (low, high)
    return digests


def main(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            assert case["format"] == 2 and case["calls"] and case["clauses"] and case["why"]
            for call in case["calls"]:
                data = call["data"]
                said = ["data", digest(elements(data), WIDTH[data["dtype"]])]
                assert call["answers"]
                for answer in call["answers"]:
                    ((kind, what),) = answer["is"].items()
                    if kind == "near":
                        said += [kind, *check(what, case["id"])]
                    elif kind == "between":
                        said += [kind, *(digest(elements(what[end]), WIDTH[what[end]["dtype"]]) for end in ("low", "high"))]
                    elif kind == "exactly":
                        said += [kind, digest(elements(what), WIDTH[what["dtype"]])]
                    else:
                        said += [kind, what]
                for named in call["cases"]:
                    print(named["name"], *said)


main(sys.argv[1])
