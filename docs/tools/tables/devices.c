// SPDX-License-Identifier: MIT
// Which devices a lab was measured on: see tables.h. A file counts by what it holds, not by its
// name, but that files of micro-ladders are told by theirs.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "stored/card.h"
#include "tables/tables.h"

static const char micro[] = "micro_", ending[] = ".json";

static int is_json(const struct dirent *entry) {
    size_t length = strlen(entry->d_name), end = sizeof ending - 1;
    return length > end && strcmp(entry->d_name + length - end, ending) == 0;
}

// Whether the file's name begins as wanted; files of micro-ladders do not count among the others.
static bool has_prefix(const char *name, const char *prefix) {
    bool is_micro = strncmp(name, micro, sizeof micro - 1) == 0;
    return strncmp(name, prefix, strlen(prefix)) == 0 && (is_micro == (strcmp(prefix, micro) == 0));
}

// The kind stands with the device's other properties, in files of micro-ladders beside its name.
static bool is_of_gpu(const json_t *run) {
    const json_t *device = json_object_get(run, "device");
    const json_t *kind = json_object_get(json_is_object(device) ? device : run, "kind");
    return json_is_string(kind) && strcmp(json_string_value(kind), "gpu") == 0;
}

// Takes a file that is a run of this schema on a GPU in as runs[*count]; the course's card
// comes first. False after a message.
static bool take(const char *folder, const char *name, const char *prefix, const char *wanted,
                 json_t **runs, int *count) {
    char path[4096], first[64];
    json_error_t error;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(first, sizeof first, "%s%s%s", prefix, card_id, ending);
    json_t *run = json_load_file(path, 0, &error);
    if (!run) {
        fprintf(stderr, "ladder-tables: %s, line %d: %s\n", path, error.line, error.text);
        return false;
    }
    const char *schema = json_string_value(json_object_get(run, "schema"));
    if (!schema || strcmp(schema, wanted) != 0 || !is_of_gpu(run) || *count == TABLES_DEVICES) {
        json_decref(run);
        return true;
    }
    int at = strcmp(name, first) == 0 ? 0 : *count;
    memmove(runs + at + 1, runs + at, (size_t)(*count - at) * sizeof *runs);
    runs[at] = run;
    ++*count;
    return true;
}

void tables_fold(FILE *out, const char *card) {
    fprintf(out, "\n<details><summary>%s</summary>\n", card);
}

void tables_unfold(FILE *out) {
    fputs("</details>\n", out);
}

int tables_load_devices(const char *root, const char *lab, const char *prefix, const char *schema,
                        json_t *out_runs[TABLES_DEVICES]) {
    char folder[2048];
    struct dirent **entries = NULL;
    int count = 0;
    bool good = true;
    snprintf(folder, sizeof folder, "%s/labs/%s/measured", root, lab);
    int found = scandir(folder, &entries, is_json, alphasort);
    for (int i = 0; i < found; i++) {
        const char *name = entries[i]->d_name;
        if (good && has_prefix(name, prefix))
            good = take(folder, name, prefix, schema, out_runs, &count);
        free(entries[i]);
    }
    free(entries);
    if (good && count == 0)
        fprintf(stderr, "ladder-tables: %s: no %s file of a GPU\n", folder, schema);
    if (good) return count;
    for (int i = 0; i < count; i++) json_decref(out_runs[i]);
    return 0;
}
