// Pictures of matrices: what is counted adds up, the text is what is drawn by hand, the SVG is
// well-formed.
#include "sparse.h"
#include "suite.h"

static kl_error err;

// The lecture's 4 x 6 example.
static kl_csr lecture(void) {
    static int32_t ptr[] = {0, 2, 4, 7, 8}, col[] = {0, 1, 1, 3, 2, 3, 4, 5};
    static double val[] = {10, 20, 30, 40, 50, 60, 70, 80};
    return (kl_csr){4, 6, 8, ptr, col, val};
}

KL_TEST(rasters_count_every_entry) {
    static const int sides[][2] = {{1, 1}, {7, 3}, {100, 100}, {1000, 1000}};
    kl_csr csr;
    ck_assert_int_eq(kl_make_uniform(531, 877, 5, 1, &csr, &err), KL_OK);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++) {
        kl_raster r;
        ck_assert_int_eq(kl_raster_of(&csr, sides[s][0], sides[s][1], &r, &err), KL_OK);
        ck_assert_int_le(r.width, sides[s][0]);
        ck_assert_int_le(r.height, sides[s][1]);
        int64_t entries = 0;
        double places = 0;
        for (int y = 0; y < r.height; y++) {
            for (int x = 0; x < r.width; x++) {
                uint32_t count = r.count[y * r.width + x];
                // by the definition in the header, entry for entry
                uint32_t expected = 0;
                for (int64_t i = kl_raster_edge(531, r.height, y);
                     i < kl_raster_edge(531, r.height, y + 1) && r.width < 50; i++) {
                    for (int32_t k = csr.ptr[i]; k < csr.ptr[i + 1]; k++) {
                        expected += csr.col[k] >= kl_raster_edge(877, r.width, x) &&
                                    csr.col[k] < kl_raster_edge(877, r.width, x + 1);
                    }
                }
                ck_assert(r.width >= 50 || count == expected);
                entries += count;
                places += kl_raster_places(&r, x, y);
            }
        }
        ck_assert_int_eq(entries, csr.nnz);
        ck_assert_double_eq(places, 531.0 * 877.0);
        kl_raster_free(&r);
    }
    kl_csr_free(&csr);
}

KL_TEST(shades_go_from_emptiest_to_fullest) {
    kl_csr csr;
    kl_raster r;
    ck_assert_int_eq(kl_make_giant_rows(5000, 5000, 4, 1, 5000, 1, &csr, &err), KL_OK);
    ck_assert_int_eq(kl_raster_of(&csr, 50, 50, &r, &err), KL_OK);
    kl_shading s = kl_shading_of(&r);
    int seen[KL_SHADES] = {0};
    for (int y = 0; y < r.height; y++) {
        for (int x = 0; x < r.width; x++) {
            int shade = kl_shade(&s, &r, x, y);
            uint32_t count = r.count[y * r.width + x];
            ck_assert_int_eq(shade < 0, count == 0);
            if (shade < 0) continue;
            double share = count / kl_raster_places(&r, x, y);
            ck_assert(share >= s.from[shade] &&
                      (shade + 1 == s.shades || share < s.from[shade + 1]));
            seen[shade]++;
        }
    }
    ck_assert(seen[0] > 0 && seen[KL_SHADES - 1] >= 50); // the giant row at least
    kl_raster_free(&r);
    kl_csr_free(&csr);
    kl_csr small = lecture();
    ck_assert_int_eq(kl_raster_of(&small, 6, 4, &r, &err), KL_OK);
    ck_assert_int_eq(kl_shading_of(&r).shades, 1); // all cells are full or empty
    kl_raster_free(&r);
}

static void check_groups(const kl_csr *csr, const kl_row_lengths *l) {
    int64_t rows = 0, entries = 0;
    for (int g = 0; g < l->count; g++) {
        ck_assert_int_le(l->from[g], l->to[g]);
        ck_assert(g == 0 || l->from[g] == l->to[g - 1] + 1);
        ck_assert_int_ge(l->entries[g], l->rows[g] * l->from[g]);
        ck_assert_int_le(l->entries[g], l->rows[g] * l->to[g]);
        rows += l->rows[g];
        entries += l->entries[g];
    }
    ck_assert_int_eq(rows, csr->rows);
    ck_assert_int_eq(entries, csr->nnz);
}

KL_TEST(row_lengths_add_up) {
    kl_row_lengths l;
    kl_csr csr = lecture();
    kl_row_lengths_of(&csr, &l);
    check_groups(&csr, &l);
    ck_assert_int_eq(l.count, 3); // 1, 2, 3
    ck_assert(l.rows[0] == 1 && l.rows[1] == 2 && l.rows[2] == 1 && l.entries[1] == 4);
    kl_lookalike like = kl_classic(kl_classic_find("Circuit"));
    ck_assert_int_eq(kl_make_lookalike(&like, 1, &csr, &err), KL_OK);
    kl_row_lengths_of(&csr, &l);
    check_groups(&csr, &l);
    ck_assert_int_eq(l.from[0], 1);
    ck_assert_int_eq(l.to[l.count - 1], 353);
    ck_assert(l.from[3] == 5 && l.to[3] == 8);
    kl_csr_free(&csr);
    like = kl_classic(kl_classic_find("FEM/Ship")); // 24 to 102: close together
    ck_assert_int_eq(kl_make_lookalike(&like, 1, &csr, &err), KL_OK);
    kl_row_lengths_of(&csr, &l);
    check_groups(&csr, &l);
    ck_assert(l.count == 20 && l.from[0] == 24 && l.to[0] == 27 && l.to[19] == 102);
    kl_csr_free(&csr);
    ck_assert_int_eq(kl_make_giant_rows(9, 100000000, 0, 1, 100000000, 1, &csr, &err), KL_OK);
    kl_row_lengths_of(&csr, &l);
    check_groups(&csr, &l);
    ck_assert_int_eq(l.rows[0], 8); // empty rows
    kl_csr_free(&csr);
    ck_assert_int_eq(kl_make_uniform(0, 5, 0, 1, &csr, &err), KL_OK);
    kl_row_lengths_of(&csr, &l);
    ck_assert_int_eq(l.count, 0);
    kl_csr_free(&csr);
}

typedef kl_status draw(const kl_csr *csr, const char *name, FILE *out, kl_error *err);

static char *drawn(draw *picture, const kl_csr *csr, const char *name) {
    char *text = KL_PRINTED(out, ck_assert_int_eq(picture(csr, name, out, &err), KL_OK));
    return text;
}

KL_TEST(small_matrices_show_each_entry) {
    kl_csr csr = lecture();
    char *svg = drawn(kl_plot_structure, &csr, "a<b>&\"c\".mtx\n");
    kl_check_svg(svg);
    // (0,0)-(0,1) and (2,2)-(2,4) are joined
    ck_assert_ptr_nonnull(
        strstr(svg, "d=\"M0 0h2v1h-2zM1 1h1v1h-1zM3 1h1v1h-1zM2 2h3v1h-3zM5 3h1v1h-1z\""));
    KL_HAS(svg, "a&lt;b&gt;&amp;&quot;c&quot;.mtx?", "4 x 6, 8 entries");
    free(svg);
    svg = drawn(kl_plot_row_lengths, &csr, "m");
    kl_check_svg(svg);
    KL_HAS(svg, "2 rows (50 %)", "3 entries (37.5 %)");
    free(svg);
}

KL_TEST(large_and_odd_matrices_are_drawn) {
    kl_csr matrices[5];
    kl_lookalike like = kl_classic(kl_classic_find("LP"));
    ck_assert_int_eq(kl_make_lookalike(&like, 1, &matrices[0], &err), KL_OK);
    ck_assert_int_eq(kl_make_stencil(KL_STENCIL_5, 300, 300, 1, 1, &matrices[1], &err), KL_OK);
    ck_assert_int_eq(kl_make_uniform(0, 0, 0, 1, &matrices[2], &err), KL_OK);
    ck_assert_int_eq(kl_make_uniform(100000, 1, 0, 1, &matrices[3], &err), KL_OK);
    ck_assert_int_eq(kl_make_uniform(100000, 1, 1, 1, &matrices[4], &err), KL_OK);
    for (int m = 0; m < 5; m++) {
        char *svg = drawn(kl_plot_structure, &matrices[m], "m");
        kl_check_svg(svg);
        ck_assert_uint_lt(strlen(svg), 400000); // whatever the matrix
        free(svg);
        svg = drawn(kl_plot_row_lengths, &matrices[m], "m");
        kl_check_svg(svg);
        int shapes = kl_count_of(svg, "<rect");
        ck_assert_int_ge(shapes, 3);
        free(svg);
        kl_csr_free(&matrices[m]);
    }
}

static char *as_text(const kl_csr *csr, int columns, int lines, bool utf8) {
    char *text = KL_PRINTED(
        out, ck_assert_int_eq(kl_plot_text(csr, columns, lines, utf8, out, &err), KL_OK));
    return text;
}

KL_TEST(text_is_what_a_hand_draws) {
    kl_csr csr = lecture();
    char *text = as_text(&csr, 40, 20, false);
    ck_assert_str_eq(text, "+------+\n"
                           "|@@    |\n"
                           "| @ @  |\n"
                           "|  @@@ |\n"
                           "|     @|\n"
                           "+------+\n");
    free(text);
    kl_csr diagonal;
    ck_assert_int_eq(kl_make_band(8, 0, 0, 1, &diagonal, &err), KL_OK);
    text = as_text(&diagonal, 40, 20, true); // dots 2 x 4 a character: the diagonal
    ck_assert_str_eq(text, "┌────┐\n"
                           "│⠑⢄⠀⠀│\n"
                           "│⠀⠀⠑⢄│\n"
                           "└────┘\n");
    free(text);
    kl_csr_free(&diagonal);
    ck_assert_int_eq(kl_make_uniform(1000, 1000, 100, 1, &diagonal, &err), KL_OK);
    text = as_text(&diagonal, 40, 20, true); // crowded: shades
    ck_assert_ptr_null(strstr(text, "⣿"));
    KL_HAS(text, "█");
    free(text);
    kl_csr_free(&diagonal);
    ck_assert_int_eq(kl_make_uniform(0, 0, 0, 1, &diagonal, &err), KL_OK);
    text = as_text(&diagonal, 40, 20, false);
    ck_assert_str_eq(text, "++\n++\n");
    free(text);
    kl_csr_free(&diagonal);
}

KL_TEST_MAIN("pictures of matrices")
