// What `ladder watch` does: it sees that a step was saved, and looks at the step.
#pragma once

#include "grade/points/counts.h"
#include "grade/rubric/lab_files.h"
#include "table.h"
#include <sys/types.h>
#include <time.h>

// ---- look.c -------------------------------------------------------------------------------------
// Which step files of a lab were saved: inotify(7) on the folder of the steps, or looks at the
// files several times a second where there is none. An editor may write a file in place or put
// another one in its place.

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

// ---- look.c -------------------------------------------------------------------------------------
// One look at a step that was saved: it is compiled as `ladder run` does it, checked on the lab's
// small cases by the simulator's checker, and its counts are taken.

enum { LADDER_LOOK_TEXT = 1 << 14 };

// What a look was asked for and what came out, in memory that its process shares with the caller.
typedef struct ladder_look {
    const ladder_kit *kit;              // where programs lie
    const ladder_lab *lab;              // whose step it is
    int step;                           // its number
    kl_style style;                     // of the texts
    int rows;                           // that fit; texts are as long as they get, tables are cut
    bool counted;                       // `before` is of this step
    ladder_counts before, counts;       // of the last right version, and of this one
    double compile_s, check_s, count_s; // how long each took; 0: not done
    bool compiled, good, done;          // done: the look came to its end
    char verdict[160];                  // "correct in 17 small cases, no findings"
    char text[LADDER_LOOK_TEXT];        // whole lines below the verdict
} ladder_look;

// Memory for looks, to be freed with ladder_look_free; NULL: there is none.
ladder_look *ladder_look_new(void);
void ladder_look_free(ladder_look *look);

// Asked several times a second: is there something better to do?
typedef bool ladder_look_is_over(void *context);

// Compiles, checks and counts. False when is_over said so before the end; nothing of it runs then.
bool ladder_look_at(ladder_look *look, ladder_look_is_over *is_over, void *context);
