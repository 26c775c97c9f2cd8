// The figures that `ladder-docs figure` draws. Each function writes one SVG to standard output.
// Those that read a file return an exit status; what is missing in it is named on standard error.
#pragma once

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

// Bars of a lab's micro-ladders (ladder.micro/1): what was counted, in the sweeps "NAME,.." or, of
// NULL, in all; the times of one sweep.
int figure_draw_micro(json_t *run, const char *names);
int figure_draw_micro_times(json_t *run, const char *name);

// What the warps of SM 0 do in the first launch (ladder.profile/1 with a timeline), with a key.
int figure_draw_timeline(const json_t *profile);

// Without a file; those of the table leave the end of the picture to their caller.
#define FIGURE(name) void figure_draw_##name(void);
#include "figures/figures.def"
#undef FIGURE
// Lab 14: the sums that are the next operand; 1 where an element changes its lane. Lab 03: warps in
// a register file; 1 where the calculator counts others.
int figure_draw_kept_fragments(void);
int figure_draw_partitions(void);

// The tree of a block in lab 02's step "1", "2" or "3".
int figure_draw_block_tree(const char *step);

// Rates against the loads that an SM has in flight (ladder.run/2 of a GPU): a curve each
// "STEP:LOADS", the loads of a thread, a point each "FAMILY:WARPS", the warps of an SM. words:
// [count] of both kinds.
int figure_draw_in_flight(const json_t *run, int count, char *const *words);

// The threads that multiply and add up the entries of a small matrix (ladder.assignment/1); only:
// the steps "4,5" that are drawn, or NULL for all.
int figure_draw_assignment(const json_t *run, const char *only);

// The merge path through the row ends and entries of that matrix, and where its threads begin.
int figure_draw_merge_path(const json_t *run);

// "NAME:SIZE"; false after a message.
bool figure_read_case(const char *text, char family[64], long long *out_size);

// A lab's ladder in some cases, each "NAME:SIZE" (ladder.run/2 of a GPU). narrow: as wide as a
// telephone.
int figure_draw_ladder(const json_t *run, int case_count, char *const *cases, bool narrow);

// The same in small, for a table: one case, bars without words.
int figure_draw_thumb(const json_t *run, const char *name);

// For each of the limits the fastest step up to it at each shape, and the last step's gain over
// PyTorch (ladder.torch/1).
int figure_draw_winners(const json_t *run, int count, char *const *limits);

// Words of a warp in the banks of shared memory, of three patterns "0,1,3".
int figure_draw_banks_of(const char *patterns);

// From measured latencies (ladder.latency/1): the kinds of memory, and when the instructions of a
// warp issue.
int figure_draw_spaces(const json_t *latency);
int figure_draw_scoreboard(const json_t *latency);
int figure_draw_two_loads(const json_t *latency); // of lab 02's steps 3 and 4

// What lab 04's own programs draw, from their results: the sweep over orders (ladder.sweep/1), and
// time and gain of its application at an order (ladder.jacobi/1).
int figure_draw_sweep(const json_t *run);
int figure_draw_jacobi(const json_t *run, int order);

// Accuracy, time and storage against sparsity, as lab 10's application draws it for a batch
// (ladder.pruning-run/1).
int figure_draw_pruning(const json_t *run, int batch);

// Which block, warp and thread has which elements of C (ladder.tiles/1), in all steps or, if it is
// not negative, in one. Returns 0, or 1 after a message.
int figure_draw_tiles(const json_t *run, int only);

// A number of each step as bars (ladder.run/2). words: title with _ for blanks, counter, counter to
// divide by or 1, steps "0,1,5". And the times that the simulator modelled beside those of a GPU's
// run, in a case "NAME:SIZE".
int figure_draw_counts(const json_t *run, int count, char *const *words);
int figure_draw_modelled(const json_t *model, const char *gpu_path, const char *word);

// Rates or times of steps in several cases (ladder.run/2). words: "STEP,..[,library]", then a group
// each "CASE[+CASE]:SIZE:LABEL", of whose cases the first one counts in which a step was timed.
int figure_draw_groups(const json_t *run, bool times, int count, char *const *words);
// How much faster steps are than others. words: "-" or the names of two columns "KEY,KEY"; then a
// row each "STEP/BEFORE:IDEA:CASE:SIZE", with ":CASE:SIZE" behind for the second column.
int figure_draw_gains(const json_t *run, int count, char *const *words);

// Lab 08: a small matrix as "coo", "csr", "ell" or "dia"; every step's rate as a share of the best
// in the cases "NAME:SIZE" (ladder.run/2).
int figure_draw_format(const char *name);
int figure_draw_contest(const json_t *run, int count, char *const *cases);

// Accuracy and, of a batch, time against sparsity (ladder.pruning-run/1).
int figure_draw_accuracy(const json_t *run);
int figure_draw_pruned_times(const json_t *run, int batch);

// Rows of cells, as the list of drawings `path` describes those called `name`: drawings/cells.c.
int figure_draw_cells(const char *path, const char *name);

// Lab 03's deck: of a run (ladder.run/2) with the latencies of its card, the warps that are needed;
// of a file of times, launch bounds.
int figure_draw_warps_needed(const json_t *run, const json_t *latency);
int figure_draw_bounds(const char *name); // name: of the document

// The simulated cards' page: rates by order from a file of order, rate without and with texture.
int figure_draw_orders(const char *path);

// The timing model's page: modelled against measured times of kernels.
int figure_draw_timing(void);

// Shapes on the kit's paper (common/base/paper.h), on standard output.
void begin_figure(double width, double height, const char *title);
void put_rect(double x, double y, double width, double height, const char *shape);
void put_line(double x0, double y0, double x1, double y1, const char *shape);
void put_arrow(double x0, double y0, double x1, double y1);
__attribute__((format(printf, 4, 5))) void put_text(double x, double y, const char *shape,
                                                    const char *format, ...);

// A whole picture on the kit's paper (common/base/paper.h) with fewer bytes and lines: a path or a
// group for the shapes of a class. It looks the same. NULL when memory does not suffice, else the
// caller's.
char *figure_compact(const char *svg);

// ---- what a chart shows, in words ----

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
