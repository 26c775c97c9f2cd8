// The points of each step as an SVG data URL: see internal.h. Base64 by RFC 4648.
#include "course/export/internal.h"

// In pixels of the picture's own grid.
enum { ROW = 22, BAR_LEFT = 180, BAR_WIDTH = 300, WIDTH = 600, MARGIN = 8 };

static void draw(const ladder_report *report, const ladder_hundredths *marks, FILE *out) {
    const ladder_result *r = report->result;
    int height = 2 * MARGIN + ROW * r->step_count;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"13\"><rect width=\"%d\" "
            "height=\"%d\" fill=\"#fff\"/>",
            WIDTH, height, WIDTH, height, WIDTH, height);
    for (int s = 0; s < r->step_count; s++) {
        char name[LADDER_EXPORT_NAME], points[32], most[32];
        int y = MARGIN + s * ROW;
        int64_t full = marks->step_max[s];
        int64_t width = full > 0 ? BAR_WIDTH * marks->step[s] / full : 0;
        ladder_html(out,
                    "<text x=\"%d\" y=\"%d\">%s</text><rect x=\"%d\" y=\"%d\" width=\"%d\" "
                    "height=\"14\" fill=\"#dde3ea\"/><rect x=\"%d\" y=\"%d\" width=\"%d\" "
                    "height=\"14\" fill=\"#2f6fb0\"/><text x=\"%d\" y=\"%d\">%s of %s</text>",
                    MARGIN, y + 15, ladder_export_step_name(report, s, name), BAR_LEFT, y + 4,
                    BAR_WIDTH, BAR_LEFT, y + 4, (int)width, BAR_LEFT + BAR_WIDTH + MARGIN, y + 15,
                    ladder_hundredths_text(marks->step[s], points, sizeof points),
                    ladder_hundredths_text(full, most, sizeof most));
    }
    fputs("</svg>", out);
}

static void put_base64(const unsigned char *data, size_t bytes, FILE *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes; i += 3) {
        size_t left = bytes - i;
        unsigned group = (unsigned)data[i] << 16;
        if (left > 1) group |= (unsigned)data[i + 1] << 8;
        if (left > 2) group |= data[i + 2];
        fputc(digits[group >> 18], out);
        fputc(digits[group >> 12 & 63], out);
        fputc(left > 1 ? digits[group >> 6 & 63] : '=', out);
        fputc(left > 2 ? digits[group & 63] : '=', out);
    }
}

char *ladder_export_picture(const ladder_report *report, const ladder_hundredths *marks) {
    char *svg = NULL, *url = NULL;
    size_t svg_bytes = 0, url_bytes = 0;
    FILE *out = open_memstream(&svg, &svg_bytes);
    if (!out) return NULL;
    draw(report, marks, out);
    bool whole = fclose(out) == 0;
    out = whole ? open_memstream(&url, &url_bytes) : NULL;
    if (out) {
        fputs("data:image/svg+xml;base64,", out);
        put_base64((const unsigned char *)svg, svg_bytes, out);
        if (fclose(out) != 0) {
            free(url);
            url = NULL;
        }
    }
    free(svg);
    return url;
}
