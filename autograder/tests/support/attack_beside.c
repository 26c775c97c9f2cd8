// Good accesses beside the step's own: see attack_text.h.
#include "attack_text.h"

enum { HEAD_BYTES = 128 };

static const char *const good_bodies[] = {
    [ATTACK_LOADS] = "(void)*(volatile unsigned *)&attack_word;",
    [ATTACK_STORES] = "*(volatile unsigned char *)&attack_bytes[256 * blockIdx.x + t] = 1;",
    [ATTACK_ASYNC_COPIES] = "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: "
                            "\"r\"((unsigned)__cvta_generic_to_shared((void *)&mine[t])), "
                            "\"l\"(__cvta_generic_to_global(&attack_word)));",
    [ATTACK_SHARED_LOADS] = "(void)mine[t];",
    [ATTACK_SHARED_STORES] = "mine[t] = 1;",
    [ATTACK_INSTRUCTIONS] = "asm volatile(\"add.u32 %0, %0, 1;\" : \"+r\"(sum));"};

static const char good_kernel[] = "\n\n"
                                  "static __device__ unsigned attack_word;\n"
                                  "static __device__ unsigned char attack_bytes[64 * 256];\n"
                                  "static __global__ void attack_beside(unsigned long long amount) "
                                  "{\n"
                                  "    __shared__ volatile unsigned mine[256];\n"
                                  "    unsigned t = threadIdx.x, sum = 0;\n"
                                  "    mine[t] = sum, attack_bytes[256 * blockIdx.x + t] = 0;\n"
                                  "    for (unsigned long long i = 8 * blockIdx.x + t / 32; i < "
                                  "amount; i += 8 * 64) {\n"
                                  "        %s\n"
                                  "    }\n"
                                  "    asm volatile(\"cp.async.wait_all;\");\n"
                                  "}\n\n";

// The names in a list of parameters, as arguments.
static void put_arguments(FILE *out, const char *from, const char *to) {
    const char *end = from;
    for (bool first = true; from < to; from = end + 1, first = false) {
        for (end = from; end < to && *end != ',';)
            end = strchr("([{", *end) ? scan_bracket(end) : end + 1;
        const char *last = end;
        while (last > from && !scan_is_word(last[-1])) last--;
        const char *begin = last;
        while (begin > from && scan_is_word(begin[-1])) begin--;
        fprintf(out, "%s%.*s", first ? "" : ", ", (int)(last - begin), begin);
    }
}

char *attack_text_beside(const char *text, const char *function, attack_good good,
                         uint64_t amount) {
    char head[HEAD_BYTES], *made = NULL;
    size_t bytes = 0;
    snprintf(head, sizeof head, "extern \"C\" int %s(", function);
    const char *at = strstr(text, head);
    if (!at) return NULL;
    const char *open = at + strlen(head) - 1, *behind = scan_bracket(open);
    FILE *out = open_memstream(&made, &bytes);
    fprintf(out, "%.*sstatic int attack_honest%s", (int)(at - text), text, open);
    fprintf(out, good_kernel, good_bodies[good]);
    fprintf(out, "%s%.*s {\n    int code = attack_honest(", head, (int)(behind - open - 1),
            open + 1);
    put_arguments(out, open + 1, behind - 1);
    fprintf(out,
            ");\n    attack_beside<<<64, 256>>>(%" PRIu64 "ull);\n"
            "    return code != 0 ? code : (int)cudaGetLastError();\n}\n",
            amount);
    fclose(out);
    return made;
}
