// SPDX-License-Identifier: MIT
// What `ladder grade --submissions` is given: a folder or an archive, of a course system or of
// one's own, as a list of submissions. What has to be unpacked or put together goes into a private
// folder; the folder that was given is only read.
#ifndef LADDER_INTAKE_INTAKE_H
#define LADDER_INTAKE_INTAKE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "grade/submission/submission.h"
#include "utilities/files.h"

// ---- layout.c -----------------------------------------------------------------------------------
// Names in bulk downloads of course systems: which system made them, and what a name says.

// A layout of layouts.def; LADDER_LAYOUTS: none.
typedef enum ladder_layout {
#define LADDER_LAYOUT(id, word, text) LADDER_LAYOUT_##id,
#include "grade/intake/layouts.def"
#undef LADDER_LAYOUT
    LADDER_LAYOUTS
} ladder_layout;

extern const char *const ladder_layout_words[];       // of --layout
extern const char *const ladder_layout_choices;       // all of them: "plain|gradescope|.."
const char *ladder_layout_text(ladder_layout layout); // for people
// LADDER_LAYOUTS when no layout has this word.
ladder_layout ladder_layout_find(const char *word);

// One entry of the folder of a class.
typedef struct ladder_entry {
    char name[NAME_MAX + 1]; // terminated
    bool is_folder;          // not a file; of a link: what it leads to
    bool is_link;            // nothing of it is taken
    bool is_repository;      // a folder with a .git in it
} ladder_entry;

// Hidden entries and what macOS adds are no entries.
bool ladder_entry_is_skipped(const char *name);

// The system whose scheme most of the entries follow.
ladder_layout ladder_layout_recognise(const ladder_entry *entries, size_t count);

// What an entry's name says.
typedef struct ladder_handed {
    char owner[NAME_MAX + 1]; // whose it is: entries of one student have the same
    char title[NAME_MAX + 1]; // the student, for people
    char user[64];            // the student's number or name on that system; "": not told
    char file[NAME_MAX + 1];  // of a file: its name as handed in; "": the entry is a folder
    int attempt;              // of a file handed in again under the same name: 1, 2, ..; else 0
    long long number;         // of the file on that system: larger is later; else 0
    bool late;                // marked as such
} ladder_handed;

// False: the entry is nothing that was handed in under this layout. LADDER_LAYOUT_PLAIN has no
// scheme, and GitHub Classroom's needs the start that all names have in common
// (ladder_layout_prefix).
bool ladder_layout_read(ladder_layout layout, const ladder_entry *entry, const char *prefix,
                        ladder_handed *out_handed);

// What the names of repositories begin with, up to and with a '-': "lab-2-" of "lab-2-ann" and
// "lab-2-bob"; "" when there is but one. out: [NAME_MAX + 1].
void ladder_layout_prefix(const ladder_entry *entries, size_t count, char *out);

// ---- intake.c -----------------------------------------------------------------------------------

// The submissions that were found.
typedef struct ladder_intake {
    ladder_layout layout;     // that they follow
    ladder_submission *list;  // [count], sorted; the caller frees it
    size_t count;             // of list
    size_t unused;            // entries that are no submission under this layout
    size_t archives;          // submissions that were archives
    size_t missing;           // that the system lists, without a folder
    size_t links;             // in the class's archive, which were left out
    size_t teams;             // groups of which each member's copy was handed out
    char folder[LADDER_PATH]; // of the class, as it was found
} ladder_intake;

// layout: a word of --layout, or NULL to recognise it. staging: a folder that exists and is empty
// and outlives the list. A submission that cannot be read is on the list with its problem; an error
// is one of the whole.
kl_status ladder_intake_take(const char *what, const char *layout, const ladder_lab *lab,
                             const char *staging, ladder_intake *out_intake, kl_error *err);

// One submission of one student: a folder, an archive or a step's file, whatever it is called.
// path: absolute, as realpath makes it. What cannot be read has its problem.
kl_status ladder_intake_take_one(const char *path, const ladder_lab *lab, const char *staging,
                                 ladder_submission *out_submission, kl_error *err);

// Times of last commits, where the class is a folder of repositories: as the students' git wrote
// them. Fills `submitted` of what has none; a repository that git cannot read stays without.
void ladder_intake_commit_times(ladder_intake *intake);

enum { LADDER_FILES_AS_MAX = 16 };
// Files of other names that a person takes for steps.
typedef struct ladder_files_as {
    struct {
        char file[NAME_MAX + 1];  // its name as it was handed in
        int step;                 // of the rubric, an index
        bool found;               // in a submission
    } items[LADDER_FILES_AS_MAX]; // [count]
    int count;                    // of items
} ladder_files_as;

// Adds "step3.cu=3_sequential.cu; last.cu=8": a file's name, and a step's name or number.
// KL_ERROR_INPUT says what is expected, and which steps there are.
kl_status ladder_files_as_read(const ladder_rubric *rubric, const char *text,
                               ladder_files_as *files_as, kl_error *err);

// Takes such files of a submission for their steps: all of its steps come to lie in a folder of
// their own below staging. Letter case of names is ignored; of several files of one name the one
// nearest to the top is taken.
kl_status ladder_intake_take_as(const ladder_lab *lab, const char *staging,
                                ladder_files_as *files_as, ladder_submission *submission,
                                kl_error *err);

// One line on what was found, by the list as it is now: "layout canvas (Canvas, ..): 23
// submissions, 2 that cannot be read".
void ladder_intake_describe(const ladder_intake *intake, char *out, size_t out_bytes);

// ---- late.c -------------------------------------------------------------------------------------
// What is handed in after the due date: how late it is, and which part of its score is left.

// A late policy; all 0: none.
typedef struct ladder_late_policy {
    bool given;     // there is a due date
    double due_s;   // seconds since 1970
    double rate;    // share of the score that a day costs, 0 .. 1
    double at_most; // share that is lost at most, 0 .. 1
    double grace_s; // after the due date, that cost nothing
} ladder_late_policy;

// due: "2026-11-20T23:59" in this machine's time zone, or with one: "..Z", "..+01:00"; NULL: no
// policy. rate, at_most: "10" or "10%", of a day and in all; NULL: nothing, and all. grace: "15" or
// "15m", minutes; NULL: none. KL_ERROR_INPUT says what is wrong.
kl_status ladder_late_policy_read(const char *due, const char *rate, const char *at_most,
                                  const char *grace, ladder_late_policy *out_policy, kl_error *err);

// Seconds since 1970 of "2026-11-20T23:59[:30][Z|+01:00]", also with a blank for the T and before
// the zone.
bool ladder_time_read(const char *text, double *out_s);

// Days begun after the due date, the submission's own where it has one; 0: in time, or within the
// grace, behind which they count from the due date. A submission
// that its system marks as late without a time counts as one day late, unless its due date is its
// own; one of which nothing is known is in time.
int ladder_late_days(const ladder_late_policy *policy, const ladder_submission *submission);

// The part of the score that is left, 0 .. 1.
double ladder_late_share(const ladder_late_policy *policy, int days);

#endif
