// SPDX-License-Identifier: MIT
// A small JSON writer (RFC 8259): commas, indentation, escaping. Numbers that JSON cannot hold
// (NaN, infinities) are written as null. Text that is not UTF-8 is replaced by U+FFFD. It cannot
// read JSON.
#ifndef KL_JSON_H
#define KL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

enum { KL_JSON_DEPTH = 32 };

// A document that is being written; set by kl_json_begin.
typedef struct kl_json {
    FILE *out;                     // stays open, and the caller's
    int depth;                     // objects and arrays that are open, at most KL_JSON_DEPTH
    bool broken;                   // misuse or a write error; reported by kl_json_finish
    bool has_items[KL_JSON_DEPTH]; // per level: a comma is due before the next item
    bool is_object[KL_JSON_DEPTH]; // per level
    bool is_row[KL_JSON_DEPTH];    // per level: its items follow each other on one line
    bool line_due;                 // before the next item, of a row too
} kl_json;

// Begins a document; nothing is open.
void kl_json_begin(kl_json *json, FILE *out);
// Ends the text with a newline. KL_ERROR_SYSTEM when anything could not be written or did not nest.
kl_status kl_json_finish(kl_json *json, kl_error *err);

// `key` is NULL inside an array and at the top.
void kl_json_object(kl_json *json, const char *key);
void kl_json_array(kl_json *json, const char *key);
// An object (row) and an array (list) on one line, with all that is in it.
void kl_json_row(kl_json *json, const char *key);
void kl_json_list(kl_json *json, const char *key);
// The next item of a row begins a line; what it holds is laid out as if it stood in no row.
void kl_json_line(kl_json *json);
void kl_json_end(kl_json *json); // closes the innermost object or array
void kl_json_string(kl_json *json, const char *key, const char *value); // NULL gives null
void kl_json_int(kl_json *json, const char *key, int64_t value);
void kl_json_uint(kl_json *json, const char *key, uint64_t value);
void kl_json_number(kl_json *json, const char *key, double value);
void kl_json_bool(kl_json *json, const char *key, bool value);
void kl_json_null(kl_json *json, const char *key);

#endif
