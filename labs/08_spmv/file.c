// Lab 08 on a matrix of the user's own: reading it, and making cases of it. See file.h.
#include "file.h"

#include "files.h"
#include "reference.h"
#include "sparse.h"

enum {
    HOST_STEP = 1 << 0,
    ROW_STEPS = 0x3F2,               // 1, 4 .. 9: any matrix
    BOTH_TYPES_ON_SIMULATOR = 200000 // entries up to which the simulator runs double beside float
};

static const double SHARE_OF_MEMORY = 0.9;

double spmv_format_bytes(const kl_sparse_stats *stats, kl_sparse_format format, spmv_type type) {
    return kl_sparse_storage_bytes(stats, format, (int)spmv_value_bytes(type));
}

bool spmv_format_fits(const kl_sparse_stats *stats, kl_sparse_format format, spmv_type type) {
    if (format != KL_ELL && format != KL_DIA) return true;
    if (format == KL_DIA && stats->diagonals > SPMV_FILE_DIAGONALS) return false;
    double capacity = (double)spmv_prepared_bytes(stats->rows, stats->nnz, type);
    double head = format == KL_DIA ? 4.0 * SPMV_FILE_DIAGONALS : 0;
    double values = format == KL_DIA
                        ? (double)stats->diagonals * (double)spmv_value_bytes(type)
                        : (double)stats->row_max * (4.0 + (double)spmv_value_bytes(type));
    return head + values * (double)stats->rows <= capacity;
}

// ---- the file --------------------------------------------------------------------------------

// Memory that can be had without swapping, 0 where the system does not tell.
static double free_bytes(void) {
    FILE *in = fopen("/proc/meminfo", "r");
    char line[128];
    double kib = 0;
    while (in && fgets(line, sizeof line, in)) {
        if (sscanf(line, "MemAvailable: %lf kB", &kib) == 1) break;
    }
    if (in) fclose(in);
    return 1024 * kib;
}

// Rows cost memory even when they are empty, and a few bytes of a file may announce 2^28 of them:
// what the run needs is compared with what is free before it is taken. Bytes: the matrix as read,
// its rows for each case with x, y, the answer and the preparation's room, and the count of
// diagonals.
static kl_status check_memory(int64_t rows, int64_t cols, int64_t nnz, kl_error *err) {
    double lines = (double)rows, sides = (double)rows + (double)cols, entries = (double)nnz;
    double need = 4 * lines + 28 * entries + 4 * sides +
                  3 * (28 * lines + 8 * sides + 12 * entries) +
                  2 * (double)spmv_prepared_bytes(rows, nnz, SPMV_DOUBLE);
    double have = free_bytes();
    if (have <= 0 || need <= SHARE_OF_MEMORY * have) return KL_OK;
    return kl_fail(
        err, KL_ERROR_LIMIT,
        "%lld rows, %lld columns and %lld entries need about %.1f GB, and %.1f GB are free",
        (long long)rows, (long long)cols, (long long)nnz, 1e-9 * need, 1e-9 * have);
}

// "like:Webbase": a look-alike instead of a file.
static const char like[] = "like:";

static kl_status make_look_alike(const char *name, uint64_t seed, kl_csr *out_csr, kl_error *err) {
    int index = kl_classic_find(name);
    if (index >= 0) {
        kl_lookalike statistics = kl_classic(index);
        return kl_make_lookalike(&statistics, seed, out_csr, err);
    }
    char names[320] = "";
    for (int i = 0; i < KL_CLASSICS; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", kl_classic(i).name);
    }
    return kl_fail(err, KL_ERROR_USAGE, "--matrix %s: the matrices known by name are %s", name,
                   names);
}

// Of a pipe nobody knows how much will come: what has come instead of the share.
static void show_bar(void *bar, uint64_t done_bytes, uint64_t total_bytes) {
    char remark[48];
    double seconds = kl_bar_seconds(bar), mb = 1e-6 * (double)done_bytes;
    double rate = seconds > 0 ? mb / seconds : 0;
    if (total_bytes == 0)
        snprintf(remark, sizeof remark, "%.0f MB  %.0f MB/s", mb, rate);
    else
        snprintf(remark, sizeof remark, "%.0f MB/s", rate);
    kl_bar_show(bar, total_bytes == 0 ? -1 : (double)done_bytes / (double)total_bytes, remark);
}

static kl_status read_file(spmv_file *f, kl_error *err) {
    kl_coo coo;
    kl_bar bar = kl_bar_begin(f->path);
    kl_status status = kl_mtx_read(f->path, show_bar, &bar, &coo, &f->info, err);
    kl_bar_end(&bar);
    TRY(status);
    status = check_memory(coo.rows, coo.cols, coo.nnz, err);
    if (status != KL_OK) kl_fail_prefix(err, "%s", f->path);
    if (status == KL_OK) status = kl_csr_from_coo(&coo, &f->csr, err);
    f->repeated = coo.nnz - f->csr.nnz;
    kl_coo_free(&coo);
    return status;
}

static kl_status read_matrix(spmv_file *f, uint64_t seed, kl_error *err) {
    size_t prefix = sizeof like - 1;
    if (strncmp(f->path, like, prefix) == 0) {
        TRY(make_look_alike(f->path + prefix, seed, &f->csr, err));
    } else {
        TRY(read_file(f, err));
    }
    TRY(kl_sparse_stats_of(&f->csr, &f->stats, err));
    kl_sparse_locality_of(&f->csr, &f->locality);
    f->float_holds = true;
    for (int64_t k = 0; k < f->csr.nnz; k++)
        f->float_holds = f->float_holds && isfinite((double)(float)f->csr.val[k]);
    return KL_OK;
}

static kl_status fill_inputs(const void *context, const kl_case *c, void *const *inputs,
                             kl_error *err) {
    (void)err;
    const spmv_file *f = context;
    const kl_csr *m = &f->csr;
    spmv_type type = (spmv_type)c->ints[3];
    memcpy(inputs[0], m->ptr, (size_t)(m->rows + 1) * sizeof *m->ptr);
    memcpy(inputs[1], m->col, (size_t)m->nnz * sizeof *m->col);
    if (type == SPMV_DOUBLE) memcpy(inputs[2], m->val, (size_t)m->nnz * sizeof *m->val);
    for (int64_t k = 0; k < m->nnz && type == SPMV_FLOAT; k++)
        ((float *)inputs[2])[k] = (float)m->val[k];
    spmv_make_vector(c->seed, m->cols, type, inputs[3]);
    return KL_OK;
}

// ---- cases -----------------------------------------------------------------------------------

static kl_status add_case(const kl_problem *problem, const spmv_file *f, const kl_options *o,
                          spmv_type type, bool host, const char *name, kl_user_file *file,
                          kl_error *err) {
    int family = file->count;
    uint32_t steps = host ? HOST_STEP : ROW_STEPS;
    if (!host && spmv_format_fits(&f->stats, KL_ELL, type)) steps |= UINT32_C(1) << 2;
    if (!host && spmv_format_fits(&f->stats, KL_DIA, type)) steps |= UINT32_C(1) << 3;
    file->families[family] = (kl_family){name, "a matrix of the user's own", steps};
    kl_planned *planned = &file->cases[family];
    planned->timed = !host && !o->check_only;
    file->count++;
    kl_case shape;
    spmv_describe_matrix(f->csr.rows, f->csr.cols, f->csr.nnz, type, &shape);
    shape.family = family;
    shape.seed = o->seed + (uint64_t)family;
    shape.host = host;
    return kl_prepare_described(problem, &shape, fill_inputs, f, &planned->data, err);
}

// The steps that a case serves; the others are told about in the table of formats.
static void keep_steps(const kl_problem *problem, kl_user_file *file) {
    file->problem.step_count = 0;
    for (int i = 0; i < problem->step_count; i++) {
        bool served = false;
        for (int c = 0; c < file->count; c++)
            served = served || kl_problem_serves(&file->problem, c, problem->steps[i].number);
        if (served) file->steps[file->problem.step_count++] = problem->steps[i];
    }
}

static void close_file(kl_user_file *file) {
    spmv_file *f = file->context;
    for (int i = 0; i < file->count; i++) kl_prepared_free(&file->cases[i].data);
    file->count = 0;
    if (f) kl_csr_free(&f->csr);
    free(f);
    file->context = NULL;
}

static kl_status open_file(const kl_problem *problem, const kl_options *options, bool simulated,
                           kl_user_file *out_file, kl_error *err) {
    spmv_file *f = calloc(1, sizeof *f);
    if (!f) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a matrix");
    kl_user_file *file = out_file;
    *file = (kl_user_file){.problem = *problem, .context = f};
    file->problem.steps = file->steps;
    file->problem.families = file->families;
    file->problem.suite_count = 0;
    file->problem.unit_of = NULL; // its families are others
    const char *slash = strrchr(options->matrix_file, '/');
    f->path = options->matrix_file;
    bool named =
        strncmp(options->matrix_file, like, sizeof like - 1) == 0; // names may hold a slash
    f->name = slash && !named ? slash + 1 : options->matrix_file;
    TRY(read_matrix(f, options->seed, err));
    bool both = !simulated || f->csr.nnz <= BOTH_TYPES_ON_SIMULATOR;
    if (f->float_holds) TRY(add_case(problem, f, options, SPMV_FLOAT, false, "float", file, err));
    if (both || !f->float_holds)
        TRY(add_case(problem, f, options, SPMV_DOUBLE, false, "double", file, err));
    TRY(add_case(problem, f, options, f->float_holds ? SPMV_FLOAT : SPMV_DOUBLE, true, "host", file,
                 err));
    file->problem.family_count = file->count;
    file->problem.timed_family = file->families[0].name;
    keep_steps(problem, file);
    return KL_OK;
}

const kl_file_support spmv_files = {
    .open = open_file,
    .show = spmv_file_show,
    .advise = spmv_file_advise,
    .write_json = spmv_file_json,
    .close = close_file,
};
