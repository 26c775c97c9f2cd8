// Slurm's programs: see slurm.h.
#include "course/slurm/slurm.h"
#include <dirent.h>

enum { OUTPUT_MAX = 32 << 20, SILENCE_S = 60 };

static const struct {
    const char *name, *text;
    ladder_slurm_kind kind;
} states_table[] = {
#define SLURM_STATE(name, kind, text) {#name, text, LADDER_SLURM_KIND_##kind},
#include "course/slurm/states.def"
#undef SLURM_STATE
    {"", "ended and is not known to Slurm any more", LADDER_SLURM_KIND_ENDED},
    {"", "was cancelled before it ran", LADDER_SLURM_KIND_FAILED}};

ladder_slurm_kind ladder_slurm_kind_of(ladder_slurm_state state) {
    return states_table[state].kind;
}

const char *ladder_slurm_state_text(ladder_slurm_state state) { return states_table[state].text; }

// "CANCELLED by 1000" and "CANCELLED+" are CANCELLED, too.
static ladder_slurm_state find_state(const char *word) {
    size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    for (int s = 0; s < LADDER_SLURM_UNKNOWN; s++) {
        const char *name = states_table[s].name;
        if (strlen(name) == length && strncmp(word, name, length) == 0)
            return (ladder_slurm_state)s;
    }
    return LADDER_SLURM_UNKNOWN;
}

static kl_status find_tool(const char *name, char *out, kl_error *err) {
    if (ladder_program_find(name, out, NULL) == KL_OK) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "there is no %s in PATH: --slurm works where jobs are submitted, on a login "
                   "node of a Slurm cluster. Without --slurm this machine grades",
                   name);
}

kl_status ladder_slurm_present(kl_error *err) {
    char program[LADDER_PATH];
    return find_tool("sbatch", program, err);
}

// Runs one of Slurm's programs; argv[0] is its name. The caller frees *out_process on KL_OK.
static kl_status run_tool(const char **argv, ladder_process *out_process, kl_error *err) {
    char program[LADDER_PATH];
    const char *name = argv[0];
    TRY(find_tool(name, program, err));
    argv[0] = program;
    ladder_process_spec spec = {.argv = argv,
                                .environment = (const char *const *)environ,
                                .limits = {.wall_s = SILENCE_S, .output_bytes = OUTPUT_MAX}};
    kl_status status = ladder_process_run(&spec, out_process, err);
    argv[0] = name;
    return status;
}

static bool went_well(const ladder_process *process) {
    return process->end == LADDER_END_EXITED && process->code == 0;
}

// What a program said at last, or how it ended.
static const char *last_words(const ladder_process *process, char out[300]) {
    char line[300];
    ladder_last_line(process->output, line, sizeof line);
    if (line[0] == '\0') return ladder_process_describe(process, out, 300);
    return ladder_plain(line, false, out, 300);
}

kl_status ladder_slurm_submit(const char *script, long long *out_job, kl_error *err) {
    const char *argv[] = {"sbatch", "--parsable", script, NULL};
    ladder_process process;
    char words[300];
    TRY(run_tool(argv, &process, err));
    *out_job = 0;
    // "JOB" or "JOB;CLUSTER", beside warnings.
    for (const char *line = process.output; went_well(&process) && *line != '\0';) {
        char *end = NULL;
        long long job = strtoll(line, &end, 10);
        if (end != line && job > 0 && (*end == '\n' || *end == ';' || *end == '\0')) *out_job = job;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    kl_status status = KL_OK;
    if (*out_job == 0)
        status = kl_fail(err, KL_ERROR_INPUT,
                         "Slurm did not take the job: %s. See --partition, --account, --gpus, "
                         "--time-limit and --chunk (fewer, longer tasks); --dry-run shows the "
                         "script",
                         last_words(&process, words));
    ladder_process_free(&process);
    return status;
}

// Takes lines of "JOB_TASK|STATE".
static void take_states(const char *text, long long job, ladder_slurm_state *states, size_t count,
                        bool only_unknown) {
    char start[32];
    int length = snprintf(start, sizeof start, "%lld_", job);
    for (const char *line = text; *line != '\0';) {
        size_t bytes = strcspn(line, "\n");
        char *end = NULL;
        if (strncmp(line, start, (size_t)length) == 0) {
            unsigned long long task = strtoull(line + length, &end, 10);
            bool wanted = *end == '|' && end != line + length && task < count &&
                          (!only_unknown || states[task] >= LADDER_SLURM_UNKNOWN);
            if (wanted) states[task] = find_state(end + 1);
        }
        line += bytes;
        line += *line == '\n';
    }
}

// Writes the states of the tasks 0 .. count-1 of an array job; those that squeue does not list any
// more keep what `states` says, but for running ones, which become UNKNOWN, and waiting ones, which
// become NEVER: Slurm forgets an array's task at once that is cancelled before it runs.
// *out_answered false: Slurm gives no answer now, states is unchanged, and *err says why.
static kl_status ladder_slurm_look(long long job, ladder_slurm_state *states, size_t count,
                                   bool *out_answered, kl_error *err) {
    char number[32], words[300];
    snprintf(number, sizeof number, "%lld", job);
    const char *argv[] = {"squeue", "-h", "-r", "-t", "all", "-j", number, "-o", "%i|%T", NULL};
    ladder_process process;
    TRY(run_tool(argv, &process, err));
    bool forgotten = strstr(process.output, "Invalid job id"); // long ended
    *out_answered = went_well(&process) || forgotten;
    if (*out_answered) {
        for (size_t i = 0; i < count; i++) {
            ladder_slurm_kind kind = ladder_slurm_kind_of(states[i]);
            if (kind == LADDER_SLURM_KIND_WAITING) states[i] = LADDER_SLURM_NEVER;
            if (kind == LADDER_SLURM_KIND_RUNNING) states[i] = LADDER_SLURM_UNKNOWN;
        }
        take_states(process.output, job, states, count, false);
    } else {
        kl_fail(err, KL_ERROR_SYSTEM, "squeue: %s", last_words(&process, words));
    }
    ladder_process_free(&process);
    return KL_OK;
}

// Asks sacct what became of UNKNOWN and NEVER tasks. Best effort: not every site keeps accounts.
static void ladder_slurm_ask_accounts(long long job, ladder_slurm_state *states, size_t count) {
    char number[32];
    snprintf(number, sizeof number, "%lld", job);
    const char *argv[] = {"sacct", "-n", "-P", "-X", "-j", number, "-o", "JobID,State", NULL};
    ladder_process process;
    if (run_tool(argv, &process, NULL) != KL_OK) return;
    if (went_well(&process)) take_states(process.output, job, states, count, true);
    ladder_process_free(&process);
}

// -------------------------------------------------------------------------------------------------
// Waiting for the tasks of an array job. Slurm is asked often at first and at last twice a minute,
// which a busy controller bears.

enum { SILENCES_MAX = 40 };
static const double pause_least_s = 0.2, pause_most_s = 30;

static void pause_s(double seconds) {
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

static size_t count_kind(const ladder_slurm_state *states, size_t count, ladder_slurm_kind kind) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += ladder_slurm_kind_of(states[i]) == kind;
    return found;
}

kl_status ladder_slurm_wait(long long job, ladder_slurm_state *states, size_t count,
                            ladder_slurm_progress *progress, void *context, kl_error *err) {
    double started_s = kl_now_s();
    int silences = 0;
    for (;;) {
        bool answered = false;
        kl_error why = {KL_OK, ""};
        TRY(ladder_slurm_look(job, states, count, &answered, &why));
        if (answered) {
            size_t waiting = count_kind(states, count, LADDER_SLURM_KIND_WAITING);
            size_t running = count_kind(states, count, LADDER_SLURM_KIND_RUNNING);
            silences = 0;
            progress(context, waiting, running);
            if (waiting + running == 0) break;
        } else if (silences++ == 0) {
            fprintf(stderr, "ladder grade: Slurm does not answer; waiting for it: %s\n", why.text);
        } else if (silences > SILENCES_MAX) {
            return kl_fail(err, KL_ERROR_SYSTEM,
                           "%s. Job %lld may go on; the same command with --resume collects it",
                           why.text, job);
        }
        double pause = (kl_now_s() - started_s) / 8;
        pause_s(pause < pause_least_s  ? pause_least_s
                : pause > pause_most_s ? pause_most_s
                                       : pause);
    }
    ladder_slurm_ask_accounts(job, states, count);
    return KL_OK;
}

kl_status ladder_slurm_is_alive(long long job, size_t count, bool *out_alive, kl_error *err) {
    ladder_slurm_state *states = calloc(count, sizeof *states);
    bool answered = false;
    *out_alive = false;
    if (!states) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a job");
    kl_status status = ladder_slurm_look(job, states, count, &answered, err);
    if (status == KL_OK && !answered) status = err->status;
    for (size_t i = 0; i < count && status == KL_OK; i++)
        *out_alive = *out_alive || ladder_slurm_kind_of(states[i]) <= LADDER_SLURM_KIND_RUNNING;
    free(states);
    return status;
}

// What grading one submission costs. Each result.json has the seconds that it took.

enum { RESULT_MAX = 64 << 20, SAMPLES_MAX = 500 };

// The "seconds" of a result.json; below 0 when there is none.
static double seconds_of(const char *path) {
    static const char key[] = "\"seconds\": ";
    char *text = NULL;
    size_t bytes = 0;
    if (ladder_file_read(AT_FDCWD, path, RESULT_MAX, &text, &bytes, NULL) != KL_OK) return -1;
    const char *found = strstr(text, key);
    double seconds = found ? strtod(found + strlen(key), NULL) : -1;
    free(text);
    return seconds > 0 ? seconds : -1;
}

static bool find_in_class(const char *output, ladder_slurm_cost *out_cost) {
    char folder[LADDER_PATH], path[LADDER_PATH];
    if (ladder_path(folder, NULL, "%s/submissions", output) != KL_OK) return false;
    DIR *entries = opendir(folder);
    double sum = 0;
    int samples = 0;
    if (!entries) return false;
    for (struct dirent *e; samples < SAMPLES_MAX && (e = readdir(entries));) {
        if (e->d_name[0] == '.' ||
            ladder_path(path, NULL, "%s/%s/result.json", folder, e->d_name) != KL_OK)
            continue;
        double seconds = seconds_of(path);
        if (seconds < 0) continue;
        sum += seconds;
        samples++;
    }
    closedir(entries);
    if (samples == 0) return false;
    out_cost->seconds = sum / samples;
    snprintf(out_cost->source, sizeof out_cost->source, "mean of %d graded into %.100s before",
             samples, output);
    return true;
}

static kl_status grade_solution(const ladder_kit *kit, const ladder_lab *lab, kl_error *err) {
    char program[LADDER_PATH];
    TRY(ladder_path(program, err, "%s/autograder/ladder", kit->build));
    fprintf(stderr,
            "ladder grade: measuring what a submission costs: the kit's solution is graded\n");
    const char *const argv[] = {program,    "grade", lab->folder, "--solution",
                                "--device", "sim",   NULL};
    ladder_process_spec spec = {.argv = argv, .environment = (const char *const *)environ};
    ladder_process process;
    TRY(ladder_process_run(&spec, &process, err));
    ladder_process_free(&process);
    return KL_OK;
}

kl_status ladder_slurm_cost_find(const ladder_kit *kit, const ladder_lab *lab, const char *output,
                                 ladder_slurm_cost *out_cost, kl_error *err) {
    char path[LADDER_PATH];
    memset(out_cost, 0, sizeof *out_cost);
    if (find_in_class(output, out_cost)) return KL_OK;
    TRY(ladder_path(path, err, "%s/results/%s/submissions/solution/result.json", kit->build,
                    lab->folder));
    out_cost->seconds = seconds_of(path);
    if (out_cost->seconds < 0) {
        TRY(grade_solution(kit, lab, err));
        out_cost->seconds = seconds_of(path);
    }
    if (out_cost->seconds < 0) {
        out_cost->seconds = 0;
        snprintf(out_cost->source, sizeof out_cost->source,
                 "not known: the kit's solution cannot be graded here");
        return KL_OK;
    }
    snprintf(out_cost->source, sizeof out_cost->source, "what the kit's solution took here");
    return KL_OK;
}

// ---- the work of an array job -------------------------------------------------------------------
// "ladder.work/3 SEED CHUNK COUNT", then a line per submission: its flags, what changes its mark
// (days late, slip days, share and points that they cost, own due date, override) and texts, each
// after a blank, with every byte that is no plain character as %XX.

enum { WORK_MAX = 1 << 30, REFUSED = 1, IS_FILE = 2, OVERRIDDEN = 4, NONE_TAKEN = 8, OUTSIDE = 16 };

// The texts of a submission that grading looks at, with the space that each has.
typedef struct field {
    char *text;
    size_t bytes;
} field;

enum { FIELDS = 9 };

static void fields_of(ladder_submission *s, ladder_points_change *change, field out[FIELDS]) {
    const field all[FIELDS] = {{s->path, sizeof s->path},
                               {s->id, sizeof s->id},
                               {s->title, sizeof s->title},
                               {s->name, sizeof s->name},
                               {s->problem, sizeof s->problem},
                               {s->note, sizeof s->note},
                               {s->user, sizeof s->user},
                               {s->members, sizeof s->members},
                               {change->late_rule, sizeof change->late_rule}};
    memcpy(out, all, sizeof all);
}

static void put_text(FILE *out, const char *text) {
    fputc(' ', out);
    for (const char *at = text; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        if (c > ' ' && c < 0x7f && c != '%') fputc(c, out);
        else fprintf(out, "%%%02X", c);
    }
}

static kl_status put_work(void *context, FILE *out, kl_error *err) {
    const ladder_slurm_work *work = context;
    (void)err; // kl_file_put notices what could not be written
    fprintf(out, "ladder.work/3 %" PRIx64 " %zu %zu\n", work->seed, work->chunk, work->count);
    for (size_t i = 0; i < work->count; i++) {
        ladder_submission *s = &work->list[i];
        field fields[FIELDS];
        ladder_points_change *change = &work->changes[i];
        fields_of(s, change, fields);
        fprintf(out, "%d %d %d %a %a %a %a",
                (s->refused ? REFUSED : 0) | (s->is_file ? IS_FILE : 0) |
                    (change->overridden ? OVERRIDDEN : 0) | (s->none_taken ? NONE_TAKEN : 0) |
                    (s->outside ? OUTSIDE : 0),
                change->late_days, change->slip_days, change->late_share, change->late_points,
                change->due_s, change->override);
        for (int f = 0; f < FIELDS; f++) put_text(out, fields[f].text);
        fputc('\n', out);
    }
    return KL_OK;
}

kl_status ladder_slurm_work_write(const char *path, const ladder_slurm_work *work, kl_error *err) {
    mode_t before = umask(077);
    kl_status status = kl_file_put(path, put_work, (void *)work, err);
    umask(before);
    return status;
}

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Takes one text of a line; *at goes on behind it.
static bool take_text(const char **at, field to) {
    const char *from = *at;
    size_t used = 0;
    if (*from++ != ' ') return false;
    for (; *from != '\0' && *from != ' ' && *from != '\n'; from++) {
        char c = *from;
        if (used + 1 >= to.bytes) return false;
        if (c == '%') {
            int high = digit(from[1]), low = high >= 0 ? digit(from[2]) : -1;
            if (low < 0) return false;
            c = (char)(high << 4 | low);
            from += 2;
        }
        to.text[used++] = c;
    }
    to.text[used] = '\0';
    *at = from;
    return true;
}

static bool take_submission(const char *line, ladder_submission *s, ladder_points_change *change) {
    int flags = 0, used = 0;
    field fields[FIELDS];
    if (sscanf(line, "%d %d %d %la %la %la %la%n", &flags, &change->late_days, &change->slip_days,
               &change->late_share, &change->late_points, &change->due_s, &change->override,
               &used) != 7)
        return false;
    const char *at = line + used;
    fields_of(s, change, fields);
    for (int f = 0; f < FIELDS; f++)
        if (!take_text(&at, fields[f])) return false;
    s->refused = (flags & REFUSED) != 0;
    s->is_file = (flags & IS_FILE) != 0;
    s->none_taken = (flags & NONE_TAKEN) != 0;
    s->outside = (flags & OUTSIDE) != 0;
    change->overridden = (flags & OVERRIDDEN) != 0;
    return *at == '\n' && s->id[0] != '\0';
}

static bool take_work(const char *text, uint64_t task, ladder_slurm_work *work) {
    size_t all = 0;
    if (sscanf(text, "ladder.work/3 %" SCNx64 " %zu %zu", &work->seed, &work->chunk, &all) != 3 ||
        work->chunk == 0 || all > LADDER_SUBMISSIONS_MAX || task > all / work->chunk ||
        task * work->chunk >= all)
        return false;
    size_t first = (size_t)task * work->chunk;
    size_t count = all - first < work->chunk ? all - first : work->chunk;
    work->list = calloc(count, sizeof *work->list);
    work->changes = calloc(count, sizeof *work->changes);
    if (!work->list || !work->changes) return false;
    const char *line = strchr(text, '\n');
    for (size_t i = 0; line && i < first + count; i++) {
        size_t at = work->count;
        if (i >= first && !take_submission(line + 1, &work->list[at], &work->changes[at]))
            return false;
        work->count += i >= first;
        line = strchr(line + 1, '\n');
    }
    return work->count == count;
}

kl_status ladder_slurm_work_read(const char *path, uint64_t task, ladder_slurm_work *out_work,
                                 kl_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    memset(out_work, 0, sizeof *out_work);
    TRY(ladder_file_read(AT_FDCWD, path, WORK_MAX, &text, &bytes, err));
    bool good = take_work(text, task, out_work);
    free(text);
    if (good) return KL_OK;
    free(out_work->list);
    free(out_work->changes);
    out_work->list = NULL;
    out_work->changes = NULL;
    return kl_fail(err, KL_ERROR_INPUT, "%s has no submissions for a task %" PRIu64, path, task);
}

bool ladder_slurm_work_seed(const char *path, uint64_t *out_seed) {
    char *text = NULL;
    size_t bytes = 0;
    if (ladder_file_read(AT_FDCWD, path, WORK_MAX, &text, &bytes, NULL) != KL_OK) return false;
    bool found = sscanf(text, "ladder.work/3 %" SCNx64, out_seed) == 1;
    free(text);
    return found;
}
