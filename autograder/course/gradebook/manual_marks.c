// What persons give: a lab's criteria, points for them, comments on lines. See book.c.
#include "course/gradebook/internal.h"

static bool is_name(const char *name) {
    size_t length = strlen(name);
    return length > 0 && length < LADDER_GIVEN_NAME &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == length &&
           strcmp(name, "student") != 0; // of a sheet
}

// How many have a mark above `points`, and how many criteria of other names there are.
static kl_status check_criterion(ladder_book *book, int64_t assignment, const char *name,
                                 double points, kl_error *err) {
    int64_t above = 0, others = 0;
    TRY(ladder_sql_number(book, 0, &above, err,
                          "SELECT count(*) FROM given AS g WHERE assignment = ?1 AND criterion = ?2"
                          " AND points > ?3 AND entry = (SELECT max(entry) FROM given AS n WHERE"
                          " n.student = g.student AND n.assignment = ?1 AND n.criterion = ?2)",
                          "itd", assignment, name, points));
    if (above > 0)
        return kl_fail(err, KL_ERROR_INPUT, "%lld student%s more points for '%s' already",
                       (long long)above, above == 1 ? " has" : "s have", name);
    TRY(ladder_sql_number(book, 0, &others, err,
                          "SELECT count(*) FROM criteria WHERE assignment = ? AND name <> ? AND"
                          " points IS NOT NULL",
                          "it", assignment, name));
    if (others >= LADDER_GIVEN_MAX)
        return kl_fail(err, KL_ERROR_INPUT, "a lab has %d such criteria at most", LADDER_GIVEN_MAX);
    return KL_OK;
}

kl_status ladder_book_criterion(ladder_book *book, const ladder_lab *lab, const char *name,
                                double points, const char *text, kl_error *err) {
    int64_t assignment = 0;
    if (!is_name(name))
        return kl_fail(err, KL_ERROR_INPUT,
                       "'%.40s' is no name of a criterion: a word of a-z, 0-9, - and _, such as "
                       "quality",
                       name);
    if (!isnan(points) && !(points > 0 && points <= 1e6))
        return kl_fail(err, KL_ERROR_INPUT, "a criterion has more than 0 points, not %g", points);
    TRY(ladder_sql_assignment(book, lab, true, &assignment, err));
    if (isnan(points)) {
        TRY(ladder_sql_run(book, err,
                           "UPDATE criteria SET points = NULL WHERE assignment = ? AND name = ?",
                           "it", assignment, name));
        return ladder_sql_audit(book, "criterion", NULL, lab->folder, err, "%s: taken back", name);
    }
    TRY(check_criterion(book, assignment, name, points, err));
    TRY(ladder_sql_run(book, err,
                       "INSERT INTO criteria (assignment, name, points, text) VALUES (?, ?, ?, ?)"
                       " ON CONFLICT (assignment, name) DO UPDATE SET points = excluded.points,"
                       " text = excluded.text",
                       "itdt", assignment, name, points, text));
    return ladder_sql_audit(book, "criterion", NULL, lab->folder, err, "%s: %g points: %s", name,
                            points, text);
}

static kl_status read_items(ladder_book *book, int64_t student, int64_t assignment,
                            ladder_given *out, kl_error *err) {
    sqlite3_stmt *statement = NULL;
    TRY(ladder_sql_prepare(book, &statement, err,
                           "SELECT name, c.points, c.text, g.points, coalesce(g.text, '')"
                           " FROM criteria AS c LEFT JOIN given AS g ON g.entry ="
                           " (SELECT max(entry) FROM given AS n WHERE n.student = ?1 AND"
                           " n.assignment = ?2 AND n.criterion = c.name)"
                           " WHERE c.assignment = ?2 AND c.points IS NOT NULL ORDER BY c.rowid",
                           "ii", student, assignment));
    kl_status status = KL_OK;
    while (out->count < LADDER_GIVEN_MAX && ladder_sql_row(book, statement, &status, err)) {
        ladder_given_criterion *item = &out->items[out->count++];
        ladder_sql_text(statement, 0, item->name, sizeof item->name);
        item->most = sqlite3_column_double(statement, 1);
        ladder_sql_text(statement, 2, item->text, sizeof item->text);
        item->marked = sqlite3_column_type(statement, 3) != SQLITE_NULL;
        item->points = sqlite3_column_double(statement, 3);
        if (item->marked) ladder_sql_text(statement, 4, item->comment, sizeof item->comment);
    }
    sqlite3_finalize(statement);
    return status;
}

kl_status ladder_sql_given(ladder_book *book, int64_t student, int64_t assignment,
                           ladder_given *out, kl_error *err) {
    sqlite3_stmt *statement = NULL;
    *out = (ladder_given){0};
    TRY(read_items(book, student, assignment, out, err));
    TRY(ladder_sql_prepare(book, &statement, err,
                           "SELECT file, line, text FROM given AS g WHERE student = ?1 AND"
                           " assignment = ?2 AND file <> '' AND text <> '' AND entry ="
                           " (SELECT max(entry) FROM given AS n WHERE n.student = ?1 AND"
                           " n.assignment = ?2 AND n.file = g.file AND n.line = g.line)"
                           " ORDER BY file, line",
                           "ii", student, assignment));
    kl_status status = KL_OK;
    while (out->comment_count < LADDER_COMMENTS_MAX &&
           ladder_sql_row(book, statement, &status, err)) {
        ladder_line_comment *comment = &out->comments[out->comment_count++];
        ladder_sql_text(statement, 0, comment->file, sizeof comment->file);
        comment->line = (uint32_t)sqlite3_column_int(statement, 1);
        ladder_sql_text(statement, 2, comment->text, sizeof comment->text);
    }
    sqlite3_finalize(statement);
    return status;
}

static kl_status check_line(const ladder_lab *lab, const ladder_book_gift *gift, kl_error *err) {
    for (int i = 0; i < lab->rubric->step_count; i++)
        if (gift->line > 0 && strcmp(lab->rubric->steps[i].file, gift->file) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "'%.60s' is no line of a step's file, such as %s:31",
                   gift->file, lab->rubric->steps[0].file);
}

// The criterion of this name; an error that says which there are.
static kl_status find_item(const ladder_given *before, const ladder_lab *lab,
                           const ladder_book_gift *gift, const ladder_given_criterion **out,
                           kl_error *err) {
    char known[LADDER_GIVEN_MAX * (LADDER_GIVEN_NAME + 2)] = "";
    size_t used = 0;
    for (int i = 0; i < before->count; i++) {
        *out = &before->items[i];
        if (strcmp((*out)->name, gift->criterion) == 0) return KL_OK;
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                                 (*out)->name);
    }
    if (before->count == 0)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s has no criterion that a person marks: ladder gradebook criterion makes "
                       "one",
                       lab->folder);
    return kl_fail(err, KL_ERROR_INPUT, "'%.40s' is no criterion of %s; there are: %s",
                   gift->criterion, lab->folder, known);
}

// Whether it is so already.
static bool is_given(const ladder_given *before, const ladder_given_criterion *item,
                     const ladder_book_gift *gift) {
    if (item)
        return isnan(gift->points) ? !item->marked
                                   : item->marked && item->points == gift->points &&
                                         strcmp(item->comment, gift->text) == 0;
    for (int i = 0; i < before->comment_count; i++)
        if (before->comments[i].line == gift->line &&
            strcmp(before->comments[i].file, gift->file) == 0)
            return strcmp(before->comments[i].text, gift->text) == 0;
    return gift->text[0] == '\0';
}

static kl_status check_gift(const ladder_lab *lab, const ladder_given *before,
                            const ladder_book_gift *gift, const ladder_given_criterion **out_item,
                            kl_error *err) {
    *out_item = NULL;
    if (strlen(gift->text) >= LADDER_GIVEN_TEXT)
        return kl_fail(err, KL_ERROR_INPUT, "a comment has %d bytes at most",
                       LADDER_GIVEN_TEXT - 1);
    if (gift->file) return check_line(lab, gift, err);
    TRY(find_item(before, lab, gift, out_item, err));
    if (isnan(gift->points) || (gift->points >= 0 && gift->points <= (*out_item)->most))
        return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "%s: expected 0 to %g points, not %g", gift->criterion,
                   (*out_item)->most, gift->points);
}

static kl_status tell_gift(ladder_book *book, const ladder_lab *lab, const char *key,
                           const ladder_given_criterion *before, const ladder_book_gift *gift,
                           kl_error *err) {
    char was[40] = "not marked", now[40] = "not marked any more";
    if (gift->file)
        return ladder_sql_audit(book, "comment", key, lab->folder, err, "%s:%u: %s", gift->file,
                                gift->line, gift->text[0] != '\0' ? gift->text : "taken back");
    if (before->marked) snprintf(was, sizeof was, "%g", before->points);
    if (!isnan(gift->points))
        snprintf(now, sizeof now, "%g of %g points", gift->points, before->most);
    return ladder_sql_audit(book, "mark", key, lab->folder, err, "%s: %s, was %s%s%s",
                            gift->criterion, now, was, gift->text[0] != '\0' ? ": " : "",
                            gift->text);
}

kl_status ladder_book_give(ladder_book *book, const ladder_lab *lab, const char *student,
                           const ladder_book_gift *gift, bool *out_new, kl_error *err) {
    ladder_book_student one;
    ladder_given before;
    const ladder_given_criterion *item = NULL;
    int64_t assignment = 0;
    char at[32];
    TRY(ladder_sql_student(book, student, &one, err));
    TRY(ladder_sql_assignment(book, lab, true, &assignment, err));
    TRY(ladder_sql_given(book, one.id, assignment, &before, err));
    TRY(check_gift(lab, &before, gift, &item, err));
    *out_new = !is_given(&before, item, gift);
    if (!*out_new) return KL_OK;
    if (!item && gift->text[0] != '\0' && before.comment_count == LADDER_COMMENTS_MAX)
        return kl_fail(err, KL_ERROR_INPUT, "%s has %d comments, which is the most", one.name,
                       LADDER_COMMENTS_MAX);
    ladder_sql_now(at);
    TRY(ladder_sql_run(book, err,
                       "INSERT INTO given (student, assignment, criterion, points, file, line,"
                       " text, who, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                       "iitdtittt", one.id, assignment, item ? gift->criterion : "",
                       item ? gift->points : (double)NAN, item ? "" : gift->file,
                       item ? (int64_t)0 : (int64_t)gift->line, gift->text, book->who, at));
    return tell_gift(book, lab, one.key, item, gift, err);
}
