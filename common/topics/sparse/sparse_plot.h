// SPDX-License-Identifier: MIT
// Pictures of a matrix: where its entries lie, and how long its rows are. As SVG, and as text for a
// terminal.
#ifndef KL_SPARSE_PLOT_H
#define KL_SPARSE_PLOT_H

#include <stdio.h>

#include "sparse.h"

// The matrix on a raster of cells: count[y * width + x] entries lie in rows y * rows / height up
// to, without, (y + 1) * rows / height, and likewise in columns. No more cells than rows and
// columns.
typedef struct kl_raster {
    int64_t rows, cols; // of the matrix
    int width, height;  // in cells
    uint32_t *count;    // [height][width]
} kl_raster;

// At most most_width x most_height cells. Free with kl_raster_free.
kl_status kl_raster_of(const kl_csr *csr, int most_width, int most_height, kl_raster *out_raster,
                       kl_error *err);
void kl_raster_free(kl_raster *raster);

// Places of the matrix in a cell, and the first row of the y-th line of cells (column of the x-th:
// the same with cols).
double kl_raster_places(const kl_raster *raster, int x, int y);
int64_t kl_raster_edge(int64_t total, int cells, int at);

// Cells by how much of them is filled, in `shades` steps of one factor: 0 is the emptiest that has
// an entry. from[s]: the least share of a cell's places in shade s. Gives -1 for a cell without
// entries.
enum { KL_SHADES = 6 };
typedef struct kl_shading {
    double most, factor;    // the fullest cell's share; between neighbouring shades
    int shades;             // 1 .. KL_SHADES
    double from[KL_SHADES]; // 0 .. 1, ascending
} kl_shading;
// Shades that spread over the raster's cells, from the emptiest to the fullest.
kl_shading kl_shading_of(const kl_raster *raster);
// The shade of cell (x, y), 0 .. shades - 1, or -1.
int kl_shade(const kl_shading *shading, const kl_raster *raster, int x, int y);

// Groups of row lengths, ascending: one length each when there are few of them; of one width when
// all lie close together; otherwise twice as wide each time.
enum { KL_LENGTH_GROUPS = 40 };
typedef struct kl_row_lengths {
    int count;                                                 // of groups
    int64_t from[KL_LENGTH_GROUPS], to[KL_LENGTH_GROUPS];      // lengths, both in the group
    int64_t rows[KL_LENGTH_GROUPS], entries[KL_LENGTH_GROUPS]; // in the group: rows, and all
                                                               // their entries
} kl_row_lengths;

// The groups of a matrix.
void kl_row_lengths_of(const kl_csr *csr, kl_row_lengths *out_lengths);

// name: of the matrix, shown as it is given. KL_ERROR_SYSTEM when writing fails, KL_ERROR_MEMORY.
kl_status kl_plot_structure(const kl_csr *csr, const char *name, FILE *out, kl_error *err);
kl_status kl_plot_row_lengths(const kl_csr *csr, const char *name, FILE *out, kl_error *err);

// The structure in a frame of at most `columns` x `lines` characters; with utf8 each holds 2 x 4
// cells.
kl_status kl_plot_text(const kl_csr *csr, int columns, int lines, bool utf8, FILE *out,
                       kl_error *err);

#endif
