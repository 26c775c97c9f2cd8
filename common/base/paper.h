// Paper for every picture that the kit draws (SVG): the colours for light and for dark pages, and
// the shapes that pictures have in common. A picture says what a shape means (a class); how that
// looks is in paper.c alone. Must not know what is drawn.
#pragma once

#include <stdio.h>

// Classes of filled shapes: "cell" (nothing happens here), "good", "bad", "mark" (one among many),
// "ink", "k0" .. "k7" (kinds told apart, pale enough for a number on top), "h0" .. "h5" (few to
// many); "frame" has only an outline.
// Colours of strong lines, bars and their labels: "s0" .. "s7", "pale", "plain", with "area"
// (filled) or "line" (drawn) behind, as in "s2 line". Other lines: "grid", "axis", "dash".
// Texts: "t" a title, "v" a label, "n" a small number in a cell, "on" a number on a good or a bad
// shape; with "m" or "e" behind, the text's middle or end is at x; with "halo", legible across
// lines.
enum { KL_PAPER_KINDS = 8, KL_PAPER_SERIES = 8, KL_PAPER_HEATS = 6 };

// title: what the picture shows, for those who cannot see it.
void kl_paper_begin(FILE *out, double width, double height, const char *title);
// The same without the colours, for a page with many pictures that has them once (kl_paper_style).
void kl_paper_begin_plain(FILE *out, double width, double height, const char *title);
void kl_paper_style(FILE *out); // text for a <style>
void kl_paper_end(FILE *out);

// A rectangle, its upper left corner at (x, y); all in px. shape: a class, as above.
void kl_paper_rect(FILE *out, double x, double y, double width, double height, const char *shape);

// How the line of a series is broken, for stroke-dasharray: curves are told apart without colours.
const char *kl_paper_dashes(int series);

// From one point to another; an arrow has a head.
void kl_paper_line(FILE *out, double x0, double y0, double x1, double y1, const char *shape);
void kl_paper_arrow(FILE *out, double x0, double y0, double x1, double y1);

// What is special in XML is escaped.
__attribute__((format(printf, 5, 6))) void
kl_paper_text(FILE *out, double x, double y, const char *shape, const char *format, ...);

// A text alone, between elements that the caller writes: escaped, control characters as '?'.
void kl_paper_put(FILE *out, const char *text);
