// What lab 08 says of a user's matrix: statistics, formats, pictures, and which format and kernel
// to take, by the statistics and by the times of this run.
#include <sys/stat.h>

#include "file.h"
#include "sparse.h"

static const double HARDLY = 1.03; // times that differ by less are taken as equal
enum { TEXT = 400, PATH_BYTES = 4096, LAST_CSR_STEP = 8, AUTO_STEP = 9, LAUNCHES = 4 };

kl_sparse_format spmv_step_format(int step) {
    return step == 1 ? KL_COO : step == 2 ? KL_ELL : step == 3 ? KL_DIA : KL_CSR;
}

// ---- by the statistics -----------------------------------------------------------------------

static double places_an_entry(const kl_sparse_stats *s, kl_sparse_format format) {
    double places = (double)s->rows * (double)(format == KL_ELL ? s->row_max : s->diagonals);
    return s->nnz > 0 ? places / (double)s->nnz : 1;
}

static int decimals(double value) { // three figures
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

kl_sparse_format spmv_advise_format(const kl_sparse_stats *s, spmv_type type, char *reason,
                                    size_t bytes) {
    double csr = spmv_format_bytes(s, KL_CSR, type), ell = spmv_format_bytes(s, KL_ELL, type);
    double dia = spmv_format_bytes(s, KL_DIA, type);
    double ell_places = places_an_entry(s, KL_ELL), dia_places = places_an_entry(s, KL_DIA);
    if (s->nnz > 0 && spmv_format_fits(s, KL_DIA, type) && dia < csr && dia <= ell) {
        snprintf(
            reason, bytes,
            "its entries lie on %lld diagonals, so that DIA stores %.2f values an entry and no "
            "column: %.2f times the bytes of CSR",
            (long long)s->diagonals, dia_places, dia / csr);
        return KL_DIA;
    }
    if (s->nnz > 0 && spmv_format_fits(s, KL_ELL, type) && ell <= 1.02 * csr) {
        snprintf(
            reason, bytes,
            "all rows have about %.1f entries, so that ELL pads to only %.2f places an entry and "
            "needs no row pointers",
            s->row_mean, ell_places);
        return KL_ELL;
    }
    if (s->nnz == 0) {
        snprintf(reason, bytes, "it has no entries, and CSR then is nothing but row pointers");
        return KL_CSR;
    }
    snprintf(reason, bytes,
             "rows hold %lld to %lld entries, so that ELL would store %.*f places for each; %lld "
             "diagonals hold an entry, so that DIA would store %.*f",
             (long long)s->row_min, (long long)s->row_max, decimals(ell_places), ell_places,
             (long long)s->diagonals, decimals(dia_places), dia_places);
    return KL_CSR;
}

int spmv_advise_step(const kl_sparse_stats *s, char *reason, size_t bytes) {
    double work = s->row_mean > 1 ? s->row_mean : 1;
    if ((double)s->row_max > 64 * work && s->row_max > 1024) {
        snprintf(
            reason, bytes,
            "the longest row has %lld entries at a mean of %.1f: a warp per row would wait for it",
            (long long)s->row_max, s->row_mean);
        return 6;
    }
    if (s->row_mean > 64) {
        snprintf(reason, bytes, "rows of %.0f entries on the average keep a whole warp busy",
                 s->row_mean);
        return 5;
    }
    if (s->row_stddev > 2 * work) {
        snprintf(
            reason, bytes,
            "row lengths vary by %.1f around %.1f: blocks of even work suit them better than a "
            "fixed number of lanes per row",
            s->row_stddev, s->row_mean);
        return 6;
    }
    snprintf(reason, bytes, "rows of about %.1f entries take as many lanes as they are long",
             s->row_mean);
    return 7;
}

// ---- before the steps run --------------------------------------------------------------------

static const char *const field_names[] = {"real", "integer", "pattern"};
static const char *const symmetry_names[] = {"general", "symmetric", "skew-symmetric"};

static void print_statistics(const spmv_file *f, FILE *out) {
    const kl_sparse_stats *s = &f->stats;
    const kl_sparse_locality *l = &f->locality;
    fprintf(out, "%s: %lld x %lld, %lld entries", f->name, (long long)s->rows, (long long)s->cols,
            (long long)s->nnz);
    fprintf(out, " (%s, %s", field_names[f->info.field], symmetry_names[f->info.symmetry]);
    if (f->info.symmetry != KL_MTX_GENERAL)
        fprintf(out, ": %lld in the file", (long long)f->info.stored);
    if (f->repeated > 0) {
        fprintf(out, "; %lld repeated %s added up", (long long)f->repeated,
                f->repeated == 1 ? "entry was" : "entries were");
    }
    if (s->explicit_zeros > 0) fprintf(out, "; %lld are 0", (long long)s->explicit_zeros);
    fprintf(out, ")\n");
    fprintf(out, "  rows       %lld to %lld entries, mean %.2f, deviation %.2f; %lld empty\n",
            (long long)s->row_min, (long long)s->row_max, s->row_mean, s->row_stddev,
            (long long)s->empty_rows);
    fprintf(out, "  bandwidth  %lld below, %lld above the diagonal; %lld diagonals hold an entry\n",
            (long long)s->lower, (long long)s->upper, (long long)s->diagonals);
    if (s->nnz > 0) {
        fprintf(out,
                "  locality   a row spans %.0f columns; runs of neighbours hold %.2f entries\n",
                l->span_mean, (double)s->nnz / (double)l->runs);
        fprintf(out, "             %.0f %% of a row's entries have a near one in the next row\n",
                100 * l->similar);
    }
    if (!f->float_holds)
        fprintf(out, "  values     some are too large for float: only double is run\n");
}

static void format_bytes_cell(kl_table *table, int row, int column, double bytes) {
    if (bytes < 1000) {
        kl_table_cell(table, row, column, KL_PLAIN, "%.0f B", bytes);
        return;
    }
    const char *unit = bytes < 1e6 ? "kB" : bytes < 1e9 ? "MB" : "GB";
    double value = bytes * (bytes < 1e6 ? 1e-3 : bytes < 1e9 ? 1e-6 : 1e-9);
    kl_table_cell(table, row, column, KL_PLAIN, "%.*f %s",
                  value < 10    ? 2
                  : value < 100 ? 1
                                : 0,
                  value, unit);
}

static void print_formats(const spmv_file *f, spmv_type type, const kl_style *style, FILE *out) {
    static const char *const steps[] = {"1", "4 to 8", "2", "3"};
    kl_table *table = calloc(1, sizeof *table);
    if (!table) return;
    kl_table_column(table, "format", KL_LEFT);
    kl_table_column(table, type == SPMV_FLOAT ? "float" : "double", KL_RIGHT);
    kl_table_column(table, "of CSR", KL_RIGHT);
    kl_table_column(table, "steps", KL_RIGHT);
    kl_table_column(table, "", KL_LEFT);
    double csr = spmv_format_bytes(&f->stats, KL_CSR, type);
    for (int k = 0; k < KL_SPARSE_FORMATS; k++) {
        kl_sparse_format format = (kl_sparse_format)k;
        int row = kl_table_row(table);
        double bytes = spmv_format_bytes(&f->stats, format, type);
        kl_table_cell(table, row, 0, KL_PLAIN, "%s", kl_sparse_format_name(format));
        format_bytes_cell(table, row, 1, bytes);
        kl_table_cell(table, row, 2, KL_PLAIN, "%.*f", bytes / csr < 100 ? 2 : 0, bytes / csr);
        kl_table_cell(table, row, 3, KL_PLAIN, "%s", steps[k]);
        if (spmv_format_fits(&f->stats, format, type)) continue;
        if (format == KL_DIA && f->stats.diagonals > SPMV_FILE_DIAGONALS) {
            kl_table_cell(table, row, 4, KL_DIM, "left out: more than %d diagonals",
                          SPMV_FILE_DIAGONALS);
        } else {
            double places = places_an_entry(&f->stats, format);
            kl_table_cell(table, row, 4, KL_DIM, "left out: %.*f places an entry, 3 have room",
                          decimals(places), places);
        }
    }
    fputc('\n', out);
    kl_table_print(table, style, out);
    fputc('\n', out);
    free(table);
}

// The file's name without .mtx and .gz, so that pictures of several files may share a folder.
// False when the folder's name leaves no room.
static bool picture_path(const char *folder, const char *name, const char *what, char *path,
                         size_t bytes) {
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".gz") == 0) length -= 3;
    if (length > 4 && strncmp(name + length - 4, ".mtx", 4) == 0) length -= 4;
    int head = snprintf(path, bytes, "%s/", folder);
    if (head < 0 || (size_t)head >= bytes) return false;
    char *file = path + head;
    int rest = snprintf(file, bytes - (size_t)head, "%.*s-%s.svg", (int)length, name, what);
    for (char *c = file; *c != '\0'; c++) { // "like:FEM/Ship"
        if (*c == '/' || *c == ':' || *c == ' ') *c = '-';
    }
    return rest >= 0 && (size_t)rest < bytes - (size_t)head;
}

typedef kl_status draw(const kl_csr *csr, const char *name, FILE *out, kl_error *err);

static kl_status write_picture(const spmv_file *f, const char *folder, const char *what,
                               draw *picture, FILE *told, kl_error *err) {
    char path[PATH_BYTES];
    FILE *out = NULL;
    errno = ENAMETOOLONG;
    if (picture_path(folder, f->name, what, path, sizeof path)) out = fopen(path, "w");
    if (!out) return kl_fail(err, KL_ERROR_SYSTEM, "--plots %s: %s", path, strerror(errno));
    kl_status status = picture(&f->csr, f->name, out, err);
    if (fclose(out) != 0 && status == KL_OK)
        status = kl_fail(err, KL_ERROR_SYSTEM, "--plots %s: %s", path, strerror(errno));
    if (status == KL_OK) fprintf(told, "written: %s\n", path);
    return status;
}

kl_status spmv_file_show(const kl_user_file *file, const kl_options *options, const kl_style *style,
                         FILE *out, kl_error *err) {
    const spmv_file *f = file->context;
    print_statistics(f, out);
    print_formats(f, f->float_holds ? SPMV_FLOAT : SPMV_DOUBLE, style, out);
    int columns = style->width < 64 ? style->width : 64;
    TRY(kl_plot_text(&f->csr, columns, 22, style->utf8, out, err));
    if (options->plot_folder) {
        if (mkdir(options->plot_folder, 0777) != 0 && errno != EEXIST) {
            return kl_fail(err, KL_ERROR_SYSTEM, "--plots %s: %s", options->plot_folder,
                           strerror(errno));
        }
        TRY(write_picture(f, options->plot_folder, "structure", kl_plot_structure, out, err));
        TRY(write_picture(f, options->plot_folder, "rows", kl_plot_row_lengths, out, err));
    }
    fputc('\n', out);
    fflush(out);
    return KL_OK;
}

// ---- after the ladder ------------------------------------------------------------------------

// The fastest right step of a format (-1: of any) in the table's case, or NULL.
static const kl_ladder_step *fastest(const kl_ladder *ladder, int format, double *out_us) {
    const kl_ladder_step *best = NULL;
    *out_us = INFINITY;
    for (int i = 0; i < ladder->count && ladder->plan->main_case >= 0; i++) {
        const kl_ladder_step *s = &ladder->steps[i];
        double us = s->cases[ladder->plan->main_case].time_us.mid;
        bool counts = s->state == LADDER_CORRECT && s->number >= 1 && s->number <= LAST_CSR_STEP &&
                      (format < 0 || (int)spmv_step_format(s->number) == format);
        if (counts && us > 0 && us < *out_us) { // 0: no kernel was launched; NaN: not timed
            best = s;
            *out_us = us;
        }
    }
    return best;
}

// What the times say, unless they hardly differ: then the format that the statistics speak for.
static const kl_ladder_step *recommended(const kl_ladder *ladder, kl_sparse_format format) {
    double best_us, other_us;
    const kl_ladder_step *best = fastest(ladder, -1, &best_us);
    const kl_ladder_step *other = fastest(ladder, (int)format, &other_us);
    return other && other_us <= HARDLY * best_us ? other : best;
}

static double auto_us(const kl_ladder *ladder) {
    for (int i = 0; i < ladder->count && ladder->plan->main_case >= 0; i++) {
        const kl_ladder_step *s = &ladder->steps[i];
        if (s->number == AUTO_STEP && s->state == LADDER_CORRECT)
            return s->cases[ladder->plan->main_case].time_us.mid;
    }
    return NAN;
}

// The best step of each other format, behind the fastest.
static void say_others(const kl_ladder *ladder, const kl_ladder_step *best, double best_us,
                       char *text, size_t bytes) {
    size_t used = strlen(text);
    const char *before = "; ";
    for (int format = 0; format < KL_SPARSE_FORMATS && used < bytes; format++) {
        double us;
        const kl_ladder_step *s = fastest(ladder, format, &us);
        if (!s || format == (int)spmv_step_format(best->number)) continue;
        int wrote =
            snprintf(text + used, bytes - used, "%s%s (step %d) takes %.2f times as long", before,
                     kl_sparse_format_name((kl_sparse_format)format), s->number, us / best_us);
        used += wrote > 0 ? (size_t)wrote : 0;
        before = ", ";
    }
}

static void say_times(const kl_ladder *ladder, const kl_ladder_step *best, double best_us,
                      const kl_style *style, FILE *out) {
    char text[2 * TEXT], time[32];
    const char *kind = ladder->device.simulated ? "modelled" : "measured";
    snprintf(text, sizeof text, "By the %s times: %s, step %d (%s), %s", kind,
             kl_sparse_format_name(spmv_step_format(best->number)), best->number, best->name,
             kl_format_us(best_us, time, sizeof time));
    say_others(ladder, best, best_us, text, sizeof text - 64);
    double automatic = auto_us(ladder);
    size_t used = strlen(text);
    if (isfinite(automatic) && used < sizeof text) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "; step 9 (auto) takes %.2f times as long", automatic / best_us);
    }
    if (used + 1 < sizeof text) memcpy(text + used, ".", 2);
    fprintf(out, "  ");
    kl_print_wrapped(out, style, 2, text);
}

// Step 9 alone says nothing of the formats: the statistics chose its kernel.
static void say_no_times(const kl_ladder *ladder, const kl_style *style, FILE *out) {
    char text[TEXT], time[32];
    double automatic = auto_us(ladder);
    if (isfinite(automatic))
        snprintf(text, sizeof text,
                 "Only step %d (auto) was timed on it, %s, and it chooses by the statistics, too: "
                 "run the others to compare.",
                 AUTO_STEP, kl_format_us(automatic, time, sizeof time));
    else
        snprintf(text, sizeof text, "No step was timed on it: the statistics alone speak.");
    fprintf(out, "  ");
    kl_print_wrapped(out, style, 2, text);
}

void spmv_file_advise(const kl_user_file *file, const kl_ladder *ladder, const kl_style *style,
                      FILE *out) {
    const spmv_file *f = file->context;
    char why[TEXT], kernel_why[TEXT], text[3 * TEXT];
    spmv_type type = f->float_holds ? SPMV_FLOAT : SPMV_DOUBLE;
    kl_sparse_format format = spmv_advise_format(&f->stats, type, why, sizeof why);
    double best_us;
    const kl_ladder_step *best = fastest(ladder, -1, &best_us);
    fprintf(out, "\nWhich format for %s?\n  ", f->name);
    if (format == KL_CSR && f->csr.nnz > 0) {
        int step = spmv_advise_step(&f->stats, kernel_why, sizeof kernel_why);
        snprintf(text, sizeof text, "By its statistics: CSR, as %s. Kernel: step %d, as %s.", why,
                 step, kernel_why);
    } else {
        snprintf(text, sizeof text, "By its statistics: %s, as %s.", kl_sparse_format_name(format),
                 why);
    }
    kl_print_wrapped(out, style, 2, text);
    if (!best) {
        say_no_times(ladder, style, out);
        return;
    }
    say_times(ladder, best, best_us, style, out);
    const kl_ladder_step *taken = recommended(ladder, format);
    bool agree = spmv_step_format(taken->number) == format;
    snprintf(text, sizeof text, "Recommended: %s with step %d's kernel (%s)%s.",
             kl_sparse_format_name(spmv_step_format(taken->number)), taken->number, taken->name,
             agree ? ": times and statistics agree on the format"
                   : ": the times decide where the statistics say otherwise");
    fprintf(out, "  ");
    kl_print_wrapped(out, style, 2, text);
    if (best_us < LAUNCHES * ladder->ceilings.launch_us) {
        snprintf(text, sizeof text,
                 "A launch alone takes %.1f us here: so small a matrix is bound by launches more "
                 "than by its format.",
                 ladder->ceilings.launch_us);
        fprintf(out, "  ");
        kl_print_wrapped(out, style, 2, text);
    }
}

void spmv_file_json(const kl_user_file *file, const kl_ladder *ladder, kl_json *json) {
    const spmv_file *f = file->context;
    const kl_sparse_stats *s = &f->stats;
    char why[TEXT];
    spmv_type type = f->float_holds ? SPMV_FLOAT : SPMV_DOUBLE;
    kl_sparse_format format = spmv_advise_format(s, type, why, sizeof why);
    const kl_ladder_step *best = recommended(ladder, format);
    kl_json_put(json,
                "matrix {file %s rows %ld cols %ld entries %ld row_min %ld row_max %ld "
                "row_mean %g row_stddev %g empty_rows %ld lower_bandwidth %ld upper_bandwidth %ld "
                "diagonals %ld bytes {",
                f->name, s->rows, s->cols, s->nnz, s->row_min, s->row_max, s->row_mean,
                s->row_stddev, s->empty_rows, s->lower, s->upper, s->diagonals);
    for (int k = 0; k < KL_SPARSE_FORMATS; k++) {
        kl_sparse_format each = (kl_sparse_format)k;
        kl_json_number(json, kl_sparse_format_name(each), spmv_format_bytes(s, each, type));
    }
    kl_json_put(json, "} format_by_statistics %s reason %s recommended_format %s",
                kl_sparse_format_name(format), why,
                kl_sparse_format_name(best ? spmv_step_format(best->number) : format));
    if (best) kl_json_int(json, "recommended_step", best->number);
    kl_json_end(json);
}
