// ladder-docs figure: draws figures of the handouts as SVG on standard output, from files of counts
// and times: "figures" of a lab's lab.json names each figure and what is to be given here for it.
// It must not draw a number that was neither counted, measured nor computed by the kit's own
// calculator.
#include "docs.h"
#include "figures/figure.h"
#include "measured.h"
#include "stored/stored.h"

enum { PATH_BYTES = 4096, MOST_WORDS = 64 };

static const char usage[] =
    "usage: ladder-docs figure MICRO.json [SWEEP | counts SWEEP,..] | RUN.json CASE:SIZE.. |\n"
    "                     TILES.json [STEP] |\n"
    "                     ASSIGNMENT.json [merge-path | STEP,..] | SWEEP.json |\n"
    "                     JACOBI.json ORDER | PROFILE.json |\n"
    "                     WINNERS.json STEP.. | PRUNING.json BATCH |\n"
    "                     PRUNING.json accuracy | PRUNING.json time BATCH |\n"
    "                     LATENCY.json [scoreboard | two-loads] |\n"
    "                     --thumb RUN.json CASE:SIZE | --narrow RUN.json CASE:SIZE |\n"
    "                     --in-flight RUN.json STEP:LOADS.. FAMILY:WARPS.. |\n"
    "                     --counts RUN.json TITLE COUNTER COUNTER STEP,.. |\n"
    "                     --rates|--times RUN.json STEP,..[,library] CASE[+CASE]:SIZE:LABEL.. |\n"
    "                     --gains RUN.json -|KEY,KEY STEP/BEFORE:IDEA:CASE:SIZE[:CASE:SIZE].. |\n"
    "                     --modelled MODEL.json RUN.json CASE:SIZE |\n"
    "                     --contest RUN.json CASE:SIZE.. | --format coo|csr|ell|dia |\n"
    "                     --banks-of PATTERN,PATTERN,PATTERN | --block-tree STEP |\n"
    "                     --warps-needed RUN.json LATENCY.json | --bounds TIMES.csv |\n"
    "                     --orders ORDERS.csv | --cells DRAWINGS.txt NAME |\n"
    "                     --kept-fragments | --partitions | --timing | --compact DRAWN.svg\n"
    "The figure goes to standard output. CARD in a file's name is the card of docs/card.txt.\n"
    "MICRO.json: of ladder run LAB --micro; RUN.json: of\n"
    "ladder run LAB --json on a GPU; TILES.json and ASSIGNMENT.json: what a lab's own program\n"
    "noted of which thread has what; PROFILE.json: of\n"
    "ladder profile --timeline --json; SWEEP.json and JACOBI.json: of ladder run gemv_row\n"
    "--sweep or --app with --json; WINNERS.json: of the lab's vendor_torch.py;\n"
    "PRUNING.json: of ladder run pruning --app. Or one of these:\n";

// words: [count], behind the file.
static int draw_file(const char *path, const char *option, int count, char *const *words) {
    bool in_flight = strcmp(option, "--in-flight") == 0, thumb = strcmp(option, "--thumb") == 0;
    bool modelled = strcmp(option, "--modelled") == 0, narrow = strcmp(option, "--narrow") == 0;
    json_t *run = measured_document(path);
    const char *schema = run ? measured_text(run, "schema") : "";
    bool is_run = strcmp(schema, "ladder.run/2") == 0;
    int code = 1;
    if (strcmp(schema, "ladder.micro/1") == 0) {
        bool counts = count == 2 && strcmp(words[0], "counts") == 0;
        code = count == 1 ? figure_draw_micro_times(run, words[0])
                          : figure_draw_micro(run, counts ? words[1] : NULL);
    } else if (is_run && in_flight) {
        code = figure_draw_in_flight(run, count, words);
    } else if (is_run && strcmp(option, "--counts") == 0) {
        code = figure_draw_counts(run, count, words);
    } else if (is_run && strcmp(option, "--contest") == 0) {
        code = figure_draw_contest(run, count, words);
    } else if (is_run && (strcmp(option, "--rates") == 0 || strcmp(option, "--times") == 0)) {
        code = figure_draw_groups(run, strcmp(option, "--times") == 0, count, words);
    } else if (is_run && strcmp(option, "--gains") == 0) {
        code = figure_draw_gains(run, count, words);
    } else if (is_run && modelled && count == 2) {
        code = figure_draw_modelled(run, words[0], words[1]);
    } else if (is_run && thumb && count == 1) {
        code = figure_draw_thumb(run, words[0]);
    } else if (is_run && (*option == '\0' || narrow) && count > 0) {
        code = figure_draw_ladder(run, count, words, narrow);
    } else if (strcmp(schema, "ladder.assignment/1") == 0) {
        bool path_wanted = count > 0 && strcmp(words[0], "merge-path") == 0;
        code = path_wanted ? figure_draw_merge_path(run)
                           : figure_draw_assignment(run, count > 0 ? words[0] : NULL);
    } else if (strcmp(schema, "ladder.profile/1") == 0) {
        code = figure_draw_timeline(run);
    } else if (strcmp(schema, "ladder.torch/1") == 0) {
        code = figure_draw_winners(run, count, words);
    } else if (strcmp(schema, "ladder.latency/1") == 0) {
        const char *what = count > 0 ? words[0] : "";
        code = strcmp(what, "scoreboard") == 0  ? figure_draw_scoreboard(run)
               : strcmp(what, "two-loads") == 0 ? figure_draw_two_loads(run)
                                                : figure_draw_spaces(run);
    } else if (strcmp(schema, "ladder.tiles/1") == 0) {
        code = figure_draw_tiles(run, count > 0 ? atoi(words[0]) : -1);
    } else if (strcmp(schema, "ladder.sweep/1") == 0) {
        code = figure_draw_sweep(run);
    } else if (strcmp(schema, "ladder.jacobi/1") == 0 && count == 1) {
        code = figure_draw_jacobi(run, atoi(words[0]));
    } else if (strcmp(schema, "ladder.pruning-run/1") == 0 && count == 2 &&
               strcmp(words[0], "time") == 0) {
        code = figure_draw_pruned_times(run, atoi(words[1]));
    } else if (strcmp(schema, "ladder.pruning-run/1") == 0 && count == 1) {
        code = strcmp(words[0], "accuracy") == 0 ? figure_draw_accuracy(run)
                                                 : figure_draw_pruning(run, atoi(words[0]));
    } else if (is_run && strcmp(option, "--warps-needed") == 0 && count == 1) {
        json_t *latency = measured_document(words[0]);
        code = figure_draw_warps_needed(run, latency);
        json_decref(latency);
    } else {
        fprintf(stderr, "ladder-docs figure: %s: %s\n", path,
                run ? "no schema with a figure, or words that it needs are missing (--help)"
                    : "no document");
    }
    json_decref(run);
    return code;
}

// Figures that need no file.
static const struct {
    const char *name;
    void (*draw)(void);
} drawn[] = {
#define FIGURE(name) {#name, figure_draw_##name},
#include "figures/figures.def"
#undef FIGURE
};

// Whether the option is "--" and the name, with - in place of each _.
static bool is_option(const char *option, const char *name) {
    if (strncmp(option, "--", 2) != 0) return false;
    for (option += 2; *option == (*name == '_' ? '-' : *name); option++, name++)
        if (*name == '\0') return true;
    return false;
}

static void print_usage(FILE *out) {
    fputs(usage, out);
    for (size_t i = 0, column = 80; i < sizeof drawn / sizeof drawn[0]; i++) {
        size_t length = strlen(drawn[i].name) + 3;
        if (column + length > 80) fputc('\n', out), column = 0;
        fputs(" --", out);
        for (const char *c = drawn[i].name; *c; c++) fputc(*c == '_' ? '-' : *c, out);
        column += length;
    }
    fputc('\n', out);
}

// A picture that another program of the kit has drawn.
static int draw_again(const char *path) {
    FILE *picture = fopen(path, "r");
    if (!picture) {
        perror(path);
        return 1;
    }
    for (int c; (c = fgetc(picture)) != EOF;) putchar(c);
    return fclose(picture) == 0 ? 0 : 1;
}

static int draw(int argc, char **argv) {
    static const char *const before_file[] = {
        "--in-flight", "--thumb", "--counts", "--modelled", "--warps-needed",
        "--contest",   "--rates", "--times",  "--gains",    "--narrow"};
    bool has_option = false;
    for (size_t i = 0; argc > 1 && i < sizeof before_file / sizeof before_file[0]; i++)
        has_option = has_option || strcmp(argv[1], before_file[i]) == 0;
    int file = has_option ? 2 : 1;
    for (int i = 1; i < argc; i++) {
        static char paths[MOST_WORDS][PATH_BYTES];
        if (card_path(argv[i], paths[i], PATH_BYTES)) argv[i] = paths[i];
    }
    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++)
        if (is_option(argv[1], drawn[i].name)) {
            drawn[i].draw();
            kl_paper_end(stdout);
            return 0;
        }
    if (strcmp(argv[1], "--timing") == 0) return figure_draw_timing();
    if (strcmp(argv[1], "--kept-fragments") == 0) return figure_draw_kept_fragments();
    if (strcmp(argv[1], "--partitions") == 0) return figure_draw_partitions();
    if (argc == 3 && strcmp(argv[1], "--banks-of") == 0) return figure_draw_banks_of(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--block-tree") == 0) return figure_draw_block_tree(argv[2]);
    if (argc == 4 && strcmp(argv[1], "--cells") == 0) return figure_draw_cells(argv[2], argv[3]);
    if (argc == 3 && strcmp(argv[1], "--format") == 0) return figure_draw_format(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--bounds") == 0) return figure_draw_bounds(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--orders") == 0) return figure_draw_orders(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--compact") == 0) return draw_again(argv[2]);
    if (argc <= file) {
        print_usage(stderr);
        return 2;
    }
    return draw_file(argv[file], has_option ? argv[1] : "", argc - file - 1, argv + file + 1);
}

// Figures are drawn into memory, and written compactly.
int docs_figure(int argc, char **argv) {
    if (argc > MOST_WORDS || argc < 2) {
        if (argc < 2) print_usage(stderr);
        else fputs("ladder-docs figure: too many words\n", stderr);
        return 2;
    }
    char *drawn_text = NULL;
    size_t bytes;
    FILE *output = stdout;
    stdout = open_memstream(&drawn_text, &bytes);
    if (!stdout) {
        perror("ladder-docs figure");
        return 1;
    }
    int code = draw(argc, argv);
    bool is_whole = fclose(stdout) == 0;
    stdout = output;
    char *text = is_whole ? figure_compact(drawn_text) : NULL;
    if (code == 0 && (!text || fputs(text, stdout) < 0 || fflush(stdout) != 0)) {
        fputs("ladder-docs figure: the figure could not be written\n", stderr);
        code = 1;
    }
    free(text);
    free(drawn_text);
    return code;
}
