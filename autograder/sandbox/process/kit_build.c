// Brings parts of the kit's build folder up to date: see kit_build.h.
#include "sandbox/process/kit_build.h"
#include "advice.h"
#include "ladder_config.h"
#include "outcome.h"
#include "sandbox/process/process.h"
#include "utilities/text.h"
#include <signal.h>
#include <sys/file.h>

// The launcher takes the same lock: one build at a time in a build folder. -1: no locks here,
// or b->over.
static int lock_build(const ladder_kit *kit, ladder_kit_building *b) {
    char path[LADDER_PATH];
    if (ladder_path(path, NULL, "%s/.launcher-lock", kit->build) != KL_OK) return -1;
    char what[LADDER_PATH + 20], who[200];
    snprintf(what, sizeof what, "built in %s", kit->build);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    enum { POLL_US = 50000, QUIET_POLLS = 40 }; // 2 s go by before a word is said
    for (int polls = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0; polls++) {
        if (errno != EWOULDBLOCK && errno != EINTR) break; // no locks here: build without one
        b->over = b->is_over && b->is_over(b->context);
        if (b->over) {
            close(fd);
            return -1;
        }
        if (polls == QUIET_POLLS)
            fprintf(stderr, "ladder: waiting for another ladder that builds in %s%s%s\n",
                    kit->build, ladder_lock_holder(fd, who, sizeof who)[0] != '\0' ? ": " : "",
                    who);
        usleep(POLL_US);
    }
    if (fd >= 0) {
        ladder_lock_tell_dead(fd, what, stderr);
        ladder_lock_sign(fd);
    }
    return fd;
}

// The build tool takes away what it had half written when it is interrupted; killed, it would not.
static void interrupt(ladder_process *process) {
    const double patience_s = 2;
    ladder_process *one[] = {process};
    kill(-process->pid, SIGINT);
    ladder_process_wait_readable(one, 1, -1, kl_now_s() + patience_s);
}

// Until it has ended or is given up.
static void wait_for(ladder_process *process, ladder_kit_building *b) {
    const double look_every_s = 0.1;
    ladder_process *one[] = {process};
    while (process->end == LADDER_END_RUNNING && !b->over) {
        ladder_process_wait_readable(one, 1, -1, kl_now_s() + look_every_s);
        b->over = process->end == LADDER_END_RUNNING && b->is_over && b->is_over(b->context);
    }
    if (b->over) interrupt(process);
}

kl_status ladder_kit_build_until(const ladder_kit *kit, const char *const *targets, int count,
                                 ladder_kit_building *building, kl_error *err) {
    const char *argv[LADDER_TARGETS_MAX + 12] = {LADDER_CMAKE, "--build", kit->build, "--parallel",
                                                 "--target"};
    int used = 5;
    for (int i = 0; i < count && i < LADDER_TARGETS_MAX; i++) argv[used++] = targets[i];
    if (access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0)
        argv[used++] = "kl_probes"; // the build folder may have been configured where no card is
    argv[used++] = "--";            // for the build tool itself: go on after a failure
    argv[used++] = "-k";
    if (strcmp(LADDER_GENERATOR, "Ninja") == 0) argv[used++] = "0";
    argv[used] = NULL;
    ladder_process_spec spec = {.argv = argv,
                                .environment = (const char *const *)environ,
                                .limits = {.output_bytes = 4 << 20}};
    ladder_process process;
    building->over = building->failed = false;
    int lock = lock_build(kit, building);
    if (building->over) return KL_OK;
    kl_status status = ladder_process_start(&spec, &process, err);
    if (status == KL_OK) {
        wait_for(&process, building);
        ladder_process_end(&process, NULL);
        building->failed = process.end != LADDER_END_EXITED || process.code != 0;
        bool tells = building->failed || strstr(process.output, "warning");
        if (tells && !building->over)
            ladder_build_messages(kit->source, process.output, building->messages);
    }
    if (lock >= 0 && ftruncate(lock, 0) != 0) { // then the next one says that this one has died
    }
    if (lock >= 0) close(lock);
    ladder_process_free(&process);
    return status;
}

kl_status ladder_kit_build(const ladder_kit *kit, const char *const *targets, int count,
                           bool *out_failed, kl_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    ladder_kit_building building = {.messages = open_memstream(&text, &bytes)};
    if (!building.messages) return kl_fail(err, KL_ERROR_MEMORY, "no memory for messages");
    kl_ticker_say("building");
    kl_status status = ladder_kit_build_until(kit, targets, count, &building, err);
    kl_ticker_say("");
    fclose(building.messages);
    const kl_style style = kl_style_for(stderr);
    if (text) ladder_put_messages(text, &style, stderr);
    free(text);
    *out_failed = building.failed;
    return status;
}

// ---- what of a build's output a student needs ---------------------------------------------------

enum { MOST_LINES = 40 };

// Messages that name something else than the mistake that a beginner made.
static const struct {
    const char *part; // of the message
    kl_advice row;    // KL_ADVICE_COUNT: `text` is no row
    const char *text;
} hints[] = {
    {"expected a \";\"", KL_ADVICE_SEMICOLON, NULL},
    {"has \"C\" linkage", KL_ADVICE_KEEP_PARAMETERS, NULL},
    {"matches the argument list:", KL_ADVICE_COUNT, // several do
     "two versions of it fit as well: give both arguments one type (0.0f is float, 0 is int)"},
    {"no instance of overloaded function \"atomic", KL_ADVICE_COUNT,
     "it takes the address of the element, &x[i], and a value of its type: int, unsigned, unsigned "
     "long long, float or double"},
    {"expected a declaration", KL_ADVICE_BRACE_TOO_MANY, NULL},
    {"At end of source: error: expected a \"}\"", KL_ADVICE_BRACE_MISSING, NULL},
    {"expression must be a modifiable lvalue", KL_ADVICE_COUNT,
     "what is left of the assignment cannot be written: const, as inputs are, or no variable"},
    {"function call must be configured", KL_ADVICE_COUNT,
     "a kernel is launched with its grid and its block: name<<<blocks, threads>>>(arguments)"},
    {"incomplete type \"nvcuda::wmma::fragment<", KL_ADVICE_COUNT,
     "wmma has no fragment of this shape, type and layout: matrix_a and matrix_b are of "
     "16 x 16 x 16, 32 x 8 x 16 or 8 x 32 x 16 elements of type half or __nv_bfloat16, with "
     "row_major or col_major behind the type; only an accumulator is of float, without a layout"},
    {"from a __global__ function", KL_ADVICE_COUNT,
     "what a kernel calls is a function with __device__ before it"},
};

// Names that students write in kernels and around them.
// clang-format off
static const char *const cuda_names[] = {
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "__syncthreads", "__syncwarp",
    "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync",
    "__any_sync", "__all_sync", "__activemask", "__shared__", "__global__", "__device__",
    "__constant__", "__restrict__", "__ldg", "__popc", "__ffs", "__clz", "atomicAdd", "atomicSub",
    "atomicMax", "atomicMin", "atomicExch", "atomicCAS", "cudaMalloc", "cudaFree", "cudaMemcpy",
    "cudaMemset", "cudaMemcpyToSymbol", "cudaGetLastError", "cudaDeviceSynchronize",
    "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice", "cudaSuccess"
};
// clang-format on

// What is meant by a name that the compiler does not know. False: nothing is near it.
static bool explain_name(const char *line, char *text, size_t bytes) {
    const size_t count = sizeof cuda_names / sizeof cuda_names[0];
    char name[64], masked[80];
    if (sscanf(line, "%*[^\"]\"%63[A-Za-z0-9_]\" is undefined", name) != 1 ||
        !strstr(line, "is undefined"))
        return false;
    snprintf(masked, sizeof masked, "%s_sync", name);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(cuda_names[i], masked) != 0) continue;
        snprintf(text, bytes, "since CUDA 9 it has a mask of lanes: %s(0xffffffff, ..)", masked);
        return true;
    }
    const char *meant = ladder_suggest(name, cuda_names, count);
    if (meant && ladder_edit_distance(name, meant) > 2) meant = NULL; // another name of theirs
    if (meant) snprintf(text, bytes, "did you mean %s?", meant);
    return meant != NULL;
}

typedef struct message_state {
    const char *source; // the kit's folder
    FILE *out;          // where the messages go
    kl_advice row;      // for the message that is being printed; KL_ADVICE_COUNT: none, or `hint`
    char hint[400];     // what is no row; "": none
    bool error;         // of this file one was printed: what follows may come from it
    char code[128];     // the line of source that it shows, as far as it fits
    bool of_kit;        // the build step at hand compiles a file of the kit, and has not failed
    bool dropped;       // the message at hand is left out
    bool elsewhere;     // the note at hand is of a file that is not the kit's
    char last[300];     // the error before, which another instance of a template would repeat
    int printed, more;  // lines
    char tool[300];     // what the build tool itself calls an error; "": nothing
} message_state;

// Lines of the build tool itself, the command lines that it repeats, and what nvcc says last.
static bool is_noise(const char *line) {
    static const char *const starts[] = {"ninja: ",
                                         "gmake",
                                         "make",
                                         ": &&",
                                         "/bin/sh ",
                                         "cd ",
                                         "Consolidate compiler",
                                         "-- ",
                                         "Re-run",
                                         "Scanning dependencies",
                                         "Remark: The warnings can be"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(line, starts[i], strlen(starts[i])) == 0) return true;
    if (strstr(line, "detected in the compilation of")) return true; // nvcc's count of errors
    return strncmp(line, LADDER_CUDA_COMPILER, strlen(LADDER_CUDA_COMPILER)) == 0 ||
           strncmp(line, "/usr/bin/c", strlen("/usr/bin/c")) == 0 || line[0] == '\0';
}

// Whether the file that a message begins with, "PATH(LINE): ..", is a step as it was handed out.
static bool is_untouched(const char *line) {
    char path[LADDER_PATH];
    char *text = NULL;
    size_t bytes = 0;
    kl_error err = {KL_OK, ""};
    const size_t most_bytes = 1 << 20;
    if (ladder_path(path, NULL, "%.*s", (int)strcspn(line, "(:"), line) != KL_OK ||
        ladder_file_read(AT_FDCWD, path, most_bytes, &text, &bytes, &err) != KL_OK)
        return false;
    bool untouched = kl_step_text_is_untouched(text);
    free(text);
    return untouched;
}

static void put(message_state *m, const char *line) {
    if (m->printed == MOST_LINES) m->more++;
    else fprintf(m->out, "%s\n", line), m->printed++;
}

static void end_message(message_state *m) {
    if (m->row < KL_ADVICE_COUNT) kl_advise(m->row, KL_WORDS(NULL), m->hint, sizeof m->hint);
    if (m->hint[0] != '\0' && m->more == 0) fprintf(m->out, "  hint: %s\n", m->hint);
    m->hint[0] = m->code[0] = '\0';
    m->row = KL_ADVICE_COUNT;
    m->dropped = false;
}

// Only where the message leaves no doubt: a semicolon before the first word of a line is missing in
// the line above, unless that word begins a body; a brace too many is the message's own.
static void take_hint(message_state *m, const char *line) {
    const char *first = m->code + strspn(m->code, " \t");
    bool semicolon = m->row == KL_ADVICE_SEMICOLON, brace = m->row == KL_ADVICE_BRACE_TOO_MANY;
    if (line[0] == ' ' && strspn(line, " \t") == strcspn(line, "^")) { // below the source
        if (semicolon && (first[0] == '{' || strcspn(line, "^") != (size_t)(first - m->code)))
            m->row = KL_ADVICE_COUNT;
    } else if (line[0] == ' ') {
        snprintf(m->code, sizeof m->code, "%s", line);
        if (brace && line[strspn(line, " \t")] != '}') m->row = KL_ADVICE_COUNT;
    }
    bool end = strncmp(line, "At end of source", strlen("At end of source")) == 0;
    if ((m->error && !end) || !strstr(line, ": error")) return;
    m->error = true;
    if (explain_name(line, m->hint, sizeof m->hint)) return;
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        if (!strstr(line, hints[i].part)) continue;
        m->row = hints[i].row;
        snprintf(m->hint, sizeof m->hint, "%s", hints[i].text ? hints[i].text : "");
    }
}

// What an error says of the toolkit's headers: versions of a function that do not fit.
static bool is_of_toolkit(message_state *m, const char *line, bool inside) {
    if (line[0] != ' ') m->elsewhere = !inside && strstr(line, ": note");
    else if (strstr(line, "detected during")) m->elsewhere = false;
    const char *declared = strstr(line, "(declared at line ");
    return m->elsewhere || (declared && strstr(declared, " of /") && !strstr(declared, m->source));
}

// Whether an error says again what the one before said of the same line.
static bool is_repeated(message_state *m, const char *line) {
    if (!strstr(line, ": error")) return false;
    bool repeated = strncmp(m->last, line, sizeof m->last - 1) == 0;
    snprintf(m->last, sizeof m->last, "%s", line);
    return repeated;
}

// A line of the build tool that says what it does next, or what of it has failed.
static bool take_step(message_state *m, const char *line) {
    bool next = line[0] == '[', failed = strncmp(line, "FAILED: ", strlen("FAILED: ")) == 0;
    if (!next && !failed) return false;
    end_message(m);
    m->error = false;
    m->of_kit = next && !strstr(line, "labs/");
    return true;
}

// False where nothing more is worth a word.
static bool take_line(message_state *m, const char *line) {
    size_t prefix = strlen(m->source);
    if (take_step(m, line)) return true;
    if (is_noise(line)) {
        if (strstr(line, "ninja: error: ") || strstr(line, ": *** "))
            snprintf(m->tool, sizeof m->tool, "%s", line);
        return true;
    }
    bool inside = strncmp(line, m->source, prefix) == 0 && line[prefix] == '/';
    if (inside) {
        bool follows = m->dropped && strstr(line, ": note");
        end_message(m);
        m->dropped =
            follows || is_repeated(m, line) || (strstr(line, ": warning") && is_untouched(line));
    }
    if (is_of_toolkit(m, line, inside) || m->dropped || (m->of_kit && !strstr(line, "error")))
        return true;
    const char *shown = inside ? line + prefix + 1 : line;
    if (strstr(line, "null character")) { // each letter has one: thousands of lines
        fprintf(m->out, "%.*s: error: this file is UTF-16 or no text: save it as UTF-8\n",
                (int)strcspn(shown, "(:"), shown);
        return false;
    }
    take_hint(m, line);
    put(m, shown);
    return true;
}

void ladder_build_messages(const char *source, char *output, FILE *out) {
    message_state m = {.source = source, .out = out, .row = KL_ADVICE_COUNT};
    char *line = strtok(output, "\n");
    while (line && take_line(&m, line)) line = strtok(NULL, "\n");
    if (line) return;
    end_message(&m);
    if (m.printed == 0 && m.tool[0] != '\0') // no compiler's error: never no word at all
        fprintf(out, "%s\n%s", m.tool,
                strstr(m.tool, "unknown target") || strstr(m.tool, "No rule to make target")
                    ? "  hint: CMake has not listed this file yet: touch CMakeLists.txt, then the "
                      "same command\n"
                    : "");
    if (m.more > 0) fprintf(out, "(and %d lines more: the first error first)\n", m.more);
}

static bool is_caret(const char *line, size_t length) {
    size_t blanks = strspn(line, " ");
    return blanks + 1 == length && line[blanks] == '^';
}

// A line of source in rows that fit, with the compiler's caret below the place that it is for.
static void put_code(const char *code, int length, int caret, const kl_style *style, FILE *out) {
    int deeper = kl_source_indent(code, length, style->width), indent = 0;
    for (int at = 0; at < length; indent = deeper) {
        int row = kl_source_row(code + at, length - at, style->width - indent);
        fprintf(out, "%*s%.*s\n", indent, "", row, code + at);
        bool last = at + row >= length;
        if (caret >= at && (caret < at + row || last))
            fprintf(out, "%*s^\n", indent + caret - at, "");
        for (at += row; at < length && at != caret && code[at] == ' ';) at++;
    }
}

void ladder_put_messages(const char *text, const kl_style *style, FILE *out) {
    bool whole = style->uncut || getenv("LADDER_EDITOR"); // an editor's patterns are of whole lines
    char line[KL_ERROR_TEXT];
    for (; *text != '\0'; text += strspn(text, "\n")) {
        size_t length = strcspn(text, "\n");
        const char *next = text + length + strspn(text + length, "\n");
        size_t below = strcspn(next, "\n");
        bool hint = strncmp(text, "  hint: ", 8) == 0,
             code = text[0] == ' ' && is_caret(next, below);
        if (whole || length <= (size_t)style->width || length >= sizeof line) {
            fprintf(out, "%.*s\n", (int)length, text);
        } else if (code) {
            put_code(text, (int)length, (int)below - 1, style, out);
            length = (size_t)(next - text) + below;
        } else {
            int margin = hint ? 2 : (int)strspn(text, " ");
            snprintf(line, sizeof line, "%.*s", (int)length - margin, text + margin);
            fprintf(out, "%*s", margin, "");
            kl_print_wrapped(out, style, hint ? 8 : margin + 4, line);
        }
        text += length;
    }
}
