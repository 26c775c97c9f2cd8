// A host compiler that lies neither with the system's nor in one folder, as on machines whose
// compilers are modules: PREFIX/bin/g++ is a link to PREFIX/gcc-99/bin/g++, which needs a program
// and a header of its own folder. A step must compile and link in the sandbox with it and with the
// build's own nvcc, and see nothing else of PREFIX. This program is the grader's build of a step
// (build_step.c, command.c, nvcc.c) with such a configuration. 77: there is no sandbox here.
#include "grade/submission/submission.h"

static kl_error err;

#define MUST(call)                                                                                 \
    do {                                                                                           \
        if ((call) == KL_OK) break;                                                                \
        printf("%s: %s\n", #call, err.text);                                                       \
        exit(1);                                                                                   \
    } while (0)

static void put(const char *path, const char *text) {
    char folder[LADDER_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    MUST(ladder_folder_make(folder, &err));
    MUST(ladder_file_write(path, text, strlen(text), &err));
    if (chmod(path, 0755) != 0) exit(1);
}

static void make_prefix(void) {
    put(TEST_PREFIX "/gcc-99/bin/g++",
        "#!/bin/sh\nexec '" TEST_PREFIX "/gcc-99/libexec/driver' -isystem '" TEST_PREFIX
        "/gcc-99/include' \"$@\"\n");
    put(TEST_PREFIX "/gcc-99/libexec/driver", "#!/bin/sh\nexec '" TEST_COMPILER "' \"$@\"\n");
    put(TEST_PREFIX "/gcc-99/include/only_there.h", "#define ONLY_THERE 1\n");
    put(TEST_PREFIX "/gcc-99/home/seen.h", "#define SEEN 1\n");
    put(TEST_PREFIX "/home/seen.h", "#define SEEN 1\n");
    MUST(ladder_folder_make(TEST_PREFIX "/bin", &err));
    if (symlink("../gcc-99/bin/g++", TEST_PREFIX "/bin/g++") != 0) exit(1);
}

static const char source[] =
    "#include \"reduction.h\"\n"
    "#include <only_there.h>\n"
    "#if __has_include(\"" TEST_PREFIX "/home/seen.h\") || "
    "__has_include(\"" TEST_PREFIX "/gcc-99/home/seen.h\")\n"
    "#error more is seen than the compiler\n"
    "#endif\n"
    "extern \"C\" int reduction_step1(const float *, int64_t, reduction_op, float *, void *, "
    "size_t) {\n"
    "    return ONLY_THERE;\n"
    "}\n";

int main(void) {
    ladder_kit kit;
    char folder[LADDER_PATH], object[LADDER_PATH];
    const ladder_lab *lab = ladder_lab_find("reduction");
    if (ladder_sandbox_find() != LADDER_SANDBOX_ISOLATED) {
        printf("skipped: no sandbox is here: %s\n", ladder_sandbox_problem());
        return 77;
    }
    ladder_folder_remove(TEST_PREFIX);
    make_prefix();
    MUST(ladder_kit_find(&kit, &err));
    MUST(ladder_folder_temporary(folder, &err));
    ladder_build_job job = {.kit = &kit,
                            .lab = lab,
                            .step = ladder_rubric_find(lab->rubric, 1),
                            .folder = folder,
                            .source = source,
                            .source_bytes = strlen(source),
                            .limit_s = 60};
    ladder_step_result *result = calloc(1, sizeof *result);
    if (!result) return 1;
    MUST(ladder_build_step(&job, object, result, &err));
    bool built = result->outcome == LADDER_CORRECT && ladder_file_exists(object);
    printf("%s %s\n%s\n", ladder_outcome_word(result->outcome), result->message, result->log);
    free(result);
    ladder_folder_remove(folder);
    ladder_folder_remove(TEST_PREFIX);
    return built ? 0 : 1;
}
