// Wrong kernels written as small changes to a lab's solution, one file per lab and kind
// (wrong/README.md says how): reading and applying them. For tests only.
#pragma once

#include "error.h"

// The heading of a wrong or lazy kernel or of a fault.
typedef struct edit_heading {
    int step;
    char expect[64]; // identifier of outcomes.def
    int misses;      // lazy kernels: a criterion of the step, counted from 1; else 0
} edit_heading;

// Reads `// N_NAME OUTCOME`, N being the step, in the first line of a text that edit_apply made; a
// lazy kernel's says ` misses=K` behind that. What else follows is not for grading (` check=CLASS`,
// wrong/README.md).
kl_status edit_read_heading(const char *text, edit_heading *out_heading, kl_error *err);

// One section of a file of edits. The texts are in its list's.
typedef struct edit {
    char name[96];
    char words[128];         // behind the name: what is expected
    const char *path;        // of its file, whose `list` holds it
    int line, body_line;     // where it begins in there, and where its changes do
    const char *title;       // its line, from the name on
    const char *heading;     // the lines of comment behind it; other lines follow
    const char *body;        // [body_bytes]: the changes, or "=== all" and a whole step
    size_t body_bytes;       // up to the last line that is not blank
    const struct edit *base; // the edit or part whose changes are made before its own, or NULL
} edit;

typedef struct edit_list {
    char path[4096];
    char *text;
    edit *items; // in the file's order
    int count;
    edit *parts; // of "=== part NAME", without a heading: changes that edits have in common
    int part_count;
} edit_list;

// Reads a file of edits; edits_parse reads its text. "=== with NAME" behind a section's heading
// makes what the earlier edit or part NAME makes of the step, before its own changes.
// KL_ERROR_INPUT, with file and line, when a section has no name, that of an earlier one, or
// nothing in it, or when anything stands before the first. edits_free also after a failure.
kl_status edits_read(const char *path, edit_list *out_list, kl_error *err);
kl_status edits_parse(const char *path, const char *text, edit_list *out_list, kl_error *err);
void edits_free(edit_list *list);

// KL_ERROR_INPUT when there is no edit of this name.
kl_status edits_find(const edit_list *list, const char *name, const edit **out_edit, kl_error *err);

// Its heading, as edit_read_heading reads it; errors say file and line.
kl_status edit_heading_of(const edit *edit, edit_heading *out_heading, kl_error *err);

// Applies an edit to the text of its step, which one with "=== all" replaces whole; of which one
// with "=== only" leaves the #include lines and the function, with its own lines in it.
// KL_ERROR_INPUT, with file and line, when the old text is not there or is there more than once, or
// when nothing is changed. out_text: a comment of name and words, where there are words, and the
// heading, then the changed step; to be freed.
kl_status edit_apply(const edit *edit, const char *step, char **out_text, kl_error *err);
