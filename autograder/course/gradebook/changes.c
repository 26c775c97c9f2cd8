// SPDX-License-Identifier: MIT
// What an instructor decides: policies of a lab and overrides; and the trail of all changes.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "course/gradebook/internal.h"
#include "utilities/text.h"

static const char *const counts_words[] = {"best", "last", "first"};

kl_status ladder_sql_assignment(ladder_book *book, const ladder_lab *lab, bool make,
                                int64_t *out_assignment, kl_error *err) {
    if (make)
        TRY(ladder_sql_run(book, err,
                           "INSERT INTO assignments (lab) VALUES (?) ON CONFLICT DO NOTHING", "t",
                           lab->folder));
    return ladder_sql_number(book, 0, out_assignment, err,
                             "SELECT assignment FROM assignments WHERE lab = ?", "t", lab->folder);
}

kl_status ladder_book_policy_get(ladder_book *book, const ladder_lab *lab,
                                 ladder_book_policy *out_policy, kl_error *err) {
    sqlite3_stmt *statement = NULL;
    char word[16];
    *out_policy = (ladder_book_policy){.late = {.at_most = 1}};
    TRY(ladder_sql_prepare(book, &statement, err,
                           "SELECT counts, attempts, due, late_rate, late_most FROM assignments"
                           " WHERE lab = ?",
                           "t", lab->folder));
    kl_status status = KL_OK;
    if (ladder_sql_row(book, statement, &status, err)) {
        ladder_sql_text(statement, 0, word, sizeof word);
        for (int i = 0; i < 3; i++)
            if (strcmp(word, counts_words[i]) == 0) out_policy->counts = (ladder_book_counts)i;
        out_policy->attempts = sqlite3_column_int(statement, 1);
        out_policy->late.given = sqlite3_column_type(statement, 2) != SQLITE_NULL;
        out_policy->late.due_s = sqlite3_column_double(statement, 2);
        out_policy->late.rate = sqlite3_column_double(statement, 3);
        out_policy->late.at_most = sqlite3_column_double(statement, 4);
    }
    sqlite3_finalize(statement);
    return status;
}

char *ladder_book_policy_text(const ladder_book_policy *policy, char *text, size_t text_bytes) {
    char due[32];
    size_t used = (size_t)snprintf(text, text_bytes, "%s", counts_words[policy->counts]);
    if (policy->attempts > 0)
        used += (size_t)snprintf(text + used, text_bytes - used, " of %d attempt%s",
                                 policy->attempts, policy->attempts == 1 ? "" : "s");
    else
        used += (size_t)snprintf(text + used, text_bytes - used, " attempt counts");
    if (!policy->late.given) {
        snprintf(text + used, text_bytes - used, "; no due date");
        return text;
    }
    snprintf(text + used, text_bytes - used, "; due %s, %g %% per day late, at most %g %%",
             ladder_time_text(policy->late.due_s, due), 100 * policy->late.rate,
             100 * policy->late.at_most);
    return text;
}

static bool same_policy(const ladder_book_policy *a, const ladder_book_policy *b) {
    return a->counts == b->counts && a->attempts == b->attempts && a->late.given == b->late.given &&
           a->late.due_s == b->late.due_s && a->late.rate == b->late.rate &&
           a->late.at_most == b->late.at_most;
}

kl_status ladder_book_policy_set(ladder_book *book, const ladder_lab *lab,
                                 const ladder_book_policy *policy, kl_error *err) {
    ladder_book_policy before;
    int64_t assignment = 0;
    char now[160], was[160];
    TRY(ladder_book_policy_get(book, lab, &before, err));
    if (same_policy(&before, policy)) return KL_OK;
    TRY(ladder_sql_assignment(book, lab, true, &assignment, err));
    TRY(ladder_sql_run(book, err,
                       "UPDATE assignments SET counts = ?, attempts = ?, due = ?, late_rate = ?,"
                       " late_most = ? WHERE assignment = ?",
                       "tidddi", counts_words[policy->counts], (int64_t)policy->attempts,
                       policy->late.given ? policy->late.due_s : (double)NAN, policy->late.rate,
                       policy->late.at_most, assignment));
    return ladder_sql_audit(book, "policy", NULL, lab->folder, err, "%s; was: %s",
                            ladder_book_policy_text(policy, now, sizeof now),
                            ladder_book_policy_text(&before, was, sizeof was));
}

static kl_status one_student(ladder_book *book, const char *word, ladder_book_student *out,
                             kl_error *err) {
    ladder_book_students students;
    char plain[128];
    TRY(ladder_sql_students(book, &students, err));
    int found = ladder_student_find(&students, word);
    if (found >= 0) *out = students.items[found];
    free(students.items);
    if (found >= 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   found == -1 ? "no student '%s' in %s; ladder gradebook show lists them"
                               : "several students match '%s' in %s: name one by the id",
                   ladder_plain(word, false, plain, sizeof plain), book->path);
}

kl_status ladder_sql_standing(ladder_book *book, ladder_book_decision what, int64_t student,
                              int64_t assignment, ladder_book_standing *out, kl_error *err) {
    static const char *const newest[] = {
        [LADDER_BOOK_OVERRIDE] =
            "SELECT points, reason, who FROM overrides"
            " WHERE student = ? AND assignment = ? ORDER BY override DESC LIMIT 1",
        [LADDER_BOOK_DUE] = "SELECT due, reason, who FROM dues"
                            " WHERE student = ? AND assignment = ? ORDER BY entry DESC LIMIT 1"};
    sqlite3_stmt *statement = NULL;
    *out = (ladder_book_standing){0};
    TRY(ladder_sql_prepare(book, &statement, err, newest[what], "ii", student, assignment));
    kl_status status = KL_OK;
    if (ladder_sql_row(book, statement, &status, err) &&
        sqlite3_column_type(statement, 0) != SQLITE_NULL) {
        out->stands = true;
        out->value = sqlite3_column_double(statement, 0);
        ladder_sql_text(statement, 1, out->reason, sizeof out->reason);
        ladder_sql_text(statement, 2, out->who, sizeof out->who);
    }
    sqlite3_finalize(statement);
    return status;
}

// "45.00 points", or "2026-11-20 23:59 UTC". Returns text.
static char *put_decision(ladder_book_decision what, double value, char *text, size_t text_bytes) {
    char time[32];
    if (what == LADDER_BOOK_OVERRIDE)
        snprintf(text, text_bytes, "%.2f points", value);
    else
        snprintf(text, text_bytes, "%s", ladder_time_text(value, time));
    return text;
}

// Enters a decision about one student, or (value NaN) takes the one that stands back, and says so
// in the audit trail.
static kl_status decide(ladder_book *book, ladder_book_decision what, const ladder_lab *lab,
                        const char *student, double value, const char *reason, kl_error *err) {
    static const struct {
        const char *name, *with_article, *insert;
    } kinds[] = {
        [LADDER_BOOK_OVERRIDE] = {"override", "an override",
                                  "INSERT INTO overrides (student, assignment, points, reason, who,"
                                  " at) VALUES (?, ?, ?, ?, ?, ?)"},
        [LADDER_BOOK_DUE] = {"own due date", "a due date",
                             "INSERT INTO dues (student, assignment, due, reason, who, at)"
                             " VALUES (?, ?, ?, ?, ?, ?)"}};
    ladder_book_student one;
    int64_t assignment = 0;
    ladder_book_standing before;
    char at[32], was[48] = "none", now[48];
    const char *name = kinds[what].name;
    if (!reason || reason[strspn(reason, " \t\n")] == '\0')
        return kl_fail(err, KL_ERROR_INPUT, "%s needs its reason: --reason TEXT",
                       kinds[what].with_article);
    TRY(one_student(book, student, &one, err));
    TRY(ladder_sql_assignment(book, lab, true, &assignment, err));
    TRY(ladder_sql_standing(book, what, one.id, assignment, &before, err));
    if (isnan(value) && !before.stands)
        return kl_fail(err, KL_ERROR_INPUT, "%s has no %s in %s to take back", one.name, name,
                       lab->folder);
    ladder_sql_now(at);
    TRY(ladder_sql_run(book, err, kinds[what].insert, "iidttt", one.id, assignment, value, reason,
                       book->who, at));
    if (before.stands) put_decision(what, before.value, was, sizeof was);
    if (isnan(value))
        return ladder_sql_audit(book, name, one.key, lab->folder, err, "taken back, was %s: %s",
                                was, reason);
    return ladder_sql_audit(book, name, one.key, lab->folder, err, "%s, was %s: %s",
                            put_decision(what, value, now, sizeof now), was, reason);
}

kl_status ladder_book_override(ladder_book *book, const ladder_lab *lab, const char *student,
                               double points, const char *reason, kl_error *err) {
    if (points < 0 || points > 1e6)
        return kl_fail(err, KL_ERROR_INPUT, "an override is a number of points of 0 or more");
    return decide(book, LADDER_BOOK_OVERRIDE, lab, student, points, reason, err);
}

kl_status ladder_book_due(ladder_book *book, const ladder_lab *lab, const char *student,
                          double due_s, const char *reason, kl_error *err) {
    return decide(book, LADDER_BOOK_DUE, lab, student, due_s, reason, err);
}

kl_status ladder_book_history(ladder_book *book, const char *student, const kl_style *style,
                              FILE *out, kl_error *err) {
    ladder_book_student one = {0};
    sqlite3_stmt *statement = NULL;
    if (student) TRY(one_student(book, student, &one, err));
    TRY(ladder_sql_prepare(book, &statement, err,
                           "SELECT at, who, action, coalesce(student, ''), coalesce(lab, ''),"
                           " detail FROM audit WHERE ?1 IS NULL OR student = ?1 ORDER BY entry",
                           "t", student ? one.key : NULL));
    kl_status status = KL_OK;
    while (ladder_sql_row(book, statement, &status, err)) {
        char at[32], who[80], action[32], key[128], lab[64], detail[1024];
        ladder_sql_text(statement, 0, at, sizeof at);
        ladder_sql_text(statement, 1, who, sizeof who);
        ladder_sql_text(statement, 2, action, sizeof action);
        ladder_sql_text(statement, 3, key, sizeof key);
        ladder_sql_text(statement, 4, lab, sizeof lab);
        ladder_sql_text(statement, 5, detail, sizeof detail);
        fprintf(out, "%s  %s: %s%s%s%s%s\n    ", at, who, action, key[0] != '\0' ? " of " : "", key,
                lab[0] != '\0' ? ", " : "", lab);
        kl_print_wrapped(out, style, 4, detail);
    }
    sqlite3_finalize(statement);
    return status;
}

kl_status ladder_book_labs(ladder_book *book, const ladder_lab ***out_labs, size_t *out_count,
                           kl_error *err) {
    sqlite3_stmt *statement = NULL;
    *out_count = 0;
    *out_labs = calloc((size_t)ladder_lab_count + 1, sizeof **out_labs);
    if (!*out_labs) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the labs");
    kl_status status = ladder_sql_prepare(book, &statement, err,
                                          "SELECT DISTINCT lab FROM assignments ORDER BY lab", "");
    while (status == KL_OK && ladder_sql_row(book, statement, &status, err)) {
        char name[64];
        ladder_sql_text(statement, 0, name, sizeof name);
        const ladder_lab *lab = ladder_lab_find(name);
        if (lab && *out_count < (size_t)ladder_lab_count) (*out_labs)[(*out_count)++] = lab;
    }
    sqlite3_finalize(statement);
    if (status != KL_OK) free(*out_labs);
    return status;
}
