// SPDX-License-Identifier: MIT
// A rubric without its hidden parts: see handout.h. One that has none is handed out as it is, byte
// for byte.
#include <stdlib.h>
#include <string.h>

#include "course/handout/handout.h"
#include "ladder_config.h"

#if LADDER_HAVE_JANSSON
#include <jansson.h>

// Takes the hidden members out of a list of objects.
static int remove_hidden(json_t *list) {
    int removed = 0;
    for (size_t i = json_array_size(list); i-- > 0;) {
        const json_t *hidden = json_object_get(json_array_get(list, i), "hidden");
        if (!json_is_true(hidden) && !json_is_string(hidden)) continue;
        json_array_remove(list, i);
        removed++;
    }
    return removed;
}

kl_status ladder_handout_rubric(const char *name, const char *text, char **out_text,
                                int *out_hidden, kl_error *err) {
    enum { DIGITS = 15 }; // of a number, as somebody wrote it
    json_error_t error;
    int removed = 0;
    *out_text = NULL;
    json_t *rubric = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!rubric) return kl_fail(err, KL_ERROR_INPUT, "%s:%d: %s", name, error.line, error.text);
    json_t *steps = json_object_get(rubric, "steps");
    for (size_t i = 0; i < json_array_size(steps); i++)
        removed += remove_hidden(json_object_get(json_array_get(steps, i), "criteria"));
    *out_text = removed > 0 ? json_dumps(rubric, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS))
                            : strdup(text);
    json_decref(rubric);
    *out_hidden += removed;
    return *out_text ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for %s", name);
}
#else
kl_status ladder_handout_rubric(const char *name, const char *text, char **out_text,
                                int *out_hidden, kl_error *err) {
    (void)out_hidden;
    if (strstr(text, "\"hidden\""))
        return kl_fail(err, KL_ERROR_SYSTEM,
                       "%s has hidden parts; to take them out, this kit has to be built with "
                       "Jansson (Debian: libjansson-dev)",
                       name);
    *out_text = strdup(text);
    return *out_text ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for %s", name);
}
#endif
