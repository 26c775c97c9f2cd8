// The figures that `ladder-docs figure` draws. Each function writes one SVG to standard output and
// returns an exit status; what is missing in the file is named on standard error.
#pragma once

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bars of a lab's micro-ladders (ladder.micro/1): what was counted, in the sweeps "NAME,.." or, of
// NULL, in all; the times of one sweep.
int figure_draw_micro(json_t *run, const char *names);
int figure_draw_micro_times(json_t *run, const char *name);

// What the warps of SM 0 do in the first launch (ladder.profile/1 with a timeline), with a key.
int figure_draw_timeline(const json_t *profile);

// Lab 13: lanes that hold the elements of a product on tensor cores; rows of a swizzled tile.
int figure_draw_fragments(void);
int figure_draw_swizzled_rows(void);

// Lab 14: a softmax in tiles, sums that are the next operand, keys and values as operand B, scores
// in memory, tiles that come by; cycles of the units, groups that alternate, tiles that a causal
// mask leaves and their order, registers of a thread, the bound of errors.
int figure_draw_online_attention(void);
int figure_draw_kept_fragments(void);
int figure_draw_value_fragments(void);
int figure_draw_attention_launches(void);
int figure_draw_attention_tiles(void);
int figure_draw_attention_units(void);
int figure_draw_attention_groups(void);
int figure_draw_causal_tiles(void);
int figure_draw_causal_schedule(void);
int figure_draw_attention_registers(void);
int figure_draw_attention_errors(void);

// The opening deck: a grid, blocks on SMs, an SM then and now, warps on schedulers, warps at a
// barrier, a tile's way.
int figure_draw_launch_grid(void);
int figure_draw_block_schedule(void);
int figure_draw_sm_then_now(void);
int figure_draw_schedulers(void);
int figure_draw_barrier(void);
int figure_draw_tile_cycle(void);

// Decks of labs 01 and 02: a transposition without and with a tile, where an output row begins; the
// tree of a block in step "1", "2" or "3".
int figure_draw_transpose_naive(void);
int figure_draw_transpose_tile(void);
int figure_draw_sector_start(void);
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

// A lab's ladder in some cases, each "NAME:SIZE" (ladder.run/2 of a GPU). narrow: as wide as a
// telephone.
int figure_draw_ladder(const json_t *run, int case_count, char *const *cases, bool narrow);

// The same in small, for a table: one case, bars without words.
int figure_draw_thumb(const json_t *run, const char *name);

// For each of the limits the fastest step up to it at each shape, and the last step's gain over
// PyTorch (ladder.torch/1).
int figure_draw_winners(const json_t *run, int count, char *const *limits);

// Warps of an SM against registers per thread, from the simulator's calculator.
int figure_draw_registers(void);

// Words of a warp in the banks of shared memory, by stride, padding and XOR, all or of three
// patterns "0,1,3"; a corner of a swizzled tile; the 4 x 4 elements that a thread turns in
// registers.
int figure_draw_banks(void);
int figure_draw_banks_of(const char *patterns);
int figure_draw_swizzle(void);
int figure_draw_register_tile(void);

// Host, device and an SM, from the device's row; the threads of a block in order.
int figure_draw_machine(void);
int figure_draw_thread_order(void);

// Warps: paths at a branch, threads of a reduction, latency hidden by other warps, two buffers.
int figure_draw_divergence(void);
int figure_draw_reduction_trees(void);
int figure_draw_hiding(void);
int figure_draw_double_buffer(void);

// Lab 02: wavefronts of steps 2 and 3, the shuffles of a warp (down; by XOR), the last block.
int figure_draw_strided_banks(void);
int figure_draw_shuffle(void);
int figure_draw_butterfly(void);
int figure_draw_last_block(void);

// Memory: sectors of a load, a register file of 2007 among blocks; from measured latencies
// (ladder.latency/1): the kinds of memory, and when the instructions of a warp issue.
int figure_draw_sectors(void);
int figure_draw_register_file(void);
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

// Lab 07: elements that a warp touches, reuse by tiles and registers, banks of B's tile, what
// padding does to the store of B's tile, copies
// that run ahead, equal shares of the last tiles, blocks of a small product on the SMs, what
// exceeds whole tiles.
int figure_draw_gemm_sectors(void);
int figure_draw_gemm_reuse(void);
int figure_draw_gemm_registers(void);
int figure_draw_gemm_banks(void);
int figure_draw_gemm_padding(void);
int figure_draw_gemm_stages(void);
int figure_draw_gemm_shares(void);
int figure_draw_gemm_blocks(void);
int figure_draw_gemm_edges(void);

// Lab 08: a small matrix as "coo", "csr", "ell" or "dia"; sectors of a load; rows of a warp's
// lanes; row blocks; every step's rate as a share of the best in the cases "NAME:SIZE"
// (ladder.run/2).
int figure_draw_format(const char *name);
int figure_draw_sparse_loads(void);
int figure_draw_sparse_rows(void);
int figure_draw_row_blocks(void);
int figure_draw_contest(const json_t *run, int count, char *const *cases);

// Lab 09: layers, a convolution's window, the matrix of columns, the fused kernel, forward and
// backward, scattered and collected deltas, launches of a batch; pooling and the way back, the
// first delta, a tile of columns in x.
int figure_draw_layers(void);
int figure_draw_convolution(void);
int figure_draw_im2col(void);
int figure_draw_fused(void);
int figure_draw_deltas(void);
int figure_draw_collect(void);
int figure_draw_launches(void);
int figure_draw_pooling(void);
int figure_draw_first_delta(void);
int figure_draw_implicit(void);

// Lab 10: masks of single weights and of blocks, radix selection, bytes of formats, what a
// multiply-add takes from the cache; a ballot, a step of descent, from mask to CSR, lanes and
// their entries
// and on images;
// accuracy and, of a batch, time against sparsity (ladder.pruning-run/1).
int figure_draw_masks(void);
int figure_draw_radix(void);
int figure_draw_format_bytes(void);
int figure_draw_sparse_use(void);
int figure_draw_ballot(void);
int figure_draw_masked_descent(void);
int figure_draw_compaction(void);
int figure_draw_batch_lanes(void);
int figure_draw_accuracy(const json_t *run);
int figure_draw_pruned_times(const json_t *run, int batch);

// Rows of cells, as the list of drawings `path` describes those called `name`: drawings/cells.c.
int figure_draw_cells(const char *path, const char *name);

// Lab 11's deck: eight elements on their way to their sums.
int figure_draw_scan_doubling(void);
int figure_draw_scan_tree(void);

// Lab 03's deck: the limits of an SM, portions of registers, its register file, columns of a
// thread,
// a thread's waits; of
// a run (ladder.run/2) with the latencies of its card, the warps that are needed; of a file of
// times, launch bounds.
int figure_draw_limits(void);
int figure_draw_portions(void);
int figure_draw_partitions(void);
int figure_draw_block_registers(void);
int figure_draw_fold(void);
int figure_draw_waits(void);
int figure_draw_warps_needed(const json_t *run, const json_t *latency);
int figure_draw_bounds(const char *name); // name: of the document

// The simulated cards' page: rates by order from a file of order, rate without and with texture.
int figure_draw_orders(const char *path);

// The timing model's page: modelled against measured times of kernels.
int figure_draw_timing(void);

// Lab 00: threads and elements, a tile, look-ups in constant and shared memory, even and odd lanes.
int figure_draw_first_index(void);
int figure_draw_first_tile(void);
int figure_draw_first_lookup(void);
int figure_draw_even_odd(void);

// Decks of labs 04 and 05: requests of a warp in a row-major and a column-major matrix, the block
// of 16 rows and its sums, where rows and columns begin, what extreme shapes leave idle, how A is
// divided and moved.
int figure_draw_row_requests(void);
int figure_draw_column_requests(void);
int figure_draw_block16(void);
int figure_draw_row_starts(void);
int figure_draw_column_starts(void);
int figure_draw_by_shape(void);
int figure_draw_column_blocks(void);
int figure_draw_passes(void);
int figure_draw_few_rows(void);
int figure_draw_listing(void);
int figure_draw_padded_rows(void);
int figure_draw_column_order(void);
int figure_draw_partial_sums(void);

// Lab 06's deck: rows on a warp's lanes, how often a row is read, what an SM can keep of it, why
// the largest element is subtracted, pairs that are merged, a row in a cluster, blocks of an SM
// that alternate.
int figure_draw_warp_rows(void);
int figure_draw_row_passes(void);
int figure_draw_row_sizes(void);
int figure_draw_largest_first(void);
int figure_draw_online_merge(void);
int figure_draw_cluster_row(void);
int figure_draw_alternating_blocks(void);

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
