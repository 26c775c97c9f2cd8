// What a student does next in a lab: see lesson.h.
#include "learn/lesson/lesson.h"
#include "learn/predict/predict.h"

enum { FILE_MAX = 4 << 20 };

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
