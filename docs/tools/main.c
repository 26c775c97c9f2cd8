// ladder-docs: the program of those who keep the kit's documents. A verb, and what it works on.
#include "docs.h"
#include "stored/stored.h"

// ---- check: what is looked at in pages, decks, walkthroughs and figures ----

// Faults are printed; the exit status is 0 when there is none.
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

// ---- The program ----

static const struct {
    const char *name, *meaning;
    int (*run)(int argc, char **argv);
} verbs[] = {
    {"tables", "writes the tables of pages", docs_tables},
    {"figure", "draws a figure of a page or a deck", docs_figure},
    {"numbers", "fills in the numbers of a deck, a walkthrough or a page", docs_numbers},
    {"measured", "takes results into labs/measured, and shows them", docs_measured},
    {"modelled", "finds the thresholds of modelled times", docs_modelled},
    {"schema", "compares JSON documents with their description", docs_schema},
    {"shot", "draws the output of a terminal", docs_shot},
    {"check", "looks at pages, decks and figures", docs_check},
    {"watch", "compares the numbers to watch of labs' pages with lab.json", docs_watch},
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static int show_usage(void) {
    fputs("usage: ladder-docs [--card ID] VERB WORDS..\n"
          "--card: as if docs/card.txt named this card. Verbs:\n",
          stderr);
    for (int i = 0; i < VERBS; i++) fprintf(stderr, "  %-9s %s\n", verbs[i].name, verbs[i].meaning);
    return 2;
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "--card") == 0) {
        card_id = argv[2];
        argc -= 2;
        argv += 2;
    }
    for (int i = 0; argc > 1 && i < VERBS; i++)
        if (strcmp(argv[1], verbs[i].name) == 0) return verbs[i].run(argc - 1, argv + 1);
    return show_usage();
}
