// Look-alikes have the statistics that classic.def lists; spans, runs and similarity are what they
// are said to be.
#include "sparse.h"
#include "suite.h"

static kl_error err;

// Pointers ascend, columns ascend strictly inside a row, values are sixteenths without 0.
static void check_form(const kl_csr *csr) {
    ck_assert_int_eq(csr->ptr[0], 0);
    ck_assert_int_eq(csr->ptr[csr->rows], csr->nnz);
    for (int64_t i = 0; i < csr->rows; i++) {
        ck_assert_int_le(csr->ptr[i], csr->ptr[i + 1]);
        for (int32_t k = csr->ptr[i]; k < csr->ptr[i + 1]; k++) {
            bool ascends = k == csr->ptr[i] || csr->col[k - 1] < csr->col[k];
            if (!ascends || csr->col[k] < 0 || csr->col[k] >= csr->cols || csr->val[k] == 0)
                ck_abort_msg("row %lld, entry %d", (long long)i, k);
        }
    }
}

static void check_near(const char *matrix, const char *what, double got, double want,
                       double tolerance) {
    ck_assert_msg(fabs(got - want) <= tolerance, "%s: %s is %g, listed %g, tolerance %g", matrix,
                  what, got, want, tolerance);
}

// One of the fourteen (the loop's index).
KL_TEST_ROWS(classics_have_the_listed_statistics, KL_CLASSICS) {
    kl_lookalike like = kl_classic(_i);
    kl_csr csr;
#ifdef LADDER_SANITIZED
    if (like.nnz > 2500000) return; // as others, only longer
#endif
    ck_assert_int_eq(kl_make_lookalike(&like, 1, &csr, &err), KL_OK);
    check_form(&csr);
    kl_sparse_stats s;
    kl_sparse_locality l;
    ck_assert_int_eq(kl_sparse_stats_of(&csr, &s, &err), KL_OK);
    kl_sparse_locality_of(&csr, &l);
    kl_csr_free(&csr);
    ck_assert_int_eq(s.rows, like.rows);
    ck_assert_int_eq(s.cols, like.cols);
    ck_assert_int_eq(s.nnz, like.nnz);
    ck_assert_int_eq(s.row_min, like.row_min);
    ck_assert_int_eq(s.row_max, like.row_max);
    const kl_sparse_locality *w = &like.locality;
    check_near(like.name, "mean", s.row_mean, (double)like.nnz / (double)like.rows,
               1e-9 * s.row_mean);
    check_near(like.name, "deviation", s.row_stddev, like.row_stddev, 0.003 * like.row_stddev);
    check_near(like.name, "mean span", l.span_mean, w->span_mean, 0.005 * w->span_mean);
    check_near(like.name, "deviation of spans", l.span_stddev, w->span_stddev,
               0.005 * w->span_stddev);
    check_near(like.name, "largest span", (double)l.span_max, (double)w->span_max,
               0.02 * (double)w->span_max);
    check_near(like.name, "runs", (double)l.runs, (double)w->runs, 0.001 * (double)w->runs);
    check_near(like.name, "similarity", l.similar, w->similar, 0.04);
    if (like.bandwidth != KL_UNLISTED)
        ck_assert_int_eq(s.lower > s.upper ? s.lower : s.upper, like.bandwidth);
}

// What is in the file against what the sources say elsewhere: means and bytes that the papers
// print.
KL_TEST(list_is_consistent) {
    static const struct {
        const char *name;
        double mean; // entries per row as Bell and Garland print it, table 3
    } printed[] = {{"Dense", 2000.0},     {"Protein", 119.3},
                   {"FEM/Spheres", 72.1}, {"FEM/Cantilever", 64.1},
                   {"Wind Tunnel", 53.3}, {"FEM/Harbor", 50.6},
                   {"QCD", 39.0},         {"Economics", 6.1},
                   {"Epidemiology", 3.9}, {"FEM/Accelerator", 21.6},
                   {"Circuit", 5.6},      {"Webbase", 3.1}};
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        int index = kl_classic_find(printed[i].name);
        ck_assert_int_ge(index, 0);
        kl_lookalike like = kl_classic(index);
        double mean = (double)like.nnz / (double)like.rows;
        check_near(like.name, "printed mean", mean, printed[i].mean, 0.1);
    }
    for (int i = 0; i < KL_CLASSICS; i++) {
        kl_lookalike like = kl_classic(i);
        double cols = (double)like.cols;
        ck_assert_int_eq(kl_classic_find(like.file), i);
        ck_assert(like.row_min <= like.row_max && like.row_max <= like.cols);
        ck_assert(like.locality.span_max < like.cols && like.locality.span_mean < cols);
        ck_assert(like.locality.runs <= like.nnz && like.locality.similar <= 1);
    }
    ck_assert_int_eq(kl_classic_find("webBASE-1m"), kl_classic_find("Webbase"));
    ck_assert_int_eq(kl_classic_find("nobody"), -1);
}

KL_TEST(seeds_decide) {
    kl_lookalike like = kl_classic(kl_classic_find("Circuit"));
    kl_csr a, b, other;
    ck_assert_int_eq(kl_make_lookalike(&like, 7, &a, &err), KL_OK);
    ck_assert_int_eq(kl_make_lookalike(&like, 7, &b, &err), KL_OK);
    ck_assert_int_eq(kl_make_lookalike(&like, 8, &other, &err), KL_OK);
    ck_assert_mem_eq(a.ptr, b.ptr, (size_t)(a.rows + 1) * sizeof *a.ptr);
    ck_assert_mem_eq(a.col, b.col, (size_t)a.nnz * sizeof *a.col);
    ck_assert_mem_eq(a.val, b.val, (size_t)a.nnz * sizeof *a.val);
    ck_assert(memcmp(a.ptr, other.ptr, (size_t)(a.rows + 1) * sizeof *a.ptr) != 0);
    ck_assert(memcmp(a.col, other.col, (size_t)a.nnz * sizeof *a.col) != 0);
    kl_csr_free(&a);
    kl_csr_free(&b);
    kl_csr_free(&other);
}

KL_TEST(small_and_odd_ones) {
    static const kl_lookalike likes[] = {
        {.rows = 1, .cols = 1, .nnz = 1, .row_min = 1, .row_max = 1, .locality = {.runs = 1}},
        {.rows = 1, .cols = 9, .nnz = 0},
        {.rows = 3,
         .cols = 100,
         .nnz = 60,
         .row_min = 0,
         .row_max = 50,
         .row_stddev = 20,
         .locality = {30, 20, 90, 20, 0.5}},
        {.rows = 500,
         .cols = 7,
         .nnz = 1700,
         .row_min = 0,
         .row_max = 7,
         .row_stddev = 2,
         .locality = {4, 2, 6, 1000, 0.9}},
        {.rows = 7,
         .cols = 500,
         .nnz = 700,
         .row_min = 100,
         .row_max = 100,
         .locality = {400, 10, 480, 700, 0}},
        {.rows = 1000,
         .cols = 1000,
         .nnz = 5000,
         .row_min = 0,
         .row_max = 1000,
         .row_stddev = 60,
         .locality = {100, 200, 999, 4000, 1}}, // two-sided: most rows empty, a few full
    };
    for (size_t i = 0; i < sizeof likes / sizeof likes[0]; i++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            kl_csr csr;
            kl_sparse_stats s;
            ck_assert_msg(kl_make_lookalike(&likes[i], seed, &csr, &err) == KL_OK, "%zu: %s", i,
                          err.text);
            check_form(&csr);
            ck_assert_int_eq(csr.nnz, likes[i].nnz);
            ck_assert_int_eq(kl_sparse_stats_of(&csr, &s, &err), KL_OK);
            ck_assert_int_le(s.row_max, likes[i].row_max);
            ck_assert_int_ge(s.row_min, likes[i].row_min);
            kl_csr_free(&csr);
        }
    }
}

KL_TEST(impossible_ones_are_refused) {
    static const kl_lookalike likes[] = {
        {.rows = 0, .cols = 5},
        {.rows = 10, .cols = 5, .nnz = 60, .row_min = 0, .row_max = 6}, // longer than a row
        {.rows = 10, .cols = 5, .nnz = 60, .row_min = 0, .row_max = 5}, // too many
        {.rows = 10, .cols = 5, .nnz = 10, .row_min = 2, .row_max = 5}, // too few
        {.rows = 10, .cols = 50, .nnz = 100, .row_min = 9, .row_max = 11, .row_stddev = 8},
        {.rows = 2, .cols = 50, .nnz = 31, .row_min = 9, .row_max = 11, .row_stddev = 0},
        {.rows = -1, .cols = 5, .nnz = 1, .row_min = 0, .row_max = 1},
    };
    for (size_t i = 0; i < sizeof likes / sizeof likes[0]; i++) {
        kl_csr csr;
        err.text[0] = '\0';
        ck_assert_msg(kl_make_lookalike(&likes[i], 1, &csr, &err) == KL_ERROR_INPUT, "%zu", i);
        ck_assert(err.text[0] != '\0' && !csr.ptr && !csr.col);
    }
}

// By hand:     . x x . x .      3 entries in 2 runs, span 3; 2 of 3 are near an entry of the last
//              row
//              . . . . . .      empty: not a next row
//              . . . x . .      1 entry in 1 run, span 0; the last row counts 0
KL_TEST(locality_by_hand) {
    int32_t ptr[] = {0, 3, 3, 4}, col[] = {1, 2, 4, 3};
    kl_csr csr = {.rows = 3, .cols = 6, .nnz = 4, .ptr = ptr, .col = col};
    kl_sparse_locality l;
    kl_sparse_locality_of(&csr, &l);
    ck_assert_double_eq(l.span_mean, 1.0);
    ck_assert_double_eq_tol(l.span_stddev, sqrt(2.0), 1e-12); // of 3, 0, 0
    ck_assert_int_eq(l.span_max, 3);
    ck_assert_int_eq(l.runs, 3);
    ck_assert_double_eq_tol(l.similar, (2.0 / 3) / 2, 1e-12);
    kl_csr none = {.rows = 0, .ptr = ptr};
    kl_sparse_locality_of(&none, &l);
    ck_assert(l.span_mean == 0 && l.runs == 0 && l.similar == 0);
}

KL_TEST_MAIN("look-alikes")
