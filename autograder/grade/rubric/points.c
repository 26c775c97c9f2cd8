// SPDX-License-Identifier: MIT
// Final points: see result.h.
#include "grade/rubric/result.h"

#include <math.h>
#include <stdio.h>

#include "utilities/text.h"

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
    return points->graded ? points->reached * points->change.late_share : 0;
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

char *ladder_points_text(const ladder_points *points, char *text, size_t text_bytes) {
    const ladder_points_change *change = &points->change;
    double deduction = ladder_points_deduction(points);
    size_t used = 0;
    bool changed = ladder_points_changed(points);
    char due[32];
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
        used += (size_t)snprintf(text + used, text_bytes - used, "%d day%s late: -%.2f; ",
                                 change->late_days, change->late_days == 1 ? "" : "s", deduction);
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
        if (item->marked)
            change->given += item->points;
        else
            change->unmarked += item->most;
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
