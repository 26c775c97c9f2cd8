// SPDX-License-Identifier: MIT
// What an editor sends: see message.h.
#include "learn/dap/message.h"

#include <string.h>

// Jansson passes over a NUL byte behind a number: it is refused here.
kl_status dap_parse(const char *text, size_t bytes, json_t **out_value, kl_error *err) {
    json_error_t why = {.position = 0};
    const char *nul = memchr(text, '\0', bytes);
    *out_value = nul ? NULL : json_loadb(text, bytes, 0, &why);
    if (*out_value) return KL_OK;
    int at = nul ? (int)(nul - text) : why.position;
    return kl_fail(err, KL_ERROR_INPUT, "The message is no JSON: byte %d.", at);
}

const char *dap_text(const json_t *object, const char *key, const char *otherwise) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : otherwise;
}

bool dap_flag(const json_t *object, const char *key, bool otherwise) {
    const json_t *found = json_object_get(object, key);
    return json_is_boolean(found) ? json_is_true(found) : otherwise;
}

uint64_t dap_uint(const json_t *object, const char *key, uint64_t otherwise) {
    const double most = 9007199254740992.0; // 2^53: integers beyond it are not exact
    const json_t *found = json_object_get(object, key);
    double number = json_is_number(found) ? json_number_value(found) : -1;
    return number >= 0 && number <= most ? (uint64_t)number : otherwise;
}
