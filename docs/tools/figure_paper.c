// SPDX-License-Identifier: MIT
// Paper for figures: see figure_paper.h.
#include "figure_paper.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const char light[] = ".paper{fill:#fff}.cell{fill:#e9edf0}.good{fill:#2f7d4f}"
                            ".bad{fill:#b5532a}.k0{fill:#9ecae1}.k1{fill:#a1d99b}"
                            ".k2{fill:#fdae6b}.k3{fill:#bcbddc}.frame{fill:none;stroke:#667}"
                            ".arrow{stroke:#667;fill:none}.head{fill:#667}"
                            ".v,.n{fill:#333}.t{fill:#111}.on{fill:#fff}";
static const char dark[] = ".paper{fill:#0d1117}.cell{fill:#262c36}.good{fill:#3f9d66}"
                           ".bad{fill:#c8683c}.k0{fill:#2f6690}.k1{fill:#33703f}"
                           ".k2{fill:#95591e}.k3{fill:#5e5690}.frame{stroke:#9aa4b0}"
                           ".arrow{stroke:#9aa4b0}.head{fill:#9aa4b0}"
                           ".v,.n{fill:#c9d1d9}.t{fill:#f0f6fc}";

void paper_begin(int width, int height, const char *title) {
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
           "viewBox=\"0 0 %d %d\" role=\"img\" font-family=\"sans-serif\">\n<title>%s</title>\n"
           "<style>.v{font-size:11px}.n{font-size:9px}.on{font-size:9px}.t{font-size:13px}"
           ".m{text-anchor:middle}.e{text-anchor:end}%s@media(prefers-color-scheme:dark){%s}"
           "</style>\n<rect width=\"100%%\" height=\"100%%\" class=\"paper\"/>\n",
           width, height, width, height, title, light, dark);
}

void paper_end(void) {
    puts("</svg>");
}

void paper_rect(double x, double y, double width, double height, const char *shape) {
    printf("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", x, y,
           width, height, shape);
}

void paper_arrow(double x0, double y0, double x1, double y1) {
    double length = hypot(x1 - x0, y1 - y0), dx = (x1 - x0) / length, dy = (y1 - y0) / length;
    double x = x1 - 7 * dx, y = y1 - 7 * dy; // where the head begins
    printf("<path d=\"M%.1f %.1fL%.1f %.1f\" class=\"arrow\"/>", x0, y0, x, y);
    printf("<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\" class=\"head\"/>\n", x1, y1, x - 3.5 * dy,
           y + 3.5 * dx, x + 3.5 * dy, y - 3.5 * dx);
}

void paper_text(double x, double y, const char *shape, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, shape, text);
}
