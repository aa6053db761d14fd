/* A worker of Normative's protocol, version 1: what a backend in C or C++ needs, in one file to copy.
 *
 *     #include "normative_worker.h"
 *
 *     static normative_answer answer(const normative_call *call) {
 *         ...                       // translate the call, run it, return a result
 *     }
 *
 *     int main(void) {
 *         normative_identity identity = {"my runtime", "1.0", "https://where.bugs.go"};
 *         return normative_run(&identity, answer);
 *     }
 *
 * The function gets one call at a time and returns `normative_result` of a tensor, `normative_rejected` (the runtime refused
 * the call as invalid: its own message), `normative_unsupported` (the runtime has no way to express the call: what is
 * missing) or `normative_crashed` (it broke down, and lived to tell; the process ends). What dies of a signal needs no care.
 * To translate is all it may do: it never repairs a result, and it never checks what the runtime does not check.
 *
 * `normative_tensor_of` makes a tensor to fill in, and `normative_take` memory for anything else. Both are freed once the
 * call is answered. `call->data.elements` are the call's own: whether they changed is checked afterwards.
 *
 * `normative_run_models` is for a runtime that reads ONNX: run by `--backend "onnx-cmd:..."`, its function gets a serialized
 * model and the tensors to feed it by name, and needs to know nothing of calls. Where the runtime is not there at all,
 * `normative_decline(why)` takes the place of `normative_run`.
 *
 * Licensed under MIT or Apache-2.0, at your option. C99 and POSIX, little-endian; include it in one file of a program. This file knows the bytes of the protocol
 * (conformance/backend/PROTOCOL.md) and nothing of norms. */

#ifndef NORMATIVE_WORKER_H
#define NORMATIVE_WORKER_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "numbers on the wire are little-endian, and this file copies them"
#endif

#if defined(__GNUC__)
#define NORMATIVE_UNUSED __attribute__((unused))
#define NORMATIVE_FORMAT __attribute__((unused, format(printf, 1, 2)))
#else
#define NORMATIVE_UNUSED
#define NORMATIVE_FORMAT
#endif

/* ---- what a backend sees ---------------------------------------------------------------------------------- */

/* Types of elements, by their numbers on the wire. */
typedef enum {
    NORMATIVE_F16, NORMATIVE_BF16, NORMATIVE_F32, NORMATIVE_F64,
    NORMATIVE_I8, NORMATIVE_I16, NORMATIVE_I32, NORMATIVE_I64,
    NORMATIVE_U8, NORMATIVE_U16, NORMATIVE_U32, NORMATIVE_U64,
    NORMATIVE_DTYPES
} normative_dtype;

/* Families of specs, by their numbers on the wire. */
typedef enum {
    NORMATIVE_OPENVINO = 1, NORMATIVE_ONNX, NORMATIVE_BNNS, NORMATIVE_ARRAY_API, NORMATIVE_WEBNN, NORMATIVE_BLAS
} normative_family;

/* For a type of data, the float type its sums are held in. */
typedef struct {
    normative_dtype data, sums;
} normative_accumulation;

/* Who the runtime is; the adapter has no say here. */
typedef struct {
    const char *name, *version, *report_bugs_to;
    /* Where the runtime promises one. */
    const normative_accumulation *accumulations;
    uint32_t accumulation_count;
    /* Whether 20,000 calls take it more than about two seconds. It is then asked fewer by default. */
    bool slow;
    /* The families it promises to keep to. NULL: OpenVINO, ONNX and BNNS, or none where `values_of` names some, or those of
     * `operators`. */
    const normative_family *families;
    uint32_t family_count;
    /* Families of which it promises the values alone: it has types and forms of its own, and need refuse nothing. */
    const normative_family *values_of;
    uint32_t values_count;
    /* The operators that the adapter has, by the names of reports ("onnx/ReduceL1-18"), or whole families of them ("onnx"), and
     * the types of data. It is asked no others, and they count as unsupported. NULL: it is asked all. */
    const char *const *operators;
    uint32_t operator_count;
    const normative_dtype *dtypes;
    uint32_t dtype_count;
} normative_identity;

/* A dense tensor: row-major, axis 0 the slowest, elements in little-endian bytes. */
typedef struct {
    normative_dtype dtype;
    uint32_t rank;
    uint64_t *dims;
    uint64_t count; /* of elements */
    void *elements;
} normative_tensor;

/* A flag that may have been left out. */
typedef enum { NORMATIVE_LEFT_OUT, NORMATIVE_FALSE, NORMATIVE_TRUE } normative_flag;

/* An integer that may have been left out. */
typedef struct {
    bool given;
    int64_t value;
} normative_integer;

/* An operator. Which of its members mean something is said by the family. */
typedef struct {
    normative_family family;
    /* 1 for L1, 2 for L2, 3 for the sum of squares and 4 for the sum of elements, where `operators` of the identity names them; of the array API, 0 where `ord` was left out, which is 2 then. BNNS knows L2 alone. */
    int norm;
    /* OpenVINO's keep_dims, the array API's keepdims, WebNN's keepDimensions. */
    normative_flag keep;
    /* ONNX: the opset is 1, 11, 13 or 18. */
    int opset;
    normative_integer keepdims, noop_with_empty_axes;
    /* BNNS: the dims of the output the caller allocated, fastest axis first. */
    uint32_t output_rank;
    const uint64_t *output_dims;
    /* BLAS. */
    int32_t n, incx;
} normative_operator;

/* The value of an axis, which any integer type can hold: 128 bits in two's complement. */
typedef struct {
    uint64_t low;
    int64_t high;
} normative_axis;

/* Whether axes were not written at all, written as nothing, or given. */
typedef enum { NORMATIVE_ABSENT, NORMATIVE_NULL, NORMATIVE_GIVEN } normative_presence;

/* Axes as they were given: the values, and the type and dims they were written in. */
typedef struct {
    normative_presence presence;
    normative_dtype dtype;
    uint32_t rank; /* 0 for a scalar, 1 for a list */
    const uint64_t *dims;
    uint32_t count;
    const normative_axis *values;
} normative_axes;

/* What a user of an operator wrote, valid or not. */
typedef struct {
    normative_operator op;
    normative_tensor data;
    normative_axes axes;
} normative_call;

/* A tensor to feed a model. */
typedef struct {
    const char *name;
    normative_tensor tensor;
} normative_input;

/* A call of ONNX's as a model of one node, whose one output, `reduced`, is the answer. */
typedef struct {
    const void *bytes; /* a serialized ModelProto */
    uint32_t size;
    uint32_t input_count; /* "data" first, then "axes" where they are an input */
    normative_input *inputs;
} normative_model;

typedef struct {
    int outcome;
    const char *why;
    normative_tensor tensor;
} normative_answer;

/* The size of an element in bytes. */
static NORMATIVE_UNUSED size_t normative_size_of(normative_dtype dtype) {
    static const unsigned char sizes[NORMATIVE_DTYPES] = {2, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
    return sizes[dtype];
}

/* ---- memory of one call ------------------------------------------------------------------------------------ */

typedef struct normative_block {
    struct normative_block *next;
} normative_block;

static normative_block *normative_blocks;

/* Says why the worker cannot go on, such as a judge at fault, and ends the process. */
static NORMATIVE_FORMAT void normative_stop(const char *format, ...) {
    va_list words;
    va_start(words, format);
    fputs("worker: ", stderr);
    vfprintf(stderr, format, words);
    fputc('\n', stderr);
    va_end(words);
    fflush(NULL);
    _exit(2);
}

/* Memory of zeros that is freed once the call is answered. */
static NORMATIVE_UNUSED void *normative_take(size_t size) {
    normative_block *block = size < SIZE_MAX - 32 ? (normative_block *)calloc(1, size + 32) : NULL;
    if (block == NULL) normative_stop("there is no memory left");
    block->next = normative_blocks;
    normative_blocks = block;
    return (char *)block + 32;
}

static void normative_free_all(void) {
    while (normative_blocks != NULL) {
        normative_block *next = normative_blocks->next;
        free(normative_blocks);
        normative_blocks = next;
    }
}

/* A tensor of zeros with these dims. */
static NORMATIVE_UNUSED normative_tensor normative_tensor_of(normative_dtype dtype, uint32_t rank, const uint64_t *dims) {
    normative_tensor tensor = {dtype, rank, NULL, 1, NULL};
    tensor.dims = (uint64_t *)normative_take(rank * sizeof *dims);
    for (uint32_t at = 0; at < rank; at++) {
        tensor.dims[at] = dims[at];
        tensor.count *= dims[at];
    }
    tensor.elements = normative_take(tensor.count * normative_size_of(dtype));
    return tensor;
}

/* Whether an axis fits int64, which it is written to then. */
static NORMATIVE_UNUSED bool normative_to_int64(normative_axis axis, int64_t *value) {
    memcpy(value, &axis.low, sizeof *value);
    return axis.high == (*value < 0 ? -1 : 0);
}

/* ---- answers ----------------------------------------------------------------------------------------------- */

enum { NORMATIVE_RESULT = 1, NORMATIVE_REJECTED, NORMATIVE_UNSUPPORTED, NORMATIVE_CRASHED, NORMATIVE_CHANGED = 6 };

static NORMATIVE_UNUSED normative_answer normative_result(normative_tensor tensor) {
    normative_answer answer = {NORMATIVE_RESULT, NULL, tensor};
    return answer;
}

static normative_answer normative_in_words(int outcome, const char *format, va_list words) {
    normative_answer answer;
    memset(&answer, 0, sizeof answer);
    va_list again;
    va_copy(again, words);
    int size = vsnprintf(NULL, 0, format, words);
    char *why = (char *)normative_take((size_t)size + 1);
    vsnprintf(why, (size_t)size + 1, format, again);
    va_end(again);
    answer.outcome = outcome;
    answer.why = why;
    return answer;
}

#define NORMATIVE_WORDS(name, outcome)                                       \
    static NORMATIVE_FORMAT normative_answer name(const char *format, ...) { \
        va_list words;                                                       \
        va_start(words, format);                                             \
        normative_answer answer = normative_in_words(outcome, format, words); \
        va_end(words);                                                       \
        return answer;                                                       \
    }

NORMATIVE_WORDS(normative_rejected, NORMATIVE_REJECTED)
NORMATIVE_WORDS(normative_unsupported, NORMATIVE_UNSUPPORTED)
NORMATIVE_WORDS(normative_crashed, NORMATIVE_CRASHED)
NORMATIVE_WORDS(normative_changed, NORMATIVE_CHANGED)

/* ---- the connection ---------------------------------------------------------------------------------------- */

enum { NORMATIVE_HELLO = 1, NORMATIVE_CALL, NORMATIVE_ANSWER, NORMATIVE_UNAVAILABLE, NORMATIVE_MODEL };

#define NORMATIVE_MAX_BODY (1u << 30)

static int normative_source, normative_sink;

/* Takes the connection away from descriptors 0 and 1: what the runtime prints must not get between the frames, nor may it
 * read the judge's calls. */
static void normative_open(void) {
    struct stat what;
    if (isatty(0)) normative_stop("a judge starts this program, and speaks to it over descriptor 0");
    bool socket = fstat(0, &what) == 0 && S_ISSOCK(what.st_mode);
    normative_source = fcntl(0, F_DUPFD_CLOEXEC, 3);
    normative_sink = socket ? normative_source : fcntl(1, F_DUPFD_CLOEXEC, 3);
    int nothing = open("/dev/null", O_RDONLY);
    if (normative_source < 0 || normative_sink < 0 || nothing < 0) normative_stop("there is no descriptor left");
    dup2(nothing, 0);
    close(nothing);
    if (!socket) dup2(2, 1);
}

/* Reads so many bytes; fewer where the stream ends. */
static size_t normative_read(void *to, size_t size) {
    size_t came = 0;
    while (came < size) {
        ssize_t got = read(normative_source, (char *)to + came, size - came);
        if (got < 0) normative_stop("the stream cannot be read");
        if (got == 0) break;
        came += (size_t)got;
    }
    return came;
}

static void normative_write(const void *from, size_t size) {
    for (size_t sent = 0; sent < size;) {
        ssize_t put = write(normative_sink, (const char *)from + sent, size - sent);
        if (put < 0) normative_stop("the stream cannot be written");
        sent += (size_t)put;
    }
}

/* A body that is written. */
typedef struct {
    unsigned char *bytes;
    size_t size, room;
} normative_buffer;

static void normative_put(normative_buffer *to, const void *bytes, size_t size) {
    if (to->room - to->size < size) {
        to->room = 2 * (to->size + size) + 64;
        to->bytes = (unsigned char *)realloc(to->bytes, to->room);
        if (to->bytes == NULL) normative_stop("there is no memory left");
    }
    if (size > 0) memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void normative_put_u8(normative_buffer *to, int value) {
    unsigned char byte = (unsigned char)value;
    normative_put(to, &byte, 1);
}

static void normative_put_u32(normative_buffer *to, uint32_t value) {
    normative_put(to, &value, sizeof value);
}

static void normative_put_text(normative_buffer *to, const char *text) {
    size_t size = strlen(text);
    normative_put_u32(to, (uint32_t)size);
    normative_put(to, text, size);
}

static void normative_send(unsigned char tag, normative_buffer *body) {
    normative_buffer frame = {NULL, 0, 0};
    normative_put_u32(&frame, (uint32_t)body->size);
    normative_put(&frame, &tag, 1);
    normative_put(&frame, body->bytes, body->size);
    normative_write(frame.bytes, frame.size);
    free(frame.bytes);
    free(body->bytes);
    memset(body, 0, sizeof *body);
}

/* A body that is read from the front. */
typedef struct {
    const unsigned char *bytes;
    size_t size, at;
} normative_body;

static const void *normative_get(normative_body *from, uint64_t size) {
    size_t left = from->size - from->at;
    if (size > left) normative_stop("byte %zu: expected %llu bytes, got %zu", from->at, (unsigned long long)size, left);
    const void *taken = from->bytes + from->at;
    from->at += (size_t)size;
    return taken;
}

#define NORMATIVE_NUMBER(name, type)                           \
    static type name(normative_body *from) {                   \
        type value;                                            \
        memcpy(&value, normative_get(from, sizeof value), sizeof value); \
        return value;                                          \
    }

NORMATIVE_NUMBER(normative_get_u32, uint32_t)
NORMATIVE_NUMBER(normative_get_i32, int32_t)
NORMATIVE_NUMBER(normative_get_i64, int64_t)

/* A byte that stands for something. */
static int normative_get_one_of(normative_body *from, int first, int last) {
    int code = *(const unsigned char *)normative_get(from, 1);
    if (code < first || code > last) normative_stop("byte %zu: %d means nothing here", from->at - 1, code);
    return code;
}

/* A list of items of a size, copied so that they are aligned. */
static void *normative_get_list(normative_body *from, size_t size, uint32_t *count) {
    *count = normative_get_u32(from);
    const void *items = normative_get(from, (uint64_t)*count * size);
    void *list = normative_take((size_t)*count * size + 1);
    memcpy(list, items, (size_t)*count * size);
    return list;
}

static normative_tensor normative_get_tensor(normative_body *from) {
    normative_tensor tensor = {NORMATIVE_F32, 0, NULL, 1, NULL};
    tensor.dtype = (normative_dtype)normative_get_one_of(from, 0, NORMATIVE_DTYPES - 1);
    tensor.dims = (uint64_t *)normative_get_list(from, sizeof(uint64_t), &tensor.rank);
    bool none = false;
    for (uint32_t at = 0; at < tensor.rank; at++) none |= tensor.dims[at] == 0;
    for (uint32_t at = 0; at < tensor.rank; at++) {
        // More than a frame holds is more than came.
        if (!none && tensor.dims[at] > NORMATIVE_MAX_BODY / tensor.count) normative_get(from, UINT64_MAX);
        tensor.count *= tensor.dims[at];
    }
    size_t size = (size_t)tensor.count * normative_size_of(tensor.dtype);
    const void *elements = normative_get(from, size);
    tensor.elements = normative_take(size);
    memcpy(tensor.elements, elements, size);
    return tensor;
}

static normative_integer normative_get_integer(normative_body *from) {
    normative_integer integer = {normative_get_one_of(from, 0, 1) == 1, 0};
    if (integer.given) integer.value = normative_get_i64(from);
    return integer;
}

static normative_operator normative_get_operator(normative_body *from) {
    normative_operator op;
    memset(&op, 0, sizeof op);
    op.family = (normative_family)normative_get_one_of(from, NORMATIVE_OPENVINO, NORMATIVE_BLAS);
    if (op.family == NORMATIVE_BNNS) {
        op.norm = 2;
        op.output_dims = (const uint64_t *)normative_get_list(from, sizeof(uint64_t), &op.output_rank);
        return op;
    }
    op.norm = normative_get_one_of(from, op.family == NORMATIVE_ARRAY_API ? 0 : 1, 3);
    if (op.family == NORMATIVE_ONNX) {
        op.opset = normative_get_one_of(from, 1, 18);
        if (op.opset != 1 && op.opset != 11 && op.opset != 13 && op.opset != 18) normative_stop("expected opset 1, 11, 13 or 18");
        op.keepdims = normative_get_integer(from);
        op.noop_with_empty_axes = normative_get_integer(from);
    } else if (op.family == NORMATIVE_BLAS) {
        op.n = normative_get_i32(from);
        op.incx = normative_get_i32(from);
    } else {
        op.keep = (normative_flag)normative_get_one_of(from, 0, 2);
    }
    return op;
}

static normative_axes normative_get_axes(normative_body *from) {
    normative_axes axes;
    memset(&axes, 0, sizeof axes);
    axes.presence = (normative_presence)normative_get_one_of(from, 0, 2);
    if (axes.presence == NORMATIVE_GIVEN) {
        axes.dtype = (normative_dtype)normative_get_one_of(from, 0, NORMATIVE_DTYPES - 1);
        axes.dims = (const uint64_t *)normative_get_list(from, sizeof(uint64_t), &axes.rank);
        axes.values = (const normative_axis *)normative_get_list(from, sizeof(normative_axis), &axes.count);
    }
    return axes;
}

static void normative_put_answer(normative_buffer *to, normative_answer answer) {
    normative_put_u8(to, answer.outcome);
    if (answer.outcome != NORMATIVE_RESULT) {
        normative_put_text(to, answer.why);
        return;
    }
    normative_put_u8(to, answer.tensor.dtype);
    normative_put_u32(to, answer.tensor.rank);
    normative_put(to, answer.tensor.dims, answer.tensor.rank * sizeof(uint64_t));
    normative_put(to, answer.tensor.elements, answer.tensor.count * normative_size_of(answer.tensor.dtype));
}

/* ---- the conversation --------------------------------------------------------------------------------------- */

typedef normative_answer (*normative_of_call)(const normative_call *);
typedef normative_answer (*normative_of_model)(const normative_model *);

/* The families of the operators, each once, or those by default. */
static uint32_t normative_families_of(const normative_identity *identity, normative_family *families) {
    static const char *const names[] = {"openvino", "onnx", "bnns", "array-api", "webnn", "blas"};
    uint32_t count = 0;
    for (int family = NORMATIVE_OPENVINO; family <= NORMATIVE_BLAS; family++) {
        size_t length = strlen(names[family - 1]);
        bool named = identity->operators == NULL && family <= NORMATIVE_BNNS;
        for (uint32_t at = 0; at < identity->operator_count; at++) {
            const char *name = identity->operators[at];
            named |= strncmp(name, names[family - 1], length) == 0 && (name[length] == '\0' || name[length] == '/');
        }
        if (named) families[count++] = (normative_family)family;
    }
    return count;
}

static void normative_say_hello(const normative_identity *identity) {
    normative_buffer hello = {NULL, 0, 0};
    normative_put(&hello, "NORMATIV", 8);
    normative_put_u32(&hello, 1);
    normative_put_text(&hello, identity->name);
    normative_put_text(&hello, identity->version);
    normative_put_text(&hello, identity->report_bugs_to);
    normative_put_u32(&hello, identity->accumulation_count);
    for (uint32_t at = 0; at < identity->accumulation_count; at++) {
        normative_put_u8(&hello, identity->accumulations[at].data);
        normative_put_u8(&hello, identity->accumulations[at].sums);
    }
    bool declares = identity->operators != NULL || identity->dtypes != NULL;
    bool unusual = identity->families != NULL || identity->values_of != NULL || declares;
    if (identity->slow || unusual) normative_put_u8(&hello, identity->slow);
    if (unusual) {
        normative_family claimed[NORMATIVE_BLAS];
        uint32_t count = identity->family_count;
        const normative_family *families = identity->families;
        if (families == NULL && identity->values_of == NULL) {
            count = normative_families_of(identity, claimed);
            families = claimed;
        }
        normative_put_u32(&hello, count + identity->values_count);
        for (uint32_t at = 0; at < count; at++) normative_put_u8(&hello, families[at]);
        for (uint32_t at = 0; at < identity->values_count; at++) normative_put_u8(&hello, identity->values_of[at] | 0x80);
    }
    if (declares) {
        /* Neither axes in the form of another opset nor layouts. */
        normative_put_u8(&hello, 0);
        normative_put_u32(&hello, 0);
        normative_put_u32(&hello, identity->operator_count);
        for (uint32_t at = 0; at < identity->operator_count; at++) normative_put_text(&hello, identity->operators[at]);
        normative_put_u32(&hello, identity->dtype_count);
        for (uint32_t at = 0; at < identity->dtype_count; at++) normative_put_u8(&hello, identity->dtypes[at]);
    }
    normative_send(NORMATIVE_HELLO, &hello);
}

/* The body of the next frame, which grows with what comes; `NULL` where the stream ends between frames. */
static unsigned char *normative_next(int due, uint32_t *size) {
    unsigned char head[5];
    size_t came = normative_read(head, sizeof head);
    if (came == 0) return NULL;
    if (came < sizeof head) normative_stop("the stream ended inside a frame");
    memcpy(size, head, sizeof *size);
    if (*size > NORMATIVE_MAX_BODY) normative_stop("expected at most %u bytes in a frame, got %u", NORMATIVE_MAX_BODY, *size);
    unsigned char *body = NULL;
    for (size_t have = 0; body == NULL || have < *size;) {
        size_t more = *size - have < (1u << 20) + have ? *size - have : (1u << 20) + have;
        body = (unsigned char *)realloc(body, have + more + 1);
        if (body == NULL) normative_stop("there is no memory left");
        if (normative_read(body + have, more) < more) normative_stop("the stream ended inside a frame");
        have += more;
    }
    if (head[4] != due) {
        const char *what = due == NORMATIVE_CALL ? "calls" : "models, which onnx-cmd: asks for";
        normative_stop("expected frame tag %d, got %d: the worker takes %s", due, head[4], what);
    }
    return body;
}

static normative_answer normative_checked(normative_answer answer, const normative_tensor *data, const void *before) {
    size_t element = normative_size_of(data->dtype), size = (size_t)data->count * element;
    const unsigned char *after = (const unsigned char *)data->elements;
    if (answer.outcome == NORMATIVE_CRASHED || memcmp(before, after, size) == 0) return answer;
    size_t at = 0;
    while (((const unsigned char *)before)[at] == after[at]) at++;
    return normative_changed("element %zu of its input is another after the call", at / element);
}

static int normative_converse(const normative_identity *identity, normative_of_call calls, normative_of_model models) {
    normative_open();
    normative_say_hello(identity);
    uint32_t size;
    unsigned char *bytes;
    while ((bytes = normative_next(calls != NULL ? NORMATIVE_CALL : NORMATIVE_MODEL, &size)) != NULL) {
        normative_body body = {bytes, size, 0};
        int64_t number = normative_get_i64(&body);
        normative_call call;
        normative_model model;
        memset(&call, 0, sizeof call);
        memset(&model, 0, sizeof model);
        if (calls != NULL) {
            call.op = normative_get_operator(&body);
            call.data = normative_get_tensor(&body);
            call.axes = normative_get_axes(&body);
        } else {
            model.bytes = normative_get_list(&body, 1, &model.size);
            model.input_count = normative_get_u32(&body);
            if (model.input_count == 0 || model.input_count > size) normative_stop("expected one or two inputs of a model");
            model.inputs = (normative_input *)normative_take(model.input_count * sizeof *model.inputs);
            for (uint32_t at = 0; at < model.input_count; at++) {
                uint32_t length;
                model.inputs[at].name = (const char *)normative_get_list(&body, 1, &length);
                model.inputs[at].tensor = normative_get_tensor(&body);
            }
            call.data = model.inputs[0].tensor;
        }
        if (body.at < body.size) normative_stop("byte %zu: %zu bytes follow the call", body.at, body.size - body.at);
        free(bytes);
        size_t data = (size_t)call.data.count * normative_size_of(call.data.dtype);
        void *before = normative_take(data);
        memcpy(before, call.data.elements, data);
        normative_answer answer = calls != NULL ? calls(&call) : models(&model);
        answer = normative_checked(answer, &call.data, before);
        normative_buffer reply = {NULL, 0, 0};
        normative_put(&reply, &number, sizeof number);
        normative_put_answer(&reply, answer);
        normative_send(NORMATIVE_ANSWER, &reply);
        normative_free_all();
        if (answer.outcome == NORMATIVE_CRASHED) {
            // A socket that is closed before all of it was read is an error to the judge, who still reads the answer.
            char rest[4096];
            while (recv(normative_source, rest, sizeof rest, MSG_DONTWAIT) > 0) {}
            return 1;
        }
    }
    return 0;
}

/* Answers calls until the judge ends the stream. What it returns is the status to exit with. */
static NORMATIVE_UNUSED int normative_run(const normative_identity *identity, normative_of_call answer) {
    return normative_converse(identity, answer, NULL);
}

/* Answers calls that come as models of ONNX, as `normative_run` answers calls. */
static NORMATIVE_UNUSED int normative_run_models(const normative_identity *identity, normative_of_model answer) {
    return normative_converse(identity, NULL, answer);
}

/* Tells the judge that the runtime is not there, and why. */
static NORMATIVE_UNUSED int normative_decline(const char *why) {
    normative_buffer body = {NULL, 0, 0};
    normative_open();
    normative_put_text(&body, why);
    normative_send(NORMATIVE_UNAVAILABLE, &body);
    return 0;
}

#endif
