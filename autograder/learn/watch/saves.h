// SPDX-License-Identifier: MIT
// Which step files of a lab were saved: inotify(7) on the folder of the steps, or looks at the
// files several times a second where there is none. An editor may write a file in place or put
// another one in its place.
#ifndef LADDER_WATCH_SAVES_H
#define LADDER_WATCH_SAVES_H

#include <sys/types.h>
#include <time.h>

#include "grade/rubric/lab_files.h"
#include "grade/rubric/result.h"

// A step's file as it was when it was last looked at.
typedef struct ladder_saved_file {
    int step;                // its number
    char path[LADDER_PATH];  // of the file
    ino_t inode;             // 0: there is no file
    off_t bytes;             // its size
    struct timespec written; // the last time
} ladder_saved_file;

// The files that are watched.
typedef struct ladder_saves {
    int fd;                                    // of inotify; -1: the files are looked at
    int count;                                 // of files
    ladder_saved_file files[LADDER_STEPS_MAX]; // [count]
} ladder_saves;

// The given steps' files are left out, and when `step` is not -1 all but this one's. poll: without
// inotify. Close with ladder_saves_close.
kl_status ladder_saves_open(const ladder_kit *kit, const ladder_lab *lab, int step, bool poll,
                            ladder_saves *out_saves, kl_error *err);
void ladder_saves_close(ladder_saves *saves);

// True when a file was saved that ladder_saves_take has not told of. Does not wait.
bool ladder_saves_pending(const ladder_saves *saves);

// The step whose file was saved last, of those that were since the last call; -1: none was.
int ladder_saves_take(ladder_saves *saves);

// Waits until something may have been saved, at most `limit_s` seconds; a signal ends it, too.
void ladder_saves_wait(const ladder_saves *saves, double limit_s);

#endif
