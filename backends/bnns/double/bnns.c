/* A double of BNNSComputeNorm: the descriptor as the public header lays it out, and a function that does what that
 * header and Apple's page say, with float arithmetic in the order of memory.
 *
 * It returns 0 on success. It returns nonzero, and writes nothing, where a descriptor or an argument is not what the
 * contract names: a layout that is none of the public ones whose axis 0 is the fastest, a type of data other than
 * f32, data that are null where there is an element, a norm other than L2, a flag beyond the rank, or a destination
 * whose shape is not that of the source with the flagged axes removed (all of them: a vector of one).
 *
 * A stride of 0 stands for the packed one. `flags` concern backpropagation and are not looked at; nor are tables,
 * scale and bias, which are those of quantised types.
 */

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_RANK 8
#define TYPE_F32 0x10020u
#define L2_NORM 1u

typedef struct {
    uint32_t flags;
    uint32_t layout;
    size_t size[MAX_RANK];
    size_t stride[MAX_RANK];
    void *data;
    uint32_t data_type;
    void *table_data;
    uint32_t table_data_type;
    float data_scale;
    float data_bias;
} descriptor;

void double_layout_of_descriptor(size_t numbers[12]) {
    const size_t all[12] = {
        sizeof(descriptor), _Alignof(descriptor),
        offsetof(descriptor, flags), offsetof(descriptor, layout), offsetof(descriptor, size),
        offsetof(descriptor, stride), offsetof(descriptor, data), offsetof(descriptor, data_type),
        offsetof(descriptor, table_data), offsetof(descriptor, table_data_type),
        offsetof(descriptor, data_scale), offsetof(descriptor, data_bias),
    };
    for (int i = 0; i < 12; i++)
        numbers[i] = all[i];
}

/* The number of axes of a layout whose axis 0 is the fastest; 0 for any other. */
static size_t rank_of(uint32_t layout) {
    switch (layout) {
    case 0x10000: return 1; /* Vector */
    case 0x20000: /* RowMajorMatrix: size[0] is the number of columns */
    case 0x20001: /* ColumnMajorMatrix: size[0] is the number of rows */
    case 0x28000: return 2; /* 2DLastMajor */
    case 0x30000: /* ImageCHW */
    case 0x38000: return 3; /* 3DLastMajor */
    case 0x48000: return 4;
    case 0x58000: return 5;
    case 0x68000: return 6;
    case 0x78000: return 7;
    case 0x88000: return 8;
    default: return 0;
    }
}

/* The strides in elements; nonzero where the descriptor describes nothing this function takes. */
static int understood(const descriptor *array, size_t *rank, size_t strides[MAX_RANK]) {
    *rank = rank_of(array->layout);
    if (*rank == 0 || array->data_type != TYPE_F32)
        return 1;
    size_t packed = 1, elements = 1;
    for (size_t axis = 0; axis < *rank; axis++) {
        strides[axis] = array->stride[axis] ? array->stride[axis] : packed;
        packed = strides[axis] * array->size[axis];
        elements *= array->size[axis];
    }
    return elements > 0 && array->data == NULL;
}

/* Whether the destination is the source without the flagged axes; if so, the strides it has along the axes of the
 * source, 0 along the flagged ones. */
static int fits(const descriptor *dest, const descriptor *src, size_t rank, uint32_t flagged, size_t along[MAX_RANK]) {
    size_t dest_rank, strides[MAX_RANK], kept = 0;
    if (understood(dest, &dest_rank, strides))
        return 0;
    for (size_t axis = 0; axis < rank; axis++) {
        along[axis] = 0;
        if (flagged >> axis & 1)
            continue;
        if (kept == dest_rank || dest->size[kept] != src->size[axis])
            return 0;
        along[axis] = strides[kept++];
    }
    if (kept == 0)
        return dest->layout == 0x10000 && dest->size[0] == 1;
    return kept == dest_rank;
}

/* Moves on to the next place, axis 0 first, with both offsets; 0 after the last. */
static int next(size_t at[MAX_RANK], const descriptor *src, size_t rank, const size_t *from_strides,
                const size_t *to_strides, size_t *from, size_t *to) {
    for (size_t axis = 0; axis < rank; axis++) {
        *from += from_strides[axis];
        *to += to_strides[axis];
        if (++at[axis] < src->size[axis])
            return 1;
        *from -= from_strides[axis] * at[axis];
        *to -= to_strides[axis] * at[axis];
        at[axis] = 0;
    }
    return 0;
}

int double_compute_norm(descriptor *dest, const descriptor *src, uint32_t norm_type, uint32_t axis_flags) {
    size_t rank, strides[MAX_RANK], along[MAX_RANK];
    if (norm_type != L2_NORM || understood(src, &rank, strides) || axis_flags >> rank)
        return -1;
    const uint32_t flagged = axis_flags ? axis_flags : (1u << rank) - 1;
    if (!fits(dest, src, rank, flagged, along))
        return -1;

    /* The destination is walked as the source is, with one step along the flagged axes. */
    descriptor results = *src;
    size_t written = 1, elements = 1;
    for (size_t axis = 0; axis < rank; axis++) {
        if (flagged >> axis & 1)
            results.size[axis] = 1;
        written *= results.size[axis];
        elements *= src->size[axis];
    }
    if (written == 0)
        return 0;
    const float *values = src->data;
    float *sums = dest->data;
    size_t at[MAX_RANK] = {0}, from = 0, to = 0;
    do
        sums[to] = 0;
    while (next(at, &results, rank, strides, along, &from, &to));
    from = to = 0;
    if (elements > 0) {
        do
            sums[to] += values[from] * values[from];
        while (next(at, src, rank, strides, along, &from, &to));
    }
    from = to = 0;
    do
        sums[to] = sqrtf(sums[to]);
    while (next(at, &results, rank, strides, along, &from, &to));
    return 0;
}
