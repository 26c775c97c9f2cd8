// Lab 08's advice on formats: what fits, and what the statistics of known kinds of matrices speak
// for.
// links: ../advice.c ../file.c kl_lab kl_sparse
#include "file.h"
#include "sparse.h"
#include "suite.h"

static kl_error err;

static kl_sparse_stats stats_of(kl_csr *csr) {
    kl_sparse_stats s;
    ck_assert_int_eq(kl_sparse_stats_of(csr, &s, &err), KL_OK);
    kl_csr_free(csr);
    return s;
}

static kl_sparse_stats stats_of_classic(const char *name) {
    kl_lookalike like = kl_classic(kl_classic_find(name));
    kl_csr csr;
    ck_assert_int_eq(kl_make_lookalike(&like, 1, &csr, &err), KL_OK);
    return stats_of(&csr);
}

static void check_format(const kl_sparse_stats *s, kl_sparse_format want, const char *because) {
    for (int type = SPMV_FLOAT; type <= SPMV_DOUBLE; type++) {
        char reason[400] = "";
        kl_sparse_format got = spmv_advise_format(s, (spmv_type)type, reason, sizeof reason);
        ck_assert_msg(got == want, "%s: %s", kl_sparse_format_name(got), reason);
        KL_HAS(reason, because);
        ck_assert(spmv_format_fits(s, got, (spmv_type)type));
    }
}

KL_TEST(formats_follow_the_structure) {
    kl_csr csr;
    ck_assert_int_eq(kl_make_stencil(KL_STENCIL_5, 200, 200, 1, 1, &csr, &err), KL_OK);
    kl_sparse_stats s = stats_of(&csr);
    check_format(&s, KL_DIA, "5 diagonals");
    ck_assert_int_eq(kl_make_band(3000, 8, 8, 1, &csr, &err), KL_OK);
    s = stats_of(&csr);
    check_format(&s, KL_DIA, "17 diagonals");
    ck_assert_int_eq(kl_make_uniform(5000, 5000, 8, 1, &csr, &err), KL_OK);
    s = stats_of(&csr);
    check_format(&s, KL_ELL, "about 8.0 entries");
    s = stats_of_classic("Dense"); // of one length, on more diagonals than the lab takes
    check_format(&s, KL_ELL, "1.00 places");
    s = stats_of_classic("Webbase");
    check_format(&s, KL_CSR, "1 to 4700 entries");
    s = stats_of_classic("FEM/Cantilever");
    check_format(&s, KL_CSR, "1 to 78 entries");
    ck_assert_int_eq(kl_make_uniform(5, 5, 0, 1, &csr, &err), KL_OK);
    s = stats_of(&csr);
    check_format(&s, KL_CSR, "no entries");
}

KL_TEST(kernels_follow_the_row_lengths) {
    static const struct {
        const char *name;
        int step;
    } rows[] = {{"Webbase", 6}, {"Protein", 5}, {"Circuit", 7}, {"Epidemiology", 7}, {"LP", 5}};
    char reason[400];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kl_sparse_stats s = stats_of_classic(rows[i].name);
        int step = spmv_advise_step(&s, reason, sizeof reason);
        ck_assert_msg(step == rows[i].step, "%s: step %d, as %s", rows[i].name, step, reason);
    }
    kl_csr csr;
    ck_assert_int_eq(kl_make_giant_rows(9000, 9000, 4, 1, 9000, 1, &csr, &err), KL_OK);
    kl_sparse_stats s = stats_of(&csr);
    ck_assert_int_eq(spmv_advise_step(&s, reason, sizeof reason), 6);
    KL_HAS(reason, "9000 entries");
}

// Room is what the contract gives: three places an entry, or more for small matrices.
KL_TEST(what_fits_is_what_the_contract_has_space_for) {
    kl_csr csr;
    ck_assert_int_eq(kl_make_giant_rows(100000, 100000, 4, 1, 11, 1, &csr, &err), KL_OK);
    kl_sparse_stats s = stats_of(&csr);
    ck_assert(spmv_format_fits(&s, KL_ELL, SPMV_FLOAT)); // 11 for 4: 2.75
    s.row_max = 14;
    ck_assert(!spmv_format_fits(&s, KL_ELL, SPMV_FLOAT));
    ck_assert(spmv_format_fits(&s, KL_COO, SPMV_FLOAT) && spmv_format_fits(&s, KL_CSR, SPMV_FLOAT));
    ck_assert_int_eq(kl_make_band(1000, 127, 128, 1, &csr, &err), KL_OK);
    s = stats_of(&csr);
    ck_assert(spmv_format_fits(&s, KL_DIA, SPMV_DOUBLE)); // 256 diagonals
    ck_assert_int_eq(kl_make_band(1000, 128, 128, 1, &csr, &err), KL_OK);
    s = stats_of(&csr);
    ck_assert(!spmv_format_fits(&s, KL_DIA, SPMV_DOUBLE));
    for (int step = 1; step <= 8; step++) {
        ck_assert_int_eq(spmv_step_format(step), step == 1   ? KL_COO
                                                 : step == 2 ? KL_ELL
                                                 : step == 3 ? KL_DIA
                                                             : KL_CSR);
    }
}

KL_TEST_MAIN("lab 08's advice")
