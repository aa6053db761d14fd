"""A worker of Normative's protocol, version 1: what a backend in Python needs, in one file to copy.

    from normative.worker import Identity, Rejected, Tensor, Unsupported, run

    def answer(call):
        ...                       # translate the call, run it, hand back a Tensor

    run(Identity("my runtime", "1.0", "https://where.bugs.go"), answer)

`answer` gets one `Call` at a time and returns a `Tensor`, or raises `Rejected` (the runtime refused the call as
invalid: its own message) or `Unsupported` (the runtime has no way to express the call: what is missing). Any other
exception is reported as a crash, and the process ends. To translate is all it may do: it never repairs a result,
and it never checks what the runtime does not check.

Where the runtime is not there at all, `unavailable(why)` takes the place of `run`: then nobody is judged.

`run(identity, answer, takes=Model)` is for a runtime that reads ONNX: run by `--backend "onnx-cmd:..."`, `answer` gets a
`Model` to load and what to feed it, and needs to know nothing of calls.

Standard library only, Python 3.9 or later. This file knows the bytes of the protocol
(conformance/backend/PROTOCOL.md) and nothing of norms.
"""

from __future__ import annotations

import io
import os
import stat
import struct
import sys
import time
import traceback
from dataclasses import dataclass, field
from typing import Callable, Iterable, NoReturn, Optional, Union

__all__ = [
    "ArrayApi", "Axes", "Blas", "Bnns", "Call", "DTYPES", "Identity", "LAYOUTS", "Model", "NULL", "Onnx", "OpenVino", "Rejected",
    "Tensor", "Unsupported", "WebNn", "run", "unavailable",
]

#: The size in bytes of an element of each type. Their order is that of the numbers on the wire.
DTYPES = {
    "f16": 2, "bf16": 2, "f32": 4, "f64": 8,
    "i8": 1, "i16": 2, "i32": 4, "i64": 8,
    "u8": 1, "u16": 2, "u32": 4, "u64": 8,
}


#: Layouts of data beside row-major, in the order of their numbers on the wire, from 1: axis 0 the fastest; every axis backwards;
#: with gaps along the first axis and the last; one element in memory along axes where all are the same; one byte behind an
#: address that is right for the type.
LAYOUTS = ("transposed", "reversed", "sliced", "broadcast", "unaligned")


class Rejected(Exception):
    """The runtime refused the call as invalid."""


class Unsupported(Exception):
    """The runtime has no way to express the call, or says that it does not implement it."""


@dataclass(frozen=True)
class Identity:
    """Who the runtime is; the adapter has no say here."""

    name: str
    version: str
    report_bugs_to: str
    #: For a type of data, the float type its sums are held in, where the runtime promises one.
    accumulation: dict = field(default_factory=dict)
    #: Whether 20,000 calls take it more than about two seconds. It is then asked fewer by default.
    slow: bool = False
    #: The families of specs it promises to keep to, of "openvino", "onnx", "bnns", "array-api", "webnn" and "blas"; it
    #: is judged by those unless another is asked for. None: none where `values_of` names some, else those of `operators`,
    #: else the first three.
    families: Optional[tuple] = None
    #: Families of which it promises the values alone: it has types and forms of its own, and need refuse nothing.
    values_of: tuple = ()
    #: Whether calls of ONNX may have their axes in the form of another opset (`OtherForm`); it is not sent them otherwise.
    other_forms: bool = False
    #: The layouts beside "row-major" in which it takes data, of `LAYOUTS`; it is sent no other. The adapter hands over a view
    #: that lies so.
    layouts: tuple = ()
    #: The operators that the adapter has, by the names of reports ("onnx/ReduceL1-18"), all versions of one
    #: ("onnx/ReduceSumSquare"), or the L1 and L2 norms of a family ("onnx"); and the types of data. It is asked no others, and
    #: they count as unsupported. Empty: it is asked all types, and all L1 and L2 norms, and says so itself.
    operators: tuple = ()
    dtypes: tuple = ()


@dataclass(frozen=True)
class Tensor:
    """A dense tensor: row-major, axis 0 the slowest, elements in little-endian bytes."""

    dtype: str
    shape: tuple
    #: Anything with the buffer protocol. The data of a call are a `bytearray` of this call's own, so a runtime can
    #: work on it in place; whether it changed them is checked afterwards.
    elements: Union[bytes, bytearray, memoryview]


@dataclass(frozen=True)
class OpenVino:
    """OpenVINO ReduceL1-4, ReduceL2-4 or ReduceSum-1. `None`: the attribute was left out."""

    norm: str  # "L1" or "L2"; "Sum" where `Identity.operators` names it
    keep_dims: Optional[bool]


@dataclass(frozen=True)
class Onnx:
    """ONNX ReduceL1, ReduceL2, ReduceSumSquare or ReduceSum. `None`: the attribute was left out."""

    norm: str  # "L1" or "L2"; "SumSquare" or "Sum" where `Identity.operators` names it
    opset: int  # 1, 11, 13 or 18
    keepdims: Optional[int]
    noop_with_empty_axes: Optional[int]

    @property
    def takes_axes_as_input(self) -> bool:
        """Axes are an input from opset 18 on, and those of ReduceSum from 13 on; before, they are an attribute."""
        return self.opset >= (13 if self.norm == "Sum" else 18)


@dataclass(frozen=True)
class Bnns:
    """BNNS computeNorm, which is L2."""

    #: The dims of the output the caller allocated, fastest axis first.
    output_shape: tuple


@dataclass(frozen=True)
class ArrayApi:
    """`vector_norm` of the Python array API. `None`: the argument was left out."""

    ord: Optional[int]  # 1 or 2
    keepdims: Optional[bool]

    @property
    def norm(self) -> str:
        return "L1" if self.ord == 1 else "L2"


@dataclass(frozen=True)
class WebNn:
    """WebNN reduceL1, reduceL2, reduceSumSquare or reduceSum. `None`: the member was left out."""

    norm: str  # "L1" or "L2"; "SumSquare" or "Sum" where `Identity.operators` names it
    keep_dimensions: Optional[bool]


@dataclass(frozen=True)
class Blas:
    """BLAS asum (L1) or nrm2 (L2): of the routine for the type of the data, which hold every element that it reads."""

    norm: str  # "L1" or "L2"
    n: int
    incx: int


@dataclass(frozen=True)
class Axes:
    """Axes as they were given: the values, and the type and shape they were written in."""

    dtype: str
    shape: tuple  # () for a scalar, (n,) for a list
    values: tuple


@dataclass(frozen=True)
class OtherForm:
    """Axes in the form of another opset of ONNX: as an input before opset 18, or as an attribute from it on."""

    axes: Axes


class _Null:
    def __repr__(self) -> str:
        return "NULL"


#: Axes written as nothing: an input of the empty name, `nil` or `None`.
NULL = _Null()


@dataclass(frozen=True)
class Call:
    """What a user of an operator wrote, valid or not."""

    operator: Union[OpenVino, Onnx, Bnns, ArrayApi, WebNn, Blas]
    data: Tensor
    #: `None`: not written at all. `NULL`: written as nothing. Each differs from a list without values.
    axes: Union[Axes, OtherForm, _Null, None]
    #: How the data are to lie in memory when they are handed over: "row-major", or one of `LAYOUTS`.
    layout: str = "row-major"
    #: Of each copy of the data that the runtime was given in their place, a function that returns its elements, row-major.
    #: They are compared with the data after the call, as the data themselves are.
    copies: list = field(default_factory=list, compare=False, repr=False)


@dataclass(frozen=True)
class Model:
    """A call of ONNX's as a model of one node, whose one output is the answer."""

    bytes: bytes  # a serialized ModelProto
    inputs: dict  # what to feed: tensors by name; "data" always, "axes" where they are an input

    @property
    def data(self) -> Tensor:
        return self.inputs["data"]

    @property
    def copies(self) -> tuple:
        return ()


def run(identity: Identity, answer: Callable[..., Tensor], takes: type = Call) -> NoReturn:
    """Answers calls, or models where `takes` is `Model`, until the judge ends the stream, then ends the process. Does not
    return."""
    _exit_with(lambda line: _converse(line, identity, answer, takes))


def unavailable(why: str) -> NoReturn:
    """Tells the judge that the runtime is not there, and why, then ends the process."""
    _exit_with(lambda line: _decline(line, why))


def _exit_with(conversation: Callable[[_Line], int]) -> NoReturn:
    if os.isatty(0):
        print("This program is a worker: it answers a judge over descriptor 0, and nobody else.", file=sys.stderr)
        sys.exit(_PROTOCOL)
    try:
        status = conversation(_line_of_process())
    except (_Broken, OSError) as error:
        print(f"worker: {error}", file=sys.stderr)
        status = _PROTOCOL
    # What a runtime does when Python ends is no part of any answer, and can take longer than a judge waits.
    for printed in (sys.stdout, sys.stderr):
        printed.flush()
    os._exit(status)


_HELLO, _CALL, _ANSWER, _UNAVAILABLE, _MODEL = 1, 2, 3, 4, 5
_TENSOR, _REJECTED, _UNSUPPORTED, _CRASHED, _CHANGED = 1, 2, 3, 4, 6
_FAMILIES = {"openvino": 1, "onnx": 2, "bnns": 3, "array-api": 4, "webnn": 5, "blas": 6}
_MAX_BODY = 1 << 30
#: Answers are held back for at most this many seconds or bytes, and never while there is nothing to read.
_HOLD_SECONDS, _HOLD_BYTES = 0.02, 1 << 16
#: Exit statuses: after a crash that was reported, and when the judge is at fault.
_CRASH, _PROTOCOL = 1, 2


class _Broken(Exception):
    """The judge does not keep to the protocol."""


def _converse(line: _Line, identity: Identity, answer: Callable[..., Tensor], takes: type, told: Callable = traceback.print_exc) -> int:
    """Answers calls until the stream ends or a call crashes, which is told; returns the exit status of a worker."""
    due, read, what = (_MODEL, _model, "models, which onnx-cmd: asks for") if takes is Model else (_CALL, _call, "calls")
    line.write(_HELLO, _hello(identity))
    while (frame := line.read()) is not None:
        tag, body = frame
        if tag != due:
            raise _Broken(f"expected frame tag {due}, got {tag}: the worker takes {what}")
        number, call = read(body)
        outcome = _outcome(call, answer, told)
        line.write(_ANSWER, struct.pack("<Q", number) + outcome)
        if outcome[0] == _CRASHED:
            line.flush()
            return _CRASH
    line.flush()
    return 0


def _decline(line: _Line, why: str) -> int:
    line.write(_UNAVAILABLE, _encode_text(why))
    line.flush()
    return 0


def _outcome(call: Union[Call, Model], answer: Callable[..., Tensor], told: Callable) -> bytes:
    before = bytes(call.data.elements)
    try:
        try:
            outcome = bytes([_TENSOR]) + _encode_tensor(answer(call))
        except Rejected as why:
            outcome = bytes([_REJECTED]) + _encode_text(str(why))
        except Unsupported as why:
            outcome = bytes([_UNSUPPORTED]) + _encode_text(str(why))
        if 8 + len(outcome) > _MAX_BODY:
            raise ValueError(f"an answer of {8 + len(outcome)} bytes, where a frame holds {_MAX_BODY}")
        after = [call.data.elements, *(elements() for elements in call.copies)]
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # A runtime that ends its process by SystemExit has crashed on this call.
        # In full for whoever looks at standard error, its last line for the report.
        told()
        return bytes([_CRASHED]) + _encode_text(traceback.format_exception_only(type(error), error)[-1].strip())
    changed = next((elements for elements in after if elements != before), None)
    if changed is None:
        return outcome
    at = next((at for at, (one, other) in enumerate(zip(before, changed)) if one != other), min(len(before), len(changed)))
    element = at // DTYPES[call.data.dtype]
    return bytes([_CHANGED]) + _encode_text(f"element {element} of its input is another after the call")


def _line_of_process() -> _Line:
    """The connection over descriptor 0, which nothing else in the process can then read or write."""
    # What os.dup gives is not inherited by processes that the runtime starts.
    source = os.dup(0)
    if stat.S_ISSOCK(os.fstat(0).st_mode):
        sink = source
    else:
        sink = os.dup(1)
        # Whatever the runtime prints must not get between the frames.
        os.dup2(2, 1)
        if sys.platform == "win32":
            import msvcrt

            msvcrt.setmode(source, os.O_BINARY)
            msvcrt.setmode(sink, os.O_BINARY)
    # Nor may it read the judge's calls.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return _Line(source, sink)


class _Line:
    """The connection: frames out of a stream of bytes, and answers held back while more calls wait."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = io.FileIO(source, "r", closefd=False)
        self._sink = io.FileIO(sink, "w", closefd=False)
        self._came = bytearray()
        self._held: list = []
        self._held_bytes = 0
        self._sent_at = time.monotonic()

    def read(self) -> Optional[tuple]:
        """The tag and the body of the next frame; `None` where the stream ends between frames."""
        if not self._fill(5):
            if self._came:
                raise _Broken("the stream ended inside a frame")
            return None
        length, tag = struct.unpack_from("<IB", self._came)
        if length > _MAX_BODY:
            raise _Broken(f"expected at most {_MAX_BODY} bytes in a frame, got {length}")
        if not self._fill(5 + length):
            raise _Broken("the stream ended inside a frame")
        with memoryview(self._came) as came:
            body = bytes(came[5 : 5 + length])
        del self._came[: 5 + length]
        return tag, body

    def _fill(self, size: int) -> bool:
        """Whether so many bytes came. Memory grows with what comes, not with what was promised."""
        while len(self._came) < size:
            self.flush()
            chunk = self._source.read(max(1 << 16, min(size - len(self._came), 1 << 24)))
            if not chunk:
                return False
            self._came += chunk
        return True

    def write(self, tag: int, body: bytes) -> None:
        self._held += [struct.pack("<IB", len(body), tag), body]
        self._held_bytes += 5 + len(body)
        if self._held_bytes >= _HOLD_BYTES or time.monotonic() - self._sent_at >= _HOLD_SECONDS:
            self.flush()

    def flush(self) -> None:
        if self._held:
            rest = memoryview(b"".join(self._held))
            self._held, self._held_bytes = [], 0
            while rest:
                rest = rest[self._sink.write(rest) :]
            self._sent_at = time.monotonic()


def _encode_text(text: str) -> bytes:
    encoded = text.encode("utf-8", "replace")
    return struct.pack("<I", len(encoded)) + encoded


def _hello(identity: Identity) -> bytes:
    number = list(DTYPES).index
    texts = (identity.name, identity.version, identity.report_bugs_to)
    return b"".join([
        b"NORMATIV",
        struct.pack("<I", 1),
        *map(_encode_text, texts),
        struct.pack("<I", len(identity.accumulation)),
        *(bytes([number(data), number(sums)]) for data, sums in identity.accumulation.items()),
        _what_is_unusual(identity),
    ])


def _what_is_unusual(identity: Identity) -> bytes:
    """The parts up to the last that is not as usual: a worker that says nothing new says it as it always did."""
    families, values_of, operators = identity.families, identity.values_of, identity.operators
    claims = families is not None or bool(values_of or operators)
    if families is None and not values_of:
        named = tuple(dict.fromkeys(operator.split("/")[0] for operator in operators))
        families = named or ("openvino", "onnx", "bnns")
    codes = [*(_FAMILIES[family] for family in families or ()), *(_FAMILIES[family] | 0x80 for family in values_of)]
    parts = (
        (identity.slow, bytes([identity.slow])),
        (claims, _list(bytes([code]) for code in codes)),
        (identity.other_forms, bytes([identity.other_forms])),
        (identity.layouts, _list(bytes([1 + LAYOUTS.index(layout)]) for layout in identity.layouts)),
        (operators, _list(map(_encode_text, operators))),
        (identity.dtypes, _list(bytes([list(DTYPES).index(dtype)]) for dtype in identity.dtypes)),
    )
    said = max((at for at, (differs, _) in enumerate(parts, 1) if differs), default=0)
    return b"".join(part for _, part in parts[:said])


def _list(items: Iterable[bytes]) -> bytes:
    listed = list(items)
    return struct.pack("<I", len(listed)) + b"".join(listed)


def _encode_tensor(tensor: Tensor) -> bytes:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"the adapter returned a {type(tensor).__name__}, not a Tensor")
    shape, elements = tuple(tensor.shape), memoryview(tensor.elements).tobytes()
    count = 1
    for dim in shape:
        count *= dim
    if len(elements) != count * DTYPES[tensor.dtype]:
        raise ValueError(f"the adapter returned {len(elements)} bytes for {tensor.dtype}{list(shape)}")
    head = struct.pack(f"<BI{len(shape)}Q", list(DTYPES).index(tensor.dtype), len(shape), *shape)
    return head + elements


class _Body:
    """A body being read from the front."""

    def __init__(self, body: bytes) -> None:
        self._body, self._at = body, 0

    def take(self, size: int) -> bytes:
        taken = self._body[self._at : self._at + size]
        if len(taken) < size:
            raise _Broken(f"byte {self._at}: expected {size} bytes, got {len(taken)}")
        self._at += size
        return taken

    def number(self, form: str) -> int:
        (number,) = struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))
        return number

    def one_of(self, meanings: dict):
        code = self.number("B")
        if code not in meanings:
            raise _Broken(f"byte {self._at - 1}: {code} means nothing here")
        return meanings[code]

    def dims(self) -> tuple:
        rank = self.number("I")
        return struct.unpack(f"<{rank}Q", self.take(8 * rank))

    def dtype(self) -> str:
        return self.one_of(dict(enumerate(DTYPES)))

    def is_at_end(self) -> bool:
        return self._at == len(self._body)

    def end(self) -> None:
        if self._at < len(self._body):
            raise _Broken(f"byte {self._at}: {len(self._body) - self._at} bytes follow the call")


def _call(body: bytes) -> tuple:
    """The call in a frame's body, after its number."""
    parts = _Body(body)
    number = parts.number("Q")
    operator = parts.one_of({1: _openvino, 2: _onnx, 3: _bnns, 4: _array_api, 5: _webnn, 6: _blas})(parts)
    data, axes = _data(parts), parts.one_of({0: _absent, 1: _null, 2: _given, 3: _other_form})(parts)
    layout = "row-major" if parts.is_at_end() else parts.one_of(dict(enumerate(LAYOUTS, 1)))
    parts.end()
    return number, Call(operator, data, axes, layout)


def _model(body: bytes) -> tuple:
    """The model in a frame's body, after its number."""
    parts = _Body(body)
    number, model = parts.number("Q"), parts.take(parts.number("I"))
    inputs = {parts.take(parts.number("I")).decode(): _data(parts) for _ in range(parts.number("I"))}
    parts.end()
    return number, Model(model, inputs)


def _norm(parts: _Body) -> str:
    return parts.one_of({1: "L1", 2: "L2", 3: "SumSquare", 4: "Sum"})


def _openvino(parts: _Body) -> OpenVino:
    return OpenVino(_norm(parts), parts.one_of({0: None, 1: False, 2: True}))


def _onnx(parts: _Body) -> Onnx:
    def attribute() -> Optional[int]:
        return parts.number("q") if parts.one_of({0: False, 1: True}) else None

    return Onnx(_norm(parts), parts.one_of({opset: opset for opset in (1, 11, 13, 18)}), attribute(), attribute())


def _bnns(parts: _Body) -> Bnns:
    return Bnns(parts.dims())


def _array_api(parts: _Body) -> ArrayApi:
    return ArrayApi(parts.one_of({0: None, 1: 1, 2: 2}), parts.one_of({0: None, 1: False, 2: True}))


def _webnn(parts: _Body) -> WebNn:
    return WebNn(_norm(parts), parts.one_of({0: None, 1: False, 2: True}))


def _blas(parts: _Body) -> Blas:
    return Blas(_norm(parts), parts.number("i"), parts.number("i"))


def _data(parts: _Body) -> Tensor:
    dtype, shape = parts.dtype(), parts.dims()
    size = DTYPES[dtype]
    for dim in shape:
        size *= dim
    return Tensor(dtype, shape, bytearray(parts.take(size)))


def _absent(_: _Body) -> None:
    return None


def _null(_: _Body) -> _Null:
    return NULL


def _given(parts: _Body) -> Axes:
    dtype, shape, count = parts.dtype(), parts.dims(), parts.number("I")
    values = parts.take(16 * count)
    axes = (int.from_bytes(values[at : at + 16], "little", signed=True) for at in range(0, len(values), 16))
    return Axes(dtype, shape, tuple(axes))


def _other_form(parts: _Body) -> OtherForm:
    return OtherForm(_given(parts))
