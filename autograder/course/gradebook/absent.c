// The gradebook of a build without SQLite: none can be opened, so that nothing else is called.
#include "course/gradebook/gradebook.h"

static kl_status absent(kl_error *err) {
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "this build has no gradebook, because SQLite was not found: install it (Debian: "
                   "apt-get install libsqlite3-dev), then the same command again with ./ladder");
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define ABSENT(name, ...)                                                                          \
    kl_status name(__VA_ARGS__, kl_error *err) { return absent(err); }
ABSENT(ladder_book_open, const char *path, const ladder_book_access *access, ladder_book **out_book)
ABSENT(ladder_book_begin, ladder_book *book)
ABSENT(ladder_book_commit, ladder_book *book)
ABSENT(ladder_book_backup, ladder_book *book, const char *path)
ABSENT(ladder_book_policy_get, ladder_book *book, const ladder_lab *lab,
       ladder_book_policy *out_policy)
ABSENT(ladder_book_policy_set, ladder_book *book, const ladder_lab *lab,
       const ladder_book_policy *policy)
ABSENT(ladder_book_roster, ladder_book *book, const char *path,
       ladder_book_roster_counts *out_counts)
ABSENT(ladder_book_record, ladder_book *book, const ladder_lab *lab, const ladder_submission *list,
       const ladder_row *rows, size_t count, bool regrade, FILE *notes,
       ladder_book_recorded *out_recorded)
ABSENT(ladder_book_overrides, ladder_book *book, const ladder_lab *lab,
       const ladder_submission *list, size_t count, ladder_points_change *changes)
ABSENT(ladder_book_due, ladder_book *book, const ladder_lab *lab, const char *student, double due_s,
       const char *reason)
ABSENT(ladder_book_slip_days, ladder_book *book, const ladder_lab *lab,
       const ladder_late_policy *late, const ladder_submission *list, size_t count,
       ladder_points_change *changes)
ABSENT(ladder_book_names, ladder_book *book, ladder_submission *list, size_t count)
ABSENT(ladder_book_dues, ladder_book *book, const ladder_lab *lab, ladder_submission *list,
       size_t count)
ABSENT(ladder_book_marks, ladder_book *book, const ladder_lab *lab, ladder_book_line **out_marks,
       size_t *out_count)
ABSENT(ladder_book_override, ladder_book *book, const ladder_lab *lab, const char *student,
       double points, bool bonus, const char *reason)
ABSENT(ladder_book_mark, ladder_book *book, const ladder_lab *lab, const char *student,
       ladder_book_line *out_mark)
ABSENT(ladder_book_drop, ladder_book *book, const char *student, bool withdraw, const char *reason)
ABSENT(ladder_book_erase, ladder_book *book, const char *student, const char *reason,
       ladder_book_erased *out_erased)
ABSENT(ladder_book_people, ladder_book *book, FILE *notes, ladder_people_counts *out_counts)
ABSENT(ladder_book_alias, ladder_book *book, const char *student, const char *alias)
ABSENT(ladder_book_merge, ladder_book *book, const char *from, const char *into)
ABSENT(ladder_book_history, ladder_book *book, const char *student, const kl_style *style,
       FILE *out)
ABSENT(ladder_book_criterion, ladder_book *book, const ladder_lab *lab, const char *name,
       double points, const char *text)
ABSENT(ladder_book_give, ladder_book *book, const ladder_lab *lab, const char *student,
       const ladder_book_gift *gift, bool *out_new)
ABSENT(ladder_book_given, ladder_book *book, const ladder_lab *lab, const ladder_submission *list,
       size_t count, ladder_given *given)
ABSENT(ladder_book_sheet_write, ladder_book *book, const ladder_lab *lab, FILE *out)
ABSENT(ladder_book_sheet_read, ladder_book *book, const ladder_lab *lab, const char *path,
       size_t *out_new)
ABSENT(ladder_book_labs, ladder_book *book, const ladder_lab ***out_labs, size_t *out_count)

void ladder_book_close(ladder_book *book) {}
void ladder_book_undo(ladder_book *book) {}
char *ladder_book_policy_text(const ladder_book_policy *policy, char *text, size_t text_bytes) {
    text[0] = '\0';
    return text;
}
