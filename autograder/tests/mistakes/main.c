// mistakes-bench [--quick] [--work DIR] [NAME..]: makes typical mistakes in a small kit (kit.c),
// types the commands that a student would type, and holds what they say against mistakes.edits
// (rows.c). `ladder bench mistakes` runs all of them; the tests of the default tier leave out those
// marked full. A row: seconds to the first true sentence, seconds in all, simulated warp
// instructions.
#include <stdatomic.h>
#include <sys/mman.h>

#include "device/report.h"
#include "grade/rubric/rubric.h"
#include "mistakes.h"
#include "sandbox/process/process.h"
#include "table.h"
#include "utilities/options.h"

typedef struct bench {
    ladder_kit real;
    char top[LADDER_PATH];  // the small kit
    sim_progress *progress; // that all simulators of a command add to
    edit_list edits;
    mistake *mistakes; // [edits.count]
    bool quick;
} bench;

// What a command did.
typedef struct outcome {
    double first_s, all_s; // until the first sentence, and to the end
    double instructions;   // warp instructions that were simulated
    int failures;          // expectations that were not met
} outcome;

// Runs of blanks and line ends as one blank: sentences are wrapped at any width.
static char *squeeze(const char *text) {
    char *out = malloc(strlen(text) + 1), *to = out;
    for (; out && *text != '\0'; text++) {
        bool blank = isspace((unsigned char)*text);
        if (blank && (to == out || to[-1] == ' ')) continue;
        *to++ = blank ? ' ' : *text;
    }
    if (out) *to = '\0';
    return out;
}

static bool says(const char *output, const char *sentence) {
    char *squeezed = squeeze(output);
    bool found = squeezed && strstr(squeezed, sentence);
    free(squeezed);
    return found;
}

// Whether the last table of verdicts calls the step of a `run` correct: "3 sequential correct".
static bool says_correct(const char *output, const char *arguments) {
    int step = -1;
    char row[16];
    if (sscanf(arguments, "run %*s %d", &step) != 1) return false;
    char *squeezed = squeeze(output);
    size_t length = (size_t)snprintf(row, sizeof row, " %d ", step);
    const char *last = squeezed; // table of verdicts
    for (const char *at = squeezed; at && (at = strstr(at, "name verdict ")); at++) last = at;
    bool found = false;
    for (const char *at = last; !found && at && (at = strstr(at, row)); at++)
        found = strncmp(at + length + strcspn(at + length, " "), " correct", 8) == 0;
    free(squeezed);
    return found;
}

static void fail(outcome *o, const char *what, const char *detail) {
    printf("    %s: %s\n", what, detail);
    o->failures++;
}

static void hold(const mistake_command *c, const ladder_process *p, outcome *o) {
    char text[96];
    for (int i = 0; i < c->says_count; i++)
        if (!says(p->output, c->says[i])) fail(o, "is not said", c->says[i]);
    for (int i = 0; i < c->never_count; i++)
        if (says(p->output, c->never[i])) fail(o, "is said", c->never[i]);
    if (c->status != 0 && says_correct(p->output, c->arguments)) fail(o, "is said", "correct");
    if (p->end != LADDER_END_EXITED || p->code != c->status)
        fail(o, "the exit status is not the expected one",
             ladder_process_describe(p, text, sizeof text));
    if (o->instructions > (double)c->most_instructions) {
        snprintf(text, sizeof text, "%.0f, at most %lld", o->instructions,
                 (long long)c->most_instructions);
        fail(o, "warp instructions", text);
    }
}

static kl_status type(const bench *b, const mistake_command *c, outcome *o, kl_error *err) {
    char words[MISTAKE_TEXT], program[LADDER_PATH];
    const char *argv[32] = {program};
    int count = 1;
    snprintf(words, sizeof words, "%s", c->arguments);
    for (char *word = strtok(words, " "); word && count < 31; word = strtok(NULL, " "))
        argv[count++] = word;
    TRY(ladder_path(program, err, "%s/autograder/ladder", b->real.build));
    atomic_store(&b->progress->warp_instructions, 0);
    const ladder_process_spec spec = {.argv = argv,
                                      .environment = (const char *const *)environ,
                                      .folder = b->top,
                                      .limits = {.output_bytes = 1 << 20}};
    ladder_process process, *all[] = {&process};
    *o = (outcome){.first_s = -1};
    TRY(ladder_process_start(&spec, &process, err));
    while (process.end == LADDER_END_RUNNING) {
        const double look_every_s = 0.05;
        ladder_process_wait_readable(all, 1, -1, kl_now_s() + look_every_s);
        if (o->first_s < 0 && says(process.output, c->says[0]))
            o->first_s = kl_now_s() - process.started_s;
    }
    o->all_s = kl_now_s() - process.started_s;
    ladder_process_finish(&process);
    o->instructions = (double)atomic_load(&b->progress->warp_instructions);
    hold(c, &process, o);
    if (o->failures > 0) printf("    ladder %s said:\n%s\n", c->arguments, process.output);
    ladder_process_free(&process);
    return KL_OK;
}

static kl_status put_step(const bench *b, const mistake *m, const edit *edit, kl_error *err) {
    char steps[LADDER_PATH], from[LADDER_PATH], to[LADDER_PATH], *text = NULL, *made = NULL;
    TRY(ladder_path(steps, err, "%s/%s/%s/steps", b->real.source, edit ? "solutions" : "labs",
                    m->lab));
    TRY(mistakes_step_file(steps, m->step, from, err));
    TRY(ladder_path(to, err, "%s/labs/%s/steps/%s", b->top, m->lab, strrchr(from, '/') + 1));
    TRY(ladder_file_read(AT_FDCWD, from, 1 << 20, &text, NULL, err));
    kl_status status = edit ? edit_apply(edit, text, &made, err) : KL_OK;
    const char *content = edit ? made : text;
    if (status == KL_OK) status = ladder_file_write(to, content, strlen(content), err);
    free(text);
    free(made);
    return status;
}

static kl_status make_mistake(const bench *b, const mistake *m, int *failures, kl_error *err) {
    char instructions[32], first[32];
    TRY(put_step(b, m, m->edit, err));
    for (int i = 0; i < m->count; i++) {
        outcome o;
        TRY(type(b, &m->commands[i], &o, err));
        snprintf(first, sizeof first, o.first_s < 0 ? "-" : "%.1f", o.first_s);
        printf("%-28s %-24s %6s %6.1f %8s  %s\n", m->edit->name, m->commands[i].arguments, first,
               o.all_s, kl_format_count(o.instructions, instructions, sizeof instructions),
               o.failures > 0 ? "FAILED" : "ok");
        fflush(stdout);
        *failures += o.failures > 0;
    }
    return put_step(b, m, NULL, err); // as it was handed out
}

// The steps that a command runs: those that it names, or all of the lab.
static void note_steps(const mistake *m, mistakes_lab *lab) {
    lab->steps[m->step] = true;
    for (int i = 0; i < m->count; i++) {
        char words[MISTAKE_TEXT];
        int named = 0;
        snprintf(words, sizeof words, "%s", m->commands[i].arguments);
        for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
            if (!isdigit((unsigned char)word[0])) continue;
            lab->steps[atoi(word) % 32] = true;
            named++;
        }
        const ladder_lab *found = named == 0 ? ladder_lab_find(m->lab) : NULL;
        for (int s = 0; found && s < found->problem->step_count; s++)
            lab->steps[found->problem->steps[s].number] = true;
    }
}

static bool is_wanted(const bench *b, const mistake *m, const ladder_arguments *names) {
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->positional[i], m->edit->name) == 0) return true;
    return names->count == 0 && (!b->quick || !m->full);
}

static kl_status make_kit(const bench *b, const ladder_arguments *names, kl_error *err) {
    mistakes_lab labs[32];
    int count = 0;
    memset(labs, 0, sizeof labs);
    for (int i = 0; i < b->edits.count; i++) {
        const mistake *m = &b->mistakes[i];
        int at = 0;
        if (!is_wanted(b, m, names)) continue;
        while (at < count && strcmp(labs[at].folder, m->lab) != 0) at++;
        if (at == count && count < 32) memcpy(labs[count++].folder, m->lab, sizeof m->lab);
        note_steps(m, &labs[at]);
    }
    return mistakes_kit_make(&b->real, b->top, labs, count, err);
}

// What the commands find in their environment: the small kit, a terminal's width, and the memory in
// which simulators count.
static kl_status prepare(bench *b, const char *folder, kl_error *err) {
    char work[LADDER_PATH], file[LADDER_PATH], edits[LADDER_PATH];
    TRY(ladder_kit_find(&b->real, err));
    TRY(ladder_folder_make(folder, err));
    if (!realpath(folder, work)) return kl_fail(err, KL_ERROR_SYSTEM, "no folder %s", folder);
    TRY(ladder_path(b->top, err, "%s/kit", work));
    TRY(ladder_path(file, err, "%s/progress", work));
    TRY(ladder_path(edits, err, "%s/autograder/tests/mistakes/mistakes.edits", b->real.source));
    const sim_progress none = {0};
    TRY(ladder_file_write(file, &none, sizeof none, err));
    int fd = open(file, O_RDWR | O_CLOEXEC);
    void *at =
        fd >= 0 ? mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (at == MAP_FAILED) return kl_fail(err, KL_ERROR_SYSTEM, "%s cannot be mapped", file);
    close(fd);
    b->progress = at;
    setenv("LADDER_KIT", b->top, 1);
    setenv("LADDER_SIM_PROGRESS", file, 1);
    setenv("XDG_STATE_HOME", work, 1);
    setenv("COLUMNS", "80", 1);
    // An endless launch ends when every host thread has seen that the budget is used up.
    setenv("LADDER_SIM_THREADS", "2", 1);
    TRY(edits_read(edits, &b->edits, err));
    b->mistakes = calloc((size_t)b->edits.count + 1, sizeof *b->mistakes);
    if (!b->mistakes) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the mistakes");
    for (int i = 0; i < b->edits.count; i++) {
        const edit *followed;
        char name[128];
        TRY(mistake_read(&b->edits.items[i], &b->mistakes[i], err));
        snprintf(name, sizeof name, "%s_followed", b->edits.items[i].name);
        if (b->mistakes[i].advised) TRY(edits_find(&b->edits, name, &followed, err));
    }
    return KL_OK;
}

static kl_status run(bench *b, const ladder_arguments *names, int *out_failures, kl_error *err) {
    int done = 0;
    TRY(make_kit(b, names, err));
    printf("%-28s %-24s %6s %6s %8s\n", "mistake", "ladder", "first", "all s", "warp in.");
    for (int i = 0; i < b->edits.count; i++) {
        if (!is_wanted(b, &b->mistakes[i], names)) continue;
        TRY(make_mistake(b, &b->mistakes[i], out_failures, err));
        done++;
    }
    if (done == 0) return kl_fail(err, KL_ERROR_USAGE, "there is no such mistake");
    printf("%d mistakes, %d commands that did not do what they must\n", done, *out_failures);
    return KL_OK;
}

int main(int argc, char **argv) {
    bench b = {.mistakes = NULL};
    const char *work = NULL;
    char folder[LADDER_PATH];
    int failures = 0;
    const ladder_option options[] = {
        OPT_FLAG("--quick", &b.quick, "those of the default tier of the tests"),
        OPT_TEXT("--work", &work, "DIR", "where the small kit is made, and stays"),
    };
    ladder_arguments names;
    kl_error err = {KL_OK, ""};
    kl_status status = ladder_options_parse(options, 2, argc, argv, &names, &err);
    if (status == KL_OK && names.help) {
        puts("ladder bench mistakes [MISTAKE..] [-- options]\n");
        ladder_options_help(stdout, options, 2);
        return 0;
    }
    if (status == KL_OK && !work) status = ladder_folder_temporary(folder, &err);
    if (status == KL_OK) status = prepare(&b, work ? work : folder, &err);
    if (status == KL_OK) status = run(&b, &names, &failures, &err);
    if (status != KL_OK) fprintf(stderr, "mistakes: %s\n", err.text);
    if (!work && b.top[0] != '\0') ladder_folder_remove(folder);
    edits_free(&b.edits);
    free(b.mistakes);
    return status == KL_OK && failures == 0 ? 0 : 1;
}
