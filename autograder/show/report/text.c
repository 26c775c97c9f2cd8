// Report of one submission for a terminal or a plain file: see report.h. Fits 80 columns.
#include "show/report/report.h"

char *ladder_report_check(const ladder_check_result *check, char *text, size_t text_bytes) {
    text[0] = '\0';
    if (check->failed[0] == '\0') return text;
    if (check->cases == 0)
        snprintf(text, text_bytes, "NOT CHECKED for races and undefined reads: %s", check->failed);
    else
        snprintf(text, text_bytes,
                 "checked for races and undefined reads in %d of %d cases only: %s", check->cases,
                 check->wanted, check->failed);
    return text;
}

char *ladder_report_unreadable(const ladder_result *result, char *text, size_t text_bytes) {
    const char *why = result->steps[0].message, *known = "cannot be read: ";
    bool unread = strncmp(why, known, strlen(known)) == 0;
    snprintf(text, text_bytes,
             "%s: %.1000s. This is no 0 and no attempt: a person decides, or it is handed in again",
             unread ? "What was handed in cannot be read" : "Nothing was graded",
             why + (unread ? strlen(known) : 0));
    return text;
}

static const char *colour_of(const kl_style *style, ladder_outcome outcome) {
    if (!style->colour) return "";
    switch (ladder_outcome_kind_of(outcome)) {
    case LADDER_KIND_GOOD: return "\033[32m";
    case LADDER_KIND_ABSENT: return "\033[2m";
    case LADDER_KIND_BAD: return "\033[1;31m";
    case LADDER_KIND_UNGRADABLE: return "\033[1;33m";
    }
    return "";
}

static void print_points(FILE *out, const ladder_criterion_result *result) {
    char points[32], most[32], both[72];
    if (!result->counted) {
        snprintf(both, sizeof both, "-");
    } else {
        snprintf(both, sizeof both, "%s/%s",
                 ladder_report_points(result->points, points, sizeof points),
                 ladder_report_points(result->points_max, most, sizeof most));
    }
    fprintf(out, "       %7s  ", both);
}

static void print_failures(const ladder_step_result *step, const kl_style *style, FILE *out) {
    int shown = step->failure_count < 3 ? step->failure_count : 3;
    for (const char *line = step->small; *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        fprintf(out, "     %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
    // Of a step that is wrong, too, they may be the cause, and stand behind its cases.
    int found = step->outcome == LADDER_FINDING ? 0 : step->check.finding_count;
    for (int i = 0; i < found && i < LADDER_FINDINGS_MAX; i++) {
        const ladder_found *f = &step->check.findings[i];
        char text[sizeof f->text + sizeof f->place + 80];
        bool again = i > 0 && strcmp(f[-1].text, f->text) == 0; // the same advice, elsewhere
        snprintf(text, sizeof text, "the check found: %s at %s%s%s", f->kind, f->place,
                 again        ? ", too"
                 : f->text[0] ? ": "
                              : "",
                 again ? "" : f->text);
        fputs("     - ", out);
        kl_print_wrapped(out, style, 7, text);
    }
    for (int i = 0; i < shown; i++) {
        const ladder_failure *f = &step->failures[i];
        char text[LADDER_MESSAGE + 128];
        snprintf(text, sizeof text, "%s: %s", f->title, f->text);
        fputs("     - ", out);
        kl_print_lines(out, style, 7, text);
    }
    if (step->failure_count > shown)
        fprintf(out, "     - and %d more cases that failed\n", step->failure_count - shown);
    if (step->cases_run < step->cases_total && step->cases_run > 0) {
        fputs("     ", out);
        kl_print_text(out, style, 6, "(%d of %d cases were not tried any more%s%s)",
                      step->cases_total - step->cases_run, step->cases_total,
                      step->tried[0] != '\0' ? "; tried: " : "", step->tried);
    }
}

// The fault's text names arguments, "argument 1 (in)", where the simulator's has "argument 1".
static bool is_same_fault(const char *fault, const char *text, size_t length) {
    for (size_t i = 0; i < length; fault++)
        if (*fault == text[i]) i++;
        else if (*fault != '(' || !(fault = strstr(fault, ") "))) return false;
        else fault++;
    return true;
}

// Nothing but the simulator's message on a fault that stands with its case already.
static bool says_nothing_new(const ladder_step_result *step) {
    static const char simulator[] = "simulator: ";
    const char *text = step->log;
    if (strncmp(text, simulator, sizeof simulator - 1) != 0 || step->failure_count == 0)
        return false;
    text += sizeof simulator - 1;
    size_t length = strcspn(text, "\n");
    for (const char *line = text + length; *line != '\0'; line += strcspn(line, "\n")) {
        line++;
        if (*line != ' ' && *line != '\0') return false;
    }
    for (int i = 0; i < step->failure_count && i < 3; i++)
        if (is_same_fault(step->failures[i].text, text, length)) return true;
    return false;
}

static void print_log(const ladder_step_result *step, const kl_style *style, FILE *out) {
    enum { LINES = 12, INDENT = 7 };
    char line[512];
    if (step->log[0] == '\0' || step->outcome == LADDER_CORRECT || says_nothing_new(step)) return;
    fputs("     what was printed:\n", out);
    const char *text = step->log;
    int lines = 0;
    while (*text != '\0' && lines < LINES) {
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s%s", length > 400 ? 400 : (int)length, text,
                 length > 400 ? ".." : "");
        bool fits = INDENT + (int)strlen(line) <= style->width;
        fputs("     | ", out);
        if (fits) fprintf(out, "%s\n", line); // code as it stands
        else kl_print_wrapped(out, style, INDENT, line);
        text += length + (text[length] == '\n');
        lines++;
    }
    if (*text != '\0') fputs("     | .. (the whole text is in report.html)\n", out);
}

// The line of the student's file that a count comes from.
static void print_line(const ladder_report *report, int index, uint32_t line, const kl_style *style,
                       FILE *out) {
    const char *const *sources = report->beside.sources;
    char code[240];
    if (line == 0) return;
    bool known =
        sources && sources[index] && ladder_source_line(sources[index], line, code, sizeof code);
    if (known) ladder_plain(code, false, code, sizeof code);
    fputs("                ", out);
    kl_print_text(out, style, 16, "most of it in %s:%u%s%s", report->lab->rubric->steps[index].file,
                  line, known ? ": " : "", known ? code : "");
}

static void print_step(const ladder_report *report, int index, const kl_style *style, FILE *out) {
    const ladder_step_result *step = &report->result->steps[index];
    const ladder_rubric_step *rubric = &report->lab->rubric->steps[index];
    const kl_step_info *info = kl_problem_step(report->lab->problem, step->step);
    char points[32], most[32], text[LADDER_CRITERION_TEXT], result[64];
    if (isnan(ladder_outcome_points(step->outcome, step->points)))
        snprintf(points, sizeof points, "-");
    else ladder_report_points(step->points, points, sizeof points);
    ladder_report_points(step->points_max, most, sizeof most);
    snprintf(result, sizeof result, "%s%s", ladder_outcome_word(step->outcome),
             rubric->given ? " (given)" : "");
    fprintf(out, "%4d  %-18s %s%-28s%s %6s / %s\n", step->step, info ? info->name : rubric->file,
            colour_of(style, step->outcome), result, style->colour ? "\033[0m" : "", points, most);
    if (step->outcome == LADDER_CORRECT) {
        for (int c = 0; c < step->criteria_count; c++) {
            print_points(out, &step->criteria[c]);
            ladder_report_criterion(&rubric->criteria[c], &step->criteria[c], text, sizeof text);
            if (rubric->criteria[c].kind == LADDER_CRITERION_CORRECT)
                kl_append(text, sizeof text, " (%d of %d)", step->cases_right, step->cases_total);
            kl_print_wrapped(out, style, 16, text);
            print_line(report, index, step->criteria[c].line, style, out);
        }
        if (ladder_report_check(&step->check, text, sizeof text)[0] != '\0') {
            fputs("                ", out);
            kl_print_wrapped(out, style, 16, text);
        }
        for (int i = 0; i < step->prediction_count; i++) {
            fputs("                ", out);
            kl_print_wrapped(out, style, 16,
                             ladder_report_prediction(&step->predictions[i], text, sizeof text));
        }
        return;
    }
    bool told = step->failure_count > 0 && !step->forgotten;
    if (!told && step->message[0] != '\0') {
        fputs("     - ", out);
        kl_print_wrapped(out, style, 7, step->message);
    }
    if (told && step->outcome != LADDER_NOT_IMPLEMENTED) print_failures(step, style, out);
    print_log(step, style, out);
    // For an editor's list of problems, which lists lines of files.
    if (getenv("LADDER_EDITOR") && step->outcome != LADDER_NOT_IMPLEMENTED)
        fprintf(out, "%s:1: error: %s\n", rubric->file, result);
}

static void print_given(const ladder_given *given, const kl_style *style, FILE *out) {
    char text[LADDER_GIVEN_TEXT + 200];
    if (given->count + given->comment_count > 0) fputs("\nmarked by a person\n", out);
    for (int i = 0; i < given->count; i++) {
        fputs("    ", out);
        kl_print_wrapped(out, style, 6, ladder_given_say(&given->items[i], text, sizeof text));
    }
    for (int i = 0; i < given->comment_count; i++) {
        const ladder_line_comment *comment = &given->comments[i];
        fputs("    ", out);
        kl_print_text(out, style, 6, "%s:%u: %s", comment->file, comment->line, comment->text);
    }
}

char *ladder_report_worth(const ladder_report *report, char *text, size_t text_bytes) {
    kl_worth sum = {0};
    for (int i = 0; i < report->result->step_count; i++)
        for (int c = 0; c < report->result->steps[i].call_count; c++) {
            const kl_worth *one = &report->result->steps[i].calls[c].worth;
            sum.card += one->card;
            sum.programs += one->programs;
            sum.manual += one->manual;
            sum.inexact += one->inexact;
            sum.misled += one->misled;
        }
    kl_worth_text(&sum, report->device, report->lab->problem->name, text, text_bytes);
    return text;
}

void ladder_report_text(const ladder_report *report, const kl_style *style, FILE *out) {
    const ladder_result *r = report->result;
    char points[32], most[32], problem[LADDER_MESSAGE + 80];
    fprintf(out, "Lab %s: %s\n%s\n\n", report->lab->folder, report->lab->problem->title, r->title);
    ladder_report_points(r->points.reached, points, sizeof points);
    ladder_report_points(r->points.most, most, sizeof most);
    if (ladder_result_unreadable(r)) {
        fputs("score: none. ", out);
        kl_print_wrapped(out, style, 13, ladder_report_unreadable(r, problem, sizeof problem));
    } else if (!r->points.graded) {
        fprintf(out,
                "score: none yet. A part could not be graded through no fault of the submission;\n"
                "it has to be graded again.%s\n",
                r->points.change.late_rule[0] != '\0' ? LADDER_NO_ATTEMPT : "");
    } else {
        fprintf(out, "score %.1f %%   (%s of %s points)\n", ladder_points_score(&r->points), points,
                most);
    }
    if (r->points.change.late_rule[0] != '\0') {
        fputs("late policy: ", out);
        kl_print_wrapped(out, style, 13, r->points.change.late_rule);
    }
    char changed[LADDER_POINTS_TEXT];
    if (ladder_points_text(&r->points, changed, sizeof changed)[0] != '\0')
        fprintf(out, "%s\n", changed);
    fprintf(out, "device: %s\n", report->device);
    bool steps = !ladder_result_unreadable(r);
    if (steps || r->note_count > 0) fputc('\n', out);
    if (steps) {
        fprintf(out, "step  %-18s %-28s %s\n", "name", "result", "points");
        for (int i = 0; i < r->step_count; i++) print_step(report, i, style, out);
    }
    print_given(&r->given, style, out);
    bool speed_left_out = false;
    for (int i = 0; i < r->step_count; i++)
        for (int c = 0; c < r->steps[i].criteria_count; c++)
            speed_left_out |= // in a line that was printed
                !r->steps[i].criteria[c].counted && r->steps[i].outcome == LADDER_CORRECT;
    if (speed_left_out)
        fputs("\n'-': left out of the total: neither measured here nor modelled.\n", out);
    char predictions[256];
    if (ladder_report_predictions(report, predictions, sizeof predictions)[0] != '\0') {
        fputc('\n', out);
        kl_print_wrapped(out, style, 0, predictions);
    }
    if (r->work_log[0] != '\0') fputs("\na work log was handed in; the page shows it\n", out);
    char worth[LADDER_WORTH_TEXT];
    if (ladder_report_worth(report, worth, sizeof worth)[0] != '\0') {
        fputc('\n', out);
        kl_print_wrapped(out, style, 0, worth);
    }
    for (int i = 0; i < r->note_count; i++) fprintf(out, "note: %s\n", r->notes[i]);
    fprintf(out, "\nfiles sha256 %.16s.., seed %llu\nsandbox: %s, %.1f s", r->hash,
            (unsigned long long)r->seed, report->sandbox, r->wall_s);
    double alone_s = ladder_result_alone_s(r);
    if (alone_s > 0) fprintf(out, ", %.1f s of them with the GPU alone", alone_s);
    fputc('\n', out);
    ladder_next next;
    if (!ladder_report_next(report, &next)) return;
    fputs("\nnext: ", out);
    kl_print_wrapped(out, style, 6, next.text);
    if (next.command[0] != '\0') fprintf(out, "      %s\n", next.command);
}

// ---- what to do next ----------------------------------------------------------------------------

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
