// Results of grading: see result.h.
#include "grade/rubric/result.h"

double ladder_outcome_points(ladder_outcome outcome, double points) {
    return ladder_outcome_kind_of(outcome) == LADDER_KIND_UNGRADABLE ? NAN : points;
}

void ladder_result_note(ladder_result *result, const char *format, ...) {
    if (result->note_count == LADDER_NOTES_MAX) return;
    char raw[sizeof result->notes[0]];
    va_list args;
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    ladder_plain(raw, false, result->notes[result->note_count++], sizeof result->notes[0]);
}

void ladder_result_log(ladder_step_result *step, const char *text, size_t bytes) {
    static const char cut[] = "[earlier output left out]\n";
    bool whole = bytes < sizeof step->log;
    size_t keep = whole ? bytes : sizeof step->log - sizeof cut;
    char *copy = malloc(keep + 1);
    if (!copy) return;
    memcpy(copy, text + bytes - keep, keep);
    copy[keep] = '\0';
    for (size_t i = 0; i < keep; i++)
        if (copy[i] == '\0') copy[i] = '?';
    size_t used = 0;
    if (!whole) used = (size_t)snprintf(step->log, sizeof step->log, "%s", cut);
    ladder_plain(copy, true, step->log + used, sizeof step->log - used);
    free(copy);
}

bool ladder_result_unreadable(const ladder_result *result) {
    ladder_outcome first = result->step_count > 0 ? result->steps[0].outcome : LADDER_UNGRADABLE;
    return first == LADDER_UNREADABLE || first == LADDER_NONE_TAKEN || first == LADDER_OUTSIDE;
}

void ladder_result_total(ladder_result *result) {
    ladder_points *points = &result->points;
    points->reached = points->change.given;
    points->most = points->change.given_most;
    points->graded = true;
    for (int i = 0; i < result->step_count; i++) {
        ladder_step_result *step = &result->steps[i];
        step->points = step->points_max = 0;
        for (int c = 0; c < step->criteria_count; c++) {
            if (!step->criteria[c].counted) continue;
            step->points += step->criteria[c].points;
            step->points_max += step->criteria[c].points_max;
        }
        if (ladder_outcome_kind_of(step->outcome) == LADDER_KIND_UNGRADABLE) points->graded = false;
        points->reached += step->points;
        points->most += step->points_max;
    }
}

double ladder_result_alone_s(const ladder_result *result) {
    double sum = 0;
    for (int i = 0; i < result->step_count; i++) // NaN: of an older kit
        if (result->steps[i].alone_s > 0) sum += result->steps[i].alone_s;
    return sum;
}

// ---- final points -------------------------------------------------------------------------------

static double score(double points, double most) {
    return most > 0 ? 100.0 * points / most : (double)NAN;
}

void ladder_points_apply(ladder_points *points, const ladder_points_change *change) {
    points->reached += change->given - points->change.given;
    points->most += change->given_most - points->change.given_most;
    points->change = *change;
}

double ladder_points_score(const ladder_points *points) {
    return score(points->reached, points->most);
}

double ladder_points_deduction(const ladder_points *points) {
    const ladder_points_change *change = &points->change;
    if (!points->graded) return 0;
    return change->late_points > 0 ? fmin(change->late_points, points->reached)
                                   : points->reached * change->late_share;
}

double ladder_points_final(const ladder_points *points) {
    if (points->change.overridden) return points->change.override;
    return points->graded ? points->reached - ladder_points_deduction(points) : (double)NAN;
}

double ladder_points_final_score(const ladder_points *points) {
    return score(ladder_points_final(points), points->most);
}

bool ladder_points_are_final(const ladder_points *points) {
    return points->graded || points->change.overridden;
}

bool ladder_points_changed(const ladder_points *points) {
    return points->change.overridden || ladder_points_deduction(points) > 0;
}

char *ladder_late_say(const ladder_points_change *change, char *out) {
    out[0] = '\0';
    if (change->late_days <= 0) return out;
    int used =
        snprintf(out, 40, "%d day%s late", change->late_days, change->late_days == 1 ? "" : "s");
    if (change->slip_days > 0)
        snprintf(out + used, 40 - (size_t)used, ", %d slip day%s", change->slip_days,
                 change->slip_days == 1 ? "" : "s");
    return out;
}

char *ladder_late_short(const ladder_points *points, char *out) {
    const ladder_points_change *change = &points->change;
    if (!points->graded || change->late_days <= 0) return strcpy(out, "-");
    int used = snprintf(out, 32, "%d", change->late_days);
    if (change->slip_days > 0)
        snprintf(out + used, 32 - (size_t)used, " (%d slip)", change->slip_days);
    return out;
}

char *ladder_points_text(const ladder_points *points, char *text, size_t text_bytes) {
    const ladder_points_change *change = &points->change;
    double deduction = ladder_points_deduction(points);
    size_t used = 0;
    bool slipped = points->graded && change->slip_days > 0; // else it takes none
    bool changed = ladder_points_changed(points) || slipped;
    char due[32], late[40];
    text[0] = '\0';
    if (change->unmarked > 0)
        used = (size_t)snprintf(text, text_bytes, "%g of the points %s not marked yet%s",
                                change->unmarked, change->unmarked == 1 ? "is" : "are",
                                changed || change->due_s > 0 ? "; " : "");
    if (change->due_s > 0)
        used += (size_t)snprintf(text + used, text_bytes - used, "due for this student: %s%s",
                                 ladder_time_text(change->due_s, due), changed ? "; " : "");
    if (!changed) return text;
    if (deduction > 0)
        used += (size_t)snprintf(text + used, text_bytes - used, "%s: -%.2f; ",
                                 ladder_late_say(change, late), deduction);
    else if (slipped)
        used += (size_t)snprintf(text + used, text_bytes - used, "%s: nothing is lost; ",
                                 ladder_late_say(change, late));
    if (change->overridden)
        used += (size_t)snprintf(text + used, text_bytes - used, "set by the instructor: %.2f; ",
                                 change->override);
    snprintf(text + used, text_bytes - used, "final: %.2f of %.2f points (%.1f %%)",
             ladder_points_final(points), points->most, ladder_points_final_score(points));
    return text;
}

// ---- points that a person gives -----------------------------------------------------------------

// FNV-1a (Fowler, Noll, Vo) of a text and its end.
static uint64_t hash(uint64_t before, const char *text) {
    const uint64_t prime = UINT64_C(0x100000001b3);
    do before = (before ^ (unsigned char)*text) * prime;
    while (*text++ != '\0');
    return before;
}

static uint64_t hash_number(uint64_t before, double number) {
    char text[40];
    snprintf(text, sizeof text, "%a", number);
    return hash(before, text);
}

void ladder_given_sum(const ladder_given *given, ladder_points_change *change) {
    uint64_t all = UINT64_C(0xcbf29ce484222325); // FNV's offset basis
    change->given = change->given_most = change->unmarked = 0;
    for (int i = 0; i < given->count; i++) {
        const ladder_given_criterion *item = &given->items[i];
        change->given_most += item->most;
        if (item->marked) change->given += item->points;
        else change->unmarked += item->most;
        all = hash(hash(hash(all, item->name), item->text), item->comment);
        all = hash_number(hash_number(all, item->most), item->marked ? item->points : -1);
    }
    for (int i = 0; i < given->comment_count; i++) {
        const ladder_line_comment *comment = &given->comments[i];
        all = hash_number(hash(hash(all, comment->file), comment->text), comment->line);
    }
    change->given_hash = given->count + given->comment_count > 0 ? all : 0;
}

char *ladder_given_say(const ladder_given_criterion *item, char *text, size_t text_bytes) {
    if (!item->marked)
        snprintf(text, text_bytes, "%s: not marked yet (%g points)", item->name, item->most);
    else
        snprintf(text, text_bytes, "%s: %g of %g points%s%s", item->name, item->points, item->most,
                 item->comment[0] != '\0' ? ". " : "", item->comment);
    return text;
}
