// SPDX-License-Identifier: MIT
// Messages of the Debug Adapter Protocol as they arrive: JSON, which Jansson reads. What comes from
// an editor is not trusted: a member that is missing or of another type reads as its default.
#ifndef LADDER_DAP_MESSAGE_H
#define LADDER_DAP_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

// Reads one document, an object or an array; `text`: [bytes]. Free with json_decref.
kl_status dap_parse(const char *text, size_t bytes, json_t **out_value, kl_error *err);

// The member of this name, if it is of this type; else `otherwise`, as well where `object` is NULL
// or no object. An integer may be written as 3.0.
const char *dap_text(const json_t *object, const char *key, const char *otherwise);
bool dap_flag(const json_t *object, const char *key, bool otherwise);
uint64_t dap_uint(const json_t *object, const char *key, uint64_t otherwise);

#endif
