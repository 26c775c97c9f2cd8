// Errors and attributes by their numbers. Pure tables.
#include "device/device.h"
#include <string.h>

typedef struct error_row {
    int value;
    const char *name, *text;
} error_row;

// The last row: numbers that are no error, as the real runtime says it.
static const error_row rows[] = {
#define RUNTIME_ERROR(code, number, words) {number, #code, words},
#include "device/errors.def"
#undef RUNTIME_ERROR
    {-1, "unrecognized error code", "unrecognized error code"}};

enum { ROWS = sizeof rows / sizeof *rows };

static size_t row_of(int err) {
    for (size_t i = 0; i + 1 < ROWS; i++)
        if (rows[i].value == err) return i;
    return ROWS - 1;
}

const char *sim_error_name(int err) { return rows[row_of(err)].name; }

const char *sim_error_text(int err) { return rows[row_of(err)].text; }

size_t sim_error_strings(char *out_text, size_t bytes) {
    size_t used = 0;
    for (size_t i = 0; i < 2 * ROWS; i++) {
        const char *text = i % 2 ? rows[i / 2].text : rows[i / 2].name;
        size_t length = strlen(text) + 1;
        if (used + length <= bytes) memcpy(out_text + used, text, length);
        used += length;
    }
    return used;
}

size_t sim_error_string_at(int err, bool is_name) {
    size_t row = row_of(err), at = 0;
    for (size_t i = 0; i < row; i++) at += strlen(rows[i].name) + strlen(rows[i].text) + 2;
    return is_name ? at : at + strlen(rows[row].name) + 1;
}

bool sim_attribute(const sim_device *d, int attribute, int *out_value) {
    switch (attribute) {
#define RUNTIME_ATTRIBUTE(id, number, value)                                                       \
    case number:                                                                                   \
        *out_value = (int)(value);                                                                 \
        return true;
#define RUNTIME_DRIVER_ATTRIBUTE RUNTIME_ATTRIBUTE
#include "device/attributes.def"
#undef RUNTIME_ATTRIBUTE
    default: return false;
    }
}
