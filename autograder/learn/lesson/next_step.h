// SPDX-License-Identifier: MIT
// What a student does next in a lab: the step, what came out of it last, where to read and write,
// and the command to type. Nothing is built or run here.
#ifndef LADDER_LESSON_NEXT_STEP_H
#define LADDER_LESSON_NEXT_STEP_H

#include "learn/lesson/progress.h"
#include "learn/lesson/section.h"

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

#endif
