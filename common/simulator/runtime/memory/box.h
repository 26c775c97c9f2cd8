// SPDX-License-Identifier: MIT
// Boxes of rows that are copied or filled. Like copy.h: at once, the caller charges the clock.
#ifndef SIM_RUNTIME_MEMORY_BOX_H
#define SIM_RUNTIME_MEMORY_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/abi/functions.h"
#include "runtime/base/clock.h"
#include "runtime/state/order.h"

// A box of rows in linear memory or of an array. Linear copies have one row, 2D copies one slice.
typedef struct runtime_box {
    void *to;
    const void *from;
    size_t width, height, depth; // bytes, rows, slices
    size_t to_pitch, from_pitch; // bytes from row to row
    size_t to_slice, from_slice; // bytes from slice to slice
    enum cudaMemcpyKind kind;
} runtime_box;

// One row.
runtime_box runtime_box_linear(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
// The box that `p` describes; one without rows when there is nothing to copy.
cudaError_t runtime_box_of(const struct cudaMemcpy3DParms *p, runtime_box *out_box);
bool runtime_box_is_empty(const runtime_box *box);
cudaError_t runtime_box_check_pitches(const runtime_box *box);
// Whether its pitches, pointers and direction are right; moves nothing.
cudaError_t runtime_box_check(const runtime_box *box);
// Moves the bytes of a box, as a piece of work in the queue.
cudaError_t runtime_box_move(const runtime_box *box, const runtime_queue *queue,
                             runtime_mover mover, runtime_transfer *out_transfer);

// Rows to be filled with elements of 1, 2 or 4 bytes.
typedef struct runtime_filling {
    void *start;
    size_t pitch, slice; // bytes from row to row, from slice to slice
    uint32_t value, element_bytes;
    size_t width, height, depth; // elements, rows, slices
} runtime_filling;

cudaError_t runtime_filling_check(const runtime_filling *filling);
cudaError_t runtime_filling_do(const runtime_filling *filling, const runtime_queue *queue,
                               runtime_mover mover, runtime_transfer *out_transfer);

#endif
