// What a student reads and does next: progress, hints, sections of the page, differences of steps.
#pragma once

#include "grade/rubric/lab_files.h"
#include "table.h"

// ---- section.c ----------------------------------------------------------------------------------
// Where to read and where to write for a step: the section of the lab's page that is about it, and
// the place in the step's file where the student's code belongs.

enum { LADDER_SECTION_TITLE = 160, LADDER_TODO_TEXT = 512 };

// A section of a page.
typedef struct ladder_section {
    int line;                         // of its heading, from 1
    char title[LADDER_SECTION_TITLE]; // without "#" and links
} ladder_section;

// The section whose heading names the step: "Step 3: sequential", "The tree (steps 1 to 3)". Of
// several the one about the fewest steps, then the first; when no heading does, the section with a
// line "> **Predict first**: `./ladder predict NAME 3`". False when there is neither.
bool ladder_section_find(const char *page, int step, ladder_section *out_section);

// The first TODO(student) of a step's file, but for the one that is about IMPLEMENTED.
typedef struct ladder_todo {
    int line;                    // from 1
    char text[LADDER_TODO_TEXT]; // what is to be done, on one line
} ladder_todo;

// False when there is none: the student has taken it out, or the step has none.
bool ladder_todo_find(const char *source, ladder_todo *out_todo);

// ---- progress.c ---------------------------------------------------------------------------------
// Where a student is in a lab: what is known of each step from its file and from how it came out
// last (outcome.h). Nothing is built or run here.

// How far a step is. Of a changed file only results of this very version count.
typedef enum ladder_step_state {
    LADDER_STEP_GIVEN,     // handed out complete
    LADDER_STEP_ALTERED,   // likewise, and edited since: others are compared with it
    LADDER_STEP_ABSENT,    // there is no file
    LADDER_STEP_TO_DO,     // as it was handed out
    LADDER_STEP_BEGUN,     // changed, but it still says that it is not implemented
    LADDER_STEP_CHANGED,   // not run since it was changed
    LADDER_STEP_BAD,       // wrong, or the checker found something
    LADDER_STEP_RIGHT_YET, // right in some of the lab's cases; the others were not run
    LADDER_STEP_DONE       // right in all cases, and the checker found nothing
} ladder_step_state;

// What is known of a step.
typedef struct ladder_step_progress {
    const kl_step_info *info;  // number and name
    ladder_step_state state;   // how far it is
    int64_t when_s;            // last edited or run, seconds since 1970; 0: never
    kl_last_result run, check; // of this version of the file; state "": none
    char forgotten[256];       // of LADDER_STEP_BEGUN: what is missing
    ladder_section section;    // of the lab's page, about this step; line 0: the page as a whole
    int place;                 // by which steps are ordered: the section's line, or the last one
} ladder_step_progress;

// What is known of a lab.
typedef struct ladder_progress {
    const ladder_lab *lab;                        // the lab
    int count;                                    // of steps, in the lab's order
    ladder_step_progress steps[LADDER_STEPS_MAX]; // [count]
    int last; // index of the step that was edited or run last; -1: none was
} ladder_progress;

// KL_ERROR_LIMIT when a path is too long; files that cannot be read count as absent.
kl_status ladder_progress_read(const ladder_kit *kit, const ladder_lab *lab,
                               ladder_progress *out_progress, kl_error *err);

// Of all labs the one in which a step was edited or run last; the first lab when none was.
kl_status ladder_progress_latest(const ladder_kit *kit, ladder_progress *out_progress,
                                 kl_error *err);

// Index of the step to go on with: the last one while it is not done, else the first after it on
// the lab's page that is not, else (and where the last one was given, or all untouched ones were
// run) the first one at all; -1 when all are done.
int ladder_progress_next(const ladder_progress *progress);

// ---- points.c -----------------------------------------------------------------------------------
// What `ladder grade` gives for answers and counts of steps as the last run left them.

// A case of which a step's points are counted, and in which its results are wrong: a run need not
// have it.
typedef struct ladder_points_wrong {
    int step;           // its number; -1: there is none
    const char *family; // of the case: what its inputs are like
    int64_t size;       // of the case
} ladder_points_wrong;

// A paragraph for those of the steps ([count]; 0: all) that the student wrote and that were run on
// all cases: points reached and left, with what was counted (one call on the simulator for each
// case that the rubric counts). Nothing when there is none. *out_wrong: the last step that is wrong
// there.
kl_status ladder_points_say(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                            int count, const kl_style *style, FILE *out,
                            ladder_points_wrong *out_wrong, kl_error *err);

// ---- progress.c ---------------------------------------------------------------------------------
// What a student does next in a lab: the step, what came out of it last, where to read and write,
// and the command to type. Nothing is built or run here.

// The step to go on with.
typedef struct ladder_next_step {
    const ladder_step_progress *step;          // NULL: all are done
    char page[LADDER_PATH], file[LADDER_PATH]; // the lab's page and the step's file, from the kit's
                                               // folder
    ladder_section section; // of the page, about this step; line 0: the page as a whole
    ladder_todo todo;       // in the file; line 0: none
    char result[KL_LAST_TEXT + KL_LAST_STATE + 2]; // of the last run; "": nothing to say
    char finding[KL_LAST_TEXT];                    // of the last check; "": none
    char command[128], then[128]; // to type, and what comes after that; "": nothing
} ladder_next_step;

// Of this lab. `progress` must live as long as *out_next.
void ladder_next_step_find(const ladder_kit *kit, const ladder_progress *progress,
                           ladder_next_step *out_next);

// ---- section.c ----------------------------------------------------------------------------------
// Tiered hints of a lab: finds them in hints.md and remembers how many a student has seen.
// hints.md has headings "## Step N" and, below each, a list: "1. .." is the first hint, whose
// further lines are indented by three blanks.

enum { LADDER_HINTS_MAX = 16 }; // of one step

// Hints of one step, in order, as slices of the text they were found in; blank ends cut off.
typedef struct ladder_hints {
    int count; // of hints
    struct {
        const char *text;
        size_t bytes;
    } hints[LADDER_HINTS_MAX]; // not terminated
} ladder_hints;

// Takes the indentation of the step's hints out of `markdown`, which then serves no other step.
// KL_ERROR_INPUT when hints are out of order or too many. A step without hints gives count 0.
kl_status ladder_hints_find(char *markdown, int step, ladder_hints *out_hints, kl_error *err);

// How many hints of a step have been shown, kept in the text file `path`, one line "lab step count"
// each. A file that is not there counts as empty; a line that makes no sense is ignored.
int ladder_hints_seen(const char *path, const char *lab, int step);
// Replaces the file in one rename. count 0 removes the line; step -1 stands for all steps of the
// lab.
kl_status ladder_hints_remember(const char *path, const char *lab, int step, int count,
                                kl_error *err);

// ---- source.c -----------------------------------------------------------------------------------
// A step file as `ladder diff` compares it: without what every step has. The prologue (comments and
// empty lines before the first line of code) is left out, as are the skeleton's checksum, its texts
// of what is to be written and the lines about IMPLEMENTED; an include stays if the other file does
// not have it. A line's key is its text without layout and without a comment behind it, in which
// the names of kernels and entry functions that only one of the files has are the same in both.

enum { LADDER_SOURCE_MAX_LINES = 5000, LADDER_RENAMES_MAX = 16, LADDER_NAME = 64 };

// A line that is compared.
typedef struct ladder_compared_line {
    const char *text; // not terminated
    int bytes;        // without the newline
    int number;       // in the file, from 1
    char *key;        // terminated; lines with the same key are the same
} ladder_compared_line;

// The lines of a file that are compared.
typedef struct ladder_source {
    ladder_compared_line *lines; // [count], in their order
    int count;                   // of lines
    char *keys;                  // memory of all lines' keys
} ladder_source;

// A name that is another in the second file.
typedef struct ladder_rename {
    char from[LADDER_NAME], to[LADDER_NAME]; // in the first file, and in the second
} ladder_rename;

// All of them.
typedef struct ladder_renames {
    ladder_rename rows[LADDER_RENAMES_MAX]; // [count]
    int count;                              // of rows
} ladder_renames;

// The kernels (__global__) and entry functions (extern "C") that are called otherwise in b: those
// that one file alone has, in their order. None when there are not as many in both.
void ladder_source_find_renames(const char *a, const char *b, ladder_renames *out_renames);

// The lines of `text`, which outlives them. Lines that begin with `skip` (NULL: none) are left out,
// as are includes that `other` has too. renames: names to replace, NULL: none. KL_ERROR_LIMIT above
// LADDER_SOURCE_MAX_LINES. Free with ladder_source_free, also after a failure.
kl_status ladder_source_read(const char *text, const char *other, const char *skip,
                             const ladder_renames *renames, ladder_source *out_source,
                             kl_error *err);
void ladder_source_free(ladder_source *source);

// ---- diff.c -------------------------------------------------------------------------------------
// Differences between two texts by lines: the longest common subsequence, printed one below the
// other or side by side. For two step files that a person reads, not for large files.

// Whether a line is in both texts, only in a, or only in b.
typedef enum ladder_edit { LADDER_SAME, LADDER_REMOVED, LADDER_ADDED } ladder_edit;

// A line of the difference.
typedef struct ladder_diff_line {
    ladder_edit edit;   // where it is
    int left, right;    // line numbers from 1 in a and b; 0 where it has none
    const char *text;   // not terminated; of a line that stays, as b has it
    int bytes;          // without the newline
    const char *before; // of a line that stays, as a has it; NULL: only in another layout
    int before_bytes;   // without the newline
} ladder_diff_line;

// The difference of two texts.
typedef struct ladder_diff {
    ladder_diff_line *lines; // [count], from top to bottom
    size_t count;            // of lines
    int removed, added;      // lines
    ladder_renames renames;  // names that differ and mean the same
} ladder_diff;

// a, b: terminated texts that outlive the result. Lines whose first words are `skip` (NULL: none)
// are left out, but counted, as are the prologues of both. What differs in layout, in comments or
// by the name of a kernel alone stays (source.c). KL_ERROR_LIMIT above LADDER_SOURCE_MAX_LINES.
kl_status ladder_diff_make(const char *a, const char *b, const char *skip, ladder_diff *out_diff,
                           kl_error *err);
void ladder_diff_free(ladder_diff *diff);

// One below the other, `context` unchanged lines around each change.
void ladder_diff_print(const ladder_diff *diff, int context, const kl_style *style, FILE *out);

// Two columns of style->width / 2. Lines that are too long take several rows, here and above.
void ladder_diff_print_columns(const ladder_diff *diff, int context, const kl_style *style,
                               FILE *out);
