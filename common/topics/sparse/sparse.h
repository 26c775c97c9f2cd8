// Sparse matrices in host memory: the coordinate form that files and generators give, compressed
// rows, and what each of the four formats of lab 08 would take. Source: Bell and Garland,
// "Implementing Sparse Matrix-Vector Multiplication on Throughput-Oriented Processors", SC 2009.
//
// Row and column indices count from 0. Values are held in double; a lab narrows them itself.
#pragma once

#include "error.h"

// ---- sparse.c -----------------------------------------------------------------------------------

// The largest matrix the kit takes: indices and row pointers are 32-bit integers on the device.
#define KL_SPARSE_MAX_SIDE    (INT64_C(1) << 28)
#define KL_SPARSE_MAX_ENTRIES ((INT64_C(1) << 31) - 1)

// Coordinate form: entry k is (row[k], col[k], val[k]).
typedef struct kl_coo {
    int64_t rows, cols; // of the matrix
    int64_t nnz;        // entries, also those that have the same row and column
    int32_t *row;       // [nnz]
    int32_t *col;       // [nnz]
    double *val;        // [nnz]
} kl_coo;

// Compressed sparse rows: row i's entries are ptr[i] .. ptr[i+1]-1, by ascending column.
typedef struct kl_csr {
    int64_t rows, cols; // of the matrix
    int64_t nnz;        // entries, those with value 0 included
    int32_t *ptr;       // [rows + 1], ptr[0] == 0, ptr[rows] == nnz
    int32_t *col;       // [nnz]
    double *val;        // [nnz]
} kl_csr;

// These free the arrays and leave an empty matrix; an empty one may be freed again.
void kl_coo_free(kl_coo *m);
void kl_csr_free(kl_csr *m);

// Row-major order with ascending columns; entries of the same place are added up in the order in
// which they stand. Zeros that are stored stay stored. KL_ERROR_INPUT on an index that is outside
// the matrix or on more than KL_SPARSE_MAX_ENTRIES entries.
kl_status kl_csr_from_coo(const kl_coo *coo, kl_csr *out_csr, kl_error *err);
// The same, but the entries of a row keep their order, and equal places stay apart.
kl_status kl_csr_group_coo(const kl_coo *coo, kl_csr *out_csr, kl_error *err);

// Of a matrix's rows, and what each format would take of it.
typedef struct kl_sparse_stats {
    int64_t rows, cols, nnz;     // of the matrix
    int64_t row_min, row_max;    // entries in the shortest and the longest row
    double row_mean, row_stddev; // over all rows, population deviation
    int64_t empty_rows;          // without an entry
    int64_t lower, upper;        // bandwidths: the largest i - j and j - i of an entry, at least 0
    int64_t diagonals;           // that hold an entry
    int64_t explicit_zeros;      // entries stored with value 0
} kl_sparse_stats;

// Counts the entries of a matrix whose columns ascend in each row. KL_ERROR_MEMORY.
kl_status kl_sparse_stats_of(const kl_csr *csr, kl_sparse_stats *out_stats, kl_error *err);

// The formats of lab 08, in the order of its tables.
typedef enum kl_sparse_format {
    KL_COO,
    KL_CSR,
    KL_ELL,
    KL_DIA,
    KL_SPARSE_FORMATS
} kl_sparse_format;

const char *kl_sparse_format_name(kl_sparse_format format); // "COO", ...

// Bytes of a matrix of these statistics in a format, with 4-byte indices and values of value_bytes.
// In double, because ELL's and DIA's may exceed any memory.
double kl_sparse_storage_bytes(const kl_sparse_stats *stats, kl_sparse_format format,
                               int value_bytes);

// ---- sparse_generate.c --------------------------------------------------------------------------
// Made matrices: the structures that decide which format and kernel is best. All are functions of
// their parameters and a seed. Values are multiples of 1/16 in [-4, 4] without 0, so that products
// with small integers add up without rounding in any order.

// Fills csr->val: [nnz].
void kl_make_values(kl_csr *csr, uint64_t seed);

// Finite-difference stencils on a grid of nx x ny x nz points, row-major in x: every row has its
// point's neighbours that exist. 2-D ones need nz == 1.
typedef enum kl_stencil { KL_STENCIL_5, KL_STENCIL_9, KL_STENCIL_7, KL_STENCIL_27 } kl_stencil;
kl_status kl_make_stencil(kl_stencil stencil, int64_t nx, int64_t ny, int64_t nz, uint64_t seed,
                          kl_csr *out_csr, kl_error *err);

// n x n, all elements with -lower <= j - i <= upper.
kl_status kl_make_band(int64_t n, int64_t lower, int64_t upper, uint64_t seed, kl_csr *out_csr,
                       kl_error *err);

// rows x cols, `per_row` different columns in each row: one from each of per_row equal slices.
kl_status kl_make_uniform(int64_t rows, int64_t cols, int64_t per_row, uint64_t seed,
                          kl_csr *out_csr, kl_error *err);

// A graph with a power law: 2^scale vertices, `edges` edges drawn one by one. An edge drawn twice
// is two entries at one place when `repeats` is true; otherwise they become one.
// Quadrant probabilities a, b, c (and d = 1 - a - b - c). Source: Chakrabarti, Zhan and Faloutsos,
// "R-MAT: A Recursive Model for Graph Mining", SDM 2004; Graph500 uses 0.57, 0.19, 0.19.
kl_status kl_make_rmat(int scale, int64_t edges, double a, double b, double c, bool repeats,
                       uint64_t seed, kl_csr *out_csr, kl_error *err);

// Uniform, but for `giants` evenly spread rows with giant_nnz entries each. giant_nnz <= cols.
kl_status kl_make_giant_rows(int64_t rows, int64_t cols, int64_t per_row, int64_t giants,
                             int64_t giant_nnz, uint64_t seed, kl_csr *out_csr, kl_error *err);

// Any row lengths: row i gets lengths[i] columns (at most cols), drawn as for a uniform matrix.
kl_status kl_make_rows(int64_t rows, int64_t cols, const int32_t *lengths, uint64_t seed,
                       kl_csr *out_csr, kl_error *err);

// ---- sparse_lookalike.c -------------------------------------------------------------------------
// Look-alikes: matrices made to given statistics, so that a kernel meets the row lengths and the
// locality of a known matrix without its file. The fourteen classical ones are listed, with their
// sources, in classic.def.

// How far the entries of a row lie apart, and how much neighbouring rows have in common. Terms as
// in classic.def.
typedef struct kl_sparse_locality {
    double span_mean, span_stddev; // columns
    int64_t span_max;              // columns
    int64_t runs;                  // groups of entries in neighbouring columns
    double similar;                // 0 .. 1
} kl_sparse_locality;

// csr: columns ascend within a row.
void kl_sparse_locality_of(const kl_csr *csr, kl_sparse_locality *out_locality);

// The bandwidth of an original for which no source says one.
#define KL_UNLISTED (-1)

// The statistics to which a matrix is made.
typedef struct kl_lookalike {
    const char *name, *file;     // of the original: in papers, in the SuiteSparse collection
    int64_t rows, cols, nnz;     // of the original, met exactly
    int64_t row_min, row_max;    // entries in its shortest and its longest row, met exactly
    double row_stddev;           // of the rows' lengths, population deviation
    kl_sparse_locality locality; // met closely
    int64_t bandwidth;           // of the original, KL_UNLISTED: not known; not aimed at
} kl_lookalike;

enum { KL_CLASSICS = 14 };

// Of the fourteen, 0 .. KL_CLASSICS - 1, in the order of classic.def.
kl_lookalike kl_classic(int index);
// The one of this name or file name, letters of either case; -1: none.
int kl_classic_find(const char *name);

// Rows, columns, entries, shortest and longest row are met exactly; the deviation of the lengths,
// mean, deviation and maximum of the spans, runs and similarity closely, as far as they are
// consistent. Which row gets which length is drawn: lengths are alike within groups of similar
// rows, and otherwise independent of the place. Windows lie around the diagonal. Values as in
// sparse_generate.c. KL_ERROR_INPUT when no such rows exist.
kl_status kl_make_lookalike(const kl_lookalike *like, uint64_t seed, kl_csr *out_csr,
                            kl_error *err);

// ---- matrix_market.c ----------------------------------------------------------------------------
// Matrix Market files (.mtx, .mtx.gz): coordinate format with real, integer or pattern values,
// general, symmetric or skew-symmetric. Source: Boisvert, Pozo and Remington, "The Matrix Market
// Exchange Formats: Initial Design", NISTIR 5935, 1996.

// What the header says of values: a pattern has none.
typedef enum kl_mtx_field { KL_MTX_REAL, KL_MTX_INTEGER, KL_MTX_PATTERN } kl_mtx_field;
// Whether the file has only one of the entries (i, j) and (j, i), equal or, of a skew matrix, with
// the other sign.
typedef enum kl_mtx_symmetry { KL_MTX_GENERAL, KL_MTX_SYMMETRIC, KL_MTX_SKEW } kl_mtx_symmetry;

// Bytes of the file that have been read, and its size (0: not known). Called every few MiB.
typedef void kl_mtx_progress(void *context, uint64_t done_bytes, uint64_t total_bytes);

// What the header of a file says.
typedef struct kl_mtx_info {
    kl_mtx_field field;       // of the values
    kl_mtx_symmetry symmetry; // of what is stored
    int64_t stored;           // entries in the file; a symmetric matrix has more
} kl_mtx_info;

// Reads a file to its end in one pass. Memory grows with the entries that are there, not with what
// the header promises. Entries come in the order of the file; of a symmetric or skew-symmetric
// matrix the mirrored entry follows its original. Pattern entries have value 1. Lines may end in
// CR LF.
// KL_ERROR_SYSTEM when the file cannot be read, KL_ERROR_LIMIT when it is larger than the kit
// takes, KL_ERROR_INPUT with the line number when it is wrong. out_info and progress may be NULL.
kl_status kl_mtx_read(const char *path, kl_mtx_progress *progress, void *context, kl_coo *out_coo,
                      kl_mtx_info *out_info, kl_error *err);

// The same from memory; `name` stands for the path in messages. Never decompresses.
kl_status kl_mtx_parse(const char *name, const char *text, size_t text_bytes, kl_coo *out_coo,
                       kl_mtx_info *out_info, kl_error *err);

// ---- sparse_plot.c ------------------------------------------------------------------------------
// Pictures of a matrix: where its entries lie, and how long its rows are. As SVG, and as text for a
// terminal.

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
