// Lab 04's application without a device: the equations, the host's solution, what is concluded, the
// pictures.
// links: ../app_options.c ../app_system.c ../app_cpu.c ../app_chart.c
// links: ../app_report.c kl_lab kl_sparse
#include <getopt.h>

#include "app.h"
#include "suite.h"

enum { MOST = 64 };

static jacobi_system make(int64_t n, double alpha) {
    jacobi_system system;
    kl_error err;
    ck_assert_msg(jacobi_make(n, 7, false, &system, &err) == KL_OK, "%s", err.text);
    jacobi_set_alpha(&system, alpha);
    return system;
}

// words: with spaces between.
static kl_status parse(const char *words, jacobi_options *o, kl_error *err) {
    enum { MOST_WORDS = 32 };
    static char text[512];
    char *argv[MOST_WORDS + 1] = {"gemv_row_app"};
    int argc = 1;
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok(text, " "); word && argc < MOST_WORDS; word = strtok(NULL, " "))
        argv[argc++] = word;
    optind = 0; // begins anew (glibc)
    return jacobi_options_parse(argc, argv, o, err);
}

KL_TEST(options_are_read_and_wrong_ones_refused) {
    static const struct {
        const char *words, *said;
    } bad[] = {
        {"--size 0", "--size takes a whole number from 1 to 46340, not '0'"},
        {"--size -3", "not '-3'"},
        {"--size 46341", "not '46341'"},
        {"--size 10x", "not '10x'"},
        {"--size 99999999999999999999", "whole number"},
        {"--size 1 --size 1 --size 1 --size 1 --size 1 --size 1 --size 1 --size 1 --size 1", "8"},
        {"--alpha 1", "--alpha must be above 1: with 1 the bound 1 / alpha"},
        {"--alpha 0.9", "need not converge"},
        {"--alpha -2", "--alpha must be above 1"},
        {"--alpha nan", "--alpha takes a number, not 'nan'"},
        {"--alpha x", "--alpha takes a number, not 'x'"},
        {"--tolerance 0", "--tolerance is from"},
        {"--tolerance 1e-9", "floats have 24 bits"},
        {"--tolerance 2", "--tolerance is from"},
        {"--limit 0", "--limit takes"},
        {"--step 0", "--step takes"},
        {"--step 8", "from 1 to 7"},
        {"--step 1 --step 2 --step 3 --step 4", "at most 3 steps"},
        {"--threads 0", "--threads takes"},
        {"--repeat 0", "--repeat takes"},
        {"--seed -1", "--seed takes"},
        {"--device none", "none"},
        {"--matrix a.mtx --size 5", "leave out --size"},
        {"word", "'word' is no option"},
    };
    jacobi_options o;
    kl_error err;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        ck_assert_int_eq(parse(bad[k].words, &o, &err), KL_ERROR_USAGE);
        ck_assert_msg(strstr(err.text, bad[k].said), "%s: %s", bad[k].words, err.text);
    }
    ck_assert_int_eq(parse("", &o, &err), KL_OK);
    ck_assert(o.step_count == 1 && o.steps[0] == 7 && o.order_count == 0 && o.alpha_count == 0);
    ck_assert_int_eq(parse("--size 64 --size 65 --alpha 1.5 --step 2 --limit 9", &o, &err), KL_OK);
    ck_assert(o.order_count == 2 && o.orders[1] == 65 && o.alphas[0] == 1.5 && o.goal.limit == 9);
}

KL_TEST(equations_are_as_promised) {
    jacobi_system a = make(33, 1.25), b = make(33, 1.25);
    ck_assert_double_eq_tol(a.bound, 0.8, 1e-6);
    for (int i = 0; i < 33; i++) {
        double sum = 0.0;
        for (int j = 0; j < 33; j++) {
            float r = a.r[i * 33 + j];
            ck_assert(i == j ? r == 0.0f : r >= 0.0f && r < 1.0f);
            sum += (double)r;
        }
        ck_assert_double_eq_tol((double)a.d[i], 1.25 * sum, 1e-6 * sum);
        ck_assert(a.b[i] >= -0.5f && a.b[i] < 0.5f);
    }
    ck_assert_int_eq(memcmp(a.r, b.r, 33 * 33 * sizeof *a.r), 0);
    jacobi_free(&a);
    jacobi_free(&b);
    a = make(1, 1.1); // nothing off the diagonal
    ck_assert_double_eq(a.bound, 0.0);
    ck_assert(a.d[0] == 1.0f);
    jacobi_free(&a);
}

// Gaussian elimination in double precision; diagonally dominant, so without exchanges.
static void eliminate(const jacobi_system *s, double *x) {
    static double a[MOST][MOST + 1];
    int n = (int)s->n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) a[i][j] = (double)(i == j ? s->d[i] : s->r[i * n + j]);
        a[i][n] = (double)s->b[i];
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int j = n; j >= k; j--) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    for (int i = n - 1; i >= 0; i--) {
        x[i] = a[i][n];
        for (int j = i + 1; j < n; j++) x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
    }
}

KL_TEST(the_host_solves_them) {
    static const int threads[] = {1, 2, 3, 64, 200};
    static const int64_t orders[] = {1, 2, 17, 64};
    const jacobi_goal goal = {1e-6f, 1000};
    for (int o = 0; o < 4; o++) {
        jacobi_system s = make(orders[o], 1.2);
        double want[MOST];
        float x[MOST], first[MOST];
        eliminate(&s, want);
        for (int t = 0; t < 5; t++) {
            jacobi_result r;
            kl_error err;
            ck_assert_int_eq(jacobi_solve_cpu(&s, &goal, threads[t], x, &r, &err), KL_OK);
            ck_assert(r.converged && r.iterations < 80);
            ck_assert_int_le(r.threads, orders[o] < threads[t] ? (int)orders[o] : threads[t]);
            double size = 0.0; // the contraction makes the last change's error 5 times as large
            for (int i = 0; i < orders[o]; i++) size = fmax(size, fabs(want[i]));
            for (int i = 0; i < orders[o]; i++)
                ck_assert_double_eq_tol((double)x[i], want[i], 6e-6 * size);
            ck_assert_double_le(jacobi_residual(&s, x), 1e-6);
            if (t == 0) memcpy(first, x, sizeof first);
            ck_assert_int_eq(memcmp(first, x, (size_t)orders[o] * sizeof *x), 0);
        }
        jacobi_free(&s);
    }
}

KL_TEST(what_does_not_converge_ends) {
    jacobi_system s = make(20, 1.1);
    float x[20];
    jacobi_result r;
    kl_error err;
    const jacobi_goal few = {1e-6f, 3}, many = {1e-6f, 2000};
    ck_assert_int_eq(jacobi_solve_cpu(&s, &few, 2, x, &r, &err), KL_OK);
    ck_assert(!r.converged && r.iterations == 3);
    jacobi_set_alpha(&s, 0.5); // the changes double each time
    ck_assert_double_eq_tol(s.bound, 2.0, 1e-6);
    ck_assert_int_eq(jacobi_solve_cpu(&s, &many, 2, x, &r, &err), KL_OK);
    ck_assert(!r.converged && r.iterations > 100 && r.iterations < 200); // then an infinity
    ck_assert(isnan(jacobi_residual(&s, x)));
    s.b[4] = NAN;
    ck_assert_int_eq(jacobi_solve_cpu(&s, &many, 2, x, &r, &err), KL_OK);
    ck_assert(!r.converged && r.iterations == 1);
    jacobi_free(&s);
}

KL_TEST(the_contraction_is_measured_above_rounding) {
    jacobi_change history[40];
    for (int k = 0; k < 40; k++) history[k] = (jacobi_change){(float)pow(0.5, k), 1.0f};
    ck_assert_double_eq_tol(jacobi_contraction(history, 40), 0.5, 1e-9);
    for (int k = 14; k < 40; k++) history[k].change = 0x1p-14f; // stands still
    ck_assert_double_eq_tol(jacobi_contraction(history, 40), 0.5, 1e-9);
    ck_assert(isnan(jacobi_contraction(history, 3)));
}

static const char *put_file(const char *text) {
    static char path[] = "/tmp/jacobi_test_XXXXXX";
    strcpy(path + sizeof path - 7, "XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return path;
}

#define HEAD "%%MatrixMarket matrix coordinate real general\n"

KL_TEST(a_file_is_taken) {
    const char *path = put_file(HEAD "2 2 4\n1 1 4\n1 2 -1\n2 2 2\n1 1 1\n");
    kl_coo coo;
    kl_error err;
    jacobi_system s;
    ck_assert_msg(jacobi_file_open(path, &coo, &err) == KL_OK, "%s", err.text);
    ck_assert_int_eq(jacobi_make(2, 1, false, &s, &err), KL_OK);
    ck_assert_int_eq(jacobi_take(&s, path, &coo, &err), KL_OK);
    ck_assert(s.d[0] == 5.0f && s.d[1] == 2.0f && s.r[1] == -1.0f && s.r[2] == 0.0f);
    ck_assert_double_eq(s.bound, 0.2);
    unlink(path);
    kl_coo_free(&coo);
    jacobi_free(&s);
}

KL_TEST(bad_files_are_refused) {
    static const struct {
        const char *text, *said;
    } bad[] = {
        {HEAD "2 3 1\n1 1 1\n", "2 rows and 3 columns"},
        {HEAD "2 2 2\n1 1 1\n2 2 nan\n", "line 4"},
        {HEAD "2 2 2\n1 1 1\n2 2 1e300\n", "row 2, column 2 is 1e+300"},
        {HEAD "50000 50000 1\n1 1 1\n", "order 50000; a dense matrix has 1 to 46340"},
        {HEAD "2 2 3\n1 1 1\n2 1 1\n1 2 1\n", "the diagonal is zero in row 2"},
        {HEAD "2 2 4\n1 1 1\n1 2 3e38\n1 2 3e38\n2 2 1\n", "the sum of two elements"},
        {"no matrix\n", "line 1"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        const char *path = put_file(bad[k].text);
        kl_coo coo;
        kl_error err = {KL_OK, ""};
        jacobi_system s;
        kl_status status = jacobi_file_open(path, &coo, &err);
        if (status == KL_OK) {
            ck_assert_int_eq(jacobi_make(coo.rows, 1, false, &s, &err), KL_OK);
            status = jacobi_take(&s, path, &coo, &err);
            jacobi_free(&s);
            kl_coo_free(&coo);
        }
        unlink(path);
        ck_assert_int_ne(status, KL_OK);
        KL_HAS(err.text, bad[k].said);
    }
}

// Two solvers whose times are a transfer of 100 us and 10 or 2 us per iteration.
static jacobi_run *example(void) {
    static const int iterations[] = {10, 40, 200};
    jacobi_run *run = calloc(1, sizeof *run);
    ck_assert_ptr_nonnull(run);
    *run = (jacobi_run){.device = "card", .goal = {1e-6f, 1000}, .repeat = 1, .solver_count = 2};
    run->solvers[0] = (jacobi_solver){.kind = JACOBI_CPU, .name = "host"};
    run->solvers[1] = (jacobi_solver){.kind = JACOBI_STEP, .resident = true, .name = "step 7"};
    run->case_count = 1;
    run->cases[0] = (jacobi_case){.order = 8192, .point_count = 3};
    for (int i = 0; i < 3; i++) {
        jacobi_point *p = &run->cases[0].points[i];
        *p = (jacobi_point){.alpha = 1.4 - 0.1 * i, .bound = 0.9};
        for (int k = 0; k < 2; k++)
            p->results[k] = (jacobi_result){.iterations = iterations[i],
                                            .converged = true,
                                            .contraction = 0.8,
                                            .residual = 5e-7,
                                            .matrix_us = k == 0 ? 0.0 : 100.0,
                                            .total_us = (k == 0 ? 10.0 : 2.0) * iterations[i] +
                                                        (k == 0 ? 0.0 : 100.0),
                                            .threads = 16};
    }
    return run;
}

KL_TEST(the_answer_follows_from_the_times) {
    jacobi_run *run = example();
    ck_assert_int_eq(jacobi_main_solver(run), 1);
    jacobi_answer a = jacobi_answer_of(run, &run->cases[0], 1);
    ck_assert_double_eq_tol(a.iteration_us, 2.0, 1e-9);
    ck_assert_double_eq_tol(a.host_iteration_us, 10.0, 1e-9);
    ck_assert_double_eq(a.half, 50.0);
    ck_assert_double_eq(a.tenth, 450.0);
    ck_assert_double_eq(a.even, 13.0);
    ck_assert_double_eq_tol(jacobi_share(&a, 450.0), 0.1, 1e-9);
    ck_assert_double_eq_tol(jacobi_speedup(run, &run->cases[0].points[2], 1), 4.0, 1e-9);
    run->cases[0].points[2].results[1].iterations = 199; // not the same number: no comparison
    ck_assert(isnan(jacobi_speedup(run, &run->cases[0].points[2], 1)));
    run->simulated = true;
    ck_assert(isnan(jacobi_answer_of(run, &run->cases[0], 1).even));
    run->cases[0].point_count = 1;
    ck_assert(isnan(jacobi_answer_of(run, &run->cases[0], 1).iteration_us));
    free(run);
}

KL_TEST(every_solution_must_be_right) {
    jacobi_run *run = example();
    jacobi_result *r = &run->cases[0].points[1].results[1];
    ck_assert(jacobi_all_right(run));
    r->residual = 1.1e-6;
    ck_assert(!jacobi_all_right(run));
    r->residual = NAN;
    ck_assert(!jacobi_all_right(run));
    r->residual = 0.0;
    r->converged = false;
    ck_assert(!jacobi_all_right(run));
    free(run);
}

enum { SVG, TEXT, REPORT, JSON };

static const char *output_of(const jacobi_run *run, int kind) {
    static char text[65536];
    FILE *out = tmpfile();
    kl_style style = {.width = 60};
    kl_error err;
    ck_assert_ptr_nonnull(out);
    if (kind == SVG)
        jacobi_draw(run, &run->cases[0], out);
    else if (kind == TEXT)
        jacobi_draw_text(run, &run->cases[0], &style, out);
    else if (kind == REPORT)
        jacobi_print(run, out);
    else
        ck_assert_int_eq(jacobi_write_json(run, out, &err), KL_OK);
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    fclose(out);
    for (char *c = text; kind == REPORT && *c != '\0'; c++)
        if (*c == '\n') *c = ' '; // lines are broken anywhere
    return text;
}

KL_TEST(pictures_and_tables_hold_the_results) {
    jacobi_run *run = example();
    const char *text = output_of(run, SVG);
    KL_HAS(text, "order 8192, measured on card", "</svg>");
    ck_assert_ptr_null(strstr(text, "nan"));
    text = output_of(run, TEXT);
    ck_assert_ptr_nonnull(strchr(text, '1'));
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
        ck_assert_int_le((int)strcspn(line, "\n"), 62);
    text = output_of(run, REPORT);
    KL_HAS(text, "half of the time at iteration 50", "at most a tenth from iteration 450",
           "here they are 26 % of the time");
    text = output_of(run, JSON);
    KL_HAS(text, "\"schema\": \"ladder.jacobi/1\"", "\"tenth\": 450");
    run->simulated = true;
    ck_assert_ptr_null(strstr(output_of(run, SVG), "nan"));
    run->cases[0].points[1].results[1].converged = false;
    KL_HAS(output_of(run, REPORT), "alpha 1.3, step 7: not within");
    free(run);
}

KL_TEST_MAIN("gemv_row app")
