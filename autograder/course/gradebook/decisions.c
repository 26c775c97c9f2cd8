// SPDX-License-Identifier: MIT
// What an instructor decides about one student: overrides and due dates.
#include <math.h>
#include <string.h>

#include "course/gradebook/internal.h"
#include "utilities/text.h"

// "45.00 points", or "2026-11-20 23:59 UTC". Returns text.
static char *put_decision(ladder_book_decision what, double value, char *text, size_t text_bytes) {
    char time[32];
    if (what == LADDER_BOOK_OVERRIDE)
        snprintf(text, text_bytes, "%.2f points", value);
    else
        snprintf(text, text_bytes, "%s", ladder_time_text(value, time));
    return text;
}

kl_status ladder_sql_decide(ladder_book *book, ladder_book_decision what, int64_t student,
                            int64_t assignment, const ladder_book_standing *set, kl_error *err) {
    char at[32];
    ladder_sql_now(at);
    return what == LADDER_BOOK_OVERRIDE
               ? ladder_sql_run(book, err,
                                "INSERT INTO overrides (student, assignment, points, most, reason,"
                                " who, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                                "iiddttt", student, assignment, set->value, set->most, set->reason,
                                set->who, at)
               : ladder_sql_run(book, err,
                                "INSERT INTO dues (student, assignment, due, reason, who, at)"
                                " VALUES (?, ?, ?, ?, ?, ?)",
                                "iidttt", student, assignment, set->value, set->reason, set->who,
                                at);
}

// Enters a decision about one student, or (value NaN) takes the one that stands back, and says so
// in the audit trail.
static kl_status decide(ladder_book *book, ladder_book_decision what, const ladder_lab *lab,
                        const char *student, double value, double most, const char *reason,
                        kl_error *err) {
    static const struct {
        const char *name, *with_article;
    } kinds[] = {[LADDER_BOOK_OVERRIDE] = {"override", "an override"},
                 [LADDER_BOOK_DUE] = {"own due date", "a due date"}};
    ladder_book_student one;
    int64_t assignment = 0;
    ladder_book_standing before, set = {.value = value, .most = most};
    char was[48] = "none", now[48];
    const char *name = kinds[what].name;
    if (!reason || reason[strspn(reason, " \t\n")] == '\0')
        return kl_fail(err, KL_ERROR_INPUT, "%s needs its reason: --reason TEXT",
                       kinds[what].with_article);
    TRY(ladder_sql_student(book, student, &one, err));
    TRY(ladder_sql_assignment(book, lab, true, &assignment, err));
    TRY(ladder_sql_standing(book, what, one.id, assignment, &before, err));
    if (isnan(value) && !before.stands)
        return kl_fail(err, KL_ERROR_INPUT, "%s has no %s in %s to take back", one.name, name,
                       lab->folder);
    snprintf(set.reason, sizeof set.reason, "%s", reason);
    snprintf(set.who, sizeof set.who, "%s", book->who);
    TRY(ladder_sql_decide(book, what, one.id, assignment, &set, err));
    if (before.stands) put_decision(what, before.value, was, sizeof was);
    if (isnan(value))
        return ladder_sql_audit(book, name, one.key, lab->folder, err, "taken back, was %s: %s",
                                was, reason);
    return ladder_sql_audit(book, name, one.key, lab->folder, err, "%s, was %s: %s",
                            put_decision(what, value, now, sizeof now), was, reason);
}

kl_status ladder_book_override(ladder_book *book, const ladder_lab *lab, const char *student,
                               double points, bool bonus, const char *reason, kl_error *err) {
    ladder_book_line mark;
    if (points < 0 || points > 1e6)
        return kl_fail(err, KL_ERROR_INPUT,
                       "an override is a number of points of 0 or more, not %g", points);
    TRY(ladder_book_mark(book, lab, student, &mark, err));
    if (!bonus && points > mark.row.points.most)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%g points are more than the %g of %s: with --bonus they are entered",
                       points, mark.row.points.most, lab->folder);
    return decide(book, LADDER_BOOK_OVERRIDE, lab, student, points, mark.row.points.most, reason,
                  err);
}

kl_status ladder_book_due(ladder_book *book, const ladder_lab *lab, const char *student,
                          double due_s, const char *reason, kl_error *err) {
    return decide(book, LADDER_BOOK_DUE, lab, student, due_s, (double)NAN, reason, err);
}
