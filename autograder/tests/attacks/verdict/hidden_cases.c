// Hidden cases, of which a student may see how many are right, and nothing else.
#include "attacks.h"

// What the step does in each call: says the size it is called with, on the host and on the device,
// leaves it in a file for whatever runs next, says what such a file has, and what its process was
// started with; and of a large size each third is wrong at an index, or reads after the end.
static const char telling[] =
    "    printf(\"size=%lld\\n\", (long long)n);\n"
    "    show(\"/proc/self/environ\", 0, 0);\n"
    "    show(\"/proc/self/cmdline\", 0, 0);\n"
    "    show(\"/proc/self/maps\", 0, 0);\n"
    "    show(\"note\", 0, 0);\n"
    "    show(\"note\", n, 1);\n"
    "    bool large = n > 65536 && n != 262144;\n"
    "    int64_t blocks = (n + THREADS - 1) / THREADS;\n"
    "    tell<<<1, 1>>>(d_x + (large && n / 3 % 3 == 1 ? 3 * n : 0), n);\n"
    "    if (large && n / 3 % 3 == 0) {\n"
    "        tiled<<<(unsigned)blocks, THREADS>>>(d_x, n - 1, d_y);\n"
    "        return cudaGetLastError();\n"
    "    }\n";
static const char functions[] =
    "#include <stdio.h>\n"
    "static long call(long number, long a, long b, long c) {\n"
    "    long result;\n"
    "    asm volatile(\"syscall\" : \"=a\"(result) : \"a\"(number), \"D\"(a), \"S\"(b), \"d\"(c)"
    " : \"rcx\", \"r11\", \"memory\");\n"
    "    return result;\n"
    "}\n"
    "static void show(const char *path, int64_t n, int put) {\n"
    "    char text[4096];\n"
    "    long fd = call(2, (long)path, put ? 0x441 : 0, 0600);\n"
    "    long bytes = put ? snprintf(text, sizeof text, \"%lld\\n\", (long long)n)\n"
    "                     : call(0, fd, (long)text, sizeof text - 1);\n"
    "    for (long i = 0; i < bytes; i++) text[i] = text[i] ? text[i] : ' ';\n"
    "    if (bytes > 0) call(1, put ? fd : 1, (long)text, bytes);\n"
    "    call(3, fd, 0, 0);\n"
    "}\n"
    "__global__ void tell(const float *x, int64_t n) {\n"
    "    printf(\"kernel: size=%lld %g\\n\", (long long)n, x[0]);\n"
    "}\n";

// The solution's step with the above. Caller frees.
static char *telling_step(const attack_setup *setup) {
    static const char before[] = "// x, y: [n]. The tile", end[] = "    int64_t blocks =";
    char path[LADDER_PATH], *text = NULL, *made = NULL;
    size_t bytes = 0;
    ladder_path(path, NULL, "%s/solutions/00_first_kernel/steps/5_tile.cu", setup->kit->source);
    ATTACK_MUST(ladder_file_read(AT_FDCWD, path, 1 << 16, &text, NULL, NULL) == KL_OK, "%s", path);
    const char *first = strstr(text, before), *last = strstr(text, end);
    FILE *out = open_memstream(&made, &bytes);
    ATTACK_MUST(out && first && last, "the solution of step 5 has no such lines");
    fprintf(out, "%.*s%s%.*s%s%s", (int)(first - text), text, functions, (int)(last - first), first,
            telling, strchr(last, '\n') + 1);
    fclose(out);
    free(text);
    return made;
}

// attack: Says the sizes of hidden cases on all ways that there are: prints, notes, wrong indexes,
// faults, and what its processes are started with.
// stopped by: HIDDEN_APART
// expect: right in some of the hidden cases
// gains: the size of a hidden case
// tier: full
ATTACK(hidden_sizes_told) {
    kl_error err = {KL_OK, ""};
    const ladder_grade_plan *plan = attack_plan(setup->kit, "00_first_kernel", true, &err);
    ATTACK_MUST(plan, "%s", err.text);
    const ladder_rubric_step *step = ladder_rubric_find(plan->lab->rubric, 5);
    char file[LADDER_PATH], results[LADDER_PATH], text[64], *source = telling_step(setup);
    attack_put(setup, "in/5_tile.cu", source);
    free(source);
    ladder_path(file, NULL, "%s/in/5_tile.cu", setup->work);
    attack_end end;
    ATTACK_MUST(attack_grade(setup, plan, file, 0, false, &end, &err) == KL_OK, "%s", err.text);
    ladder_path(results, NULL, "%s/results", setup->work);
    ATTACK_MUST(attack_folder_holds(results, "size="), "nothing is kept of what the step prints");
    bool told = false;
    int cases = 0;
    for (int c = 0; c < step->criteria_count; c++)
        for (int i = 0; i < step->criteria[c].case_count; i++, cases++) {
            long long size = step->criteria[c].cases[i].size;
            static const char *const forms[] = {"size=%lld", "\n%lld\n", "\\n%lld\\n", "y[%lld]",
                                                "%lld elements"};
            for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                snprintf(text, sizeof text, forms[k], k == 3 ? size - 1 : size);
                told |= attack_folder_holds(results, text);
            }
        }
    ATTACK_MUST(cases > 0, "step 5 has no hidden cases");
    return told;
}
