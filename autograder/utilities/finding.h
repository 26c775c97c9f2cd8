// One finding of the simulator's checker as a paragraph for people: what, where on both sides with
// the line of source, which threads, which memory, why. Fits 80 columns.
#pragma once

#include "device/report.h"
#include "table.h"

// ---- finding.c ----------------------------------------------------------------------------------

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

// False: it is of the width of an index (INDEX_WIDTH), and the bound is not the number of elements
// of the case in which it was found.
static inline bool ladder_finding_is_of(const sim_finding *finding, int64_t size) {
    return finding->kind != SIM_CHECK_INDEX_WIDTH || (int64_t)finding->bound == size;
}

// What it says for people: kernels and parameters by their names in the source. Returns `text`.
const char *ladder_finding_text(const sim_finding *finding, const ladder_finding_source *source,
                                char *text, size_t text_bytes);

// "2_strided.cu:37", "2_strided.cu:37 and :41", "kernel name" without a line. Returns `text`.
const char *ladder_finding_place(const sim_finding *finding, char *text, size_t text_bytes);

// ---- array.c ------------------------------------------------------------------------------------
// Elements of an array by their indices, as its declaration in the source has them.

// Bytes of a variable, and an access to it.
typedef struct ladder_array {
    const char *name;      // as the source has it
    uint64_t bytes;        // of the variable; 0: not known, as of dynamic shared memory
    uint64_t offset_bytes; // of the access, from the variable's begin
    uint32_t access_bytes; // its width
} ladder_array;

// "[3][31]" for the first element that is accessed; "" for a plain variable. False when nothing is
// certain: the access begins inside an element, or rows have a length that cannot be told. source:
// text in which `name` is declared, or NULL. Sizes that are numbers, #defines, constants or sums
// and products of these are understood.
bool ladder_array_index(const ladder_array *array, const char *source, char *text,
                        size_t text_bytes);
// The declaration of a variable of device or shared memory up to its name, "__shared__ float ": the
// last one of this name that begins no later than `line` (from 1), or the first. False: none.
bool ladder_array_declared(const char *source, const char *name, uint32_t line, char *text,
                           size_t text_bytes);

// ---- local.c ------------------------------------------------------------------------------------

// The local variables without a value, at their declaration, that the statement in `line` (from 1)
// names: "s", "at or best". type: what the declaration has, as "matrix_a" ("": anything). Returns
// the line in which the first one is declared; 0: there are none.
uint32_t ladder_unset_names(const char *source, uint32_t line, const char *type, char *text,
                            size_t text_bytes);

// ---- value.c ------------------------------------------------------------------------------------
// Values in device memory as numbers of the type that the source gives them.

// "-7", "0.5", "(1, 2)" for the value of one side of a finding: of the type that `declared`, the
// declaration up to the variable's name, names ("__shared__ unsigned char"); where that is no type
// of one number (NULL, a structure, a template's parameter), of the type that the instruction has.
// Where neither says it, the word in hexadecimal and what it is as an integer and as a float.
void ladder_value_text(const sim_check_side *side, const char *declared, char *text,
                       size_t text_bytes);
