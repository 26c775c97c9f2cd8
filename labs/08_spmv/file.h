// Lab 08 on a matrix of the user's own: `./ladder run spmv --matrix FILE`.
#pragma once

#include "sparse.h"
#include "spmv.h"
#include "ladder.h"

// For kl_lab_main; named in lab.cmake.
extern const kl_file_support spmv_files;

// What the lab knows of the file: kl_user_file.context.
typedef struct spmv_file {
    const char *path, *name; // name: without folders
    kl_mtx_info info;
    int64_t repeated; // entries that stand at a place of another one and were added to it
    kl_csr csr;
    kl_sparse_stats stats;
    kl_sparse_locality locality;
    bool float_holds; // all values are finite in float
} spmv_file;

// Bytes of the matrix in a format, and whether the lab's steps can keep it so: spmv_prepared_bytes,
// and for DIA at most SPMV_FILE_DIAGONALS diagonals.
enum { SPMV_FILE_DIAGONALS = 256 };
double spmv_format_bytes(const kl_sparse_stats *stats, kl_sparse_format format, spmv_type type);
bool spmv_format_fits(const kl_sparse_stats *stats, kl_sparse_format format, spmv_type type);

// The format of a step 1 .. 8.
kl_sparse_format spmv_step_format(int step);

// The format that should move the fewest bytes in a product, of those that fit; reason: one
// sentence, in [bytes].
kl_sparse_format spmv_advise_format(const kl_sparse_stats *stats, spmv_type type, char *reason,
                                    size_t bytes);
// The kernel for CSR that row lengths speak for, a step of 4 .. 8; reason as above.
int spmv_advise_step(const kl_sparse_stats *stats, char *reason, size_t bytes);

// The parts of kl_file_support that are in advice.c.
kl_status spmv_file_show(const kl_user_file *file, const kl_options *options, const kl_style *style,
                         FILE *out, kl_error *err);
void spmv_file_advise(const kl_user_file *file, const kl_ladder *ladder, const kl_style *style,
                      FILE *out);
void spmv_file_json(const kl_user_file *file, const kl_ladder *ladder, kl_json *json);
