// SPDX-License-Identifier: MIT
// What pages about grades begin with, and bars of points: see html.h.
#include "show/report/html.h"

#include <math.h>

#include "utilities/text.h"
#include "show/report/style.h"

void ladder_page_begin(FILE *out, const char *title) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
          "<meta name=\"color-scheme\" content=\"light dark\">"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\"><title>",
          out);
    ladder_put_html(out, title);
    fprintf(out, "</title><style>%s%s</style></head><body>\n", ladder_style_base,
            ladder_style_report);
}

void ladder_put_share(FILE *out, double share, const char *label) {
    enum { WIDTH = 140 };
    int filled = (int)lround(WIDTH * (share > 0 ? share < 1 ? share : 1.0 : 0.0));
    fputs("<svg class=\"share\" viewBox=\"0 0 142 14\" role=\"img\" aria-label=\"", out);
    ladder_put_html(out, label);
    fprintf(out,
            "\"><rect x=\".5\" y=\".5\" width=\"141\" height=\"13\" rx=\"3\"/>"
            "<rect class=\"part\" x=\"1\" y=\"1\" width=\"%d\" height=\"12\" rx=\"2\"/></svg>",
            filled);
}
