needs torch==@RELEASE@ numpy
import torch
---
DATA = @ARRAY@@COMMENT@
@LAYOUT@


def call():
@if !bf16@    x = torch.from_numpy(DATA)
@if bf16@    x = torch.from_numpy(DATA).view(torch.bfloat16)
@if sum l1@    result = torch.sum(torch.abs(x), dim=@AXIS@, keepdim=@KEEPDIMS@, dtype=x.dtype)
@if sum l2@    result = torch.sqrt(torch.sum(torch.square(x), dim=@AXIS@, keepdim=@KEEPDIMS@, dtype=x.dtype))
@if squares@    result = torch.sum(torch.square(x), dim=@AXIS@, keepdim=@KEEPDIMS@, dtype=x.dtype)
@if elements@    result = torch.sum(x, dim=@AXIS@, keepdim=@KEEPDIMS@, dtype=x.dtype)
@if norm@    result = torch.linalg.vector_norm(x, ord=@ORD@, dim=@AXIS@, keepdim=@KEEPDIMS@)
    raw = result.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return str(result.dtype).partition(".")[2], result.shape, raw


REFUSALS = (ValueError, TypeError, IndexError, OverflowError, RuntimeError)
