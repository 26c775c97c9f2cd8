// The kit as students get it: a folder without solutions, answers, tests, measured figures and
// hidden criteria (left_out.def), and the solutions that are added to it later.
#pragma once

#include "grade/rubric/lab_files.h"

enum { LADDER_LABS_MAX = 100 }; // two digits

// What the course allows programs that help with code: a rule of each name in assistants/.
#define LADDER_ASSISTANTS        "none|hints|free"
#define LADDER_ASSISTANTS_COMMON "hints" // where nobody says

// What became of the kit's files; paths as seen from the handout and from the kit.
typedef struct ladder_handout {
    char **files;           // [count] written, in order
    size_t count, capacity; // of files; those that there is memory for
    // What was left out, and by which row.
    struct ladder_handout_left {
        char *path;                   // a file or a whole folder
        const char *rule, *why;       // of left_out.def
    } * left;                         // [left_count]
    size_t left_count, left_capacity; // of left; those that there is memory for
    int hidden;                       // criteria that were taken out
    ladder_lock lock;                 // of the folder
} ladder_handout;

// Writes the kit into a folder, which is made or is empty; it is locked until the handout is freed,
// as in ladder_handout_release. labs: "00,reduction"; NULL: all. assistants: one of
// LADDER_ASSISTANTS, whose rule becomes AGENTS.md. KL_ERROR_INPUT: the folder is not empty, a lab
// does not exist, or this kit has no solutions from which step files could be made.
kl_status ladder_handout_write(const ladder_kit *kit, const char *into, const char *labs,
                               const char *assistants, ladder_handout *out_handout, kl_error *err);
// Which labs a handout has; labs: [ladder_lab_count] are set. Returns how many.
int ladder_handout_labs(const char *into, bool labs[LADDER_LABS_MAX]);
// Puts labs into a handout that has only some, and brings the links of its pages up to date; a page
// that somebody has edited stays. out_handout: the files that came or changed; left: such pages.
// KL_ERROR_INPUT: the folder is no handout, or has one of the labs.
kl_status ladder_handout_add_labs(const ladder_kit *kit, const char *into, const char *labs,
                                  ladder_handout *out_handout, kl_error *err);
void ladder_handout_free(ladder_handout *handout);

// A page's text as students get it. Left out is what lies between a comment "whole kit" and one
// "/whole kit"; a comment that begins with "handout" is no comment there, but text. Without
// `answers` neither are the folded answers to the lab's questions there. Caller frees *out_text.
// KL_ERROR_INPUT: one of these has no end.
kl_status ladder_handout_page(const char *name, const char *text, bool answers, char **out_text,
                              kl_error *err);

// Whether a path, [bytes], lies in a lab that is not handed out; labs: as below.
bool ladder_handout_is_later(const char *path, size_t bytes, const bool *labs);

// A page of a handout that has only some labs: links to the others become their text, pictures of
// theirs go, and rows of tables that link to nothing else. labs: [ladder_lab_count]: those that are
// there. Caller frees *out_text.
kl_status ladder_handout_links(const char *name, const char *text, const bool *labs,
                               char **out_text, kl_error *err);

// Makes a git repository of the folder. KL_ERROR_SYSTEM says what git said.
kl_status ladder_handout_git_begin(const char *folder, kl_error *err);
// The files of a handout in one commit, where the folder is a repository: *out_committed. Needs no
// name or address of a user to be set. KL_ERROR_SYSTEM says what git said.
kl_status ladder_handout_commit(const char *into, const ladder_handout *handout,
                                const char *message, bool *out_committed, kl_error *err);

// A lab's lab.json without the criteria that students do not see, unless `hidden`, and without the
// answers of "selfcheck", unless `answers`. name: its path, for errors; folder: the lab's. The
// number of criteria that were taken out is added to *out_removed. Caller frees *out_text.
// KL_ERROR_INPUT: it is not sound, with line and column.
kl_status ladder_handout_description(const char *name, const char *folder, const char *text,
                                     bool hidden, bool answers, char **out_text, int *out_removed,
                                     kl_error *err);

// Puts a file of the kit, or all of a folder, into a handout that is there: pages with their
// answers, nothing that is there already. Their paths are added to the list, which may be empty.
kl_status ladder_handout_add(const ladder_kit *kit, const char *into, const char *path,
                             ladder_handout *handout, kl_error *err);

// Puts the solution of a step into a handout, or, with step NULL, all of the lab's with the answers
// to its questions. after: NULL, or a time (grade/intake/intake.h) before which nothing is done:
// KL_ERROR_INPUT, as for a folder that is no handout, and where all of it has been released
// already. now_s: seconds since 1970. out_handout: the files that came; out_committed: the handout
// is a git repository.
kl_status ladder_handout_release(const ladder_kit *kit, const ladder_lab *lab,
                                 const kl_step_info *step, const char *into, const char *after,
                                 double now_s, ladder_handout *out_handout, bool *out_committed,
                                 kl_error *err);
