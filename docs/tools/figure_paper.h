// SPDX-License-Identifier: MIT
// Paper for figures: one SVG on standard output, with the kit's colours for light and for dark
// pages. A figure says what a shape means (a class); how that looks stands in figure_paper.c alone.
#ifndef LADDER_TOOLS_FIGURE_PAPER_H
#define LADDER_TOOLS_FIGURE_PAPER_H

// Classes of shapes: "cell" (nothing happens here), "good", "bad", and "k0" .. "k3", which tell four
// kinds apart; "frame" has only an outline. Of texts: "t" a title, "v" a label, "n" a small number in
// a cell, "on" a number on a coloured shape; with "m" or "e" behind, the text's middle or end is at x.

// title: what the picture shows, for those who cannot see it.
void paper_begin(int width, int height, const char *title);
void paper_end(void);

void paper_rect(double x, double y, double width, double height, const char *shape);

// From one point to another, with a head.
void paper_arrow(double x0, double y0, double x1, double y1);

__attribute__((format(printf, 4, 5))) void paper_text(double x, double y, const char *shape,
                                                      const char *format, ...);

#endif
