// Lab 04's sweep: which orders it has, how it counts won and lost, and what its pictures hold.
// links: ../sweep_chart.c
#include "suite.h"
#include "sweep.h"

static bool has(const int *orders, int count, int order) {
    for (int i = 0; i < count; i++)
        if (orders[i] == order) return true;
    return false;
}

KL_TEST(the_orders_are_those_that_the_page_promises) {
    int orders[SWEEP_POINTS];
    sweep_zoom zoom;
    int count = sweep_orders(false, orders, &zoom);
    for (int i = 1; i < count; i++) ck_assert_int_lt(orders[i - 1], orders[i]);
    ck_assert_int_eq(orders[0], 16);
    ck_assert_int_eq(orders[count - 1], 12800);
    for (int n = 64; n <= 12800; n += 64) ck_assert(has(orders, count, n));
    for (int d = -8; d <= 8; d++)
        ck_assert(has(orders, count, 2048 + d) && has(orders, count, 4096 + d) &&
                  has(orders, count, 8192 + d));
    for (int n = 512; n < 12800; n += 512)
        ck_assert(has(orders, count, n - 1) && has(orders, count, n + 1));
    for (int n = zoom.first; n <= zoom.last; n++) ck_assert(has(orders, count, n));
    ck_assert_int_eq(zoom.first, 6080);
    ck_assert_int_eq(zoom.last, 6208);
    count = sweep_orders(true, orders, &zoom);
    ck_assert_int_le(count, 40);
    for (int n = zoom.first; n <= zoom.last; n++) ck_assert(has(orders, count, n));
}

static sweep_result *example(void) {
    sweep_result *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    *r = (sweep_result){.device = "card", .ceiling_gbs = 100.0, .series_count = 2, .count = 4};
    r->has_vendor = true;
    r->zoom = (sweep_zoom){200, 300};
    r->series[0] = (sweep_series){"step 7", 7};
    r->series[1] = (sweep_series){"cuBLAS", -1};
    for (int i = 0; i < 4; i++) {
        r->order[i] = 100 * (i + 1);
        r->us[i][0] = 10.0;
        r->us[i][1] = 5.0 * (i + 1); // lost, equal, won, won
    }
    return r;
}

KL_TEST(won_and_lost_are_counted) {
    sweep_result *r = example();
    sweep_score score = sweep_score_of(r, 0);
    ck_assert_int_eq(score.won, 2);
    ck_assert_int_eq(score.lost, 1);
    ck_assert_int_eq(score.equal, 1);
    ck_assert_double_eq(score.least, 0.5);
    ck_assert_double_eq(score.most, 2.0);
    ck_assert_double_eq_tol(score.mean, pow(0.5 * 1.0 * 1.5 * 2.0, 0.25), 1e-12);
    ck_assert_double_eq_tol(sweep_gflops(r, 1, 0), 2e-3 * 200 * 200 / 10.0, 1e-12);
    r->has_vendor = false;
    ck_assert_int_eq(sweep_score_of(r, 0).won, 0);
    free(r);
}

static void text_of(const sweep_result *r, bool svg, char *text, size_t bytes) {
    FILE *out = tmpfile();
    ck_assert_ptr_nonnull(out);
    kl_style style = {.width = 60};
    if (svg)
        sweep_draw(r, out);
    else
        sweep_draw_text(r, &style, out);
    rewind(out);
    size_t length = fread(text, 1, bytes - 1, out);
    text[length] = '\0';
    fclose(out);
}

KL_TEST(the_pictures_hold_the_curves) {
    static char text[65536];
    sweep_result *r = example();
    text_of(r, true, text, sizeof text);
    KL_HAS(text, "</svg>",
           "faster than the library at 2 of 4 orders, slower at 1; "
           "geometric mean of the gains 1.11x",
           "measured on card");
    ck_assert_ptr_null(strstr(text, "nan"));
    text_of(r, false, text, sizeof text);
    for (const char *line = text; line && *line != '\0';) {
        const char *end = strchr(line, '\n');
        ck_assert_ptr_nonnull(end);
        ck_assert_int_le(end - line, 62);
        line = end + 1;
    }
    ck_assert_ptr_nonnull(strchr(text, '*')); // they meet where they are equal
    r->ceiling_gbs = NAN;
    r->simulated = true;
    text_of(r, true, text, sizeof text);
    KL_HAS(text, "modelled on card");
    ck_assert_ptr_null(strstr(text, "nan"));
    free(r);
}

KL_TEST_MAIN("gemv_row sweep")
