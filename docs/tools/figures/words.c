// What a chart shows, in words: see figure.h.
#include "figures/figure.h"

#include <stdarg.h>

void figure_say(figure_words *words, const char *format, ...) {
    size_t available = sizeof words->text - words->length;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(words->text + words->length, available, format, arguments);
    va_end(arguments);
    if (wanted > 0) words->length += (size_t)wanted < available ? (size_t)wanted : available - 1;
}

void figure_value(figure_words *words, double value, const char *format, ...) {
    char name[FIGURE_NAME];
    if (!isfinite(value)) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    if (words->count == 0 || value > words->most) {
        words->most = value;
        memcpy(words->most_name, name, sizeof name);
    }
    if (words->count == 0 || value < words->least) {
        words->least = value;
        memcpy(words->least_name, name, sizeof name);
    }
    words->count++;
}

void figure_say_extremes(figure_words *words) {
    if (words->count > 0 && words->most > words->least)
        figure_say(words, ": highest %s, lowest %s", words->most_name, words->least_name);
    else if (words->count > 1)
        figure_say(words, ": always %.*s", (int)strcspn(words->most_name, " "), words->most_name);
    else if (words->count == 1) figure_say(words, ": %s", words->most_name);
    words->count = 0;
}

double figure_text_x(double end, double line, size_t letters) {
    const double gap = 4, width = 7.0 * (double)letters; // of 11 px letters, at most
    return end < line && end + gap + width > line - 6 ? line + gap : end + gap;
}
