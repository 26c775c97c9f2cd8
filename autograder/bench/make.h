// SPDX-License-Identifier: MIT
// A class that does not exist: submissions of a lab made from its solution, its skeleton and its
// published wrong kernels, many of them equal or nearly so, some of them broken archives.
#ifndef LADDER_BENCH_MAKE_H
#define LADDER_BENCH_MAKE_H

#include <stddef.h>
#include <stdint.h>

#include "grade/rubric/lab_files.h"

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

#endif
