// ladder-docs check NAME WORDS..: what is looked at in pages, decks, walkthroughs and figures.
// Faults are printed; the exit status is 0 when there is none.
#include "docs.h"

static const struct {
    const char *name;
    int (*run)(int count, char **words);
} checks[] = {
    {"links", check_links},       {"quotes", check_quotes},
    {"rates", check_rates},       {"front-page", check_front_page},
    {"palettes", check_palettes}, {"titles", check_titles},
    {"sizes", check_sizes},       {"shape", check_shape},
    {"numbers", check_numbers},   {"code", check_code},
    {"answers", check_answers},   {"titled", check_titled},
};
enum { CHECKS = sizeof checks / sizeof checks[0] };

int docs_check(int argc, char **argv) {
    for (int i = 0; argc > 2 && i < CHECKS; i++)
        if (strcmp(argv[1], checks[i].name) == 0) return checks[i].run(argc - 2, argv + 2);
    fputs("usage: ladder-docs check NAME WORDS..\nName is one of:", stderr);
    for (int i = 0; i < CHECKS; i++) fprintf(stderr, " %s", checks[i].name);
    fputc('\n', stderr);
    return 2;
}
