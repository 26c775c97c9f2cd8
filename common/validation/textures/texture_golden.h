// Golden files of texture_program, little-endian without alignment: "KLTXGLD1", the device's name
// (64 bytes), u32 number of records; a record: id (80 bytes), u32 error, and without an error
// TEXTURE_TUPLES x TEXTURE_WORDS u32 results. Coordinates follow from the case and are not stored.
#pragma once

#include <stdio.h>

#include "texture_program.h"

typedef struct texture_record {
    char id[80];
    uint32_t err; // cudaError_t
    uint32_t tuples[TEXTURE_TUPLES][TEXTURE_WORDS];
    uint32_t results[TEXTURE_TUPLES][TEXTURE_WORDS];
} texture_record;

bool texture_golden_write_header(FILE *file, size_t count);
bool texture_golden_read_header(FILE *file, size_t count);
bool texture_golden_write(FILE *file, const texture_record *record);
// Leaves `tuples` alone.
bool texture_golden_read(FILE *file, texture_record *record);
