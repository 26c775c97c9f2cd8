// The file of past runs: see ladder.h. A line an entry, fields separated by tabs: kind and name
// of the device, "yours" or "solution", step, case, size, hash of the step's file; then the time
// in microseconds and what was counted, as NAME=VALUE. The file begins with its schema.
#include "ladder.h"
#include "atomic_file.h"

enum { KEY_BYTES = 512, ENTRIES_MAX = 400 };

static const char schema[] = "ladder.past-runs/1\n";

// The fields that tell an entry from others, each with a tab behind it.
static void write_key(const kl_past_key *key, char *text) {
    int used = snprintf(text, KEY_BYTES, "%s %.200s\t%s\t%d\t%.64s\t%" PRId64 "\t",
                        key->device->simulated ? "sim" : "gpu", key->device->name,
                        key->solution ? "solution" : "yours", key->step, key->family, key->size);
    (void)used;
}

static void read_counts(char *text, kl_counts *out_counts) {
    memset(out_counts, 0, sizeof *out_counts);
    while (kl_counts_name(out_counts->count) && out_counts->count < KL_COUNTS_MAX)
        out_counts->count++;
    for (char *field = strtok(text, "\t\n"); field; field = strtok(NULL, "\t\n")) {
        char *value = strchr(field, '=');
        if (!value) continue;
        *value++ = '\0';
        for (int i = 0; i < out_counts->count; i++)
            if (strcmp(kl_counts_name(i), field) == 0) out_counts->values[i] = strtod(value, NULL);
    }
}

void kl_past_find(const char *file, const char *step_folder, const kl_past_key *key,
                  kl_past_run *out_run) {
    char wanted[KEY_BYTES], *line = NULL;
    size_t capacity = 0;
    *out_run = (kl_past_run){.state = KL_PAST_NONE, .time_us = NAN};
    FILE *in = fopen(file, "r");
    if (!in) return;
    write_key(key, wanted);
    bool known = getline(&line, &capacity, in) > 0 && strcmp(line, schema) == 0;
    while (known && getline(&line, &capacity, in) > 0) {
        if (strncmp(line, wanted, strlen(wanted)) != 0) continue;
        char *rest = line + strlen(wanted);
        uint64_t hash = strtoull(rest, &rest, 16);
        bool same = hash == kl_step_source_hash(step_folder, key->step);
        out_run->state = same ? KL_PAST_KNOWN : KL_PAST_STALE;
        if (!same) break;
        out_run->time_us = strtod(rest, &rest);
        bool counted = strchr(rest, '=');
        read_counts(rest, &out_run->counts);
        if (!counted) out_run->counts.count = 0;
        break;
    }
    free(line);
    fclose(in);
}

static void write_entry(FILE *out, const char *key, uint64_t hash, double time_us,
                        const kl_counts *counts) {
    fprintf(out, "%s%" PRIx64 "\t%.17g", key, hash, time_us);
    for (int i = 0; i < counts->count; i++)
        if (counts->values[i] != 0)
            fprintf(out, "\t%s=%.17g", kl_counts_name(i), counts->values[i]);
    fputc('\n', out);
}

// The other entries, the newest of them first.
static void copy_others(const char *file, const char *key, FILE *out) {
    char *line = NULL;
    size_t capacity = 0;
    FILE *in = fopen(file, "r");
    if (!in) return;
    bool known = getline(&line, &capacity, in) > 0 && strcmp(line, schema) == 0;
    for (int i = 0; known && i < ENTRIES_MAX && getline(&line, &capacity, in) > 0; i++)
        if (strncmp(line, key, strlen(key)) != 0) fputs(line, out);
    free(line);
    fclose(in);
}

typedef struct entry {
    const char *file, *key;
    uint64_t hash;
    double time_us;
    const kl_counts *counts;
} entry;

static kl_status write_entries(void *context, FILE *out, kl_error *err) {
    const entry *e = context;
    (void)err; // kl_file_update notices what could not be written
    fputs(schema, out);
    write_entry(out, e->key, e->hash, e->time_us, e->counts);
    copy_others(e->file, e->key, out);
    return KL_OK;
}

kl_status kl_past_keep(const char *file, const char *step_folder, const kl_past_key *key,
                       double time_us, const kl_counts *counts, kl_error *err) {
    char text[KEY_BYTES];
    write_key(key, text);
    entry fresh = {file, text, kl_step_source_hash(step_folder, key->step), time_us, counts};
    return kl_file_update(file, write_entries, &fresh, err);
}
