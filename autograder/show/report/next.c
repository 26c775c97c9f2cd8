// The one thing to do after a grade: see report.h.
#include "show/report/report.h"

// Of a step that is not right.
static void tell_wrong(const ladder_report *report, const ladder_step_result *step,
                       ladder_next *next) {
    const char *lab = report->lab->problem->name, *tool = "run";
    int number = step->step;
    if (step->outcome == LADDER_NOT_IMPLEMENTED) {
        snprintf(next->text, sizeof next->text, "write step %d, %s: %s", number, next->step->name,
                 next->step->reason);
        tool = "hint";
    } else if (step->check.finding_count > 0) {
        snprintf(next->text, sizeof next->text, "step %d: the checker found %s at %s", number,
                 step->check.findings[0].kind, step->check.findings[0].place);
        tool = "check";
    } else {
        snprintf(next->text, sizeof next->text, "step %d: %s", number,
                 ladder_outcome_text(step->outcome));
    }
    snprintf(next->command, sizeof next->command, "./ladder %s %s %d", tool, lab, number);
}

// The criterion of a right step that lacks most points.
static bool tell_criterion(const ladder_report *report, ladder_next *next) {
    const ladder_result *r = report->result;
    double most = 0.005;
    int at = -1, which = -1;
    for (int i = 0; i < r->step_count; i++) {
        if (report->lab->rubric->steps[i].given || r->steps[i].outcome != LADDER_CORRECT) continue;
        for (int c = 0; c < r->steps[i].criteria_count; c++) {
            const ladder_criterion_result *one = &r->steps[i].criteria[c];
            if (!one->counted || one->points_max - one->points <= most) continue;
            most = one->points_max - one->points;
            at = i;
            which = c;
        }
    }
    if (at < 0) return false;
    const ladder_rubric_step *rubric = &report->lab->rubric->steps[at];
    const ladder_criterion_result *one = &r->steps[at].criteria[which];
    const ladder_criterion *criterion = &rubric->criteria[which];
    char text[LADDER_CRITERION_TEXT], points[32], place[96] = "";
    next->step = kl_problem_step(report->lab->problem, rubric->step);
    ladder_report_criterion(criterion, one, text, sizeof text);
    ladder_report_points(most, points, sizeof points);
    if (one->line > 0) snprintf(place, sizeof place, "; see %.70s:%u", rubric->file, one->line);
    snprintf(next->text, sizeof next->text, "step %d lacks %s point%s for \"%s\"%s", rubric->step,
             points, strcmp(points, "1") == 0 ? "" : "s",
             criterion->text && criterion->text[0] != '\0' ? criterion->text : text, place);
    snprintf(next->command, sizeof next->command, "./ladder profile %s %d",
             report->lab->problem->name, rubric->step);
    return true;
}

static void tell_next_lab(const ladder_report *report, ladder_next *next) {
    next->step = NULL;
    next->command[0] = '\0';
    snprintf(next->text, sizeof next->text, "nothing is left to do in this lab");
    for (int i = 0; i + 1 < ladder_lab_count; i++) {
        if (&ladder_labs[i] != report->lab) continue;
        const kl_problem *problem = ladder_labs[i + 1].problem;
        snprintf(next->text, sizeof next->text, "this lab is done; the next one is %s, %s",
                 problem->folder, problem->title);
        snprintf(next->command, sizeof next->command, "./ladder list %s", problem->name);
    }
}

bool ladder_report_next(const ladder_report *report, ladder_next *out_next) {
    const ladder_result *r = report->result;
    if (!r->points.graded || ladder_result_unreadable(r)) return false;
    // Of one step's file, the steps that were not handed in are no news.
    for (int absent = 0; absent < 2; absent++) {
        for (int i = 0; i < r->step_count; i++) {
            ladder_outcome outcome = r->steps[i].outcome;
            ladder_outcome_kind kind = ladder_outcome_kind_of(outcome);
            bool given = report->lab->rubric->steps[i].given;
            bool nothing = given || outcome == LADDER_LEFT_OUT; // to write here
            if (kind == LADDER_KIND_GOOD || (nothing && kind == LADDER_KIND_ABSENT) ||
                (outcome == LADDER_NOT_SUBMITTED) != absent)
                continue;
            out_next->step = kl_problem_step(report->lab->problem, r->steps[i].step);
            if (!out_next->step) return false;
            tell_wrong(report, &r->steps[i], out_next);
            return true;
        }
        if (!absent && tell_criterion(report, out_next)) return true;
    }
    tell_next_lab(report, out_next);
    return true;
}
