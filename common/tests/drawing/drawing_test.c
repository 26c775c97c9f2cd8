// Axes have few and round marks; curves lie where they should, in the picture and on the terminal;
// pixels come out of the PNG as they went in; warps over time are strokes.
#include "drawing.h"
#include "suite.h"

#ifdef KL_HAVE_ZLIB
#include <zlib.h>
#endif

static void check_axis(double least, double most, int marks, double first, double last,
                       double step) {
    kl_axis a = kl_axis_over("", least, most, marks);
    ck_assert_msg(fabs(a.first - first) < 1e-9 && fabs(a.last - last) < 1e-9 &&
                      fabs(a.step - step) < 1e-9,
                  "%g .. %g: %g .. %g by %g", least, most, a.first, a.last, a.step);
}

KL_TEST(axes_are_round) {
    check_axis(0, 2.3, 5, 0, 2.5, 0.5);
    check_axis(0, 100, 5, 0, 100, 20);
    check_axis(0.07, 0.93, 5, 0, 1, 0.2);
    check_axis(1, 10, 10, 1, 10, 1);
    check_axis(50, 99, 5, 50, 100, 10);
    check_axis(3, 3, 4, 3, 6, 1);
    check_axis(0, 0, 4, 0, 1, 0.5);
    check_axis(NAN, 1, 4, 0, 1, 0.5);
    kl_axis a = kl_axis_decades("", 3, 4000);
    ck_assert_double_eq(a.first, 1);
    ck_assert(fabs(a.last - 10000) < 1e-6);
    a = kl_axis_decades("", 10, 10);
    ck_assert(fabs(a.last / a.first - 10) < 1e-9);
}

static const double xs[] = {1, 2, 3, 4}, ups[] = {0, 1, 2, 3}, falls[] = {3, 2, 1, 0},
                    downs[] = {3, NAN, 1, INFINITY};

static kl_chart small(void) {
    return (kl_chart){"A & B",
                      kl_axis_over("epoch", 1, 4, 3),
                      kl_axis_over("loss", 0, 3, 3),
                      60,
                      40,
                      300,
                      150,
                      2,
                      {{"<up>", 4, xs, ups}, {"down", 4, xs, downs}}};
}

static char *drawn(const kl_chart *chart) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    kl_paper_begin(out, 500, 250, "a chart");
    kl_chart_draw(chart, out);
    kl_paper_end(out);
    fclose(out);
    return text;
}

KL_TEST(curves_lie_where_they_should) {
    kl_chart chart = small();
    char *svg = drawn(&chart);
    kl_check_svg(svg);
    ck_assert_int_eq(kl_count_of(svg, "<circle"), 6); // without the two that are not finite
    KL_HAS(svg, "d=\"M60.0 190.0L160.0 140.0L260.0 90.0L360.0 40.0\"",
           "d=\"M60.0 40.0M260.0 140.0\""); // gaps are not bridged
    KL_HAS(svg, "&lt;up&gt;: 3 at 4", "A &amp; B");
    ck_assert_ptr_null(strstr(svg, "#fff\""));
    free(svg);
    chart.y = kl_axis_decades("us", 1, 100); // 0 has no place there
    svg = drawn(&chart);
    kl_check_svg(svg);
    ck_assert_int_eq(kl_count_of(svg, "<circle"), 5);
    free(svg);
}

// Names of eight curves that end in one point: none on another, none below the frame.
KL_TEST(names_are_apart) {
    kl_chart chart = small();
    chart.count = KL_CHART_CURVES;
    for (int i = 0; i < KL_CHART_CURVES; i++)
        chart.curves[i] = (kl_curve){"same", 4, xs, i % 2 == 0 ? ups : falls};
    char *svg = drawn(&chart);
    double y[KL_CHART_CURVES];
    int count = 0;
    for (const char *at = svg; (at = strstr(at, "<text x=\"368.0\" y=\"")); at++)
        ck_assert_int_eq(sscanf(at, "<text x=\"368.0\" y=\"%lf\"", &y[count++]), 1);
    ck_assert_int_eq(count, KL_CHART_CURVES);
    for (int i = 0; i < count; i++) {
        ck_assert(y[i] <= 40 + 150 + 4.05);
        for (int k = 0; k < i; k++) ck_assert(fabs(y[i] - y[k]) > 13.9);
    }
    free(svg);
}

static int digit(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return (int)(strchr(digits, c) - digits);
}

// The bytes of the base64 text; returns their count.
static size_t decode(const char *text, uint8_t *out) {
    size_t count = 0;
    for (; *text != '"'; text += 4) {
        uint32_t bits = 0;
        int pads = (text[2] == '=') + (text[3] == '=');
        for (int i = 0; i < 4; i++)
            bits = bits << 6 | (text[i] == '=' ? 0u : (uint32_t)digit(text[i]));
        for (int i = 0; i < 3 - pads; i++) out[count++] = (uint8_t)(bits >> (16 - 8 * i));
    }
    return count;
}

// The stored blocks of the PNG, which must be all there is, against the pixels.
static void check_png(const uint8_t *png, size_t bytes, int channels, int height, int width,
                      const uint8_t *pixels) {
    ck_assert_mem_eq(png, "\x89PNG\r\n\x1a\n\0\0\0\15IHDR", 16);
    ck_assert_int_eq(png[19], width);
    ck_assert_int_eq(png[23], height);
    size_t row = 6 + (size_t)(channels * width), data = 8 + 25 + 8;
    ck_assert_uint_eq(bytes, data + 2 + row * (size_t)height + 4 + 4 + 12);
    ck_assert_mem_eq(png + data - 4, "IDAT\x78\x01", 6);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < channels; c++)
                ck_assert_int_eq(png[data + 2 + row * (size_t)y + 6 + (size_t)(x * channels + c)],
                                 pixels[(c * height + y) * width + x]);
#ifdef KL_HAVE_ZLIB
    uint8_t raw[4096];
    uLongf raw_bytes = sizeof raw, packed = (uLongf)(2 + row * (size_t)height + 4);
    ck_assert_int_eq(uncompress(raw, &raw_bytes, png + data, packed), Z_OK); // Adler-32 as well
    ck_assert_uint_eq(raw_bytes, (row - 5) * (size_t)height);
    uint32_t crc = 0;
    for (int i = 0; i < 4; i++) crc = crc << 8 | png[data + packed + (size_t)i];
    ck_assert_uint_eq(crc, crc32(0, png + data - 4, (uInt)packed + 4));
#endif
}

KL_TEST(pixels_come_out_as_they_went_in) {
    static const int shapes[][3] = {{1, 1, 1}, {1, 28, 28}, {3, 2, 5}, {3, 7, 4}, {1, 3, 2}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        int channels = shapes[s][0], height = shapes[s][1], width = shapes[s][2];
        uint8_t pixels[784], png[4096];
        for (int i = 0; i < channels * height * width; i++) pixels[i] = (uint8_t)(i * 37 + 5);
        char *text = KL_PRINTED(
            out, kl_pixels_draw(out, 1, 2, 30, 40, channels, height, width, pixels, "a \"shoe\""));
        KL_HAS(text, "<title>a &quot;shoe&quot;</title></image>");
        check_png(png, decode(strstr(text, "base64,") + 7, png), channels, height, width, pixels);
        free(text);
    }
}

// Two warps, four columns of 180 px: equal neighbours are one stroke, each kind is one path.
KL_TEST(a_timeline_has_a_stroke_per_span) {
    static const uint8_t kinds[8] = {
        KL_TIMELINE_ISSUES,  KL_TIMELINE_ISSUES, KL_TIMELINE_FIRST_WAIT, KL_TIMELINE_ISSUES,
        KL_TIMELINE_NOTHING, KL_TIMELINE_SELDOM, KL_TIMELINE_READY,      KL_TIMELINE_FIRST_WAIT};
    static const uint32_t labels[2] = {0, 4};
    static const double used[4] = {1, 1, 0.5, 0};
    static const kl_timeline_key keys[3] = {
        {KL_TIMELINE_ISSUES, "issuing"}, {KL_TIMELINE_NOTHING, "a <number>"}, {3, "ready"}};
    kl_timeline t = {
        .rows = 2, .columns = 4, .each = 100, .kinds = kinds, .labels = labels, .used = used};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    kl_timeline_draw(out, &t, "two <warps>");
    fclose(out);
    kl_check_svg(text);
    KL_HAS(text, "<title>two &lt;warps&gt;</title>", "d=\"M46 27h360m180 0h180\"",
           "d=\"M406 27h180M586 41h180\"");
    ck_assert_int_eq(kl_count_of(text, " line\" stroke-width=\""), 4);
    KL_HAS(text, "H46V56.0H406V73.0H586V90.0H766V90.0Z", ">200</text>");
    ck_assert_ptr_null(strstr(text, "<style>"));
    free(text);
    t.keys = keys;
    t.key_count = 3;
    out = open_memstream(&text, &bytes);
    kl_timeline_draw(out, &t, "with a key");
    fclose(out);
    kl_check_svg(text);
    KL_HAS(text, "<style>"); // it stands alone
    ck_assert_int_eq(kl_count_of(text, " line\" stroke-width=\""), 4 + 2);
    KL_HAS(text, ">a &lt;number&gt;</text>");
    free(text);
}

KL_TEST_MAIN("drawing")
