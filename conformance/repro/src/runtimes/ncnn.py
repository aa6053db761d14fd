needs ncnn==@VERSION@ numpy
import ncnn
---
DATA = @ARRAY@@COMMENT@
PARAM = """7767517
2 2
Input data 0 1 data
@if l1@Reduction reduced 1 1 data reduced 0=7 @NCNN@
@if l2@Reduction reduced 1 1 data reduced 0=8 @NCNN@
@if squares@Reduction reduced 1 1 data reduced 0=2 @NCNN@
@if elements@Reduction reduced 1 1 data reduced 0=0 @NCNN@
"""


def call():
    network = ncnn.Net()
    if network.load_param_mem(PARAM) != 0:
        raise ValueError("the layer is not loaded")
    with network.create_extractor() as extractor:
        extractor.input("data", ncnn.Mat(DATA))
        status, mat = extractor.extract("reduced")
        if status != 0:
            raise ValueError(f"extract gives {status}")
        result = np.array(mat)
@if to-rank-0@    shape = () if result.size == 1 else result.shape
@if !to-rank-0@    shape = result.shape
    return result.dtype.name, shape, result.tobytes()


REFUSALS = (ValueError,)
