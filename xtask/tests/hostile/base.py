"""What the hostile workers share: the bytes of the protocol, and right answers. This file is no kind of worker.

A worker answers well, except over the call whose data have the shape [1, 2]: there it does what its file says.
"""

import itertools
import math
import os
import signal
import socket
import struct
import subprocess
import sys
import time

HELLO, CALL, ANSWER, UNAVAILABLE = 1, 2, 3, 4
RESULT, REJECTED, UNSUPPORTED, CRASHED, TIMED_OUT, CHANGED = 1, 2, 3, 4, 5, 6
U8, F32 = 8, 2
FORMS = {2: "f", 3: "d", 4: "b", 6: "i", 7: "q", 8: "B"}

#: Descriptor 0, both ways.
line = socket.socket(fileno=os.dup(0))


def frame(tag, body):
    return struct.pack("<IB", len(body), tag) + body


def text(words):
    words = words if isinstance(words, bytes) else words.encode()
    return struct.pack("<I", len(words)) + words


def greeting(name="hostile", version="1", bugs="me", sums=(), magic=b"NORMATIV", protocol=1, more=b""):
    """A hello. `sums` are pairs of numbers of element types."""
    sums = struct.pack("<I", len(sums)) + b"".join(bytes(pair) for pair in sums)
    return frame(HELLO, magic + struct.pack("<I", protocol) + text(name) + text(version) + text(bugs) + sums + more)


def outcome(call, code, rest=b""):
    """An answer to a call, or to the call of a number."""
    return frame(ANSWER, struct.pack("<QB", getattr(call, "number", call), code) + rest)


def result(call, dtype, shape, elements=b""):
    return outcome(call, RESULT, struct.pack(f"<BI{len(shape)}Q", dtype, len(shape), *shape) + elements)


class Call:
    def __init__(self, body):
        self.number, kind, self.norm, keep, self.dtype, rank = struct.unpack_from("<QBBBBI", body)
        assert kind == 1, "the tests ask OpenVINO's operators alone"
        self.keep, at = keep == 2, 16 + 8 * rank
        self.shape = struct.unpack_from(f"<{rank}Q", body, 16)
        self.values = ()
        if self.dtype in FORMS:
            form = f"<{math.prod(self.shape)}{FORMS[self.dtype]}"
            self.values = struct.unpack_from(form, body, at)
            at += struct.calcsize(form)
            self.axes = []
            if body[at] == 2:
                rank = struct.unpack_from("<I", body, at + 2)[0]
                at += 6 + 8 * rank
                count = struct.unpack_from("<I", body, at)[0]
                self.axes = [struct.unpack_from("<q", body, at + 4 + 16 * n)[0] for n in range(count)]


def received(count):
    got = b""
    while len(got) < count:
        more = line.recv(count - len(got))
        if not more:
            sys.exit(0)
        got += more
    return got


def calls():
    while True:
        length, _ = struct.unpack("<IB", received(5))
        yield Call(received(length))


def right(call):
    """The right answer to a call."""
    if call.dtype not in FORMS:
        return outcome(call, UNSUPPORTED, text("no such elements"))
    rank, shape = len(call.shape), call.shape
    if any(not -rank <= axis < rank for axis in call.axes):
        return outcome(call, REJECTED, text("no such axis"))
    axes = {axis % rank for axis in call.axes}
    strides = [math.prod(shape[at + 1 :]) for at in range(rank)]

    def offsets(chosen):
        ranges = [range(dim) if chosen(at) else [0] for at, dim in enumerate(shape)]
        return [sum(map(math.prod, zip(index, strides))) for index in itertools.product(*ranges)]

    terms = offsets(lambda at: at in axes)
    norms = [sum(abs(call.values[one + other]) for other in terms) for one in offsets(lambda at: at not in axes)]
    shape = [1 if at in axes else dim for at, dim in enumerate(shape) if call.keep or at not in axes]
    return result(call, call.dtype, shape, struct.pack(f"<{len(norms)}{FORMS[call.dtype]}", *norms))


def serve(misbehave, hello=None):
    """Answers calls; over one, `misbehave` says what to send, or sends it itself."""
    line.sendall(greeting() if hello is None else hello)
    for call in calls():
        line.sendall((misbehave(call) if call.shape == (1, 2) else right(call)) or b"")


def hang():
    while True:
        time.sleep(60)
