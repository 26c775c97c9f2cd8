// ladder-docs: the program of those who keep the kit's documents. A verb, and what it works on.
#include "docs.h"
#include "stored/stored.h"

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
