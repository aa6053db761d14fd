DATA = @DATA@
PARAM = """7767517
2 2
Input data 0 1 data
Reduction reduced 1 1 data reduced @LAYER@
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
    @SHAPE@
    return result.dtype.name, shape, result.tobytes()


REFUSALS = (ValueError,)
