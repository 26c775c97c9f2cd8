// SPDX-License-Identifier: MIT
// The text of a matrix file's entries in blocks of whole lines: cut out of a file or of memory by
// place, so that several threads can read at once, or taken one after the other from what has no
// places (compressed data, a pipe). Private to common/topics/sparse.
#ifndef KL_MTX_INPUT_H
#define KL_MTX_INPUT_H

#include "line_reader.h"
#include "mtx_block.h"

typedef struct kl_mtx_input {
    kl_lines *lines;
    size_t block_bytes;
    bool placed;        // by place
    bool begun;         // a block has been claimed
    bool ended;         // there is nothing more to claim
    uint64_t next, end; // placed: where the next block begins, and the text ends
    char *rest;         // not placed: begin of a line whose end is still to be read
    size_t rest_bytes, rest_room;
} kl_mtx_input;

// What `lines` has read and not given away comes first, then its source's bytes; both stay the
// caller's. streamed: never by place. Close with kl_mtx_input_close.
kl_mtx_input kl_mtx_input_open(kl_lines *lines, size_t block_bytes, bool streamed);
void kl_mtx_input_close(kl_mtx_input *input);

// About how many bytes are still to come, compressed ones if they are; 0: not known, or none.
uint64_t kl_mtx_input_left(const kl_mtx_input *input);

// The next block, false when there is none. One thread at a time.
bool kl_mtx_input_claim(kl_mtx_input *input, kl_mtx_block *block);
// Its text; any number of threads at a time, each with its own block. What goes wrong is noted in
// the block, behind the whole lines that there are.
void kl_mtx_input_read(const kl_mtx_input *input, kl_mtx_block *block);

#endif
