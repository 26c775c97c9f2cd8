// SPDX-License-Identifier: MIT
// Where to read and where to write for a step: the section of the lab's page that is about it, and
// the place in the step's file where the student's code belongs.
#ifndef LADDER_LESSON_SECTION_H
#define LADDER_LESSON_SECTION_H

#include <stdbool.h>

enum { LADDER_SECTION_TITLE = 160, LADDER_TODO_TEXT = 512 };

// A section of a page.
typedef struct ladder_section {
    int line;                         // of its heading, from 1
    char title[LADDER_SECTION_TITLE]; // without "#" and links
} ladder_section;

// The section whose heading names the step: "Step 3: sequential", "The tree (steps 1 to 3)". Of
// several the one about the fewest steps, then the first; when no heading does, the section of the
// marker <!-- predict:3 -->. False when there is neither.
bool ladder_section_find(const char *page, int step, ladder_section *out_section);

// The first TODO(student) of a step's file, but for the one that is about IMPLEMENTED.
typedef struct ladder_todo {
    int line;                    // from 1
    char text[LADDER_TODO_TEXT]; // what is to be done, on one line
} ladder_todo;

// False when there is none: the student has taken it out, or the step has none.
bool ladder_todo_find(const char *source, ladder_todo *out_todo);

#endif
