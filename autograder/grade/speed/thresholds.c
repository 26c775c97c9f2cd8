// Speed thresholds of one card: see speed.h.
#include "grade/speed/speed.h"

enum { FILE_MAX = 64 << 10 };
static const char schema[] = "ladder.thresholds/3";

const ladder_calibrated *ladder_thresholds_find(const ladder_thresholds *thresholds, int step,
                                                const ladder_criterion *criterion) {
    for (int i = 0; thresholds && i < thresholds->count; i++) {
        const ladder_calibrated *row = &thresholds->rows[i];
        if (row->step == step && row->over == criterion->over && row->size == criterion->size &&
            strcmp(row->family, criterion->family) == 0)
            return row;
    }
    return NULL;
}

kl_status ladder_thresholds_path(const ladder_kit *kit, const ladder_lab *lab, const char *card,
                                 char *out, kl_error *err) {
    char name[128];
    size_t used = 0;
    for (const char *c = card; *c != '\0' && used + 1 < sizeof name; c++) {
        bool plain = isalnum((unsigned char)*c) != 0;
        if (plain) name[used++] = (char)tolower((unsigned char)*c);
        else if (used > 0 && name[used - 1] != '_') name[used++] = '_';
    }
    while (used > 0 && name[used - 1] == '_') used--;
    name[used] = '\0';
    if (used == 0) return kl_fail(err, KL_ERROR_SYSTEM, "the driver gives the card no name");
    return ladder_path(out, err, "%s/labs/%s/thresholds/%s.txt", kit->source, lab->folder, name);
}

// One line of a criterion. False when it is none.
static bool parse_row(const char *line, ladder_calibrated *row) {
    char full[40], zero[40], *full_end, *zero_end, more;
    *row = (ladder_calibrated){.step = -1};
    if (sscanf(line, "%d %d %63s %" SCNd64 " %lf %lf %lf %lf %lf %lf %lf %39s %39s %c", &row->step,
               &row->over, row->family, &row->size, &row->naive, &row->gain.mid, &row->gain.low,
               &row->gain.high, &row->itself.low, &row->itself.high, &row->seconds, full, zero,
               &more) != 13)
        return false;
    row->left_out = strcmp(full, "-") == 0 && strcmp(zero, "-") == 0;
    if (row->left_out) return true;
    row->threshold.full = strtod(full, &full_end);
    row->threshold.zero = strtod(zero, &zero_end);
    return *full_end == '\0' && *zero_end == '\0' && row->threshold.zero >= 1 &&
           row->threshold.full > row->threshold.zero && row->threshold.full < 1e9;
}

// The next line that is no remark, terminated; NULL at the end.
static char *next_line(char **at, int *number) {
    while (**at != '\0') {
        char *line = *at, *end = strchr(line, '\n');
        *at = end ? end + 1 : line + strlen(line);
        if (end) *end = '\0';
        ++*number;
        if (line[0] != '#') return line;
    }
    return NULL;
}

// part: the end is not there yet.
static kl_status parse(char *text, const char *path, const ladder_lab *lab, const char *card,
                       bool part, ladder_thresholds *out, kl_error *err) {
    int number = 0;
    const char *expected[3] = {schema, NULL, NULL}, *line;
    char lab_line[80], card_line[160];
    snprintf(lab_line, sizeof lab_line, "lab %s", lab->folder);
    snprintf(card_line, sizeof card_line, "card %s", card);
    expected[1] = lab_line;
    expected[2] = card_line;
    for (int i = 0; i < 3; i++) {
        line = next_line(&text, &number);
        if (!line || strcmp(line, expected[i]) != 0) {
            return kl_fail(err, KL_ERROR_INPUT,
                           "%s:%d: expected \"%s\"; make it again: ./ladder calibrate", path,
                           number, expected[i]);
        }
    }
    snprintf(out->lab, sizeof out->lab, "%s", lab->folder);
    snprintf(out->card, sizeof out->card, "%s", card);
    ladder_rubric_speed_hash(lab->rubric, out->rubric);
    char rubric_line[40];
    snprintf(rubric_line, sizeof rubric_line, "rubric %s", out->rubric);
    line = next_line(&text, &number);
    if (!line || strcmp(line, rubric_line) != 0) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s was measured for other speed criteria than the lab's rubric has now; "
                       "make it again: ./ladder calibrate %s --write (or delete the file: then the "
                       "rubric's own thresholds are used)",
                       path, lab->folder);
    }
    while ((line = next_line(&text, &number))) {
        if (strcmp(line, "end") == 0) return KL_OK;
        if (out->count == LADDER_CALIBRATED_MAX || !parse_row(line, &out->rows[out->count])) {
            return kl_fail(err, KL_ERROR_INPUT,
                           "%s:%d: no line of a criterion; make it again: ./ladder calibrate", path,
                           number);
        }
        out->count++;
    }
    if (part) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "%s: its end is missing; make it again: ./ladder calibrate",
                   path);
}

kl_status ladder_thresholds_part(const char *path, char *out, kl_error *err) {
    const char *ending = strrchr(path, '.');
    int length = ending ? (int)(ending - path) : (int)strlen(path);
    return ladder_path(out, err, "%.*s.part", length, path);
}

kl_status ladder_thresholds_read(const char *path, bool part, const ladder_lab *lab,
                                 const char *card, ladder_thresholds *out_thresholds,
                                 kl_error *err) {
    char *text = NULL;
    memset(out_thresholds, 0, sizeof *out_thresholds);
    if (part && !ladder_file_exists(path)) return KL_OK;
    TRY(ladder_file_read(AT_FDCWD, path, FILE_MAX, &text, NULL, err));
    kl_status status = parse(text, path, lab, card, part, out_thresholds, err);
    free(text);
    return status;
}

// A table of thresholds on its way to a file.
typedef struct written {
    const ladder_thresholds *thresholds;
    bool part;
} written;

static kl_status write_rows(void *context, FILE *out, kl_error *err) {
    const written *w = context;
    const ladder_thresholds *t = w->thresholds;
    (void)err; // kl_file_put notices what could not be written
    fprintf(out, "%s\nlab %s\ncard %s\nrubric %s\n", schema, t->lab, t->card, t->rubric);
    fputs("# Made by ladder calibrate; step over family size naive gain low high itself_low "
          "itself_high seconds full zero\n",
          out);
    for (int i = 0; i < t->count; i++) {
        const ladder_calibrated *row = &t->rows[i];
        fprintf(out, "%d %d %s %" PRId64 " %.4g %.4g %.4g %.4g %.4g %.4g %.4g ", row->step,
                row->over, row->family, row->size, row->naive, row->gain.mid, row->gain.low,
                row->gain.high, row->itself.low, row->itself.high, row->seconds);
        if (row->left_out) fputs("- -\n", out);
        else fprintf(out, "%.4g %.4g\n", row->threshold.full, row->threshold.zero);
    }
    if (!w->part) fputs("end\n", out);
    return KL_OK;
}

kl_status ladder_thresholds_write(const ladder_thresholds *thresholds, const char *path, bool part,
                                  kl_error *err) {
    char folder[LADDER_PATH];
    written w = {thresholds, part};
    TRY(ladder_path(folder, err, "%s", path));
    char *slash = strrchr(folder, '/');
    if (slash) {
        *slash = '\0';
        TRY(ladder_folder_make(folder, err));
    }
    return kl_file_put(path, write_rows, &w, err);
}
