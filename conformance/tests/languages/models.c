/* A worker that takes models and says what it was given, as models.py does. */

#include "../../../backends/c/normative_worker.h"

static size_t hex(char *to, const void *bytes, size_t size) {
    for (size_t at = 0; at < size; at++) sprintf(to + 2 * at, "%02x", ((const unsigned char *)bytes)[at]);
    return 2 * size;
}

static normative_answer answer(const normative_model *model) {
    char *words = (char *)normative_take(1 << 16);
    size_t at = hex(words, model->bytes, model->size);
    for (uint32_t input = 0; input < model->input_count; input++) {
        const normative_tensor *x = &model->inputs[input].tensor;
        const char *dtype = x->dtype == NORMATIVE_F32 ? "f32" : "i64";
        unsigned long long dim = (unsigned long long)x->dims[0];
        at += (size_t)sprintf(words + at, "; %s %s[%llu] ", model->inputs[input].name, dtype, dim);
        at += hex(words + at, x->elements, (size_t)x->count * normative_size_of(x->dtype));
    }
    return normative_rejected("%s", words);
}

int main(void) {
    normative_identity identity = {"models", "1", "this test", NULL, 0, false, NULL, 0, NULL, 0, NULL, 0, NULL, 0};
    return normative_run_models(&identity, answer);
}
