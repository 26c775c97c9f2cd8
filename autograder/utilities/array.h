// SPDX-License-Identifier: MIT
// Elements of an array by their indices, as its declaration in the source has them.
#ifndef LADDER_KIT_ARRAY_H
#define LADDER_KIT_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of a variable, and an access to it.
typedef struct ladder_array {
    const char *name;
    uint64_t bytes; // 0: not known, as of dynamic shared memory
    uint64_t offset_bytes;
    uint32_t access_bytes;
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

#endif
