// Where a student is in a lab: see lesson.h.
#include "learn/lesson/lesson.h"
#include "learn/predict/predict.h"

enum { FILE_MAX = 4 << 20 };

// All results of a lab.
typedef struct known_results {
    kl_last_result all[KL_LAST_RESULTS];
    int count;
} known_results;

// The results of this version of the step's file.
static void take_results(const known_results *known, uint64_t hash, ladder_step_progress *step) {
    kl_last_result *to[] = {&step->run, &step->check};
    for (kl_result_kind kind = KL_RESULT_OF_RUN; kind <= KL_RESULT_OF_CHECK; kind++) {
        const kl_last_result *found =
            kl_last_result_find(known->all, known->count, kind, step->info->number, hash);
        if (!found) continue;
        *to[kind] = *found;
        if (found->when_s > step->when_s) step->when_s = found->when_s;
    }
}

static ladder_step_state state_of_results(const ladder_step_progress *step) {
    bool ran = step->run.state[0] != '\0', checked = step->check.state[0] != '\0';
    if ((ran && !step->run.good) || (checked && !step->check.good)) return LADDER_STEP_BAD;
    if (!ran) return LADDER_STEP_CHANGED;
    return step->run.whole ? LADDER_STEP_DONE : LADDER_STEP_RIGHT_YET;
}

static kl_status read_step(const ladder_kit *kit, const ladder_lab *lab, const known_results *known,
                           ladder_step_progress *step, kl_error *err) {
    char path[LADDER_PATH], *text = NULL;
    size_t bytes = 0;
    struct stat status;
    kl_error why = {KL_OK, ""};
    TRY(ladder_kit_step_file(kit, lab, step->info, false, path, err));
    step->state = LADDER_STEP_ABSENT;
    if (ladder_file_read(AT_FDCWD, path, FILE_MAX, &text, &bytes, &why) != KL_OK) return KL_OK;
    bool untouched = kl_step_text_is_untouched(text);
    if (!untouched && stat(path, &status) == 0 && !step->info->given)
        step->when_s = status.st_mtime;
    take_results(known, kl_step_text_hash(text, bytes), step);
    if (step->info->given)
        step->state = kl_step_text_is_edited(text) ? LADDER_STEP_ALTERED : LADDER_STEP_GIVEN;
    else
        step->state = untouched ? LADDER_STEP_TO_DO
                      : kl_step_text_forgotten(path, text, step->forgotten, sizeof step->forgotten)
                          ? LADDER_STEP_BEGUN
                          : state_of_results(step);
    free(text);
    return KL_OK;
}

// Where the lab's page tells of each step; of one that no heading names, where of the step before.
static void read_page(const ladder_kit *kit, ladder_progress *p) {
    char path[LADDER_PATH], *page = NULL;
    kl_error why = {KL_OK, ""};
    if (ladder_path(path, &why, "%s/labs/%s/README.md", kit->source, p->lab->folder) != KL_OK ||
        ladder_file_read(AT_FDCWD, path, FILE_MAX, &page, NULL, &why) != KL_OK)
        return;
    for (int i = 0; i < p->count; i++) {
        ladder_step_progress *step = &p->steps[i];
        bool named = ladder_section_find(page, step->info->number, &step->section);
        step->place = named ? step->section.line : i > 0 ? p->steps[i - 1].place : 0;
    }
    free(page);
}

kl_status ladder_progress_read(const ladder_kit *kit, const ladder_lab *lab,
                               ladder_progress *out_progress, kl_error *err) {
    char file[LADDER_PATH];
    ladder_progress *p = out_progress;
    memset(p, 0, sizeof *p);
    p->lab = lab;
    p->last = -1;
    TRY(ladder_kit_last_results(kit, lab, file, err));
    known_results *known = calloc(1, sizeof *known);
    if (!known) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the last results");
    known->count = kl_last_results_read(file, known->all);
    kl_status status = KL_OK;
    int64_t newest_s = 1; // a step with the time 0 was never edited or run
    for (int i = 0; status == KL_OK && i < lab->problem->step_count && i < LADDER_STEPS_MAX; i++) {
        ladder_step_progress *step = &p->steps[p->count++];
        step->info = &lab->problem->steps[i];
        status = read_step(kit, lab, known, step, err);
        if (step->when_s < newest_s) continue;
        newest_s = step->when_s;
        p->last = i;
    }
    free(known);
    if (status == KL_OK) read_page(kit, p);
    return status;
}

kl_status ladder_progress_latest(const ladder_kit *kit, ladder_progress *out_progress,
                                 kl_error *err) {
    int64_t newest_s = 0;
    int newest = 0;
    for (int l = 0; l < ladder_lab_count; l++) {
        TRY(ladder_progress_read(kit, &ladder_labs[l], out_progress, err));
        int last = out_progress->last;
        if (last < 0 || out_progress->steps[last].when_s < newest_s) continue;
        newest_s = out_progress->steps[last].when_s;
        newest = l;
    }
    return ladder_progress_read(kit, &ladder_labs[newest], out_progress, err);
}

static bool is_done(const ladder_step_progress *step) {
    char why[128];
    if (ladder_device_lacks(step->info, NULL, why, sizeof why))
        return true; // there is nothing to do
    return step->info->given || step->state == LADDER_STEP_DONE;
}

static bool is_before(const ladder_progress *p, int a, int b) {
    int places[] = {p->steps[a].place, p->steps[b].place};
    return places[0] != places[1] ? places[0] < places[1] : a < b;
}

// The first that is not done of all steps (from: -1), or of those after `from`; -1: none.
static int first_open(const ladder_progress *p, int from) {
    int best = -1;
    for (int i = 0; i < p->count; i++)
        if (!is_done(&p->steps[i]) && (from < 0 || is_before(p, from, i)) &&
            (best < 0 || is_before(p, i, best)))
            best = i;
    return best;
}

int ladder_progress_next(const ladder_progress *progress) {
    int last = progress->last;
    int first = first_open(progress, -1);
    if (last < 0 || progress->steps[last].info->given)
        return first; // a first `run` runs all given steps
    // `run --all` runs those that nobody has touched, too: it was no choice of the last one.
    bool all = progress->steps[last].state == LADDER_STEP_TO_DO && first >= 0 &&
               progress->steps[first].state == LADDER_STEP_TO_DO &&
               progress->steps[first].when_s > 0;
    if (!is_done(&progress->steps[last])) return all ? first : last;
    int after = first_open(progress, last);
    return after >= 0 ? after : first;
}

// What a student does next in a lab.

static void set_command(ladder_next_step *n, const char *lab, const char *command,
                        const char *then) {
    int number = n->step->info->number;
    snprintf(n->command, sizeof n->command, "./ladder %s %s %d", command, lab, number);
    if (then) snprintf(n->then, sizeof n->then, "./ladder %s %s %d", then, lab, number);
}

static void choose_command(const ladder_kit *kit, const ladder_lab *lab, ladder_next_step *n) {
    const ladder_step_progress *s = n->step;
    switch (s->state) {
    case LADDER_STEP_BEGUN: set_command(n, lab->problem->name, "watch", NULL); break;
    case LADDER_STEP_CHANGED:
    case LADDER_STEP_RIGHT_YET: set_command(n, lab->problem->name, "run", NULL); break;
    case LADDER_STEP_BAD:
        if (s->check.state[0] != '\0' && s->check.good)
            set_command(n, lab->problem->name, "hint",
                        "watch"); // the checker has nothing more to say
        else
            set_command(n, lab->problem->name,
                        strcmp(s->run.state, ladder_outcome_word(LADDER_COMPILE_ERROR)) == 0
                            ? "run"
                            : "check",
                        "watch");
        break;
    default:
        if (ladder_predict_is_open(kit, lab, s->info->number))
            set_command(n, lab->problem->name, "predict", "watch");
        else set_command(n, lab->problem->name, "watch", NULL);
        break;
    }
}

// How the step came out, "" when there is nothing to say.
static void describe_results(ladder_next_step *n) {
    const ladder_step_progress *s = n->step;
    if (s->state == LADDER_STEP_BEGUN) snprintf(n->result, sizeof n->result, "%s", s->forgotten);
    else if (s->state == LADDER_STEP_CHANGED)
        snprintf(n->result, sizeof n->result, "not run since you changed it");
    else if (s->state == LADDER_STEP_RIGHT_YET)
        snprintf(n->result, sizeof n->result,
                 "correct in the cases that were run; `run` has them all");
    else if (s->state != LADDER_STEP_TO_DO && s->run.state[0] != '\0' && !s->run.good)
        snprintf(n->result, sizeof n->result, "%s: %s", s->run.state, s->run.text);
    if (s->check.state[0] != '\0' && !s->check.good)
        snprintf(n->finding, sizeof n->finding, "%s", s->check.text);
}

static void find_places(const ladder_kit *kit, const ladder_lab *lab, ladder_next_step *n) {
    char path[LADDER_PATH], *text = NULL;
    kl_error err = {KL_OK, ""};
    ladder_path(n->page, &err, "labs/%s/README.md", lab->folder);
    n->section = n->step->section;
    if (ladder_kit_step_file(kit, lab, n->step->info, false, path, &err) != KL_OK) return;
    snprintf(n->file, sizeof n->file, "%s", path + strlen(kit->source) + 1);
    if (ladder_file_read(AT_FDCWD, path, FILE_MAX, &text, NULL, &err) != KL_OK ||
        !ladder_todo_find(text, &n->todo))
        n->todo.line = 0;
    free(text);
}

// The lab that comes next, in its order; NULL after the last.
static const ladder_lab *lab_after(const ladder_lab *lab) {
    return lab + 1 < ladder_labs + ladder_lab_count ? lab + 1 : NULL;
}

void ladder_next_step_find(const ladder_kit *kit, const ladder_progress *progress,
                           ladder_next_step *out_next) {
    ladder_next_step *n = out_next;
    memset(n, 0, sizeof *n);
    int at = ladder_progress_next(progress);
    if (at >= 0) {
        n->step = &progress->steps[at];
        describe_results(n);
        find_places(kit, progress->lab, n);
        choose_command(kit, progress->lab, n);
        return;
    }
    const ladder_lab *after = lab_after(progress->lab);
    snprintf(n->command, sizeof n->command, "./ladder grade %s", progress->lab->problem->name);
    if (after) snprintf(n->then, sizeof n->then, "./ladder next %s", after->problem->name);
}
