// SPDX-License-Identifier: MIT
// The file of last results: see last_results.h. It begins with its schema; then a line per entry,
// the newest first, fields separated by tabs: kind, step, hash of the step's file, time, "good" or
// "bad", "all" or "some" cases, state, text.
#include "last_results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "atomic_file.h"

static const char schema[] = "ladder.last-results/1\n";
static const char *const kinds[] = {"run", "check"};

// Cuts the next field from *at; NULL at the line's end.
static char *next_field(char **at) {
    return *at ? strsep(at, "\t\n") : NULL;
}

static bool read_entry(char *line, kl_last_result *out) {
    enum { FIELDS = 8 };
    char *fields[FIELDS], *at = line;
    for (int i = 0; i < FIELDS; i++)
        if (!(fields[i] = next_field(&at))) return false;
    *out = (kl_last_result){
        .kind = strcmp(fields[0], kinds[KL_RESULT_OF_CHECK]) == 0 ? KL_RESULT_OF_CHECK
                                                                  : KL_RESULT_OF_RUN,
        .step = (int)strtol(fields[1], NULL, 10),
        .hash = strtoull(fields[2], NULL, 16),
        .when_s = strtoll(fields[3], NULL, 10),
        .good = strcmp(fields[4], "good") == 0,
        .whole = strcmp(fields[5], "all") == 0,
    };
    snprintf(out->state, sizeof out->state, "%s", fields[6]);
    snprintf(out->text, sizeof out->text, "%s", fields[7]);
    return strcmp(fields[0], kinds[out->kind]) == 0;
}

int kl_last_results_read(const char *file, kl_last_result *out_results) {
    char *line = NULL;
    size_t capacity = 0;
    int count = 0;
    FILE *in = fopen(file, "r");
    if (!in) return 0;
    bool known = getline(&line, &capacity, in) > 0 && strcmp(line, schema) == 0;
    while (known && count < KL_LAST_RESULTS && getline(&line, &capacity, in) > 0)
        if (read_entry(line, &out_results[count])) count++;
    free(line);
    fclose(in);
    return count;
}

// A field on one line: what separates fields and lines becomes a blank.
static void write_field(FILE *out, const char *text, char end) {
    for (; *text != '\0'; text++) fputc(strchr("\t\n\r", *text) ? ' ' : *text, out);
    fputc(end, out);
}

static void write_entry(FILE *out, const kl_last_result *r) {
    fprintf(out, "%s\t%d\t%" PRIx64 "\t%" PRId64 "\t%s\t%s\t", kinds[r->kind], r->step, r->hash,
            r->when_s, r->good ? "good" : "bad", r->whole ? "all" : "some");
    write_field(out, r->state, '\t');
    write_field(out, r->text, '\n');
}

typedef struct entries {
    const kl_last_result *fresh, *old; // old: [count]
    int count;
} entries;

static bool is_same(const kl_last_result *a, const kl_last_result *b) {
    return a->kind == b->kind && a->step == b->step;
}

static kl_status write_entries(void *context, FILE *out, kl_error *err) {
    const entries *e = context;
    (void)err; // kl_file_replace notices what could not be written
    fputs(schema, out);
    write_entry(out, e->fresh);
    for (int i = 0; i < e->count && i < KL_LAST_RESULTS - 1; i++)
        if (!is_same(&e->old[i], e->fresh)) write_entry(out, &e->old[i]);
    return KL_OK;
}

kl_status kl_last_result_keep(const char *file, const kl_last_result *result, kl_error *err) {
    kl_last_result *old = calloc(KL_LAST_RESULTS, sizeof *old), fresh = *result;
    if (!old) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the last results");
    entries e = {&fresh, old, kl_last_results_read(file, old)};
    if (fresh.when_s == 0) fresh.when_s = (int64_t)time(NULL);
    for (int i = 0; i < e.count && fresh.good && !fresh.whole; i++) {
        if (!is_same(&old[i], &fresh) || old[i].hash != fresh.hash) continue;
        int64_t when_s = fresh.when_s; // the step was looked at now, and is as it was
        if (!old[i].good || old[i].whole) fresh = old[i];
        fresh.when_s = when_s;
    }
    kl_status status = kl_file_replace(file, write_entries, &e, err);
    free(old);
    return status;
}

const kl_last_result *kl_last_result_find(const kl_last_result *results, int count,
                                          kl_result_kind kind, int step, uint64_t hash) {
    for (int i = 0; i < count; i++)
        if (results[i].kind == kind && results[i].step == step && results[i].hash == hash)
            return &results[i];
    return NULL;
}
