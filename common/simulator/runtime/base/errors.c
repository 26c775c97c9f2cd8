// SPDX-License-Identifier: MIT
// Names and texts of cudaError_t, from errors.def. Pure tables: works without a device.
#include "runtime/base/errors.h"

#include <stddef.h>

typedef struct error_row {
    int value;
    const char *name, *text;
} error_row;

static const error_row rows[] = {
#define RUNTIME_ERROR(code, number, words) {number, #code, words},
#include "runtime/base/errors.def"
#undef RUNTIME_ERROR
};

#define RUNTIME_ERROR(code, number, words) _Static_assert((int)(code) == (number), #code);
#include "runtime/base/errors.def"
#undef RUNTIME_ERROR

static const char unknown[] = "unrecognized error code"; // as the real runtime says it

static const error_row *find(cudaError_t error) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value == (int)error) return &rows[i];
    return NULL;
}

const char *runtime_error_name(cudaError_t error) {
    const error_row *row = find(error);
    return row ? row->name : unknown;
}

const char *runtime_error_text(cudaError_t error) {
    const error_row *row = find(error);
    return row ? row->text : unknown;
}
