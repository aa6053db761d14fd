# The letters by which `struct` knows the bits of an element, and the element.
LETTERS = {
    "float16": "He", "float32": "If", "float64": "Qd",
    "int8": "Bb", "int16": "Hh", "int32": "Ii", "int64": "Qq",
    "uint8": "BB", "uint16": "HH", "uint32": "II", "uint64": "QQ",
}


def decimal(dtype, bits):
    if dtype == "bfloat16":
        return decimal("float32", bits << 16)
    unsigned, letter = LETTERS[dtype]
    value = struct.unpack("<" + letter, struct.pack("<" + unsigned, bits))[0]
    return f"{value:.9g}" if dtype in ("float16", "float32") else str(value)


def bits_of(dtype, raw):
    letter = "H" if dtype == "bfloat16" else LETTERS[dtype][0]
    return [bits for (bits,) in struct.iter_unpack("<" + letter, raw)]


def is_float32(bits):
    value = decimal_float(bits)
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0] == value
    except OverflowError:
        return False


def decimal_float(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def is_due(element, bits, float32):
    ranges = list(zip(element[::2], element[1::2]))
    within = [low <= bits <= high for low, high in ranges]
    return within[0] and (not float32 or is_float32(bits)) or any(within[1:])


def wrong_places(due, dtype, shape, raw):
    """The places of wrong elements, or None where the result is of another kind."""
    if "refused" in due or dtype != due["dtype"] or list(shape) != due["shape"]:
        return None
    pairs = enumerate(zip(due["elements"], bits_of(dtype, raw)))
    return [at for at, (element, bits) in pairs if not is_due(element, bits, "float32" in due)]


def shown(dtype, bits):
    digits = (16 if dtype == "bfloat16" else 8 * struct.calcsize(LETTERS[dtype][0])) // 4
    return f"{decimal(dtype, bits)} (0x{bits:0{digits}x})"


def described(due):
    condition = f", if {due['if']}" if "if" in due else ""
    if "refused" in due:
        return f"a refusal, by {due['refused']}{condition}"
    dtype = due["dtype"]
    elements = [
        shown(dtype, e[0]) if e[0] == e[1] else f"{shown(dtype, e[0])} to {shown(dtype, e[1])}"
        for e in due["elements"][:8]
    ]
    more = ", ..." if len(due["elements"]) > 8 else ""
    return f"{dtype}{due['shape']}: {', '.join(elements)}{more}{condition}"


def main():
    print("call  ", CALL)
    for due in DUE:
        print("due   ", described(due))
    sys.stdout.flush()
    before = DATA.tobytes()
    try:
        dtype, shape, raw = call()
    except REFUSALS as refusal:
        print(f"came   a refusal: {type(refusal).__name__}: {refusal}")
        finish(any("refused" in due for due in DUE))
    except Exception:
        traceback.print_exc()
        print("came   an exception that does not say that the call is invalid")
        finish(False)
    if dtype in LETTERS or dtype == "bfloat16":
        elements = [shown(dtype, bits) for bits in bits_of(dtype, raw)[:8]]
    else:
        elements = []
    count = len(bits_of(dtype, raw)) if elements else 0
    print(f"came   {dtype}{list(shape)}: {', '.join(elements)}{', ...' if count > 8 else ''}")
    if DATA.tobytes() != before:
        print("came   and the data of the call were changed")
        finish(False)
    wrong = [places for due in DUE if (places := wrong_places(due, dtype, shape, raw)) is not None]
    if wrong and all(wrong):
        print(f"wrong  {len(min(wrong, key=len))} of {count} elements, the first at {min(wrong, key=len)[0]}, row-major from 0")
    finish(any(not places for places in wrong))


def finish(passed):
    print("PASS" if passed else "FAIL")
    sys.exit(0 if passed else 1)
