/* Plain loops in C as a backend: `cargo xtask conformance --backend "cmd:PROGRAM" --spec openvino`, PROGRAM being this file,
 * compiled: `cc -O2 -o example_backend example_backend.c -lm`.
 *
 *     reduce(norm, axes, keep)    ReduceL1 and ReduceL2 of OpenVINO, of f32, f64, i32 and i64
 *
 * The loops stand for a library. They add floats in double precision and integers in their own type. A list of int64 is all
 * the axes they take. */

#include "normative_worker.h"

#include <math.h>

/* Where a result lies that the element at `place` adds to. */
static uint64_t place_of(const normative_tensor *data, const bool *reduced, uint64_t place) {
    uint64_t to = 0, stride = 1;
    for (uint32_t axis = data->rank; axis-- > 0;) {
        if (!reduced[axis]) {
            to += place % data->dims[axis] * stride;
            stride *= data->dims[axis];
        }
        place /= data->dims[axis];
    }
    return to;
}

/* The largest integer whose square is at most `sum`. */
static uint64_t whole_root(uint64_t sum) {
    uint64_t root = (uint64_t)sqrt((double)sum);
    while (root > UINT32_MAX || root * root > sum) root--;
    while (root < UINT32_MAX && (root + 1) * (root + 1) <= sum) root++;
    return root;
}

static double magnitude(double x, int norm) {
    return norm == 1 ? fabs(x) : x * x;
}

static uint64_t whole_magnitude(int64_t x, int norm) {
    uint64_t positive = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    return norm == 1 ? positive : positive * positive;
}

static normative_answer reduce(const normative_tensor *data, const bool *reduced, int norm, bool keep) {
    uint64_t *dims = (uint64_t *)normative_take((data->rank + 1) * sizeof *dims);
    uint32_t rank = 0;
    for (uint32_t axis = 0; axis < data->rank; axis++) {
        if (!reduced[axis]) dims[rank++] = data->dims[axis];
        else if (keep) dims[rank++] = 1;
    }
    normative_tensor result = normative_tensor_of(data->dtype, rank, dims);
    bool whole = data->dtype == NORMATIVE_I32 || data->dtype == NORMATIVE_I64;
    double *sums = (double *)normative_take((result.count + 1) * sizeof *sums);
    uint64_t *whole_sums = (uint64_t *)normative_take((result.count + 1) * sizeof *whole_sums);
    for (uint64_t at = 0; at < data->count; at++) {
        uint64_t to = place_of(data, reduced, at);
        switch (data->dtype) {
        case NORMATIVE_F32: sums[to] += magnitude(((const float *)data->elements)[at], norm); break;
        case NORMATIVE_F64: sums[to] += magnitude(((const double *)data->elements)[at], norm); break;
        case NORMATIVE_I32: whole_sums[to] += whole_magnitude(((const int32_t *)data->elements)[at], norm); break;
        default: whole_sums[to] += whole_magnitude(((const int64_t *)data->elements)[at], norm); break;
        }
    }
    for (uint64_t to = 0; to < result.count; to++) {
        double sum = norm == 1 || whole ? sums[to] : sqrt(sums[to]);
        uint64_t whole_sum = norm == 1 ? whole_sums[to] : whole_root(whole_sums[to]);
        switch (data->dtype) {
        case NORMATIVE_F32: ((float *)result.elements)[to] = (float)sum; break;
        case NORMATIVE_F64: ((double *)result.elements)[to] = sum; break;
        case NORMATIVE_I32: ((int32_t *)result.elements)[to] = (int32_t)whole_sum; break;
        default: ((int64_t *)result.elements)[to] = (int64_t)whole_sum; break;
        }
    }
    return normative_result(result);
}

static normative_answer answer(const normative_call *call) {
    const normative_tensor *data = &call->data;
    if (call->op.family != NORMATIVE_OPENVINO) return normative_unsupported("there is nothing but OpenVINO's operators");
    if (data->dtype != NORMATIVE_F32 && data->dtype != NORMATIVE_F64 && data->dtype != NORMATIVE_I32 && data->dtype != NORMATIVE_I64) {
        return normative_unsupported("no sums of this type");
    }
    if (call->axes.presence != NORMATIVE_GIVEN || call->axes.dtype != NORMATIVE_I64 || call->axes.rank != 1) {
        return normative_unsupported("axes are a list of int64");
    }
    bool *reduced = (bool *)normative_take(data->rank + 1);
    for (uint32_t at = 0; at < call->axes.count; at++) {
        int64_t axis;
        bool fits = normative_to_int64(call->axes.values[at], &axis);
        if (!fits || axis < -(int64_t)data->rank || axis >= (int64_t)data->rank) {
            return normative_rejected("axis %lld is out of range for rank %u", (long long)axis, data->rank);
        }
        bool *named = &reduced[axis < 0 ? axis + data->rank : axis];
        if (*named) return normative_rejected("axis %lld is named twice", (long long)axis);
        *named = true;
    }
    return reduce(data, reduced, call->op.norm, call->op.keep == NORMATIVE_TRUE);
}

int main(void) {
    const normative_family families[] = {NORMATIVE_OPENVINO};
    normative_identity identity = {"loops in C", "1.0", "https://where.bugs.go", NULL, 0, false, families, 1, NULL, 0, NULL, 0, NULL, 0};
    return normative_run(&identity, answer);
}
