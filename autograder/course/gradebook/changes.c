// Policies of a lab, what stands of what was decided about a student, the trail of all changes.
#include "course/gradebook/internal.h"

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
    char word[16], rule[LADDER_LATE_RULE];
    *out_policy = (ladder_book_policy){.late = {.at_most = 1}};
    TRY(ladder_sql_prepare(
        book, &statement, err,
        "SELECT counts, attempts, due, late, quick, opens, closes FROM assignments"
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
        ladder_sql_text(statement, 3, rule, sizeof rule);
        out_policy->quick = sqlite3_column_int(statement, 4) != 0;
        if (status == KL_OK && rule[0] != '\0')
            status = ladder_late_rule_read(book->path, rule, &out_policy->late, err);
        out_policy->late.opens_s = sqlite3_column_double(statement, 5);
        out_policy->late.closes_s = sqlite3_column_double(statement, 6);
    }
    sqlite3_finalize(statement);
    return status;
}

char *ladder_book_policy_text(const ladder_book_policy *policy, char *text, size_t text_bytes) {
    char due[32], closes[32], rule[LADDER_LATE_RULE];
    size_t used = (size_t)snprintf(text, text_bytes, "%s", counts_words[policy->counts]);
    if (policy->attempts > 0)
        used += (size_t)snprintf(text + used, text_bytes - used, " of %d attempt%s",
                                 policy->attempts, policy->attempts == 1 ? "" : "s");
    else used += (size_t)snprintf(text + used, text_bytes - used, " attempt counts");
    if (policy->late.given)
        used += (size_t)snprintf(text + used, text_bytes - used, "; due %s, %s",
                                 ladder_time_text(policy->late.due_s, due),
                                 ladder_late_rule(&policy->late, rule, sizeof rule));
    else used += (size_t)snprintf(text + used, text_bytes - used, "; no due date");
    if (policy->late.closes_s > 0)
        used += (size_t)snprintf(text + used, text_bytes - used, "; window from %s to %s",
                                 ladder_time_text(policy->late.opens_s, due),
                                 ladder_time_text(policy->late.closes_s, closes));
    if (policy->quick) snprintf(text + used, text_bytes - used, "; graded with --quick");
    return text;
}

static bool same_policy(const ladder_book_policy *a, const ladder_book_policy *b) {
    char one[LADDER_LATE_RULE], other[LADDER_LATE_RULE];
    return a->counts == b->counts && a->attempts == b->attempts && a->late.given == b->late.given &&
           a->late.due_s == b->late.due_s && a->quick == b->quick &&
           a->late.opens_s == b->late.opens_s && a->late.closes_s == b->late.closes_s &&
           strcmp(ladder_late_rule(&a->late, one, sizeof one),
                  ladder_late_rule(&b->late, other, sizeof other)) == 0;
}

kl_status ladder_book_policy_set(ladder_book *book, const ladder_lab *lab,
                                 const ladder_book_policy *policy, kl_error *err) {
    ladder_book_policy before;
    int64_t assignment = 0;
    char now[LADDER_BOOK_POLICY], was[LADDER_BOOK_POLICY], rule[LADDER_LATE_RULE];
    TRY(ladder_book_policy_get(book, lab, &before, err));
    if (same_policy(&before, policy)) return KL_OK;
    TRY(ladder_sql_assignment(book, lab, true, &assignment, err));
    TRY(ladder_sql_run(book, err,
                       "UPDATE assignments SET counts = ?, attempts = ?, due = ?, late = ?,"
                       " quick = ?, opens = ?, closes = ? WHERE assignment = ?",
                       "tidtiddi", counts_words[policy->counts], (int64_t)policy->attempts,
                       policy->late.given ? policy->late.due_s : (double)NAN,
                       policy->late.given ? ladder_late_rule(&policy->late, rule, sizeof rule) : "",
                       (int64_t)policy->quick, policy->late.opens_s, policy->late.closes_s,
                       assignment));
    return ladder_sql_audit(book, "policy", NULL, lab->folder, err, "%s; was: %s",
                            ladder_book_policy_text(policy, now, sizeof now),
                            ladder_book_policy_text(&before, was, sizeof was));
}

kl_status ladder_sql_standing(ladder_book *book, ladder_book_decision what, int64_t student,
                              int64_t assignment, ladder_book_standing *out, kl_error *err) {
    static const char *const newest[] = {
        [LADDER_BOOK_OVERRIDE] =
            "SELECT points, reason, who, coalesce(most, 0) FROM overrides"
            " WHERE student = ? AND assignment = ? ORDER BY override DESC LIMIT 1",
        [LADDER_BOOK_DUE] = "SELECT due, reason, who, 0 FROM dues"
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
        out->most = sqlite3_column_double(statement, 3);
    }
    sqlite3_finalize(statement);
    return status;
}

kl_status ladder_book_history(ladder_book *book, const char *student, const kl_style *style,
                              FILE *out, kl_error *err) {
    ladder_book_student one = {0};
    sqlite3_stmt *statement = NULL;
    if (student) TRY(ladder_sql_student(book, student, &one, err));
    TRY(ladder_sql_prepare(book, &statement, err,
                           "SELECT at, who, action, coalesce(student, ''), coalesce(lab, ''),"
                           " detail FROM audit WHERE ?1 IS NULL OR student = ?1 OR student IN"
                           " (SELECT key FROM students WHERE merged = ?2) ORDER BY entry",
                           "ti", student ? one.key : NULL, one.id));
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
