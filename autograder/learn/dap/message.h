// SPDX-License-Identifier: MIT
// Messages of the Debug Adapter Protocol as they arrive: JSON (RFC 8259), read into a tree. What
// comes from an editor is not trusted: depth and size are bounded, and damage is an error.
#ifndef LADDER_DAP_MESSAGE_H
#define LADDER_DAP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

typedef enum dap_kind {
    DAP_NULL,
    DAP_BOOL,   // number: 0 or 1
    DAP_NUMBER, // number
    DAP_STRING, // text
    DAP_ARRAY,  // first, and so on by next
    DAP_OBJECT  // likewise, each with a key
} dap_kind;

// A value of a message.
typedef struct dap_value {
    dap_kind kind;           // says which fields hold
    const char *key;         // in an object; else NULL
    const char *text;        // of a string, terminated; a NUL in it is read as U+FFFD
    double number;           // of a number or truth value
    struct dap_value *first; // of an array or object; NULL: empty
    struct dap_value *next;  // behind it in the same array or object
} dap_value;

// Reads one document. `text`: [bytes], terminated; it is changed, and the tree's strings lie in it.
// Free with dap_free.
kl_status dap_parse(char *text, size_t bytes, dap_value **out_value, kl_error *err);
void dap_free(dap_value *value);

// The member of this name; NULL: it has none, or is no object. `object` may be NULL.
const dap_value *dap_get(const dap_value *object, const char *key);
// Likewise of one type, else `otherwise`.
const char *dap_text(const dap_value *object, const char *key, const char *otherwise);
bool dap_flag(const dap_value *object, const char *key, bool otherwise);
uint64_t dap_uint(const dap_value *object, const char *key, uint64_t otherwise);

#endif
