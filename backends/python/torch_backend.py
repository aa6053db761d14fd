"""PyTorch as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE vector_norm"`.

The first word on the command line says which of the two ways of a PyTorch user is asked:

    vector_norm   torch.linalg.vector_norm(x, ord=1 or 2, dim=..., keepdim=...)
    sum           L1    torch.sum(torch.abs(x), dim=..., keepdim=..., dtype=x.dtype)
                  L2    torch.sqrt(torch.sum(torch.square(x), dim=..., keepdim=..., dtype=x.dtype))

`vector_norm` is the naive one: its name says what is wanted, and it takes floats alone. `sum` is the one that takes
integers too: `dtype` is how PyTorch is asked for a sum in the type of the data, as its sums of integers are int64. Its
roots of integers are floats.

A second word, `cuda`, has both computed on the first CUDA device. Where there is none, the backend is unavailable.

A call of the array API is torch.linalg.vector_norm either way, with `dim` for its `axis` and `keepdim` for its `keepdims`.
PyTorch names no standard: it is judged by the values of the array API, unless `--spec` asks for another.

What a call says is handed to PyTorch where PyTorch has a place for it, and never checked first: what PyTorch refuses,
with its own words, is a rejection, and what it accepts is computed. A type of data it has no kernel for is
unsupported: PyTorch says so by an exception of its own, NotImplementedError. How axes and attributes are translated,
and which have no place, is said in normative/axis_argument.py; `dim` and `keepdim` are the `axis` and `keepdims` named there.
Data are handed over as bytes, which is how bf16 gets in and out.
"""

import sys

from normative.axis_argument import arguments, keywords
from normative.worker import ArrayApi, Identity, Rejected, Tensor, Unsupported, run, unavailable

try:
    import torch
    from normative.torch_types import LAYOUTS, NAMES, bytes_of, laid_out, tensor_of
except ImportError as missing:
    unavailable(f"PyTorch: {missing}")

TORCHS = {"axis": "dim", "keepdims": "keepdim"}


def by_vector_norm(which, x, dim, keepdim):
    return torch.linalg.vector_norm(x, ord={"L1": 1, "L2": 2}[which], dim=dim, keepdim=keepdim)


def by_sum(which, x, dim, keepdim):
    if which == "L1":
        return torch.sum(torch.abs(x), dim=dim, keepdim=keepdim, dtype=x.dtype)
    return torch.sqrt(torch.sum(torch.square(x), dim=dim, keepdim=keepdim, dtype=x.dtype))


def answers(norm, device):
    def answer(call):
        x = laid_out(call, tensor_of(call.data).to(device))
        if isinstance(call.operator, ArrayApi):
            given = {TORCHS.get(name, name): value for name, value in keywords(call).items()}
            asked = lambda: torch.linalg.vector_norm(x, **given)
        else:
            dim, keepdim = arguments(call)
            asked = lambda: norm(call.operator.norm, x, dim, keepdim)
        try:
            result = asked()
        except NotImplementedError as missing:
            raise Unsupported(f"NotImplementedError: {missing}") from missing
        except (ValueError, TypeError, IndexError, OverflowError, RuntimeError) as refusal:
            raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal
        return Tensor(NAMES[result.dtype], tuple(result.shape), bytes_of(result))

    return answer


WAYS = {"vector_norm": by_vector_norm, "sum": by_sum}

if __name__ == "__main__":
    way, *device = sys.argv[1:]
    if device == ["cuda"] and not torch.cuda.is_available():
        unavailable("PyTorch: no CUDA device")
    name = " ".join(["PyTorch", way, *device])
    bugs = "https://github.com/pytorch/pytorch/issues"
    identity = Identity(name, torch.__version__, bugs, slow=True, values_of=("array-api",), layouts=LAYOUTS)
    run(identity, answers(WAYS[way], *device or ["cpu"]))
