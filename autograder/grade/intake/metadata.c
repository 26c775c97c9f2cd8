// SPDX-License-Identifier: MIT
// submission_metadata.yml of a Gradescope export: see metadata.h.
#include "grade/intake/metadata.h"

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
    char doubled = quoted && at[-1] == '\'' ? '\'' : '\0'; // 'O''Brien'
    size_t used = 0;
    for (; at < end && used + 1 < capacity; at++) {
        if (at + 1 < end && ((*at == doubled && at[1] == doubled) || // "A \"B\" C"
                             (quoted && doubled == '\0' && *at == '\\')))
            at++;
        out[used++] = *at;
    }
    out[used] = '\0';
    return true;
}

static void take_line(const char *line, size_t length, ladder_metadata *out) {
    char value[LADDER_TITLE];
    int last = out->count - 1;
    if (value_of(line, length, ":name:", value, sizeof value)) {
        size_t used = strlen(out->names);
        snprintf(out->names + used, sizeof out->names - used, "%s%s", used > 0 ? ", " : "", value);
        if (out->count == LADDER_SUBMITTERS_MAX) return;
        snprintf(out->members[out->count++].name, LADDER_TITLE, "%s", value);
    } else if (value_of(line, length, ":sid:", value, sizeof value) ||
               value_of(line, length, ":email:", value, sizeof value)) {
        if (out->user[0] == '\0') snprintf(out->user, sizeof out->user, "%.63s", value);
        char *ids = last >= 0 ? out->members[last].ids : NULL;
        size_t used = ids ? strlen(ids) : 0;
        if (ids && value[0] != '\0')
            snprintf(ids + used, LADDER_TITLE - used, "%s%s", used > 0 ? "\t" : "", value);
    } else if (out->submitted[0] == '\0' &&
               value_of(line, length, ":created_at:", value, sizeof value)) {
        snprintf(out->submitted, sizeof out->submitted, "%.39s", value);
    }
}

static bool is_key(const char *line) {
    return line[0] != ' ' && line[0] != '-' && line[0] != '\r' && line[0] != '\n' &&
           line[0] != '\0';
}

bool ladder_metadata_next(const char **at, char out_folder[NAME_MAX + 1]) {
    bool found = false;
    while (!found && **at != '\0') {
        const char *line = *at;
        size_t length = strcspn(line, "\n"), name = strcspn(line, ":\r\n");
        found = is_key(line) && name < length && line[name] == ':' && name <= NAME_MAX &&
                strncmp(line, "submission_", 11) == 0;
        if (found) snprintf(out_folder, NAME_MAX + 1, "%.*s", (int)name, line);
        *at += length + (line[length] == '\n');
    }
    return found;
}

void ladder_metadata_find(const char *text, const char *folder, ladder_metadata *out_metadata) {
    size_t folder_length = strlen(folder);
    bool inside = false;
    memset(out_metadata, 0, sizeof *out_metadata);
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        if (is_key(line))
            inside = length > folder_length && strncmp(line, folder, folder_length) == 0 &&
                     line[folder_length] == ':';
        else if (inside && strncmp(line, "  :history:", 11) == 0)
            inside = false; // earlier attempts, with times of their own
        else if (inside)
            take_line(line, length, out_metadata);
        line += length + (line[length] == '\n');
    }
}
