// SPDX-License-Identifier: MIT
// Blocks of whole lines of entries, parsed apart from each other. Private to common/topics/sparse.
#ifndef KL_MTX_BLOCK_H
#define KL_MTX_BLOCK_H

#include "matrix_market.h"

// What the header said.
typedef struct kl_mtx_form {
    int64_t rows, cols;
    kl_mtx_field field;
    kl_mtx_symmetry symmetry;
} kl_mtx_form;

enum { KL_MTX_PAD = 16 }; // bytes behind a block's text, all '\n'

typedef struct kl_mtx_block {
    const char *text; // [bytes], whole lines, then KL_MTX_PAD times '\n'
    size_t bytes;
    bool long_line;      // behind the text stands a line that is too long
    kl_error failure;    // behind the text something could not be read; or status KL_OK
    uint64_t done_bytes; // of the source, when this block has been read
    char *buffer;        // [room], holds the text
    size_t room;
    uint64_t from,
        to; // its place in the source, if it has one; `begins`: and no line begins before it
    bool begins;
    // What kl_mtx_block_parse found. When something is out of the ordinary (a comment, an empty
    // line, anything wrong), `plain` is false, nothing else holds, and the lines are to be read one
    // by one.
    bool plain;
    int64_t lines, nnz; // nnz: with mirrored entries; lines: one an entry of the file
    int64_t below_line,
        above_line;     // first line (from 1) of an entry below and above the diagonal, 0: none
    int32_t *row, *col; // [nnz]
    double *val;        // [nnz]
    int64_t capacity;   // of the arrays, kept from one use of the block to the next
    int64_t place;      // for who joins the blocks: where its entries go
} kl_mtx_block;

// Touches nothing but the block. false: no memory.
bool kl_mtx_block_parse(const kl_mtx_form *form, kl_mtx_block *block);
void kl_mtx_block_free(kl_mtx_block *block); // the arrays and the text

#endif
