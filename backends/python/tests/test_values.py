"""`exact` and `assert_norm` against NumPy, and what becomes of them when the program dies or a request makes no sense."""

import math
import threading

import numpy as np
import pytest

import normative
from normative import _oracle

ROWS = np.array([[3, -4], [5, 12]], "f4")


@pytest.mark.parametrize(
    "arguments, rounded",
    [
        ({}, math.sqrt(194)),
        ({"axis": 1}, [5, 13]),
        ({"axis": -1, "keepdims": True}, [[5], [13]]),
        ({"axis": (0, 1), "ord": 1}, 24),
        ({"axis": (), "ord": 1}, [[3, 4], [5, 12]]),
        ({"axis": 0, "spec": "onnx"}, [math.sqrt(34), math.sqrt(160)]),
        ({"axis": [1], "ord": 1, "spec": "onnx/ReduceL1-13"}, [7, 17]),
        ({"spec": "openvino", "ord": 1}, 24),
        ({"axis": 1, "spec": "webnn", "keepdims": True}, [[5], [13]]),
    ],
)
def test_the_rounded_norm_is_that_of_f64_in_f32(arguments, rounded):
    found = normative.exact(ROWS, **arguments)
    assert found.rounded.dtype == np.float32
    assert np.array_equal(found.rounded, np.array(rounded, "f4"))
    assert (found.lower <= found.rounded).all() and (found.rounded <= found.upper).all()


def test_what_lies_within_the_bound_passes_and_the_next_float_fails():
    found = normative.exact(ROWS, axis=1)
    for within in (found.lower, found.rounded, found.upper):
        normative.assert_norm(within, ROWS, axis=1)
    for beyond in (np.nextafter(found.lower, np.float32(0)), np.nextafter(found.upper, np.float32(np.inf))):
        with pytest.raises(AssertionError, match="ulp, allowed"):
            normative.assert_norm(beyond, ROWS, axis=1)


def test_a_failure_says_clause_place_exact_value_bound_and_derivation():
    with pytest.raises(AssertionError) as failure:
        normative.assert_norm(np.array([5, 13.01], "f4"), ROWS, axis=1)
    text = str(failure.value)
    for part in ("#norm: ", "first at [1]", "exact     13", "got       13.01", "allowed 3.250 ulp", "n = 2, s = 3 · 2^-24"):
        assert part in text


@pytest.mark.parametrize(
    "actual, says",
    [
        (np.array([5, 13], "f8"), "expected output type f32, got f64"),
        (np.array([[5], [13]], "f4"), "expected output shape [2], got [2, 1]"),
        (np.array([5, np.nan], "f4"), "first at [1]"),
        (np.array([-5, 13], "f4"), "first at [0]"),
    ],
)
def test_type_shape_and_sign_are_held_too(actual, says):
    with pytest.raises(AssertionError) as failure:
        normative.assert_norm(actual, ROWS, axis=1)
    assert says in str(failure.value)


def test_lists_are_what_numpy_reads_them_as():
    normative.assert_norm(5.0, [3, -4.0])
    assert normative.exact([[3.0, 4.0]], axis=-1).rounded.tolist() == [5.0]


def test_big_endian_and_strided_arrays_are_the_same_values():
    data = np.arange(12, dtype=">f8").reshape(3, 4)[:, ::2]
    normative.assert_norm(np.linalg.vector_norm(data.astype("f8"), axis=0), data, axis=0)


def test_half_precision_of_16_bits_has_bounds_by_onnx():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    data = np.array([1, 2, 3], ml_dtypes.bfloat16)
    normative.assert_norm(np.array(math.sqrt(14), ml_dtypes.bfloat16), data, spec="onnx")
    with pytest.raises(ValueError, match="a call that array-api defines, got axis=None of bf16"):
        normative.assert_norm(np.array(3.75, ml_dtypes.bfloat16), data)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_tensors_of_pytorch_are_taken(dtype):
    torch = pytest.importorskip("torch")
    data = torch.tensor([[3.0, 4.0]], dtype=getattr(torch, dtype), requires_grad=True)
    spec = "array-api" if dtype in ("float32", "float64") else "onnx"
    normative.assert_norm(torch.linalg.vector_norm(data, dim=1), data, axis=1, spec=spec)


def test_arrays_of_jax_are_taken():
    jax = pytest.importorskip("jax")
    for dtype, spec in [("float32", "array-api"), ("bfloat16", "onnx")]:
        data = jax.numpy.asarray([[3.0, 4.0]], dtype)
        normative.assert_norm(jax.numpy.linalg.vector_norm(data, axis=1), data, axis=1, spec=spec)


@pytest.mark.parametrize(
    "arguments, says",
    [
        ({"ord": 3}, "expected ord 1 or 2, got 3"),
        ({"spec": "blas"}, "expected a spec of"),
        ({"spec": "onnx/ReduceL2-12"}, "expected ReduceL1-N or ReduceL2-N"),
        ({"axis": 2}, "outside the text"),
        ({"axis": 2, "spec": "onnx"}, "it is refused"),
        ({"axis": (), "spec": "onnx"}, "its result is exact"),
        ({"data": np.array([1, 2])}, "outside the text"),
    ],
)
def test_a_call_without_floats_as_its_answer_is_a_value_error(arguments, says):
    with pytest.raises(ValueError, match=says):
        normative.exact(**{"data": ROWS, **arguments})


@pytest.mark.parametrize(
    "arguments, error, says",
    [
        ({"axis": 7}, ValueError, r"expected a call that array-api defines, got axis=7 of f32 data of shape \(2, 2\)"),
        ({"axis": 7, "spec": "onnx"}, ValueError, "expected a call that onnx defines, got axis=7 .* it is refused"),
        ({"axis": "a"}, TypeError, "expected axis None, an integer or a tuple of integers, got 'a'"),
        ({"axis": 1.0}, TypeError, "expected axis None, an integer or a tuple of integers, got 1.0"),
        ({"axis": True}, TypeError, "expected axis None, an integer or a tuple of integers, got True"),
        ({"axis": 1, "keepdims": "no"}, TypeError, "expected keepdims True or False, got 'no'"),
        ({"data": [3, 4]}, ValueError, "integers, as NumPy reads a list of them, have no norm there"),
        ({"data": np.ma.array(ROWS, mask=ROWS < 0), "axis": 1}, TypeError, "expected an array without masked elements"),
        ({"data": None}, TypeError, "expected an array of numbers, got NoneType"),
        ({"actual": "5"}, TypeError, "expected an element type of"),
    ],
)
def test_a_call_that_makes_no_sense_is_no_failure_of_the_values(arguments, error, says):
    with pytest.raises(error, match=says):
        normative.assert_norm(**{"actual": np.array([5, 13], "f4"), "data": ROWS, **arguments})


@pytest.mark.parametrize(
    "request_",
    [{}, {"answers": "0"}, {"answers": "00"}, {"answers": "zz"}, {"judge": {"call": ""}}, {"clauses": "none"}, {"other": 1}],
)
def test_a_request_that_is_none_is_an_error_and_the_next_is_answered(request_):
    with pytest.raises(_oracle.OracleError):
        _oracle.ask(request_)
    normative.assert_norm(5.0, [3.0, 4.0])


def test_a_program_that_died_is_started_again():
    normative.exact([1.0])
    _oracle._ORACLE._process.kill()
    _oracle._ORACLE._process.wait()
    normative.assert_norm(5.0, [3.0, 4.0])


def test_threads_get_their_own_replies():
    wrong = []

    def ask(length):
        for _ in range(20):
            if normative.exact(np.ones(length * length, "f4")).rounded != length:
                wrong.append(length)

    threads = [threading.Thread(target=ask, args=(length,)) for length in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
