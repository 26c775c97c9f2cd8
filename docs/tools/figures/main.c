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
    "                     --thumb RUN.json CASE:SIZE | --narrow RUN.json CASE:SIZE |\n"
    "                     --in-flight RUN.json STEP:LOADS.. FAMILY:WARPS.. | --registers |\n"
    "                     LATENCY.json [scoreboard | two-loads] | --divergence |\n"
    "                     --reduction-trees | --hiding | --double-buffer | --sectors |\n"
    "                     --register-file | --strided-banks | --shuffle | --butterfly |\n"
    "                     --last-block |\n"
    "                     --counts RUN.json TITLE COUNTER COUNTER STEP,.. |\n"
    "                     --rates|--times RUN.json STEP,..[,library] CASE[+CASE]:SIZE:LABEL.. |\n"
    "                     --gains RUN.json -|KEY,KEY STEP/BEFORE:IDEA:CASE:SIZE[:CASE:SIZE].. |\n"
    "                     --modelled MODEL.json RUN.json CASE:SIZE | --gemm-sectors |\n"
    "                     --gemm-reuse | --gemm-registers | --gemm-banks | --gemm-stages |\n"
    "                     --gemm-shares | --gemm-blocks | --gemm-edges | --gemm-padding |\n"
    "                     --format coo|csr|ell|dia | --sparse-loads |\n"
    "                     --sparse-rows | --row-blocks | --contest RUN.json CASE:SIZE.. |\n"
    "                     --layers | --convolution | --im2col | --fused | --deltas |\n"
    "                     --collect | --launches | --pooling | --first-delta | --implicit |\n"
    "                     --masks | --radix | --format-bytes | --sparse-use | --ballot |\n"
    "                     --compaction | --batch-lanes | PRUNING.json accuracy |\n"
    "                     PRUNING.json time BATCH | --first-index |\n"
    "                     --first-tile | --first-lookup | --even-odd |\n"
    "                     --scan-doubling | --scan-tree |\n"
    "                     --fragments | --swizzled-rows | --launch-grid |\n"
    "                     --online-attention | --kept-fragments | --value-fragments |\n"
    "                     --attention-launches | --attention-tiles | --attention-units |\n"
    "                     --attention-groups | --causal-tiles | --causal-schedule |\n"
    "                     --attention-registers | --attention-errors |\n"
    "                     --block-schedule | --schedulers | --barrier |\n"
    "                     --sm-then-now | --portions | --masked-descent |\n"
    "                     --banks-of PATTERN,PATTERN,PATTERN |\n"
    "                     --tile-cycle | --transpose-naive | --transpose-tile |\n"
    "                     --sector-start | --block-tree STEP |\n"
    "                     --banks | --swizzle | --register-tile | --machine | --thread-order |\n"
    "                     --warps-needed RUN.json LATENCY.json | --bounds TIMES.csv |\n"
    "                     --limits | --fold | --waits | --row-requests | --column-requests |\n"
    "                     --block16 | --row-starts | --column-starts | --by-shape |\n"
    "                     --column-blocks | --passes | --few-rows | --warp-rows |\n"
    "                     --row-passes | --largest-first | --online-merge | --cluster-row |\n"
    "                     --turns | --partitions | --block-registers | --listing |\n"
    "                     --padded-rows | --column-order | --partial-sums | --row-sizes |\n"
    "                     --orders ORDERS.csv | --timing | --cells DRAWINGS.txt NAME |\n"
    "                     --compact DRAWN.svg\n"
    "The figure goes to standard output. CARD in a file's name is the card of docs/card.txt.\n"
    "MICRO.json: of ladder run LAB --micro; RUN.json: of\n"
    "ladder run LAB --json on a GPU; TILES.json and ASSIGNMENT.json: what a lab's own program\n"
    "noted of which thread has what; PROFILE.json: of\n"
    "ladder profile --timeline --json; SWEEP.json and JACOBI.json: of ladder run gemv_row\n"
    "--sweep or --app with --json; WINNERS.json: of the lab's vendor_torch.py;\n"
    "PRUNING.json: of ladder run pruning --app.\n";

// words: [count], behind the file.
static int draw_file(const char *path, const char *option, int count, char *const *words) {
    bool in_flight = strcmp(option, "--in-flight") == 0, thumb = strcmp(option, "--thumb") == 0;
    bool modelled = strcmp(option, "--modelled") == 0, narrow = strcmp(option, "--narrow") == 0;
    json_t *run = measured_document(path);
    const char *schema = run ? json_string_value(json_object_get(run, "schema")) : NULL;
    int code = 1;
    if (schema && strcmp(schema, "ladder.micro/1") == 0) {
        bool counts = count == 2 && strcmp(words[0], "counts") == 0;
        code = count == 1 ? figure_draw_micro_times(run, words[0])
                          : figure_draw_micro(run, counts ? words[1] : NULL);
    } else if (schema && strcmp(schema, "ladder.run/2") == 0 && in_flight) {
        code = figure_draw_in_flight(run, count, words);
    } else if (schema && strcmp(schema, "ladder.run/2") == 0 && strcmp(option, "--counts") == 0) {
        code = figure_draw_counts(run, count, words);
    } else if (schema && strcmp(schema, "ladder.run/2") == 0 && strcmp(option, "--contest") == 0) {
        code = figure_draw_contest(run, count, words);
    } else if (schema && strcmp(schema, "ladder.run/2") == 0 &&
               (strcmp(option, "--rates") == 0 || strcmp(option, "--times") == 0)) {
        code = figure_draw_groups(run, strcmp(option, "--times") == 0, count, words);
    } else if (schema && strcmp(schema, "ladder.run/2") == 0 && strcmp(option, "--gains") == 0) {
        code = figure_draw_gains(run, count, words);
    } else if (schema && strcmp(schema, "ladder.run/2") == 0 && modelled && count == 2) {
        code = figure_draw_modelled(run, words[0], words[1]);
    } else if (schema && strcmp(schema, "ladder.run/2") == 0 && thumb && count == 1) {
        code = figure_draw_thumb(run, words[0]);
    } else if (schema && strcmp(schema, "ladder.run/2") == 0 && (*option == '\0' || narrow) &&
               count > 0) {
        code = figure_draw_ladder(run, count, words, narrow);
    } else if (schema && strcmp(schema, "ladder.assignment/1") == 0) {
        bool path_wanted = count > 0 && strcmp(words[0], "merge-path") == 0;
        code = path_wanted ? figure_draw_merge_path(run)
                           : figure_draw_assignment(run, count > 0 ? words[0] : NULL);
    } else if (schema && strcmp(schema, "ladder.profile/1") == 0) {
        code = figure_draw_timeline(run);
    } else if (schema && strcmp(schema, "ladder.torch/1") == 0) {
        code = figure_draw_winners(run, count, words);
    } else if (schema && strcmp(schema, "ladder.latency/1") == 0) {
        const char *what = count > 0 ? words[0] : "";
        code = strcmp(what, "scoreboard") == 0  ? figure_draw_scoreboard(run)
               : strcmp(what, "two-loads") == 0 ? figure_draw_two_loads(run)
                                                : figure_draw_spaces(run);
    } else if (schema && strcmp(schema, "ladder.tiles/1") == 0) {
        code = figure_draw_tiles(run, count > 0 ? atoi(words[0]) : -1);
    } else if (schema && strcmp(schema, "ladder.sweep/1") == 0) {
        code = figure_draw_sweep(run);
    } else if (schema && strcmp(schema, "ladder.jacobi/1") == 0 && count == 1) {
        code = figure_draw_jacobi(run, atoi(words[0]));
    } else if (schema && strcmp(schema, "ladder.pruning-run/1") == 0 && count == 2 &&
               strcmp(words[0], "time") == 0) {
        code = figure_draw_pruned_times(run, atoi(words[1]));
    } else if (schema && strcmp(schema, "ladder.pruning-run/1") == 0 && count == 1) {
        code = strcmp(words[0], "accuracy") == 0 ? figure_draw_accuracy(run)
                                                 : figure_draw_pruning(run, atoi(words[0]));
    } else if (schema && strcmp(schema, "ladder.run/2") == 0 &&
               strcmp(option, "--warps-needed") == 0 && count == 1) {
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
    const char *option;
    int (*draw)(void);
} drawn[] = {
    {"--registers", figure_draw_registers},
    {"--banks", figure_draw_banks},
    {"--swizzle", figure_draw_swizzle},
    {"--fragments", figure_draw_fragments},
    {"--swizzled-rows", figure_draw_swizzled_rows},
    {"--online-attention", figure_draw_online_attention},
    {"--kept-fragments", figure_draw_kept_fragments},
    {"--value-fragments", figure_draw_value_fragments},
    {"--attention-launches", figure_draw_attention_launches},
    {"--attention-tiles", figure_draw_attention_tiles},
    {"--attention-units", figure_draw_attention_units},
    {"--attention-groups", figure_draw_attention_groups},
    {"--causal-tiles", figure_draw_causal_tiles},
    {"--causal-schedule", figure_draw_causal_schedule},
    {"--attention-registers", figure_draw_attention_registers},
    {"--attention-errors", figure_draw_attention_errors},
    {"--machine", figure_draw_machine},
    {"--register-tile", figure_draw_register_tile},
    {"--thread-order", figure_draw_thread_order},
    {"--launch-grid", figure_draw_launch_grid},
    {"--block-schedule", figure_draw_block_schedule},
    {"--sm-then-now", figure_draw_sm_then_now},
    {"--schedulers", figure_draw_schedulers},
    {"--barrier", figure_draw_barrier},
    {"--tile-cycle", figure_draw_tile_cycle},
    {"--transpose-naive", figure_draw_transpose_naive},
    {"--transpose-tile", figure_draw_transpose_tile},
    {"--sector-start", figure_draw_sector_start},
    {"--divergence", figure_draw_divergence},
    {"--reduction-trees", figure_draw_reduction_trees},
    {"--hiding", figure_draw_hiding},
    {"--double-buffer", figure_draw_double_buffer},
    {"--strided-banks", figure_draw_strided_banks},
    {"--shuffle", figure_draw_shuffle},
    {"--butterfly", figure_draw_butterfly},
    {"--last-block", figure_draw_last_block},
    {"--sectors", figure_draw_sectors},
    {"--register-file", figure_draw_register_file},
    {"--limits", figure_draw_limits},
    {"--portions", figure_draw_portions},
    {"--partitions", figure_draw_partitions},
    {"--block-registers", figure_draw_block_registers},
    {"--fold", figure_draw_fold},
    {"--waits", figure_draw_waits},
    {"--row-requests", figure_draw_row_requests},
    {"--column-requests", figure_draw_column_requests},
    {"--block16", figure_draw_block16},
    {"--row-starts", figure_draw_row_starts},
    {"--column-starts", figure_draw_column_starts},
    {"--by-shape", figure_draw_by_shape},
    {"--column-blocks", figure_draw_column_blocks},
    {"--passes", figure_draw_passes},
    {"--few-rows", figure_draw_few_rows},
    {"--listing", figure_draw_listing},
    {"--padded-rows", figure_draw_padded_rows},
    {"--column-order", figure_draw_column_order},
    {"--partial-sums", figure_draw_partial_sums},
    {"--warp-rows", figure_draw_warp_rows},
    {"--row-passes", figure_draw_row_passes},
    {"--row-sizes", figure_draw_row_sizes},
    {"--largest-first", figure_draw_largest_first},
    {"--online-merge", figure_draw_online_merge},
    {"--cluster-row", figure_draw_cluster_row},
    {"--turns", figure_draw_alternating_blocks},
    {"--gemm-sectors", figure_draw_gemm_sectors},
    {"--gemm-reuse", figure_draw_gemm_reuse},
    {"--gemm-registers", figure_draw_gemm_registers},
    {"--gemm-banks", figure_draw_gemm_banks},
    {"--gemm-padding", figure_draw_gemm_padding},
    {"--gemm-stages", figure_draw_gemm_stages},
    {"--gemm-shares", figure_draw_gemm_shares},
    {"--gemm-blocks", figure_draw_gemm_blocks},
    {"--gemm-edges", figure_draw_gemm_edges},
    {"--sparse-loads", figure_draw_sparse_loads},
    {"--sparse-rows", figure_draw_sparse_rows},
    {"--row-blocks", figure_draw_row_blocks},
    {"--layers", figure_draw_layers},
    {"--convolution", figure_draw_convolution},
    {"--im2col", figure_draw_im2col},
    {"--fused", figure_draw_fused},
    {"--deltas", figure_draw_deltas},
    {"--collect", figure_draw_collect},
    {"--launches", figure_draw_launches},
    {"--pooling", figure_draw_pooling},
    {"--first-delta", figure_draw_first_delta},
    {"--implicit", figure_draw_implicit},
    {"--masks", figure_draw_masks},
    {"--radix", figure_draw_radix},
    {"--format-bytes", figure_draw_format_bytes},
    {"--sparse-use", figure_draw_sparse_use},
    {"--ballot", figure_draw_ballot},
    {"--masked-descent", figure_draw_masked_descent},
    {"--compaction", figure_draw_compaction},
    {"--batch-lanes", figure_draw_batch_lanes},
    {"--first-index", figure_draw_first_index},
    {"--first-tile", figure_draw_first_tile},
    {"--first-lookup", figure_draw_first_lookup},
    {"--even-odd", figure_draw_even_odd},
    {"--scan-doubling", figure_draw_scan_doubling},
    {"--scan-tree", figure_draw_scan_tree},
    {"--timing", figure_draw_timing},
};

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
        if (strcmp(argv[1], drawn[i].option) == 0) return drawn[i].draw();
    if (argc == 3 && strcmp(argv[1], "--banks-of") == 0) return figure_draw_banks_of(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--block-tree") == 0) return figure_draw_block_tree(argv[2]);
    if (argc == 4 && strcmp(argv[1], "--cells") == 0) return figure_draw_cells(argv[2], argv[3]);
    if (argc == 3 && strcmp(argv[1], "--format") == 0) return figure_draw_format(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--bounds") == 0) return figure_draw_bounds(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--orders") == 0) return figure_draw_orders(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--compact") == 0) return draw_again(argv[2]);
    if (argc <= file) {
        fputs(usage, stderr);
        return 2;
    }
    return draw_file(argv[file], has_option ? argv[1] : "", argc - file - 1, argv + file + 1);
}

// Figures are drawn into memory, and written compactly.
int docs_figure(int argc, char **argv) {
    if (argc > MOST_WORDS || argc < 2) {
        fputs(argc < 2 ? usage : "ladder-docs figure: too many words\n", stderr);
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
