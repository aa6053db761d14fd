"""Tensors of the protocol as tensors of PyTorch, through their bytes, which is how bf16 gets in and out."""

import torch

DTYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64,
}
NAMES = {torchs: ours for ours, torchs in DTYPES.items()}


def tensor_of(data):
    # There is no tensor over an empty buffer.
    if not data.elements:
        return torch.empty(data.shape, dtype=DTYPES[data.dtype])
    return torch.frombuffer(data.elements, dtype=DTYPES[data.dtype]).reshape(data.shape)


#: The layouts in which a tensor of PyTorch can lie: its strides are not negative, and its elements aligned.
LAYOUTS = ("transposed", "sliced", "broadcast")
#: For an element's size, a type that every step below takes.
BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def laid_out(call, x):
    """The tensor `x` of the data of a call, as they are to lie in memory."""
    layout = call.layout
    if layout == "row-major":
        return x
    bits = x.view(BITS[x.element_size()])
    if layout == "transposed":
        backwards = tuple(reversed(range(bits.dim())))
        lies = bits.permute(backwards).contiguous().permute(backwards)
    elif layout == "sliced":
        ends = (0, bits.dim() - 1)
        cut = tuple(slice(1, None, 2) if axis in ends else slice(None) for axis in range(bits.dim()))
        # All bits between the elements are set, so that a read there gives NaN, -1 or the greatest unsigned integer.
        dims = [2 * dim + 1 if axis in ends else dim for axis, dim in enumerate(bits.shape)]
        larger = torch.full(dims, 0xFF if bits.dtype == torch.uint8 else -1, dtype=bits.dtype, device=bits.device)
        larger[cut] = bits
        lies = larger[cut]
    else:
        lies = bits
        for axis in range(bits.dim()):
            first = lies.narrow(axis, 0, 1)
            if torch.equal(first.expand_as(lies), lies):
                lies = first
        lies = lies.clone().expand_as(bits)
    if not torch.equal(lies, bits):
        raise AssertionError(f"{layout} data are not the data of the call")
    call.copies.append(lambda: bytes_of(lies))
    return lies.view(x.dtype)


def bytes_of(result):
    return result.contiguous().reshape(-1).view(torch.uint8).cpu().numpy().tobytes()
