// What `ladder grade --submissions` is given: a folder or an archive, of a course system or of
// one's own, as a list of submissions. What has to be unpacked or put together goes into a private
// folder; the folder that was given is only read.
#pragma once

#include "grade/submission/submission.h"
#include <limits.h>

// ---- layout.c -----------------------------------------------------------------------------------
// Names in bulk downloads of course systems: which system made them, and what a name says.

// How course systems name what they hand out: F(identifier, word of --layout, for people). Where
// each scheme is documented or made is in layout.c, which reads the names.
// clang-format off
#define LADDER_LAYOUT_LIST(F)                                                                      \
    F(PLAIN, "plain", "a folder, file or archive per submission")                                  \
    F(GRADESCOPE, "gradescope", "Gradescope, exported submissions")                                \
    F(CANVAS, "canvas", "Canvas, downloaded submissions")                                          \
    F(MOODLE, "moodle", "Moodle, all submissions downloaded")                                      \
    F(CLASSROOM, "classroom", "GitHub Classroom, a repository per student")
// clang-format on
#define LADDER_LAYOUT(id, ...) LADDER_LAYOUT_##id,
// A naming scheme.
typedef enum ladder_layout {
    LADDER_LAYOUT_LIST(LADDER_LAYOUT) LADDER_LAYOUTS // none
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
// What is handed in after the due date. A late policy is one line of text:
//   10% per day, at most 50%, grace 15 min, 3 slip days, 2 per lab, spent best
// Costs are percent of the score, or points: per day that has begun, per hour that has begun, once.
// Slip days are a student's in the whole course, each takes a day off; they are spent on the labs
// in the order of their due dates ("spent first"), or where they save most.

// For what a policy takes its costs.
typedef enum ladder_late_per {
    LADDER_LATE_PER_DAY,
    LADDER_LATE_PER_HOUR,
    LADDER_LATE_ONCE,
    LADDER_LATE_PERS
} ladder_late_per;

// A late policy; all 0: none.
typedef struct ladder_late_policy {
    bool given;                    // there is a due date
    double due_s;                  // seconds since 1970
    bool in_points;                // what follows: else shares of the score, 0 .. 1
    double cost[LADDER_LATE_PERS]; // of each day, of each hour, of being late
    double at_most;                // that is lost
    double grace_s;                // after the due date, that cost nothing
    int slip_days, slip_most;      // of a student in the course; of them for one lab, 0: all
    bool slip_best;                // spent where they save most, else in the order of due dates
    double opens_s, closes_s;      // of an exam: what comes before or after is not graded; 0: none
} ladder_late_policy;

// What the command line says; NULL: nothing. Over the course's file stand the other two.
typedef struct ladder_late_options {
    const char *course; // a file: lines "late POLICY", "due LAB TIME" and "window LAB FROM TO"; "#"
                        // begins a comment
    const char *window[2]; // an exam: FROM and TO, times as below
    const char *due;       // "2026-11-20T23:59" in this machine's time zone, or "..Z", "..+01:00"
    const char *late;      // a policy
} ladder_late_options;

// Of one lab. KL_ERROR_INPUT names file, line and column ("--late:1:5").
kl_status ladder_late_policy_read(const ladder_late_options *options, const ladder_lab *lab,
                                  ladder_late_policy *out_policy, kl_error *err);
// Reads a policy's line; its due date stays.
kl_status ladder_late_rule_read(const char *file, const char *rule, ladder_late_policy *policy,
                                kl_error *err);
// The line of a policy, which ladder_late_rule_read reads. Returns text.
char *ladder_late_rule(const ladder_late_policy *policy, char *text, size_t text_bytes);

// Seconds since 1970 of "2026-11-20T23:59[:30][Z|+01:00]", also with a blank for the T and before
// the zone.
bool ladder_time_read(const char *text, double *out_s);

// An exam's window: what was handed in outside of it gets its problem, and is not graded. A due
// date of the student's own, later than the end, moves the end. What has no time counts as inside.
// Returns whether the submission is outside.
bool ladder_window_apply(const ladder_late_policy *policy, ladder_submission *submission);

// Fills in what being late does to a submission's points: days begun after the due date (the
// submission's own where it has one), slip days of slip_left at most, and what is lost. 0: in time,
// or within the grace, behind which time counts from the due date. A submission that its system
// marks as late without a time counts as one day late, unless its due date is its own; one of which
// nothing is known is in time.
void ladder_late_apply(const ladder_late_policy *policy, const ladder_submission *submission,
                       int slip_left, ladder_points_change *change);
