// Where the parts of this kit lie: see kit.h.
#include "utilities/kit.h"
#include "ladder_config.h"

kl_status ladder_kit_find(ladder_kit *out_kit, kl_error *err) {
    const char *other = getenv("LADDER_KIT");
    TRY(ladder_path(out_kit->source, err, "%s", other ? other : LADDER_SOURCE_DIR));
    if (other) return ladder_path(out_kit->build, err, "%s/build", other);
    char *build = out_kit->build; // this program is <build>/autograder/ladder
    ssize_t length = readlink("/proc/self/exe", build, LADDER_PATH - 1);
    if (length <= 0) return kl_fail(err, KL_ERROR_SYSTEM, "the folder of this program is unknown");
    build[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(build, '/');
        if (slash) *slash = '\0';
    }
    return KL_OK;
}

bool ladder_kit_is_handout(const ladder_kit *kit) {
    char tests[LADDER_PATH];
    return ladder_path(tests, NULL, "%s/autograder/tests", kit->source) == KL_OK &&
           !ladder_file_exists(tests);
}

static kl_status require(const char *path, const char *what, kl_error *err) {
    if (ladder_file_exists(path)) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "%s is not built (%s); build the kit again: ./ladder doctor", what, path);
}

kl_status ladder_kit_simulator(const ladder_kit *kit, char *out_folder, kl_error *err) {
    char library[LADDER_PATH];
    TRY(ladder_path(out_folder, err, "%s/common/simulator", kit->build));
    TRY(ladder_path(library, err, "%s/" LADDER_CUDART, out_folder));
    return require(library, "the simulator", err);
}

kl_status ladder_kit_engine(const ladder_kit *kit, char *out, kl_error *err) {
    TRY(ladder_path(out, err, "%s/common/simulator/ladder-engine", kit->build));
    return require(out, "the simulator's engine program", err);
}

kl_status ladder_kit_runner(const ladder_kit *kit, char *out, kl_error *err) {
    TRY(ladder_path(out, err, "%s/autograder/ladder-runner", kit->build));
    return require(out, "the runner", err);
}

kl_status ladder_kit_adapter(const ladder_kit *kit, const char *lab, char *out, kl_error *err) {
    TRY(ladder_path(out, err, "%s/labs/%s/call.so", kit->build, lab));
    return require(out, "the lab's call adapter", err);
}

// ---- the beginning of nvcc's command line -------------------------------------------------------

const char *const ladder_nvcc_flags[] = {LADDER_NVCC_FLAGS NULL};

#define MACHINE_CODE(sm) "--generate-code=arch=compute_" sm ",code=[compute_" sm ",sm_" sm "]"

static const char *const fixed[] = {LADDER_NVCC, "-O3", "-DNDEBUG", "-std=c++17",
                                    "-Xcompiler=-fPIC"};
enum { FIXED = sizeof fixed / sizeof fixed[0] + 1 }; // and the architecture

const char *ladder_nvcc_architecture(int needs_sm, bool exact) {
    static const struct {
        int sm;
        const char *flag;
    } raised[] = {{60, MACHINE_CODE("60")},
                  {70, MACHINE_CODE("70")},
                  {80, MACHINE_CODE("80")},
                  {90, MACHINE_CODE("90")}};
    if (exact) return MACHINE_CODE("90a"); // the only such one that the kit knows
    for (size_t i = 0; i < sizeof raised / sizeof raised[0]; i++)
        if (needs_sm > atoi(LADDER_CUDA_ARCHITECTURE) && raised[i].sm >= needs_sm)
            return raised[i].flag;
    return MACHINE_CODE(LADDER_CUDA_ARCHITECTURE);
}

_Static_assert(FIXED + sizeof ladder_nvcc_flags / sizeof ladder_nvcc_flags[0] <=
                   LADDER_NVCC_ARGUMENTS,
               "the flags of the build outgrew LADDER_NVCC_ARGUMENTS");

int ladder_nvcc_begin(int needs_sm, bool exact, const char **argv) {
    int count = 0;
    for (int i = 0; i < FIXED - 1; i++) argv[count++] = fixed[i];
    argv[count++] = ladder_nvcc_architecture(needs_sm, exact);
    for (int i = 0; ladder_nvcc_flags[i]; i++) argv[count++] = ladder_nvcc_flags[i];
    if (LADDER_CUDA_HOST_COMPILER[0] != '\0') argv[count++] = "-ccbin=" LADDER_CUDA_HOST_COMPILER;
    return count;
}

void ladder_nvcc_count(void) {
    const char *path = getenv("LADDER_COMPILED");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd < 0) return;
    ssize_t written = write(fd, "c", 1);
    (void)written; // who counts finds one too few
    close(fd);
}
