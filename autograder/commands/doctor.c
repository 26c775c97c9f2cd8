// ladder doctor: is this machine fit, and what to do where it is not.
#include "commands/command.h"
#include "grade/judge/plan.h"
#include "image/image.h"
#include "images.h"
#include "json.h"
#include "ladder_config.h"
#include "sandbox/process/session.h"
#include "table.h"
#include <dlfcn.h>
#include <sys/wait.h>

static const ladder_usage usage = {
    "ladder doctor [PROGRAM..] [options]",
    "Checks the toolkit, compilers, GPU and driver, the simulator, the sandbox of graded work and\n"
    "optional packages. For each PROGRAM: can the simulator replace its CUDA runtime?",
    "  ladder doctor\n"
    "  ladder doctor ./a.out",
};

typedef enum finding_level { FINDING_OK, FINDING_WARN, FINDING_FAIL } finding_level;

typedef struct finding {
    finding_level level;
    char what[48];
    char text[300];   // what was found
    char advice[300]; // what to do; "" when all is well
} finding;

enum { FINDINGS_MAX = 64, EVERY_STEP_SM = 90 }; // compute capability on which all steps run

typedef struct findings {
    finding items[FINDINGS_MAX];
    int count;
} findings;

static finding *add(findings *list, finding_level level, const char *what) {
    finding *f = &list->items[list->count < FINDINGS_MAX - 1 ? list->count++ : FINDINGS_MAX - 1];
    *f = (finding){.level = level};
    snprintf(f->what, sizeof f->what, "%.47s", what);
    return f;
}

// The first line that holds `mark` in what "program --version" prints.
static bool first_line(const char *program, const char *mark, char *out, size_t out_bytes) {
    const char *argv[] = {program, "--version", NULL};
    ladder_process_spec spec = {.argv = argv,
                                .environment = (const char *const *)environ,
                                .limits = {.wall_s = 30, .output_bytes = 64 << 10}};
    ladder_process process;
    kl_error err = {KL_OK, ""};
    if (ladder_process_run(&spec, &process, &err) != KL_OK) return false;
    const char *line = mark[0] != '\0' ? strstr(process.output, mark) : process.output;
    bool found = line && process.end == LADDER_END_EXITED && process.code == 0;
    if (found) snprintf(out, out_bytes, "%.*s", (int)strcspn(line, "\n"), line);
    ladder_process_free(&process);
    return found;
}

static void check_tool(findings *list, const char *what, const char *program, const char *mark,
                       const char *advice) {
    char version[200];
    bool found = first_line(program, mark, version, sizeof version);
    finding *f = add(list, found ? FINDING_OK : FINDING_FAIL, what);
    if (found) {
        snprintf(f->text, sizeof f->text, "%s", version);
    } else {
        snprintf(f->text, sizeof f->text, "%.200s does not run", program);
        snprintf(f->advice, sizeof f->advice, "%s", advice);
    }
}

static void append(char text[300], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(char text[300], const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, 300 - used, format, arguments);
    va_end(arguments);
}

// The steps that this toolkit cannot compile or this GPU cannot run: "; steps left out: softmax 9
// 10, scan 10".
static void append_left_out(char text[300], const ladder_gpu *gpu) {
    char why[128];
    const char *before = "; steps left out: ";
    for (int l = 0; l < ladder_lab_count; l++) {
        const kl_problem *problem = ladder_labs[l].problem;
        int count = 0;
        for (int i = 0; i < problem->step_count; i++) {
            if (!ladder_device_lacks(&problem->steps[i], gpu, why, sizeof why)) continue;
            if (count++ == 0) append(text, "%s%s", before, problem->name);
            append(text, " %d", problem->steps[i].number);
            before = ", ";
        }
    }
}

// Versions from the first that knows compute capability 9.0 to the one whose interface the drop-in
// runtime has.
static void check_toolkit(findings *list) {
    double version = strtod(LADDER_CUDA_VERSION, NULL);
    finding *f = add(list, FINDING_OK, "CUDA toolkit");
    snprintf(f->text, sizeof f->text, "version %s; its programs load %s", LADDER_CUDA_VERSION,
             LADDER_CUDART);
    append_left_out(f->text, &(ladder_gpu){.sm = EVERY_STEP_SM});
    if (version < 13) append(f->text, "; spills count with other local memory");
    if (!LADDER_HAVE_CUBLAS || !LADDER_HAVE_CUSPARSE)
        append(f->text, "; no cuBLAS or cuSPARSE, so no --vendor in some labs");
    if (version < 11.8) {
        f->level = FINDING_FAIL;
        snprintf(f->advice, sizeof f->advice,
                 "too old for the simulated H100 (sm_90): install a CUDA Toolkit, 11.8 to 13");
    } else if (version >= 14) {
        f->level = FINDING_WARN;
        snprintf(f->advice, sizeof f->advice, "newer than the kit, which knows 11.8 to 13");
    }
}

static void check_tools(findings *list) {
    check_tool(list, "CUDA compiler", LADDER_NVCC, "release",
               "install a CUDA Toolkit, 11.8 to 13, and start ./ladder again");
    check_toolkit(list);
    check_tool(list, "host compiler", LADDER_HOST_COMPILER, "", "install g++");
    check_tool(list, "CMake", LADDER_CMAKE, "cmake version", "install cmake 3.22 or newer");
}

// What the driver says; sent by a child, for the driver starts threads.
typedef struct driver_answer {
    int loaded, status, devices, version, major, minor;
    char name[128];
} driver_answer;

// The driver's interface (cuda.h) by hand, because the kit needs no driver to build.
static void ask_driver(driver_answer *out) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) return;
    enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 }; // CUdevice_attribute
    int (*init)(unsigned), (*version)(int *), (*count)(int *), (*get)(int *, int);
    int (*name)(char *, int, int), (*attribute)(int *, int, int);
    static const char *const names[] = {"cuInit",           "cuDriverGetVersion",
                                        "cuDeviceGetCount", "cuDeviceGet",
                                        "cuDeviceGetName",  "cuDeviceGetAttribute"};
    void *targets[] = {&init, &version, &count, &get, &name, &attribute};
    for (int i = 0; i < 6; i++) {
        void *symbol = dlsym(driver, names[i]);
        if (!symbol) return;
        memcpy(targets[i], &symbol, sizeof symbol); // ISO C has no cast to function pointers
    }
    out->loaded = 1;
    out->status = init(0);
    version(&out->version);
    int device = 0;
    if (out->status != 0 || count(&out->devices) != 0 || out->devices == 0 || get(&device, 0) != 0)
        return;
    name(out->name, sizeof out->name, device);
    attribute(&out->major, CAPABILITY_MAJOR, device);
    attribute(&out->minor, CAPABILITY_MINOR, device);
}

static void probe_driver(driver_answer *out) {
    int ends[2];
    memset(out, 0, sizeof *out);
    if (pipe(ends) != 0) return;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        driver_answer answer = {.loaded = 0};
        ask_driver(&answer);
        ssize_t sent = write(ends[1], &answer, sizeof answer);
        _exit(sent == (ssize_t)sizeof answer ? 0 : 1);
    }
    close(ends[1]);
    if (read(ends[0], out, sizeof *out) != (ssize_t)sizeof *out) memset(out, 0, sizeof *out);
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
}

static void check_gpu(findings *list) {
    driver_answer d;
    probe_driver(&d);
    finding *f = add(list, FINDING_OK, "GPU");
    if (!d.loaded || d.devices == 0) {
        f->level = FINDING_WARN;
        if (!d.loaded) {
            snprintf(f->text, sizeof f->text, "no NVIDIA driver on this machine");
        } else {
            snprintf(f->text, sizeof f->text, "the driver reports no device (cuInit gave %d)",
                     d.status);
        }
        snprintf(f->advice, sizeof f->advice,
                 "not needed: labs run on the simulator, times are modelled");
        return;
    }
    int toolkit = atoi(LADDER_CUDA_VERSION);
    snprintf(f->text, sizeof f->text, "%s, sm_%d%d, driver for CUDA %d.%d", d.name, d.major,
             d.minor, d.version / 1000, d.version % 1000 / 10);
    int sm = 10 * d.major + d.minor, built = atoi(LADDER_CUDA_ARCHITECTURE);
    append_left_out(f->text, &(ladder_gpu){.sm = sm, .devices = d.devices});
    if (d.version / 1000 < toolkit) {
        f->level = FINDING_FAIL;
        snprintf(f->advice, sizeof f->advice,
                 "the driver is older than the toolkit (CUDA %s): update it, or use --device sim",
                 LADDER_CUDA_VERSION);
    } else if (sm < built) {
        f->level = FINDING_FAIL;
        snprintf(f->advice, sizeof f->advice,
                 "the kit was built for sm_%d: remove the build folder and start ./ladder again; "
                 "where it says that the toolkit is too new for this card, use an older one or "
                 "--device sim",
                 built);
    } else if (sm > built) {
        f->level = FINDING_WARN;
        snprintf(f->advice, sizeof f->advice,
                 "the kit was built for sm_%d, and the driver compiles that for this card: for its "
                 "own code take a toolkit that knows it, and remove the build folder",
                 built);
    }
}

// Whether a process of this one's rights may read a GPU's counters: the driver says who may, and an
// administrator is who has CAP_SYS_ADMIN, which root of a container mostly lacks.
static void check_counters(findings *list) {
    enum { CAP_SYS_ADMIN = 21 };
    static const char instead[] =
        "the same counters without permission: ./ladder profile LAB STEP, or -- PROGRAM; "
        "docs/permission.md says which are equal";
    char *params = NULL, *status = NULL;
    finding *f = add(list, FINDING_OK, "GPU counters");
    bool known = ladder_file_read(AT_FDCWD, "/proc/driver/nvidia/params", 1 << 16, &params, NULL,
                                  NULL) == KL_OK;
    ladder_file_read(AT_FDCWD, "/proc/self/status", 1 << 16, &status, NULL, NULL);
    const char *rights = status ? strstr(status, "CapEff:") : NULL;
    bool admin = rights && strtoull(rights + strlen("CapEff:"), NULL, 16) >> CAP_SYS_ADMIN & 1;
    if (!known) {
        snprintf(f->text, sizeof f->text,
                 "no driver says who may read them (ncu: ERR_NVGPUCTRPERM, or no device)");
        snprintf(f->advice, sizeof f->advice, "%s", instead);
    } else if (strstr(params, "RmProfilingAdminOnly: 0") || admin) {
        snprintf(f->text, sizeof f->text, "Nsight Compute may read them here");
    } else {
        f->level = FINDING_WARN;
        snprintf(f->text, sizeof f->text,
                 "only an administrator may read them: ncu will say ERR_NVGPUCTRPERM");
        snprintf(f->advice, sizeof f->advice, "%s", instead);
    }
    free(params);
    free(status);
}

static void check_simulator(findings *list, const ladder_kit *kit) {
    char folder[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    ladder_session session;
    ladder_session_init(&session);
    ladder_engine_options options = {.answer_s = 20};
    kl_status status = ladder_kit_simulator(kit, folder, &err);
    if (status == KL_OK) status = ladder_session_start_engine(&session, kit, &options, &err);
    finding *f = add(list, status == KL_OK ? FINDING_OK : FINDING_FAIL, "simulator");
    if (status == KL_OK) {
        snprintf(f->text, sizeof f->text, "answers, models %s",
                 sim_engine_device(session.control)->name);
    } else {
        snprintf(f->text, sizeof f->text, "%.290s", err.text);
        snprintf(f->advice, sizeof f->advice, "build the kit again: ./ladder doctor");
    }
    ladder_session_close(&session);
}

// A program with kernels that does not load the shared runtime runs past the simulator.
static void check_program(findings *list, const char *path) {
    ladder_elf elf;
    kl_error err = {KL_OK, ""};
    char plain[48];
    finding *f = add(list, FINDING_OK, ladder_plain(basename(path), false, plain, sizeof plain));
    if (ladder_elf_read(path, &elf, &err) != KL_OK) {
        f->level = FINDING_FAIL;
        snprintf(f->text, sizeof f->text, "%.290s", err.text);
        return;
    }
    bool shared = ladder_elf_needs(&elf, "libcudart.so");
    if (shared) {
        snprintf(f->text, sizeof f->text, "loads the shared CUDA runtime");
    } else if (elf.has_device_code) {
        f->level = FINDING_FAIL;
        snprintf(f->text, sizeof f->text,
                 "holds kernels and the static CUDA runtime, nvcc's default");
        snprintf(f->advice, sizeof f->advice,
                 "the simulator cannot replace it: link with nvcc -cudart shared");
    } else {
        f->level = FINDING_WARN;
        snprintf(f->text, sizeof f->text, "holds no kernels and loads no CUDA runtime");
    }
    ladder_elf_free(&elf);
}

// The programs of the labs: those that are not built yet lack nothing.
static void check_labs(findings *list, const ladder_kit *kit) {
    char path[LADDER_PATH];
    int missing = 0;
    for (int l = 0; l < ladder_lab_count; l++) {
        if (ladder_kit_lab_program(kit, &ladder_labs[l], path, NULL) != KL_OK) continue;
        if (ladder_file_exists(path)) check_program(list, path);
        else missing++;
    }
    if (missing == 0) return;
    finding *f = add(list, FINDING_OK, "labs");
    snprintf(f->text, sizeof f->text,
             "%d of %d are not built yet: the first ./ladder run of each builds it", missing,
             ladder_lab_count);
}

static void check_packages(findings *list) {
    static const char compressed[] = "programs that nvcc compressed, for profile --";
    const struct {
        const char *name;
        bool present;
        const char *debian, *purpose;
    } packages[] = {
        {"Check", LADDER_HAVE_CHECK, "check", "unit tests"},
        {"zstd", sim_codec_is_there(&sim_codec_zstd), sim_codec_zstd.package, compressed},
        {"LZ4", sim_codec_is_there(&sim_codec_lz4), sim_codec_lz4.package, compressed},
        {"libarchive", LADDER_HAVE_ARCHIVE, "libarchive-dev", "archives that students hand in"},
        {"SQLite", LADDER_HAVE_SQLITE, "libsqlite3-dev", "gradebook of a course"},
        {"libyaml", LADDER_HAVE_YAML, "libyaml-dev", "exports of Gradescope"},
        {"libdw", LADDER_HAVE_LIBDW, "libdw-dev", "names of variables in ladder debug"},
        {"libedit", LADDER_HAVE_EDIT, "libedit-dev", "keys to edit a line in ladder debug"},
        {"Jansson", LADDER_HAVE_JANSSON, "libjansson-dev", "ladder debug --dap, reports"},
        {"zlib", kl_bytes_read_gzip(), "zlib1g-dev", "compressed matrices and data sets"},
        {"Fashion-MNIST", kl_fashion_mnist_is_there(), KL_FASHION_MNIST_PACKAGE,
         "images to train networks on; else drawn shapes"},
    };
    enum { PACKAGES = sizeof packages / sizeof packages[0] };
    int missing = 0;
    for (int i = 0; i < PACKAGES; i++) {
        missing += !packages[i].present;
        if (!packages[i].present) continue;
        finding *f = add(list, FINDING_OK, packages[i].name);
        snprintf(f->text, sizeof f->text, "found (optional: %s)", packages[i].purpose);
    }
    if (missing == 0) return;
    // All that are missing in one line: a fresh machine lacks most of them, and needs none.
    finding *f = add(list, FINDING_WARN, "packages");
    append(f->text, "optional, not found: ");
    snprintf(f->advice, sizeof f->advice, "apt-get install");
    for (int i = 0, told = 0; i < PACKAGES; i++) {
        if (packages[i].present) continue;
        append(f->text, "%s%s", told++ > 0 ? ", " : "", packages[i].name);
        if (missing == 1) append(f->text, " (%s)", packages[i].purpose);
        append(f->advice, " %s", packages[i].debian);
    }
    append(f->advice, ", then start ./ladder again");
}

// The sandbox round graded work: what stands of it, and for each layer that does not what to do.
static void check_sandbox(findings *list) {
    static const struct {
        bool needed;
        const char *name, *advice;
    } layers[] = {
#define LADDER_LAYER(id, needed, name, advice) {needed, name, advice},
#include "sandbox/isolation/layers.def"
#undef LADDER_LAYER
    };
    bool stands = ladder_sandbox_find() == LADDER_SANDBOX_ISOLATED;
    uint32_t found = ladder_sandbox_layers();
    finding *f = add(list, stands ? FINDING_OK : FINDING_WARN, "sandbox");
    int used = snprintf(f->text, sizeof f->text, "%s, %s", stands ? "stands" : "does NOT stand",
                        geteuid() == 0 ? "this is root" : "this is an ordinary user");
    if (!stands) {
        snprintf(f->text + used, sizeof f->text - (size_t)used, ": %.200s",
                 ladder_sandbox_problem());
        snprintf(f->advice, sizeof f->advice, "%s. Until then grade only people you trust",
                 ladder_sandbox_advice());
    }
    for (int i = 0; i < LADDER_LAYERS; i++) {
        bool here = (found >> i & 1) != 0;
        if (found == 0) break; // the whole of it has not been reached
        if (here) {
            size_t at = strlen(f->text);
            snprintf(f->text + at, sizeof f->text - at, "; %s", layers[i].name);
            continue;
        }
        finding *missing = add(list, layers[i].needed ? FINDING_WARN : FINDING_OK, layers[i].name);
        snprintf(missing->text, sizeof missing->text, "not here (%s for a sandbox)",
                 layers[i].needed ? "needed" : "not needed");
        snprintf(missing->advice, sizeof missing->advice, "%s", layers[i].advice);
    }
}

// What a submission may hold here, where --memory says nothing else.
static void check_memory(findings *list) {
    const double gib = 1073741824.0;
    uint64_t machine = ladder_memory_of_machine();
    bool enough = machine == 0 || machine >= 2 * LADDER_SUBMISSION_MEMORY_LEAST;
    finding *f = add(list, enough ? FINDING_OK : FINDING_WARN, "memory");
    if (machine == 0)
        snprintf(f->text, sizeof f->text,
                 "size not known; a submission may use up to %.3g GiB while it is graded",
                 (double)ladder_submission_memory(0, 1) / gib);
    else
        snprintf(
            f->text, sizeof f->text,
            "%.3g GiB; a submission may use up to %.3g GiB while it is graded; of several that "
            "are graded at once each may use less, but at least %.3g GiB",
            (double)machine / gib, (double)ladder_submission_memory(machine, 1) / gib,
            (double)LADDER_SUBMISSION_MEMORY_LEAST / gib);
    if (!enough)
        snprintf(
            f->advice, sizeof f->advice,
            "labs need %.3g GiB beside what the machine itself needs: close other programs, or "
            "grade elsewhere",
            (double)LADDER_SUBMISSION_MEMORY_LEAST / gib);
}

static void check_memory_files(findings *list) {
    int fd = -1;
    unsigned char *mapped = NULL;
    kl_error err = {KL_OK, ""};
    bool files = ladder_memory_file(4096, 0, &fd, &mapped, &err) == KL_OK;
    finding *f = add(list, files ? FINDING_OK : FINDING_FAIL, "memory files");
    snprintf(f->text, sizeof f->text, "%.290s", files ? "sealed memory files work" : err.text);
    if (!files) snprintf(f->advice, sizeof f->advice, "`ladder grade` needs Linux 3.17 or newer");
    if (files) close(fd);
}

static void print(const findings *list, const kl_style *style) {
    static const char *const words[] = {"ok", "warn", "FAIL"};
    static const char *const colours[] = {"\033[32m", "\033[33m", "\033[1;31m"};
    for (int i = 0; i < list->count; i++) {
        const finding *f = &list->items[i];
        char plain[320];
        printf("%s%-4s%s  %-14.14s ", style->colour ? colours[f->level] : "", words[f->level],
               style->colour ? "\033[0m" : "", f->what);
        kl_print_wrapped(stdout, style, 21, ladder_plain(f->text, false, plain, sizeof plain));
        if (f->advice[0] == '\0') continue;
        fputs("                     -> ", stdout);
        kl_print_wrapped(stdout, style, 24, f->advice);
    }
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    static const char *const words[] = {"ok", "warn", "fail"};
    const findings *list = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.doctor/1 checks [");
    for (int i = 0; i < list->count; i++) {
        kl_json_put(&json, "{check %s level %s text %s advice %s}", list->items[i].what,
                    words[list->items[i].level], list->items[i].text, list->items[i].advice);
    }
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

int ladder_cmd_doctor(int argc, char **argv) {
    const char *json = NULL;
    const ladder_option options[] = {
        OPT_TEXT("--json", &json, "FILE", "the findings as JSON (- is standard output)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    kl_error err = {KL_OK, ""};
    ladder_kit kit;
    findings list = {.count = 0};
    if (ladder_kit_find(&kit, &err) != KL_OK) return ladder_command_fail(argv[0], &err);
    check_tools(&list);
    check_gpu(&list);
    check_counters(&list);
    check_simulator(&list, &kit);
    check_labs(&list, &kit);
    for (int i = 0; i < arguments.count; i++) check_program(&list, arguments.positional[i]);
    check_packages(&list);
    check_sandbox(&list);
    check_memory(&list);
    check_memory_files(&list);
    bool failed = false;
    for (int i = 0; i < list.count; i++) failed = failed || list.items[i].level == FINDING_FAIL;
    if (!kl_file_is_stdout(json)) {
        kl_style style = kl_style_for(stdout);
        print(&list, &style);
    }
    if (json && kl_file_put(json, write_json, &list, &err) != KL_OK)
        return ladder_command_fail(argv[0], &err);
    return failed ? LADDER_EXIT_FAILED : LADDER_EXIT_OK;
}
