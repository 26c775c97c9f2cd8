// SPDX-License-Identifier: MIT
// submission_metadata.yml of a Gradescope export: see metadata.h.
#include "grade/intake/metadata.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// The value of "  - :key: value" when the line has that key; quotes are taken off.
static bool value_of(const char *line, size_t length, const char *key, char *out, size_t capacity) {
    size_t skipped = strspn(line, " -"), key_length = strlen(key);
    if (skipped + key_length > length || strncmp(line + skipped, key, key_length) != 0)
        return false;
    const char *at = line + skipped + key_length, *end = line + length;
    while (at < end && *at == ' ') at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\r')) end--;
    bool quoted = end - at >= 2 && (*at == '\'' || *at == '"') && end[-1] == *at;
    if (quoted) {
        at++;
        end--;
    }
    snprintf(out, capacity, "%.*s", (int)(end - at), at);
    return true;
}

static void take_line(const char *line, size_t length, ladder_metadata *out) {
    char value[200];
    if (value_of(line, length, ":name:", value, sizeof value)) {
        size_t used = strlen(out->names);
        snprintf(out->names + used, sizeof out->names - used, "%s%s", used > 0 ? ", " : "", value);
    } else if (out->user[0] == '\0' && (value_of(line, length, ":sid:", value, sizeof value) ||
                                        value_of(line, length, ":email:", value, sizeof value))) {
        snprintf(out->user, sizeof out->user, "%.63s", value);
    } else if (out->submitted[0] == '\0' &&
               value_of(line, length, ":created_at:", value, sizeof value)) {
        snprintf(out->submitted, sizeof out->submitted, "%.39s", value);
    }
}

void ladder_metadata_find(const char *text, const char *folder, ladder_metadata *out_metadata) {
    size_t folder_length = strlen(folder);
    bool inside = false;
    memset(out_metadata, 0, sizeof *out_metadata);
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        bool is_key = line[0] != ' ' && line[0] != '-' && line[0] != '\r' && length > 0;
        if (is_key)
            inside = length > folder_length && strncmp(line, folder, folder_length) == 0 &&
                     line[folder_length] == ':';
        else if (inside && strncmp(line, "  :history:", 11) == 0)
            inside = false; // earlier attempts, with times of their own
        else if (inside)
            take_line(line, length, out_metadata);
        line += length + (line[length] == '\n');
    }
}
