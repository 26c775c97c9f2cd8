// One look at a step that was saved: see watch.h. Compiling happens in this process, which can
// interrupt it; checking and counting in a child, which can be killed at any moment.
#include "learn/watch/watch.h"
#include "learn/predict/predict.h"
#include "sandbox/process/kit_build.h"
#include "show/findings/findings.h"
#include "show/profile/profile.h"
#include "utilities/finding.h"
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <sys/inotify.h>

ladder_look *ladder_look_new(void) {
    void *memory =
        mmap(NULL, sizeof(ladder_look), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void ladder_look_free(ladder_look *look) { munmap(look, sizeof *look); }

// The hash of the step's file; 0: there is none.
static uint64_t hash_of_step(const ladder_look *look) {
    char path[LADDER_PATH];
    const kl_step_info *info = kl_problem_step(look->lab->problem, look->step);
    bool known = ladder_kit_step_file(look->kit, look->lab, info, false, path, NULL) == KL_OK;
    return known ? kl_step_file_hash(path) : 0;
}

// For `ladder next`: the first error of a compile that failed.
static void keep_compile_error(const ladder_look *look) {
    char file[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    kl_last_result result = {
        .kind = KL_RESULT_OF_RUN, .step = look->step, .hash = hash_of_step(look)};
    snprintf(result.state, sizeof result.state, "%s", ladder_outcome_word(LADDER_COMPILE_ERROR));
    ladder_first_error(look->text, result.text, sizeof result.text);
    if (ladder_kit_last_results(look->kit, look->lab, file, &err) == KL_OK)
        kl_last_results_keep(file, &result, 1, &err);
}

static void put_error(ladder_look *look, const kl_error *err) {
    FILE *out = fmemopen(look->text, sizeof look->text, "w");
    if (!out) return;
    kl_print_wrapped(out, &look->style, 0, err->text);
    fclose(out);
}

// False when it was given up.
static bool compile(ladder_look *look, ladder_look_is_over *is_over, void *context) {
    kl_error err = {KL_OK, ""};
    double begin_s = kl_now_s();
    ladder_kit_building building = {.is_over = is_over, .context = context};
    building.messages = fmemopen(look->text, sizeof look->text, "w");
    if (!building.messages) return false;
    kl_status status = ladder_kit_build_step(look->kit, look->lab, look->step, &building, &err);
    fclose(building.messages);
    look->text[sizeof look->text - 1] = '\0';
    look->compile_s = kl_now_s() - begin_s;
    look->compiled = status == KL_OK && !building.failed;
    if (building.over) return false;
    if (look->compiled) return true;
    snprintf(look->verdict, sizeof look->verdict, "%s", ladder_outcome_word(LADDER_COMPILE_ERROR));
    if (status != KL_OK) put_error(look, &err);
    keep_compile_error(look);
    look->done = true;
    return true;
}

// What the lab's program said of this version of the step; false: nothing.
static bool find_run(const ladder_look *look, kl_last_result *out_run) {
    char file[LADDER_PATH];
    if (ladder_kit_last_results(look->kit, look->lab, file, NULL) != KL_OK) return false;
    kl_last_result *all = calloc(KL_LAST_RESULTS, sizeof *all);
    int count = all ? kl_last_results_read(file, all) : 0;
    const kl_last_result *found =
        kl_last_result_find(all, count, KL_RESULT_OF_RUN, look->step, hash_of_step(look));
    if (found) *out_run = *found;
    free(all);
    return found != NULL;
}

static void put_first_finding(const ladder_checks *checks, const kl_style *style, FILE *out) {
    for (uint32_t i = 0; i < checks->report->count; i++) {
        const sim_finding *finding = &checks->report->findings[i];
        if (sim_check_is_warning(finding->kind)) continue;
        ladder_finding_print(finding, NULL, style, out);
        return;
    }
}

// The small case of a wrong step, which only a run without the checker looks for.
static void put_wrong(const ladder_look *look, const kl_last_result *run, FILE *out) {
    ladder_verdict verdict = {.outcome = LADDER_NOT_RUN};
    kl_error err = {KL_OK, ""};
    ladder_verdict_ask(look->kit, look->lab, look->step, false, &verdict, &err);
    if (verdict.text[0] != '\0') fputs(verdict.text, out);
    else kl_print_wrapped(out, &look->style, 0, run->text);
}

static void judge(ladder_look *look, const ladder_checks *checks, FILE *out) {
    kl_last_result run = {.good = false};
    bool known = find_run(look, &run);
    uint64_t findings = ladder_checks_errors(checks);
    char found[64];
    snprintf(found, sizeof found, "%llu finding%s", (unsigned long long)findings,
             findings == 1 ? "" : "s");
    if (checks->unwritten) {
        snprintf(look->verdict, sizeof look->verdict, "%s",
                 ladder_outcome_word(LADDER_NOT_IMPLEMENTED));
        if (checks->forgotten[0] != '\0') kl_print_wrapped(out, &look->style, 0, checks->forgotten);
        return;
    }
    look->good = known && run.good && findings == 0 && checks->exit_code == 0;
    if (look->good) {
        snprintf(look->verdict, sizeof look->verdict, "%s in %d small cases, no findings",
                 ladder_outcome_word(LADDER_CORRECT), checks->case_count);
        return;
    }
    bool wrong = known && !run.good;
    if (wrong)
        snprintf(look->verdict, sizeof look->verdict, "%s%s%s", run.state, findings > 0 ? ", " : "",
                 findings > 0 ? found : "");
    else if (findings > 0)
        snprintf(look->verdict, sizeof look->verdict, "%s, %s", ladder_outcome_word(LADDER_FINDING),
                 found);
    else
        snprintf(look->verdict, sizeof look->verdict, "%s",
                 ladder_outcome_word(checks->verdict.outcome == LADDER_NOT_RUN
                                         ? LADDER_CRASHED
                                         : checks->verdict.outcome));
    if (wrong) put_wrong(look, &run, out);
    else if (findings == 0)
        fprintf(out, "the lab's program ended with exit status %d\n", checks->exit_code);
    put_first_finding(checks, &look->style, out);
}

static void check(ladder_look *look, FILE *out) {
    ladder_check_request request = {.max_instructions = -1};
    kl_error err = {KL_OK, ""};
    ladder_checks checks;
    memset(&checks, 0, sizeof checks);
    double begin_s = kl_now_s();
    kl_status status =
        ladder_check_step(look->kit, look->lab, look->step, &request, NULL, &checks, &err);
    look->check_s = kl_now_s() - begin_s;
    if (status == KL_OK) {
        judge(look, &checks, out);
    } else {
        snprintf(look->verdict, sizeof look->verdict, "could not be checked");
        kl_print_wrapped(out, &look->style, 0, err.text);
    }
    ladder_checks_free(&checks);
}

// The case that is counted: the one that the step's predictions are about, else the largest of the
// quick ones that takes a moment. False: there is none.
static bool find_case(const ladder_look *look, kl_case *out_shape) {
    const double most = 1 << 26; // operations of threads: about a second
    const kl_problem *problem = look->lab->problem;
    const ladder_asked *asked = ladder_questions_find(look->lab->questions, look->step);
    int family = asked && asked->count > 0 ? kl_problem_family(problem, asked->family) : -1;
    *out_shape = (kl_case){.family = family, .size = asked ? asked->size : 0};
    if (family >= 0 && ladder_checks_work(problem, family, out_shape->size) <= most) return true;
    out_shape->size = 0;
    for (int i = 0; i < problem->suite_count; i++) {
        const kl_suite_entry *e = &problem->suite[i];
        if (!(e->flags & KL_QUICK) || !kl_problem_serves(problem, e->family, look->step)) continue;
        if (ladder_checks_work(problem, e->family, e->size) > most || e->size <= out_shape->size)
            continue;
        *out_shape = (kl_case){.family = e->family, .size = e->size};
    }
    return out_shape->size > 0;
}

static bool take_counts(ladder_look *look, const kl_case *shape) {
    char size[32];
    kl_error err = {KL_OK, ""};
    ladder_counts *counts = &look->counts;
    ladder_profile *profile = calloc(1, sizeof *profile);
    if (!profile) return false;
    snprintf(size, sizeof size, "%lld", (long long)shape->size);
    memset(counts, 0, sizeof *counts);
    counts->size = shape->size;
    kl_status status = ladder_profile_built_step(look->kit, look->lab, look->step, false, size,
                                                 look->lab->problem->families[shape->family].name,
                                                 NULL, profile, &err);
    for (uint32_t i = profile->prepare_launches; status == KL_OK && i < profile->count; i++)
        ladder_counts_add(counts, profile->launches[i], &profile->device);
    counts->call = profile->call;
    ladder_profile_free(profile);
    free(profile);
    return status == KL_OK && counts->launches > 0;
}

static void number_cell(kl_table *table, int row, int column, double value) {
    char text[64] = "-";
    if (isfinite(value)) ladder_page_number(value, -1, text, sizeof text);
    kl_table_cell(table, row, column, KL_PLAIN, "%s", text);
}

// The lab's own number for this step, with what the solution reaches where that is of this case.
static void add_watched(const ladder_look *look, const kl_case *shape, kl_table *table) {
    const kl_problem *problem = look->lab->problem;
    for (int i = 0; i < problem->watch_count; i++) {
        const kl_watch *w = &problem->watches[i];
        double now = w->scale * ladder_count_value(w->counter, w->per, &look->counts);
        if (w->step != look->step || !kl_watch_is_of(problem, w, shape->family)) continue;
        if (!isfinite(now)) continue;
        int row = kl_table_row(table);
        kl_table_cell(table, row, 0, KL_PLAIN, "%s", w->text);
        if (look->counted)
            number_cell(table, row, 1,
                        w->scale * ladder_count_value(w->counter, w->per, &look->before));
        number_cell(table, row, 2, now);
        number_cell(table, row, 3, kl_watch_target(problem, w, shape->family, shape->size));
    }
}

static void add_counter(const ladder_look *look, const ladder_profile_row *counter,
                        kl_table *table) {
    char text[64];
    int row = kl_table_row(table);
    double before = ladder_profile_row_value(counter, &look->before.totals);
    double now = ladder_profile_row_value(counter, &look->counts.totals);
    kl_table_cell(table, row, 0, KL_PLAIN, "%s", counter->label);
    if (look->counted)
        kl_table_cell(table, row, 1, KL_PLAIN, "%s",
                      ladder_profile_row_text(counter, before, text, sizeof text));
    kl_table_cell(table, row, 2, KL_PLAIN, "%s",
                  ladder_profile_row_text(counter, now, text, sizeof text));
}

static void put_counts(const ladder_look *look, const kl_case *shape, FILE *out) {
    char title[128], text[32];
    kl_table *table = calloc(1, sizeof *table);
    if (!table) return;
    kl_table_column(table, "one call", KL_LEFT);
    kl_table_column(table, "save before", KL_RIGHT);
    kl_table_column(table, "now", KL_RIGHT);
    kl_table_column(table, "target", KL_RIGHT);
    add_watched(look, shape, table);
    int row = kl_table_row(table);
    kl_table_cell(table, row, 0, KL_PLAIN, "modelled time");
    if (look->counted)
        kl_table_cell(table, row, 1, KL_PLAIN, "%s",
                      kl_format_us(look->before.time_us, text, sizeof text));
    kl_table_cell(table, row, 2, KL_PLAIN, "%s",
                  kl_format_us(look->counts.time_us, text, sizeof text));
    const int heading_rows = 3; // the case, the columns' heads, a rule
    for (int i = 0; i < ladder_profile_row_count && table->rows + heading_rows < look->rows; i++)
        if (ladder_profile_row_applies(&ladder_profile_rows[i], &look->counts.totals))
            add_counter(look, &ladder_profile_rows[i], table);
    fprintf(out, "counted in the case %s:\n",
            kl_case_title(look->lab->problem, shape, title, sizeof title));
    kl_table_print(table, &look->style, out);
    free(table);
}

static void count(ladder_look *look, FILE *out) {
    kl_case shape;
    double begin_s = kl_now_s();
    if (!find_case(look, &shape) || !take_counts(look, &shape)) return;
    look->count_s = kl_now_s() - begin_s;
    put_counts(look, &shape, out);
    look->before = look->counts;
    look->counted = true;
}

// In the child: what it finds goes to the shared memory.
static void check_and_count(ladder_look *look) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return;
    ladder_predict_note(look->kit, look->lab, &look->step, 1, "watch");
    check(look, out);
    if (look->good) count(look, out);
    fclose(out);
    snprintf(look->text, sizeof look->text, "%s", text ? text : "");
    free(text);
    look->done = true;
}

bool ladder_look_at(ladder_look *look, ladder_look_is_over *is_over, void *context) {
    const int poll_ms = 50;
    look->compile_s = look->check_s = look->count_s = 0;
    look->compiled = look->good = look->done = false;
    look->verdict[0] = look->text[0] = '\0';
    if (!compile(look, is_over, context)) return false;
    if (look->done) return true;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(1);
        check_and_count(look);
        _exit(0);
    }
    bool over = false;
    for (int status = 0; child > 0 && waitpid(child, &status, WNOHANG) == 0;) {
        over = is_over(context);
        if (over) break;
        poll(NULL, 0, poll_ms);
    }
    // What the child has started may live on without it.
    ladder_process_kill_descendants(NULL, 0, 5.0);
    if (!over && !look->done) snprintf(look->verdict, sizeof look->verdict, "the check broke off");
    return !over;
}

// Which step files were saved. inotify tells when to look; what was saved is seen on the files
// themselves, so that a lost or a foreign event does no harm.

static void look(const char *path, ladder_saved_file *out) {
    struct stat status;
    bool there = stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    out->inode = there ? status.st_ino : 0;
    out->bytes = there ? status.st_size : 0;
    out->written = there ? status.st_mtim : (struct timespec){0, 0};
}

// A file that is not there, or is empty, is being saved: what counts is what comes in its place.
static bool is_saved(const ladder_saved_file *before, const ladder_saved_file *now) {
    return now->inode != 0 && (now->inode != before->inode || now->bytes != before->bytes ||
                               now->written.tv_sec != before->written.tv_sec ||
                               now->written.tv_nsec != before->written.tv_nsec);
}

kl_status ladder_saves_open(const ladder_kit *kit, const ladder_lab *lab, int step, bool poll,
                            ladder_saves *out_saves, kl_error *err) {
    ladder_saves *s = out_saves;
    char folder[LADDER_PATH];
    memset(s, 0, sizeof *s);
    s->fd = -1;
    TRY(ladder_path(folder, err, "%s/labs/%s/steps", kit->source, lab->folder));
    for (int i = 0; i < lab->problem->step_count && s->count < LADDER_STEPS_MAX; i++) {
        const kl_step_info *info = &lab->problem->steps[i];
        if (step >= 0 ? info->number != step : info->given) continue;
        ladder_saved_file *file = &s->files[s->count++];
        file->step = info->number;
        TRY(ladder_kit_step_file(kit, lab, info, false, file->path, err));
        look(file->path, file);
    }
    if (poll) return KL_OK;
    s->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (s->fd >= 0 && inotify_add_watch(s->fd, folder, IN_CLOSE_WRITE | IN_MOVED_TO) < 0)
        ladder_saves_close(s); // as on some network file systems: look instead
    return KL_OK;
}

void ladder_saves_close(ladder_saves *saves) {
    if (saves->fd >= 0) close(saves->fd);
    saves->fd = -1;
}

bool ladder_saves_pending(const ladder_saves *saves) {
    for (int i = 0; i < saves->count; i++) {
        ladder_saved_file now;
        look(saves->files[i].path, &now);
        if (is_saved(&saves->files[i], &now)) return true;
    }
    return false;
}

static bool is_later(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec >= b->tv_nsec;
}

int ladder_saves_take(ladder_saves *saves) {
    int step = -1;
    struct timespec latest = {0, 0};
    for (int i = 0; i < saves->count; i++) {
        ladder_saved_file *file = &saves->files[i], now = *file;
        look(file->path, &now);
        if (is_saved(file, &now) && is_later(&now.written, &latest)) {
            latest = now.written;
            step = file->step;
        }
        if (now.inode != 0) *file = now;
    }
    return step;
}

void ladder_saves_wait(const ladder_saves *saves, double limit_s) {
    const double look_every_s = 0.25;
    struct pollfd events = {saves->fd, POLLIN, 0}; // poll ignores a negative descriptor
    if (saves->fd < 0 && limit_s > look_every_s) limit_s = look_every_s;
    if (poll(&events, 1, (int)(limit_s * 1e3)) <= 0) return;
    char told[4096];
    while (read(saves->fd, told, sizeof told) > 0) {}
}
