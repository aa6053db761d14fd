"""Hostile workers: `hostile.py KIND` is one of the kinds below.

A worker answers well, except over the call whose data have the shape [1, 2]: there it does what its kind says.
Without a kind, the names of all kinds are printed.
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
line = socket.socket(fileno=os.dup(0)) if len(sys.argv) > 1 else None


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


def serve(misbehave, hello=None, always=False):
    """Answers calls; over one, or always, `misbehave` says what to send, or sends it itself."""
    line.sendall(greeting() if hello is None else hello)
    for call in calls():
        line.sendall((misbehave(call) if always or call.shape == (1, 2) else right(call)) or b"")


def hang():
    while True:
        time.sleep(60)


def hang_after(hello):
    line.sendall(hello)
    hang()


KINDS = {
    # It aborts over a call.
    "aborts": lambda: serve(lambda call: os.abort()),
    # It ends over every call.
    "dies_of_everything": lambda: serve(lambda call: os._exit(3), always=True),
    # The dims of its result are beyond any machine.
    "dims_that_overflow": lambda: serve(lambda call: result(call, F32, [2**63, 2**63])),
    # It answers with nothing.
    "empty_frame": lambda: serve(lambda call: frame(ANSWER, b"")),
    # It ends over a call.
    "exits": lambda: serve(lambda call: os._exit(3)),
    # It ends over a call as if all were well.
    "exits_well": lambda: serve(lambda call: os._exit(0)),
    # Fewer elements come than its dims promise.
    "fewer_elements": lambda: serve(lambda call: result(call, F32, [2], bytes(4))),
    # It answers, and answers the next call before it is asked.
    "forges_the_next": lambda: serve(
        lambda call: right(call) + outcome(call.number + 1 & 2**64 - 1, REJECTED, text("forged"))
    ),
    # It sends bytes that are no frame.
    "garbage": lambda: serve(lambda call: b"\xa5" * 4096),
    # It never answers a call.
    "hangs": lambda: serve(lambda call: hang()),
    # It ends inside its hello.
    "hello_cut": lambda: line.sendall(greeting()[:20]),
    # It prints in the place of a hello.
    "hello_garbage": lambda: hang_after(b"Hello, world! I print what I like."),
    # Its hello has 64 MiB.
    "hello_large": lambda: hang_after(greeting(name="n" * (64 << 20))),
    # Its name has 40,000 bytes.
    "hello_long_name": lambda: serve(right, hello=greeting(name="n" * 40000)),
    # Its hello promises 4 GiB.
    "hello_lying_length": lambda: hang_after(b"\xff\xff\xff\xff\x01" + b"NORMATIV"),
    # It says no name.
    "hello_nameless": lambda: hang_after(greeting(name="")),
    # It says what sums of an unknown type are held in.
    "hello_no_such_type": lambda: hang_after(greeting(sums=[(99, 2)])),
    # Its name is not UTF-8.
    "hello_no_text": lambda: hang_after(greeting(name=b"\xff\xfe")),
    # Its hello is of another version.
    "hello_other_version": lambda: hang_after(greeting(protocol=9)),
    # It says that sums of floats are held in integers.
    "hello_sums_in_integers": lambda: hang_after(greeting(sums=[(0, 6)])),
    # It says twice what the sums of a type are held in.
    "hello_sums_twice": lambda: hang_after(greeting(sums=[(0, 2), (0, 2)])),
    # A byte follows its hello.
    "hello_too_long": lambda: hang_after(greeting(more=b"\1\1")),
    # It says hello twice.
    "hello_twice": lambda: serve(right, hello=greeting() + greeting()),
    # Its name and version hold control characters, and such as turn the writing around.
    "hello_with_controls": lambda: serve(right, hello=greeting(name="a\x1b[2Jb\nc\u202ed", version="1\u200b\r2")),
    # It does not say where bugs are reported.
    "hello_without_bugs": lambda: hang_after(greeting(bugs="\n")),
    # It says no version.
    "hello_without_version": lambda: hang_after(greeting(version=" ")),
    # Its hello is of another protocol.
    "hello_wrong_magic": lambda: hang_after(greeting(magic=b"PROTOCOL")),
    # It answers before it says hello.
    "hello_wrong_tag": lambda: hang_after(result(1, F32, [], b"1234")),
    # It answers nothing.
    "is_late_for_everything": lambda: hang_after(greeting()),
    # It kills itself, as a system short of memory does.
    "kills_itself": lambda: serve(lambda call: os.kill(os.getpid(), signal.SIGKILL)),
    # Its result has 100,000,000 elements of one byte.
    "large_result": lambda: serve(lambda call: result(call, U8, [10**8], bytes(10**8))),
    # Every result has ten million elements.
    "large_results_each": lambda: serve(lambda call: result(call, U8, [10**7], bytes(10**7)), always=True),
    # Its result has the right type and a million elements.
    "large_shape": lambda: serve(lambda call: result(call, F32, [10**6], bytes(4 * 10**6))),
    # It promises an answer of 4 GiB.
    "lying_length": lambda: serve(lambda call: b"\xff\xff\xff\xff\x03abc"),
    # Its result has 10,000 dims.
    "many_dims": lambda: serve(lambda call: result(call, F32, [1] * 10000, bytes(4))),
    # More elements come than its dims promise.
    "more_elements": lambda: serve(lambda call: result(call, F32, [2], bytes(12))),
    # Its result has 4 billion dims, none of which come.
    "no_dims": lambda: serve(lambda call: outcome(call, RESULT, b"\x02\xff\xff\xff\xff")),
    # Its result has type 99, which does not exist.
    "no_such_element": lambda: serve(lambda call: result(call, 99, [2], bytes(8))),
    # Its answer has outcome 9, which does not exist.
    "no_such_outcome": lambda: serve(lambda call: outcome(call, 9)),
    # Its result is no number.
    "not_a_number": lambda: serve(lambda call: result(call, F32, [2], struct.pack("<2f", 1, math.nan))),
    # It refuses everything, in 1 MiB each time.
    "refuses_all": lambda: serve(lambda call: outcome(call, REJECTED, text("r" * (1 << 20))), always=True),
    # It refuses in words that turn the writing around, erase the screen, and forge a line of the report.
    "says_controls": lambda: serve(
        lambda call: outcome(call, REJECTED, text("\x1b[2J\x07\u202eoops\u200b\n  7 conform\r\x9b1A"))
    ),
    # It says that the data were changed.
    "says_it_changed_data": lambda: serve(lambda call: outcome(call, CHANGED, text("all"))),
    # It says in 32 MiB that it crashed.
    "says_it_crashed": lambda: serve(lambda call: outcome(call, CRASHED, text("c" * (32 << 20)))),
    # It says that it timed out, after 584 years.
    "says_it_was_late": lambda: serve(lambda call: outcome(call, TIMED_OUT, b"\xff" * 8)),
    # It refuses in a million lines.
    "says_many_lines": lambda: serve(lambda call: outcome(call, REJECTED, text("w\n" * (1 << 20)))),
    # It refuses in 64 MiB.
    "says_much": lambda: serve(lambda call: outcome(call, REJECTED, text("w" * (64 << 20)))),
    # It refuses in words that are not UTF-8.
    "says_no_text": lambda: serve(lambda call: outcome(call, REJECTED, text(b"\xc3\x28"))),
    # It refuses without a word.
    "says_nothing": lambda: serve(lambda call: outcome(call, REJECTED, text(""))),
    # It dies of a segmentation fault.
    "segfaults": lambda: serve(lambda call: os.kill(os.getpid(), signal.SIGSEGV)),
    # It answers calls 1 to 99 before anything is asked.
    "speaks_first": lambda: serve(
        right, hello=greeting() + b"".join(outcome(n, REJECTED, text("forged")) for n in range(1, 100))
    ),
    # It stops, as a process in the background does.
    "stops_itself": lambda: serve(lambda call: os.kill(os.getpid(), signal.SIGSTOP)),
    # Its result has more elements than any tensor may have.
    "too_many_elements": lambda: serve(lambda call: result(call, U8, [10**8 + 1], bytes(10**8 + 1))),
    # Its answer goes on after the end.
    "too_much": lambda: serve(lambda call: frame(ANSWER, right(call)[5:] + b"0")),
    # It answers twice.
    "twice": lambda: serve(lambda call: right(call) + right(call)),
    # It says that its runtime is unavailable.
    "unavailable": lambda: line.sendall(frame(UNAVAILABLE, text("no libx.so\nerror: all is well\x1b[0m"))),
    # It says in 8 MiB that its runtime is unavailable.
    "unavailable_large": lambda: hang_after(frame(UNAVAILABLE, text("no" * (4 << 20)))),
    # It supports nothing, and says so in 1 MiB each time.
    "unsupported_in_many_words": lambda: serve(
        lambda call: outcome(call, UNSUPPORTED, text("u" * (1 << 20))), always=True
    ),
    # It answers call 77, which was not asked.
    "wrong_number": lambda: serve(lambda call: outcome(77, REJECTED, text("no"))),
    # It answers with a frame of another kind.
    "wrong_tag": lambda: serve(lambda call: frame(HELLO, right(call)[5:])),
    # Its result is of another type.
    "wrong_type": lambda: serve(lambda call: result(call, U8, [2], b"\1\2")),
    # Its result is wrong.
    "wrong_values": lambda: serve(lambda call: result(call, F32, [2], struct.pack("<2f", 1, 3))),
}


def over_a_call(misbehave):
    KINDS[misbehave.__name__] = lambda: serve(misbehave)


def in_its_own_way(kind):
    KINDS[kind.__name__] = kind


@over_a_call
def closes_stderr(_):
    """It closes standard error, and ends."""
    os.close(2)
    os._exit(3)


@over_a_call
def cuts(call):
    """It ends inside an answer."""
    line.sendall(right(call)[:-1])
    os._exit(3)


@over_a_call
def dies_after_its_answer(call):
    """It answers, and ends."""
    line.sendall(right(call))
    os._exit(3)


@over_a_call
def dribbles(call):
    """It sends a byte of its answer now and then."""
    for byte in right(call):
        line.sendall(bytes([byte]))
        time.sleep(0.2)


@over_a_call
def endless_answers(call):
    """It answers without end."""
    while True:
        line.sendall(right(call))


@over_a_call
def floods_stderr(_):
    """It prints without end over a call, and ends."""
    for _ in range(2000):
        os.write(2, b"e" * 8192)
    os._exit(3)


@over_a_call
def floods_stdout(call):
    """It prints 16 MiB on standard output."""
    for _ in range(2000):
        os.write(1, b"o" * 8192)
    return right(call)


@over_a_call
def hangs_up(_):
    """It closes the connection and runs on."""
    line.shutdown(socket.SHUT_RDWR)
    hang()


@over_a_call
def leaves_children(call):
    """Over every call it starts a process that never ends."""
    subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
    return right(call)


@over_a_call
def leaves_grandchildren(call):
    """It leaves a process whose parent has ended."""
    subprocess.run("sleep 60 &", shell=True, stdin=subprocess.DEVNULL)
    return right(call)


@over_a_call
def leaves_its_group(call):
    """Over every call it starts a process that never ends, in a session of its own."""
    subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL, start_new_session=True)
    return right(call)


@over_a_call
def leaves_many_children(_):
    """It starts 50 processes, and ends."""
    for _ in range(50):
        subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
    os._exit(1)


@over_a_call
def leaves_stderr_to_a_child(_):
    """It ends over a call, and a child of it holds standard error."""
    subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
    os._exit(1)


@over_a_call
def leaves_the_line_to_a_child(_):
    """It ends over a call, and a child of it holds the connection."""
    subprocess.Popen(["sleep", "60"])
    os._exit(1)


@over_a_call
def prints_controls(_):
    """It dies with words that erase the screen."""
    os.write(2, "\x1b[2J\u202eall is well\u200b\x00\n".encode())
    os._exit(3)


@over_a_call
def promises(_):
    """It promises an answer of 1 GiB, and ends."""
    line.sendall(b"\xff\xff\xff\x3f\x03abc")
    os._exit(3)


@over_a_call
def spins(_):
    """It computes for ever."""
    while True:
        pass


@over_a_call
def stalls(call):
    """It sends half an answer."""
    line.sendall(right(call)[:9])
    hang()


@over_a_call
def stops_sending(_):
    """It closes one way of the connection."""
    line.shutdown(socket.SHUT_WR)
    hang()


@in_its_own_way
def changes_its_mind():
    """It answers every second time otherwise."""
    count = itertools.count()
    serve(lambda call: right(call) if next(count) % 2 else outcome(call, REJECTED, text("not now")))


@in_its_own_way
def ends_late():
    """It goes on after the judge hung up."""
    try:
        serve(right)
    finally:
        hang()


@in_its_own_way
def hangs_deaf_to_signals():
    """It never answers, and ignores what would end it politely."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(lambda call: hang())


@in_its_own_way
def hello_left_to_a_child():
    """It ends, and a child of it holds the connection."""
    subprocess.Popen(["sleep", "60"])
    sys.exit(1)


@in_its_own_way
def hello_never():
    """It ends before it says hello."""
    print("no library\nof that name", file=sys.stderr)
    sys.exit(3)


@in_its_own_way
def out_of_order():
    """It keeps an answer back until the next call."""
    line.sendall(greeting())
    held = b""
    for call in calls():
        if call.shape == (1, 2):
            held = right(call)
        else:
            line.sendall(right(call) + held)
            held = b""


@in_its_own_way
def starts_once():
    """It starts once; a file in the folder that the test names remembers it."""
    first = os.path.join(os.environ["HOSTILE_FOLDER"], "started")
    if os.path.exists(first):
        print("no second time", file=sys.stderr)
        sys.exit(3)
    open(first, "w").close()
    serve(lambda call: os._exit(3))


if len(sys.argv) > 1:
    KINDS[sys.argv[1]]()
else:
    print("\n".join(KINDS))
