// Runs that the lab's program keeps: see log.h. A line of the file: kind and name of the device,
// "yours" or "solution", step, case, size, hash of the step's file, microseconds, counts.
#include "learn/log/log.h"

// Cuts the next field off *at; NULL: there is none.
static char *next_field(char **at) { return *at ? strsep(at, "\t") : NULL; }

static bool read_run(const ladder_kit *kit, const ladder_lab *lab, char *line, ladder_past *out) {
    char *at = line, source[LADDER_PATH];
    line[strcspn(line, "\n")] = '\0';
    const char *device = next_field(&at), *whose = next_field(&at), *step = next_field(&at);
    const char *family = next_field(&at), *size = next_field(&at), *hash = next_field(&at);
    const char *time = next_field(&at);
    if (!time || strcmp(whose, "yours") != 0) return false;
    memset(out, 0, sizeof *out);
    snprintf(out->device, sizeof out->device, "%s", device);
    snprintf(out->family, sizeof out->family, "%s", family);
    out->step = atoi(step);
    out->size = strtoll(size, NULL, 10);
    out->time_us = strtod(time, NULL);
    if (at) snprintf(out->counts, sizeof out->counts, "%s", at);
    const kl_step_info *info = kl_problem_step(lab->problem, out->step);
    if (!info || ladder_kit_step_file(kit, lab, info, false, source, NULL) != KL_OK) return false;
    out->now = strtoull(hash, NULL, 16) == kl_step_file_hash(source);
    return out->time_us > 0;
}

kl_status ladder_past_read(const ladder_kit *kit, const ladder_lab *lab, ladder_past **out_list,
                           int *out_count, kl_error *err) {
    char path[LADDER_PATH], *line = NULL;
    size_t capacity = 0;
    *out_count = 0;
    *out_list = NULL;
    TRY(ladder_path(path, err, "%s/labs/%s/past_runs.txt", kit->build, lab->folder));
    ladder_past *list = calloc(LADDER_PAST_MAX, sizeof *list);
    if (!list) return kl_fail(err, KL_ERROR_MEMORY, "no memory for runs");
    FILE *in = fopen(path, "r");
    while (in && *out_count < LADDER_PAST_MAX && getline(&line, &capacity, in) > 0)
        *out_count += read_run(kit, lab, line, &list[*out_count]);
    free(line);
    if (in) fclose(in);
    *out_list = list;
    return KL_OK;
}

static double one_count(const char *counts, const char *name, size_t length) {
    for (const char *at = counts; *at != '\0'; at += *at == '\t') {
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return strtod(at + length + 1, NULL);
        at += strcspn(at, "\t");
    }
    return 0; // the file leaves zeros out
}

double ladder_past_sum(const ladder_past *run, const char *counters) {
    double sum = 0;
    if (run->counts[0] == '\0') return NAN;
    while (*counters != '\0') {
        size_t length = strcspn(counters, " ");
        sum += one_count(run->counts, counters, length);
        counters += length;
        counters += strspn(counters, " ");
    }
    return sum;
}
