// Compiles for the debugger: see extras.h. nvcc notes which files a build has read; it is
// repeated when one of them is newer or gone.
#include "learn/extras/extras.h"
#include "ladder_config.h"
#include "sandbox/process/process.h"
#include "table.h"
#include <signal.h>

enum {
    NOTES_MAX = 1 << 20,        // bytes of a list of files
    COMPILER_OUTPUT = 64 << 10, // of messages
    COMPILER_LIMIT_S = 300
};

// One compilation: of a shared object, or of a program.
typedef struct compilation {
    const ladder_kit *kit;
    const ladder_lab *lab;
    char source[LADDER_PATH], output[LADDER_PATH], notes[LADDER_PATH];
    bool is_program;
    bool exact; // kl_step_info.needs_exact
} compilation;

// ---- is it up to date ----

static bool older(const struct stat *a, const struct stat *b) {
    if (a->st_mtim.tv_sec != b->st_mtim.tv_sec) return a->st_mtim.tv_sec < b->st_mtim.tv_sec;
    return a->st_mtim.tv_nsec < b->st_mtim.tv_nsec;
}

// The next path of a rule "output : path path \ newline path", in place; NULL: there is none. A
// blank within a path has a backslash before it.
static char *next_path(char **at) {
    char *from = *at + strspn(*at, " \t\r\n");
    while (from[0] == '\\' && from[1] == '\n') from += 2 + strspn(from + 2, " \t\r\n");
    if (!*from) return NULL;
    char *path = from, *to = from;
    for (; *from && !strchr(" \t\r\n", *from); from++) {
        if (from[0] == '\\' && from[1] == ' ') from++;
        *to++ = *from;
    }
    *at = *from ? from + 1 : from;
    *to = '\0';
    return path;
}

static bool is_fresh(const compilation *c) {
    struct stat built, read;
    char *text = NULL;
    size_t bytes;
    if (stat(c->output, &built) != 0 ||
        ladder_file_read(AT_FDCWD, c->notes, NOTES_MAX, &text, &bytes, NULL) != KL_OK)
        return false;
    char *at = strstr(text, " : ");
    bool fresh = at != NULL;
    if (at) at += 3;
    for (char *path = at ? next_path(&at) : NULL; path && fresh; path = next_path(&at))
        fresh = stat(path, &read) == 0 && !older(&built, &read);
    free(text);
    return fresh;
}

// ---- compilation ----

// The kit's flags without those that -G replaces: the architecture's, as PTX alone is run here.
static int compiler_flags(bool exact, const char **argv) {
    int count = ladder_nvcc_begin(0, exact, argv), kept = 0;
    for (int i = 0; i < count; i++)
        if (strcmp(argv[i], "-lineinfo") != 0 && strncmp(argv[i], "--generate-code", 15) != 0)
            argv[kept++] = argv[i];
    argv[kept++] = exact ? "--generate-code=arch=compute_90a,code=compute_90a"
                         : "--generate-code=arch=compute_" LADDER_CUDA_ARCHITECTURE
                           ",code=compute_" LADDER_CUDA_ARCHITECTURE;
    argv[kept++] = "-G";
    argv[kept++] = "-Xcompiler=-g1"; // lines of host code
    argv[kept++] = "-cudart";
    argv[kept++] = "shared";
    return kept;
}

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

// As ladder_process_run; Ctrl-C ends it as well, after the compiler has taken its files away.
static kl_status run_until_interrupt(const ladder_process_spec *spec, ladder_process *out_process,
                                     kl_error *err) {
    static const double look_every_s = 0.1, patience_s = 2;
    const struct sigaction action = {.sa_handler = on_interrupt};
    struct sigaction old;
    ladder_process *one[] = {out_process};
    interrupted = 0;
    sigaction(SIGINT, &action, &old);
    kl_status status = ladder_process_start(spec, out_process, err);
    while (status == KL_OK && out_process->end == LADDER_END_RUNNING && !interrupted)
        ladder_process_wait_readable(one, 1, -1, kl_now_s() + look_every_s);
    if (status == KL_OK && interrupted) {
        kill(-out_process->pid, SIGINT);
        ladder_process_wait_readable(one, 1, -1, kl_now_s() + patience_s);
    }
    sigaction(SIGINT, &old, NULL);
    if (status == KL_OK) ladder_process_end(out_process, NULL);
    return status;
}

static kl_status run_compiler(const compilation *c, const char *part, const char *notes,
                              kl_error *err) {
    enum { MORE = 16 };
    char script[LADDER_PATH], include[LADDER_PATH], line[512], how[128];
    const char *argv[LADDER_NVCC_ARGUMENTS + MORE] = {"/bin/sh", script};
    TRY(ladder_path(script, err, "%s/common/cmake/nvcc/compile.sh", c->kit->source));
    TRY(ladder_path(include, err, "-I%s/labs/%s", c->kit->source, c->lab->folder));
    int count = 2 + compiler_flags(c->exact, argv + 2);
    const char *const more[] = {include, "-MD", "-MF", notes, "-o", part, c->source};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) argv[count++] = more[i];
    if (!c->is_program) argv[count++] = "-shared";
    argv[count] = NULL;
    const ladder_process_spec spec = {
        .argv = argv,
        .environment = (const char *const *)environ,
        .limits = {.wall_s = COMPILER_LIMIT_S, .output_bytes = COMPILER_OUTPUT}};
    ladder_process process;
    kl_status status = run_until_interrupt(&spec, &process, err);
    if (status != KL_OK) {
        ladder_process_free(&process);
        return status;
    }
    bool well = process.end == LADDER_END_EXITED && process.code == 0;
    ladder_first_error(process.output, line, sizeof line);
    ladder_process_describe(&process, how, sizeof how);
    ladder_process_free(&process);
    if (interrupted) return kl_fail(err, KL_ERROR_SYSTEM, "interrupted");
    if (well) return KL_OK;
    const char *name = strrchr(c->source, '/') + 1;
    ladder_remove_text(line, c->kit->source);
    if (line[0]) return kl_fail(err, KL_ERROR_INPUT, "%s does not compile: %s", name, line);
    return kl_fail(err, KL_ERROR_INPUT, "%s does not compile: the compiler %s", name, how);
}

// The list of files and then the result that is made of them appear as wholes, under their names:
// somebody else may be reading them.
static kl_status put_in_place(const compilation *c, const char *part, const char *notes,
                              kl_error *err) {
    if (rename(notes, c->notes) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "cannot write %s", c->notes);
    if (rename(part, c->output) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "cannot write %s", c->output);
    return KL_OK;
}

static kl_status compile(const compilation *c, kl_error *err) {
    char part[LADDER_PATH], notes[LADDER_PATH];
    if (is_fresh(c)) return KL_OK;
    TRY(ladder_path(part, err, "%s.%d.part", c->output, (int)getpid()));
    TRY(ladder_path(notes, err, "%s.%d.part", c->notes, (int)getpid()));
    kl_ticker_say("building for the debugger");
    kl_status status = run_compiler(c, part, notes, err);
    kl_ticker_say("");
    if (status == KL_OK) status = put_in_place(c, part, notes, err);
    if (status != KL_OK) {
        unlink(part);
        unlink(notes);
    }
    if (interrupted) raise(SIGINT); // with what the caller does then
    return status;
}

static const char *kind_of(bool solution) { return solution ? "solution" : "skeleton"; }

kl_status ladder_debug_build_step(const ladder_kit *kit, const ladder_lab *lab,
                                  const kl_step_info *step, bool solution, char *out_folder,
                                  kl_error *err) {
    compilation c = {.kit = kit, .lab = lab, .exact = step->needs_exact};
    TRY(ladder_kit_step_file(kit, lab, step, solution, c.source, err));
    TRY(ladder_path(out_folder, err, "%s/labs/%s/debug/%s", kit->build, lab->folder,
                    kind_of(solution)));
    TRY(ladder_folder_make(out_folder, err));
    TRY(ladder_path(c.output, err, "%s/step_%d.so", out_folder, step->number));
    TRY(ladder_path(c.notes, err, "%s/step_%d.d", out_folder, step->number));
    return compile(&c, err);
}

kl_status ladder_debug_build_bug(const ladder_kit *kit, const ladder_lab *lab, const char *stem,
                                 bool solution, char *out_program, kl_error *err) {
    compilation c = {.kit = kit, .lab = lab, .is_program = true};
    char file[LADDER_PATH], folder[LADDER_PATH];
    TRY(ladder_path(file, err, "bugs/%s.cu", stem));
    if (solution) TRY(ladder_kit_require_solution_file(kit, lab, file, err));
    TRY(ladder_path(c.source, err, "%s/%s/%s/%s", kit->source, solution ? "solutions" : "labs",
                    lab->folder, file));
    TRY(ladder_path(folder, err, "%s/labs/%s/debug/bugs/%s", kit->build, lab->folder,
                    kind_of(solution)));
    TRY(ladder_folder_make(folder, err));
    TRY(ladder_path(out_program, err, "%s/%s", folder, stem));
    TRY(ladder_path(c.output, err, "%s", out_program));
    TRY(ladder_path(c.notes, err, "%s/%s.d", folder, stem));
    return compile(&c, err);
}
