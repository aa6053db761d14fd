/* The example of backends/c, and, in a role, misconduct over axes that are null. It is to the worker in C what sums.py is to
 * the one in Python. */

#define main example_main
#include "../../../backends/c/example_backend.c"
#undef main

static const char *role;

static normative_answer misconduct(const normative_call *call) {
    if (strcmp(role, "raises") == 0) return normative_crashed("no such kernel");
    if (strcmp(role, "changes") == 0) ((unsigned char *)call->data.elements)[5] ^= 1;
    if (strcmp(role, "says-much") == 0) {
        char *much = (char *)normative_take(2000002);
        much[0] = '?';
        for (size_t at = 1; at < 2000001; at += 2) memcpy(much + at, "\xc3\xb6", 2);
        return normative_rejected("%s", much);
    }
    if (strcmp(role, "prints") == 0) {
        for (int line = 0; line < 5000; line++) puts("print");
        if (write(1, "to the descriptor\n", 18) != 18) return normative_crashed("it cannot print");
        if (system("echo from a process") != 0 || getchar() != EOF) return normative_crashed("it can read the calls");
        fflush(stdout);
    }
    return normative_result(call->data);
}

static normative_answer sums(const normative_call *call) {
    if (call->op.family == NORMATIVE_OPENVINO && call->axes.presence == NORMATIVE_NULL) return misconduct(call);
    return answer(call);
}

int main(int count, char **words) {
    const normative_accumulation accumulations[] = {{NORMATIVE_F16, NORMATIVE_F32}};
    normative_identity identity = {"sums", "0.3", "me@example.org", accumulations, 1, false, NULL, 0, NULL, 0, NULL, 0, NULL, 0};
    const normative_family values_of[] = {NORMATIVE_ONNX};
    const char *const operators[] = {"openvino/ReduceL1-4", "onnx"};
    const normative_dtype dtypes[] = {NORMATIVE_F32, NORMATIVE_I64};
    role = count > 1 ? words[1] : "";
    if (strcmp(role, "declares") == 0) {
        identity.operators = operators;
        identity.operator_count = 2;
        identity.dtypes = dtypes;
        identity.dtype_count = 2;
    }
    if (strcmp(role, "values-alone") == 0) {
        identity.values_of = values_of;
        identity.values_count = 1;
    }
    if (strcmp(role, "unavailable") == 0) return normative_decline("sums: No module named 'm\xc3\xb6" "ck'");
    return normative_run(&identity, sums);
}
