// The grader's own build of one step: see submission.h.
#include "grade/submission/submission.h"
#include "ladder_config.h"
#include "sandbox/process/kit_build.h"
#include "sandbox/process/machine.h"
#include "utilities/defence.h"
#include <dirent.h>
#include <limits.h>

enum {
    ARGUMENTS_MAX = LADDER_NVCC_ARGUMENTS + 16,
    COMPILER_DATA = 2047 << 20,          // bytes, each process of the compiler
    COMPILER_FILE = 128 << 20,           // bytes of one file it writes
    COMPILER_OUTPUT = 256 << 10,         // bytes of messages; template errors are long
    COMPILER_OUTPUT_UNLIMITED = 1 << 30, // with that defence switched off
    COMPILER_TASKS = 64,                 // processes and threads
    CONTRACT_MAX = 1 << 20,
    DEPENDENCIES_MAX = 4 << 20,
    PATIENCE = 5 // wall time that a busy machine may take for a second of processor time
};

static const double TICKS_SHARE = 0.85; // of a limit, for what was stopped at it
static const double AGAIN_SHARE = 0.25; // of a limit, for what is compiled once more

typedef struct build {
    const ladder_build_job *job;
    char folder[LADDER_PATH]; // of this step
    char name[32];            // "step_3"
    ladder_step_result *result;
} build;

static kl_status fail_step(build *b, ladder_outcome outcome, const char *message) {
    b->result->outcome = outcome;
    ladder_plain(message, false, b->result->message, sizeof b->result->message);
    return KL_OK;
}

// outputs: names of the files that it makes; ends with NULL.
static kl_status run_compiler(build *b, const char *const *argv, const char *const *outputs,
                              ladder_process *out_process, kl_error *err) {
    char path[LADDER_PATH], home[LADDER_PATH + 16], temporary[LADDER_PATH + 16], tools[LADDER_PATH];
    TRY(ladder_path(tools, err, "%s", LADDER_NVCC));
    char *slash = strrchr(tools, '/');
    if (slash) *slash = '\0';
    TRY(ladder_path(path, err, "PATH=%s:/usr/local/bin:/usr/bin:/bin", tools));
    snprintf(home, sizeof home, "HOME=%s", b->folder);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", b->folder);
    const char *environment[] = {path, home, temporary, "LC_ALL=C", NULL};
    ladder_process_spec spec = {
        .argv = argv,
        .environment = environment,
        .folder = b->folder,
        .limits = {.wall_s = PATIENCE * b->job->limit_s,
                   .cpu_s = (uint64_t)ceil(b->job->limit_s),
                   .data_bytes = COMPILER_DATA,
                   .file_bytes = COMPILER_FILE,
                   .output_bytes = COMPILER_OUTPUT,
                   .processes = COMPILER_TASKS,
                   .memory_bytes = b->job->memory_bytes},
    };
    const ladder_sandbox_view view = {.folder = b->folder, .outputs = outputs, .compiler = true};
    if (!ladder_defence_on(LADDER_DEFENCE_COMPILER_LIMITS))
        spec.limits = (ladder_limits){.output_bytes = COMPILER_OUTPUT_UNLIMITED};
    TRY(ladder_sandbox_run(&spec, &view, out_process, err));
    b->result->build_s += out_process->wall_s;
    return KL_OK;
}

// The files that the compiler has read. log: of a compiler that failed, in which case the list of
// these files may be missing; else NULL.
static kl_status audit_includes(build *b, const char *log, kl_error *err) {
    char path[LADDER_PATH], private_folder[PATH_MAX], toolkit[PATH_MAX];
    char *dependencies = NULL;
    kl_error found = {KL_OK, ""};
    if (!ladder_defence_on(LADDER_DEFENCE_INCLUDE_AUDIT)) return KL_OK;
    TRY(ladder_path(path, err, "%s/%s.d", b->folder, b->name));
    if (!realpath(b->folder, private_folder) || !realpath(LADDER_CUDA_INCLUDE_DIR, toolkit))
        return kl_fail(err, KL_ERROR_SYSTEM, "the toolkit's headers have gone");
    const char *roots[] = {toolkit, LADDER_SYSTEM_INCLUDES "/usr/local/include", "/usr/lib",
                           "/usr/include"};
    enum { ROOTS = sizeof roots / sizeof roots[0] };
    kl_status status =
        ladder_file_exists(path) || !log
            ? ladder_file_read(AT_FDCWD, path, DEPENDENCIES_MAX, &dependencies, NULL, err)
            : KL_OK;
    if (status == KL_ERROR_LIMIT)
        return fail_step(b, LADDER_FORBIDDEN, "it includes too many files");
    if (status != KL_OK) return status;
    if (dependencies)
        status = ladder_include_audit(dependencies, private_folder, roots, ROOTS, &found);
    if (status == KL_OK && log)
        status = ladder_message_audit(log, private_folder, roots, ROOTS, &found);
    free(dependencies);
    return status == KL_OK ? KL_OK : fail_step(b, LADDER_FORBIDDEN, found.text);
}

// A limit of time was reached. used_s: of processor time, all that is known. What has used less
// than its limit waited for a processor, and on a slow machine what has used it up may be right.
static kl_status fail_late(build *b, const char *message, double used_s) {
    char text[LADDER_MESSAGE];
    bool waited = used_s < TICKS_SHARE * b->job->limit_s;
    if (!waited && !ladder_machine_too_slow(b->job->slowness))
        return fail_step(b, LADDER_BUILD_LIMIT, message);
    snprintf(text, sizeof text, "not graded: this machine was too %s: %.400s",
             waited ? "busy" : "slow", message);
    return fail_step(b, LADDER_UNGRADABLE, text);
}

// Processor time of a compiler that was ended. In the sandbox its first process has told it so far.
static double used_by(const ladder_process *process) {
    double told_s = process->inside ? process->inside->report.cpu_s : 0;
    return fmax(told_s, process->cpu_s);
}

// What `ladder run` says below the compiler's first error; "": nothing.
static void find_hint(const build *b, char *hint, size_t hint_bytes) {
    static const char mark[] = "\n  hint: ";
    char *text = NULL, *copy = strdup(b->result->log);
    size_t bytes;
    hint[0] = '\0';
    FILE *out = open_memstream(&text, &bytes);
    if (out && copy) ladder_build_messages("", copy, out);
    if (out) fclose(out);
    const char *at = text ? strstr(text, mark) : NULL;
    if (at) at += sizeof mark - 1;
    if (at) snprintf(hint, hint_bytes, "%.*s", (int)strcspn(at, "\n"), at);
    free(text);
    free(copy);
}

// Tells what went wrong in a compiler run that did not end well.
static kl_status explain_compiler(build *b, const ladder_process *process,
                                  ladder_outcome on_error) {
    char how[128], message[LADDER_MESSAGE], line[512], hint[400];
    ladder_result_log(b->result, process->output, process->output_bytes);
    ladder_process_describe(process, how, sizeof how);
    b->result->over_memory = process->end == LADDER_END_TOO_MUCH_MEMORY;
    ladder_first_error(b->result->log, line, sizeof line);
    // nvcc hides what ended its children. The system stops them by its clock's ticks, but tells the
    // time they ran: where the machine is busy, a little less. Then they had no error to report.
    double cpu_limit_s = (double)process->limits.cpu_s;
    if (process->cpu_s >= cpu_limit_s ||
        (process->cpu_s >= TICKS_SHARE * cpu_limit_s && !strstr(line, "error"))) {
        snprintf(message, sizeof message,
                 "the compiler used up its limit of %g s of processor time", b->job->limit_s);
        return fail_late(b, message, process->cpu_s);
    }
    if (process->end == LADDER_END_OUT_OF_TIME) {
        snprintf(message, sizeof message, "the compiler %s", how);
        return fail_late(b, message, used_by(process));
    }
    if (process->end == LADDER_END_TOO_MUCH_OUTPUT || process->end == LADDER_END_TOO_MUCH_MEMORY) {
        snprintf(message, sizeof message, "the compiler %s", how);
        return fail_step(b, LADDER_BUILD_LIMIT, message);
    }
    if (strstr(line, "out of memory"))
        return fail_step(b, LADDER_BUILD_LIMIT, "the compiler ran out of its 2 GiB of memory");
    if (line[0] == '\0') {
        ladder_last_line(b->result->log, line, sizeof line);
        snprintf(message, sizeof message, "the compiler %s%s%s", how, line[0] != '\0' ? ": " : "",
                 line);
        return fail_step(b, on_error, message);
    }
    find_hint(b, hint, sizeof hint);
    snprintf(message, sizeof message, "%s%s%s", line, hint[0] ? "; " : "", hint);
    return fail_step(b, on_error, message);
}

// nvcc -c with the flags of the kit's own build. whole: with all of the toolkit's headers, of which
// most steps do without many (common/cmake/nvcc).
static void compiler_arguments(const build *b, bool whole, const char *argv[ARGUMENTS_MAX],
                               char object[48], char dependencies[48]) {
    snprintf(object, 48, "%s.o", b->name);
    snprintf(dependencies, 48, "%s.d", b->name);
    const kl_step_info *info = kl_problem_step(b->job->lab->problem, b->job->step->step);
    int sm = b->job->least_sm;
    if (info && info->needs_sm > sm) sm = info->needs_sm;
    int count = ladder_nvcc_begin(sm, info && info->needs_exact, argv);
    if (whole) argv[count++] = "-DLADDER_WHOLE_CUDA_RUNTIME";
    argv[count++] = "-MD";
    argv[count++] = "-MF";
    argv[count++] = dependencies;
    argv[count++] = "-I.";
    argv[count++] = "-x";
    argv[count++] = "cu";
    argv[count++] = "-c";
    argv[count++] = b->job->step->file;
    argv[count++] = "-o";
    argv[count++] = object;
    argv[count] = NULL;
}

static kl_status compile(build *b, bool whole, ladder_process *out_process, bool *out_compiled,
                         kl_error *err) {
    char object[48], dependencies[48];
    const char *argv[ARGUMENTS_MAX];
    compiler_arguments(b, whole, argv, object, dependencies);
    const char *const outputs[] = {object, dependencies, NULL};
    ladder_nvcc_count();
    TRY(run_compiler(b, argv, outputs, out_process, err));
    *out_compiled = out_process->end == LADDER_END_EXITED && out_process->code == 0;
    return KL_OK;
}

// With fewer headers, and where that fails with all of them: what is said of it is said then. What
// has used up much of its limit is not tried again.
static kl_status compile_step(build *b, ladder_process *out_process, bool *out_compiled,
                              kl_error *err) {
    TRY(compile(b, false, out_process, out_compiled, err));
    bool again = !*out_compiled && out_process->end == LADDER_END_EXITED &&
                 out_process->cpu_s < AGAIN_SHARE * b->job->limit_s;
    if (!again) return KL_OK;
    ladder_process_free(out_process);
    return compile(b, true, out_process, out_compiled, err);
}

static kl_status link_object(build *b, ladder_process *out_process, kl_error *err) {
    char object[48], library[48];
    snprintf(object, sizeof object, "%s.o", b->name);
    snprintf(library, sizeof library, "%s.so", b->name);
    // Without relocatable device code there is nothing for nvcc to link: the host compiler does.
    const char *own = LADDER_CUDA_HOST_COMPILER;
    const char *const argv[] = {own[0] != '\0' ? own : LADDER_HOST_COMPILER,
                                "-shared",
                                "-Wl,--no-undefined",
                                LADDER_LINKER,
                                object,
                                "-L" LADDER_CUDA_LIBRARY_DIR,
                                "-lcudart",
                                "-o",
                                library,
                                NULL};
    const char *const outputs[] = {library, NULL};
    return run_compiler(b, argv, outputs, out_process, err);
}

// The object's imports, its function, and the headers that were read.
static kl_status audit(build *b, kl_error *err) {
    const ladder_lab *lab = b->job->lab;
    char path[LADDER_PATH], symbol[128];
    ladder_elf elf;
    kl_error found = {KL_OK, ""};
    TRY(ladder_path(path, err, "%s/%s.o", b->folder, b->name));
    if (ladder_elf_read(path, &elf, &found) != KL_OK)
        return fail_step(b, LADDER_FORBIDDEN, found.text);
    kl_status status = !ladder_defence_on(LADDER_DEFENCE_IMPORT_AUDIT)
                           ? KL_OK
                           : ladder_import_audit(&elf, lab->rubric->allow_imports,
                                                 (size_t)lab->rubric->allow_import_count, &found);
    snprintf(symbol, sizeof symbol, "%s_step%d", lab->problem->name, b->job->step->step);
    bool defined = ladder_elf_defines(&elf, symbol);
    ladder_elf_free(&elf);
    if (status != KL_OK) return fail_step(b, LADDER_FORBIDDEN, found.text);
    if (!defined) {
        char message[256];
        snprintf(message, sizeof message,
                 "the file does not define extern \"C\" %s; keep the name and the extern \"C\"",
                 symbol);
        return fail_step(b, LADDER_NO_FUNCTION, message);
    }
    return audit_includes(b, NULL, err);
}

// A file of a folder of the kit's.
static kl_status copy_from(build *b, const char *folder, const char *name, kl_error *err) {
    char from[LADDER_PATH], to[LADDER_PATH], *text = NULL;
    size_t bytes = 0;
    TRY(ladder_path(from, err, "%s/%s/%s", b->job->kit->source, folder, name));
    TRY(ladder_path(to, err, "%s/%s", b->folder, name));
    TRY(ladder_file_read(AT_FDCWD, from, CONTRACT_MAX, &text, &bytes, err));
    kl_status status = ladder_file_make(to, text, bytes, err);
    free(text);
    return status;
}

// A file of the lab's own folder.
static kl_status copy_given(build *b, const char *name, bool needed, kl_error *err) {
    char folder[LADDER_PATH], path[LADDER_PATH];
    TRY(ladder_path(folder, err, "labs/%s", b->job->lab->folder));
    TRY(ladder_path(path, err, "%s/%s/%s", b->job->kit->source, folder, name));
    return needed || ladder_file_exists(path) ? copy_from(b, folder, name, err) : KL_OK;
}

// Given device code: every .cuh of the lab's own folder.
static kl_status copy_device_code(build *b, kl_error *err) {
    const ladder_build_job *job = b->job;
    char folder[LADDER_PATH];
    TRY(ladder_path(folder, err, "%s/labs/%s", job->kit->source, job->lab->folder));
    DIR *entries = opendir(folder);
    if (!entries) return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", folder, strerror(errno));
    kl_status status = KL_OK;
    const struct dirent *item;
    while (status == KL_OK && (item = readdir(entries))) {
        const char *ending = strrchr(item->d_name, '.');
        if (ending && strcmp(ending, ".cuh") == 0) status = copy_given(b, item->d_name, true, err);
    }
    closedir(entries);
    return status;
}

// The step's file, the contract with its table and given device code if it has such, the header
// that stands before one of the toolkit's in the kit's own build, and nothing else.
static kl_status fill_folder(build *b, kl_error *err) {
    const ladder_build_job *job = b->job;
    const char *name = job->lab->problem->name;
    char path[LADDER_PATH];
    TRY(ladder_folder_make(b->folder, err));
    TRY(ladder_path(path, err, "%s/%s", b->folder, job->step->file));
    TRY(ladder_file_make(path, job->source, job->source_bytes, err));
    TRY(ladder_path(path, err, "%s.h", name));
    TRY(copy_given(b, path, true, err));
    TRY(copy_from(b, "common/cmake/nvcc", "cuda_runtime.h", err));
    TRY(copy_device_code(b, err));
    TRY(ladder_path(path, err, "%s.def", name));
    return copy_given(b, path, false, err);
}

static bool is_blank(const char *text, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (!isspace((unsigned char)text[i])) return false;
    return true;
}

// Words of a compiler that the machine may have failed. A submission can make it say them, which
// costs a second run.
static bool may_be_machine(const char *log) {
    static const char *const words[] = {"No space left",          "quota exceeded",
                                        "Cannot allocate memory", "temporarily unavailable",
                                        "died due to signal",     "Input/output error"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(log, words[i])) return true;
    return log[0] == '\0';
}

static kl_status build_in_folder(build *b, kl_error *err) {
    ladder_process process;
    bool compiled;
    TRY(compile_step(b, &process, &compiled, err));
    if (!compiled && may_be_machine(process.output)) { // whose fault is it?
        ladder_process_free(&process);
        TRY(ladder_machine_fit(b->folder, err));
        TRY(compile(b, true, &process, &compiled, err));
    }
    // Messages quote lines of the files that they are about.
    kl_status status = compiled ? KL_OK : audit_includes(b, process.output, err);
    if (status == KL_OK && !compiled && b->result->outcome == LADDER_CORRECT)
        status = explain_compiler(b, &process, LADDER_COMPILE_ERROR);
    ladder_process_free(&process);
    if (!compiled || status != KL_OK) return status;
    TRY(audit(b, err));
    if (b->result->outcome != LADDER_CORRECT) return KL_OK;

    TRY(link_object(b, &process, err));
    bool linked = process.end == LADDER_END_EXITED && process.code == 0;
    status = linked ? KL_OK : explain_compiler(b, &process, LADDER_NO_FUNCTION);
    ladder_process_free(&process);
    return status;
}

// The same from the cache, when these very files were compiled and passed the audit before.
static kl_status take_or_build(build *b, char *out_object, kl_error *err) {
    const ladder_step_cache *cache = b->job->cache;
    char object[48], dependencies[48], key[LADDER_SHA256_TEXT], made[LADDER_PATH];
    const char *argv[ARGUMENTS_MAX];
    TRY(ladder_path(made, err, "%s/%s.so", b->folder, b->name));
    if (cache) {
        compiler_arguments(b, false, argv, object, dependencies);
        TRY(ladder_step_cache_key(b->folder, argv, key, err));
    }
    if (!cache || !ladder_step_cache_take(cache, key, b->folder, made)) {
        TRY(build_in_folder(b, err));
        if (b->result->outcome != LADDER_CORRECT) return KL_OK;
        if (cache) ladder_step_cache_put(cache, key, b->folder, made);
    }
    return ladder_path(out_object, err, "%s", made);
}

kl_status ladder_build_step(const ladder_build_job *job, char *out_object,
                            ladder_step_result *out_result, kl_error *err) {
    build b = {.job = job, .result = out_result};
    out_object[0] = '\0';
    out_result->outcome = LADDER_CORRECT;
    if (is_blank(job->source, job->source_bytes))
        return fail_step(&b, LADDER_EMPTY_FILE, "the file is empty");
    snprintf(b.name, sizeof b.name, "step_%d", job->step->step);
    TRY(ladder_path(b.folder, err, "%s/%s", job->folder, b.name));
    TRY(fill_folder(&b, err));
    return take_or_build(&b, out_object, err);
}

void ladder_build_try_sandbox(const ladder_kit *kit) {
    static const char source[] = "__global__ void nothing(int *x) { *x = 1; }\n";
    char stamp[LADDER_PATH], folder[LADDER_PATH], path[LADDER_PATH];
    const char *argv[LADDER_NVCC_ARGUMENTS + 8];
    const char *const outputs[] = {"try.o", NULL};
    kl_error err = {KL_OK, ""};
    if (ladder_sandbox_find() != LADDER_SANDBOX_ISOLATED ||
        ladder_path(stamp, NULL, "%s/.sandbox-compiles-%u", kit->build, (unsigned)geteuid()) !=
            KL_OK ||
        ladder_file_exists(stamp) || ladder_folder_temporary(folder, &err) != KL_OK)
        return;
    ladder_build_job job = {.limit_s = 60};
    build b = {.job = &job, .result = calloc(1, sizeof *b.result)};
    int count = ladder_nvcc_begin(0, false, argv);
    for (int i = 0; i < 4; i++)
        argv[count++] = ((const char *[]){"-c", "try.cu", "-o", "try.o"})[i];
    argv[count] = NULL;
    ladder_process process;
    bool well = b.result && ladder_path(b.folder, &err, "%s", folder) == KL_OK &&
                ladder_path(path, &err, "%s/try.cu", folder) == KL_OK &&
                ladder_file_write(path, source, sizeof source - 1, &err) == KL_OK &&
                run_compiler(&b, argv, outputs, &process, &err) == KL_OK;
    if (well) {
        well = process.end == LADDER_END_EXITED && process.code == 0;
        ladder_process_free(&process);
    }
    free(b.result);
    ladder_folder_remove(folder);
    if (well) ladder_file_write(stamp, "", 0, NULL);
    else ladder_sandbox_give_up("the compiler does not run in it");
}
