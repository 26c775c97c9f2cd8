// SPDX-License-Identifier: MIT
// One finding of the simulator's checker as a paragraph for people: what, where on both sides with
// the line of source, which threads, which memory, why. Fits 80 columns.
#ifndef LADDER_KIT_FINDING_H
#define LADDER_KIT_FINDING_H

#include <stdio.h>

#include "device/findings.h"
#include "table.h"

// Where lines of source come from: the one file `name` (without folders) with this text. Line
// numbers and paths of a kernel are what its author's compiler was told, so that with a file of a
// stranger no other file must be read.
typedef struct ladder_finding_source {
    const char *name, *text; // terminated
} ladder_finding_source;

// source NULL: the files that the finding names are read.
void ladder_finding_print(const sim_finding *finding, const ladder_finding_source *source,
                          const kl_style *style, FILE *out);

// Of the same paragraph only who did it and to which memory, a line each: "read at a.cu:12",
// "thread (1,0,0) of block (0,0,0)", "4 bytes of shared memory at 0x284: tile[161]".
void ladder_finding_sides(const sim_finding *finding, FILE *out);

// "race: two threads of a block access one address, unordered", then `more` and a line end.
void ladder_finding_heading(const sim_finding *finding, const kl_style *style, const char *more,
                            FILE *out);

// "2_strided.cu:37", "2_strided.cu:37 and :41", "kernel name" without a line. Returns `text`.
const char *ladder_finding_place(const sim_finding *finding, char *text, size_t text_bytes);

#endif
