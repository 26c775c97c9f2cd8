// SPDX-License-Identifier: MIT
// What a chart shows, in words, for those who cannot see it: the title of its SVG. The values come
// from the drawing's own data, as the drawing writes them; nothing is rounded or chosen twice.
#ifndef LADDER_TOOLS_FIGURES_WORDS_H
#define LADDER_TOOLS_FIGURES_WORDS_H

#include <stddef.h>

enum { FIGURE_NAME = 160 };

// Begin with {0}. text is what has been said; the rest belongs to the values that were added since.
typedef struct figure_words {
    char text[2000];
    size_t length;
    int count; // values
    double most, least;
    char most_name[FIGURE_NAME], least_name[FIGURE_NAME];
} figure_words;

// Appends to the text.
__attribute__((format(printf, 2, 3))) void figure_say(figure_words *words, const char *format, ...);

// A value, as it is drawn, and what it is of: "4031 (5 vectorized)". One that is not finite is left
// out.
__attribute__((format(printf, 3, 4))) void figure_value(figure_words *words, double value,
                                                        const char *format, ...);

// Appends ": highest .., lowest .." of the values since the last call; nothing when there are none;
// of values that are all the same, or a single one, that one.
void figure_say_extremes(figure_words *words);

// Where the text of a bar stands that ends at `end`, so that a dashed line at `line` does not cross
// it: behind the bar, or behind the line. All in px; letters: of the text.
double figure_text_x(double end, double line, size_t letters);

#endif
