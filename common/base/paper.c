// Paper for pictures: see paper.h.
#include "paper.h"
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

// What a class looks like on a light and on a dark page. A row has both, so no class can lack one.
static const struct {
    const char *selector, *property, *light, *dark;
} colours[] = {
    {".paper", "fill", "#fff", "#0d1117"},    {".cell", "fill", "#e9edf0", "#262c36"},
    {".good", "fill", "#2f7d4f", "#3f9d66"},  {".bad", "fill", "#b5532a", "#c8683c"},
    {".mark", "fill", "#c00000", "#ff5c5c"},  {".ink", "fill", "#444", "#b0b8c0"},
    {".k0", "fill", "#9ecae1", "#2f6690"},    {".k1", "fill", "#a1d99b", "#33703f"},
    {".k2", "fill", "#fdae6b", "#95591e"},    {".k3", "fill", "#bcbddc", "#5e5690"},
    {".k4", "fill", "#fdd0a2", "#75502f"},    {".k5", "fill", "#c7e9c0", "#4d6b2c"},
    {".k6", "fill", "#d9d9d9", "#4d545e"},    {".k7", "fill", "#f7b6d2", "#84446a"},
    {".h0", "fill", "#c6daee", "#0f3355"},    {".h1", "fill", "#93b8dd", "#17528a"},
    {".h2", "fill", "#6297cc", "#2f78bd"},    {".h3", "fill", "#3676b6", "#5a9fdc"},
    {".h4", "fill", "#1c5691", "#93c4ef"},    {".h5", "fill", "#0b3561", "#d5eafb"},
    {".s0", "color", "#1b5e8c", "#58a6dd"},   {".s1", "color", "#2f7d4f", "#56b87c"},
    {".s2", "color", "#b5532a", "#e58a5c"},   {".s3", "color", "#7a3b8f", "#c48ad8"},
    {".s4", "color", "#7a5c00", "#d3ae45"},   {".s5", "color", "#01665e", "#45b8ab"},
    {".s6", "color", "#8e0152", "#e777b4"},   {".s7", "color", "#6b6b6b", "#a0a6ad"},
    {".pale", "color", "#8ab6d6", "#2f6690"}, {".plain", "color", "#999", "#6e7681"},
    {".frame", "stroke", "#667", "#9aa4b0"},  {".arrow,.axis,.dash", "stroke", "#667", "#9aa4b0"},
    {".head", "fill", "#667", "#9aa4b0"},     {".grid", "stroke", "#ddd", "#30363d"},
    {".v,.n", "fill", "#333", "#c9d1d9"},     {".t", "fill", "#111", "#f0f6fc"},
    {".on", "fill", "#fff", "#fff"},          {".halo", "stroke", "#fff", "#0d1117"},
};

// Behind the colours, so that the colour of a line or an area wins.
static const char forms[] =
    ".v{font-size:11px}.n{font-size:9px}.on{font-size:9px}.t{font-size:13px}.m{text-anchor:middle}"
    ".e{text-anchor:end}.halo{paint-order:stroke;stroke-width:3px}.frame,.line,.arrow{fill:none}"
    ".line{stroke:currentColor}.area{fill:currentColor}.dash{stroke-dasharray:4 3}";

static void put_colours(FILE *out, int dark) {
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        fprintf(out, "%s{%s:%s}", colours[i].selector, colours[i].property,
                dark ? colours[i].dark : colours[i].light);
}

void kl_paper_style(FILE *out) {
    put_colours(out, 0);
    fputs("\n@media(prefers-color-scheme:dark){", out);
    put_colours(out, 1);
    fprintf(out, "}\n%s", forms);
}

const char *kl_paper_dashes(int series) {
    static const char *const dashes[] = {"none", "7 3",  "2 3", "9 3 2 3",
                                         "4 2",  "12 3", "1 2", "7 2 2 2"};
    return dashes[series % KL_PAPER_SERIES];
}

static void put_head(FILE *out, double width, double height, const char *title) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" role=\"img\" font-family=\"sans-serif\">\n<title>",
            width, height, width, height);
    kl_paper_put(out, title);
    fputs("</title>\n", out);
}

static void put_ground(FILE *out) {
    fputs("<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n", out);
}

void kl_paper_begin(FILE *out, double width, double height, const char *title) {
    put_head(out, width, height, title);
    fputs("<style>", out);
    kl_paper_style(out);
    fputs("</style>\n", out);
    put_ground(out);
}

void kl_paper_begin_plain(FILE *out, double width, double height, const char *title) {
    put_head(out, width, height, title);
    put_ground(out);
}

void kl_paper_end(FILE *out) { fputs("</svg>\n", out); }

void kl_paper_rect(FILE *out, double x, double y, double width, double height, const char *shape) {
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", x,
            y, width, height, shape);
}

void kl_paper_line(FILE *out, double x0, double y0, double x1, double y1, const char *shape) {
    fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" class=\"%s\"/>\n", x0, y0, x1, y1, shape);
}

void kl_paper_arrow(FILE *out, double x0, double y0, double x1, double y1) {
    double length = hypot(x1 - x0, y1 - y0), dx = (x1 - x0) / length, dy = (y1 - y0) / length;
    double x = x1 - 7 * dx, y = y1 - 7 * dy; // where the head begins
    fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" class=\"arrow\"/>", x0, y0, x, y);
    fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\" class=\"head\"/>\n", x1, y1,
            x - 3.5 * dy, y + 3.5 * dx, x + 3.5 * dy, y - 3.5 * dx);
}

void kl_paper_put(FILE *out, const char *text) {
    for (const char *c = text; *c != '\0'; c++) {
        switch (*c) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((unsigned char)*c < 32 || *c == 127 ? '?' : *c, out);
        }
    }
}

void kl_paper_text(FILE *out, double x, double y, const char *shape, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, shape);
    kl_paper_put(out, text);
    fputs("</text>\n", out);
}
