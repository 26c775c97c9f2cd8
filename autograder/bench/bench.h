// What the benchmarks of `ladder bench class` share.
#pragma once

#include "grade/rubric/lab_files.h"
#include <sys/types.h>

// ---- make.c -------------------------------------------------------------------------------------
// A class that does not exist: submissions of a lab made from its solution, its skeleton and its
// published wrong kernels, many of them equal or nearly so, some of them broken archives.

typedef struct bench_student {
    char name[32];   // of the entry in the folder: "s0001", "s0002.zip"
    char label[320]; // students of one label must get one score
    int origin;      // whose work it is a copy of; itself if it is none
} bench_student;

typedef struct bench_class {
    const ladder_kit *kit;
    const ladder_lab *lab;
    const char *folder; // exists, is empty
    int steps;          // that everybody hands in, the first ones of the lab
    uint64_t seed;
    size_t count;
    bench_student *students; // [count]
} bench_class;

// Writes the submissions and fills the students.
kl_status bench_make(const bench_class *class, kl_error *err);

// ---- rename.c -----------------------------------------------------------------------------------
// A step's file as another student might have written it: the same code with other names.

// Gives every variable and parameter that the text declares a name with `tail` behind it. Caller
// frees *out_text.
kl_status bench_rename(const char *text, const char *tail, char **out_text, kl_error *err);

// ---- memory -------------------------------------------------------------------------------------
// Memory of a process and of all its descendants, as /proc tells it now.

typedef struct bench_memory {
    double own_bytes; // resident, of the process itself
    double all_bytes; // resident, with its descendants; pages that they share count for each
} bench_memory;

bench_memory bench_memory_of(pid_t process);
