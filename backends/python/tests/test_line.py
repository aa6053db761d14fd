"""A line of Python makes the data of a call again, bit for bit."""

import random

import numpy as np
import pytest

from normative._line import of_array
from normative.worker import DTYPES, Tensor

SHAPES = [(), (1,), (3,), (2, 2), (0, 2), (5, 8)]


def evaluated(tensor):
    line = of_array(tensor)
    names = {"np": np}
    if tensor.dtype == "bf16":
        names["ml_dtypes"] = pytest.importorskip("ml_dtypes")
    return eval(line, names), line


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("of", ["zeros", "ones", "any bits"])
def test_a_line_is_its_data(dtype, shape, of):
    size = int(np.prod(shape)) * DTYPES[dtype]
    one = b"\1" + bytes(DTYPES[dtype] - 1)
    elements = {"zeros": bytes(size), "ones": one * (size // len(one)), "any bits": random.Random(7).randbytes(size)}[of]
    array, line = evaluated(Tensor(dtype, shape, elements))
    assert (array.shape, array.dtype.itemsize) == (shape, DTYPES[dtype]), line
    assert array.tobytes() == elements, line


@pytest.mark.parametrize("dtype, values", [("f4", [np.inf, -np.inf, np.nan, -0.0, 1e-45]), ("f8", [np.nan, 5e-324]), ("f2", [np.nan, -0.0])])
def test_special_floats_are_written_by_name(dtype, values):
    data = np.array(values, dtype)
    array, line = evaluated(Tensor(f"f{8 * int(dtype[1])}", data.shape, data.tobytes()))
    assert array.tobytes() == data.tobytes(), line
    assert "frombuffer" not in line


@pytest.mark.parametrize(
    "data, line",
    [
        (np.zeros((2, 1, 1), "f4"), 'np.zeros((2, 1, 1), "f4")'),
        (np.ones(3, "f8"), 'np.ones(3, "f8")'),
        (np.full((2, 2), 7, "i8"), 'np.full((2, 2), 7, "i8")'),
        (np.array([1, -2], "f4"), 'np.array([1.0, -2.0], "f4")'),
        (np.array(2.5, "f4"), 'np.array([2.5], "f4").reshape(())'),
    ],
)
def test_short_data_are_written_as_a_person_would(data, line):
    dtype = {"f4": "f32", "f8": "f64", "i8": "i64"}[data.dtype.str[1:]]
    assert of_array(Tensor(dtype, data.shape, data.tobytes())) == line
