// Makes the student's file from the solution: regions between markers are replaced by what the
// student reads instead. One source for both, so that they cannot drift apart.
//
// Markers, each alone on its line:
//     // SOLUTION BEGIN          the lines from here on are the solution's only, up to ...
//     // SOLUTION TODO: text     ... these, which become "// TODO(student): text" (the first of a
//                                run) or "// text" (the following ones),
//     // SOLUTION STUB: code     and these, which become the code itself.
//     // SOLUTION SWITCH: text   becomes "// TODO(student): text"; the next line, which ends in 1,
//                                ends in 0
// They keep their indentation. A file without markers is handed out whole.
//
// A made file ends in a stamp line with the hash of all lines before it. A file whose stamp fits
// has not been touched since it was made and may be replaced; any other belongs to the student and
// never is.
#pragma once

#include "error.h"

// How a line of markers begins, after its indentation.
#define LADDER_SOLUTION_MARKER "// SOLUTION "

// What a student's file is.
typedef enum ladder_skeleton_state {
    LADDER_SKELETON_ABSENT,  // there is no file yet
    LADDER_SKELETON_CURRENT, // equal to what would be made
    LADDER_SKELETON_STALE,   // made from an older solution, untouched
    LADDER_SKELETON_CHANGED, // a student's work: must not be replaced
} ladder_skeleton_state;

// Text to text. `name` is used in errors ("3_sequential.cu:42: ..."). *out_text is to be freed.
// KL_ERROR_INPUT for markers that do not pair, are unknown, or leave nothing for the student.
kl_status ladder_skeleton_make(const char *name, const char *solution, char **out_text,
                               kl_error *err);

// What an existing file is, compared with the one that would be made. existing NULL: absent.
ladder_skeleton_state ladder_skeleton_compare(const char *existing, const char *made);

// Makes skeleton_path from solution_path unless it is current or changed (or `check_only`).
// *out_state is the state found before writing. The file is replaced in one rename.
kl_status ladder_skeleton_update(const char *solution_path, const char *skeleton_path,
                                 bool check_only, ladder_skeleton_state *out_state, kl_error *err);

// Removes a skeleton whose solution is gone (a step that was renamed), unless it is a student's
// work (or `check_only`). *out_state is LADDER_SKELETON_STALE or LADDER_SKELETON_CHANGED, or
// LADDER_SKELETON_ABSENT when there is no file.
kl_status ladder_skeleton_remove(const char *skeleton_path, bool check_only,
                                 ladder_skeleton_state *out_state, kl_error *err);
