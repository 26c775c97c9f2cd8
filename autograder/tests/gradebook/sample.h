// A gradebook in a private folder, and what is entered into it, made by hand: lab 02.
#pragma once

#include "course/gradebook/gradebook.h"

extern char book_folder[], book_path[];

// Fixture: an empty private folder.
void book_set_up(void);
void book_tear_down(void);

const ladder_lab *book_lab(void);
ladder_book *
book_open(void); // makes it; status is checked; closed behind the test, or by book_close
void book_close(ladder_book *book);
// A call that writes, in a transaction of its own; its status.
#define BOOK_CHANGE(book, err, call)                                                               \
    ({                                                                                             \
        kl_status status_ = ladder_book_begin(book, err);                                          \
        if (status_ == KL_OK) status_ = (call);                                                    \
        if (status_ == KL_OK) status_ = ladder_book_commit(book, err);                             \
        else ladder_book_undo(book);                                                               \
        status_;                                                                                   \
    })
// Writes a file into the folder; returns its path, which the next call overwrites.
const char *book_file(const char *name, const char *text);

ladder_submission book_submission(const char *title, const char *user, const char *submitted);
// A graded row of one step, whose files' hash is `files`; points NaN: could not be graded.
ladder_row book_row(const char *files, const char *rubric, double points);
// Enters one submission in a transaction of its own.
ladder_book_recorded book_enter(ladder_book *book, const ladder_submission *submission,
                                const ladder_row *row, bool regrade);
void book_policy(ladder_book *book, ladder_book_policy wanted); // sets it for the lab
// The marks; the caller frees them. And one student's final points, NaN: none.
ladder_book_line *book_marks(ladder_book *book, size_t *out_count);
double book_final(ladder_book *book, const char *key);

// Three students as Canvas has them: 4711 ann@x.edu, 4712 bo@x.edu, 4713 bo2@x.edu.
extern const char book_canvas[];
// Enters a roster in a transaction of its own, which makes and changes so many students.
void book_roster(ladder_book *book, const char *text, size_t added, size_t changed);
// Three attempts of 4711: 30 points in time, 40 a day late, 20 in time.
void book_three_attempts(ladder_book *book);

// A number from a file of a gradebook, read past the module: "SELECT ..".
int64_t book_ask(const char *path, const char *sql);
// Runs SQL on a file past the module; false where SQLite refuses.
bool book_sql(const char *path, const char *sql);
void book_is_whole(const char *path); // PRAGMA integrity_check says ok
