// SPDX-License-Identifier: MIT
// Bump allocator: many small zeroed allocations that die together. Syntax trees and images live in
// one. Nothing is freed singly; a cap bounds what a hostile input can make us allocate.
#ifndef SIM_BASE_ARENA_H
#define SIM_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An arena; free with sim_arena_free. One thread at a time uses it.
typedef struct sim_arena sim_arena;

// A new arena that hands out at most `cap_bytes` in total; NULL when memory is short.
sim_arena *sim_arena_new(size_t cap_bytes);
// Frees the arena and everything in it; accepts NULL.
void sim_arena_free(sim_arena *arena);

// `bytes` zeroed bytes aligned for any type (16); NULL when over the cap or out of memory.
// Zero bytes give a valid pointer.
void *sim_arena_alloc(sim_arena *arena, size_t bytes);
// `count` zeroed elements of `element_bytes`, the product checked for overflow.
void *sim_arena_array(sim_arena *arena, size_t count, size_t element_bytes);
// A copy of text[0..bytes) that ends in NUL.
char *sim_arena_text(sim_arena *arena, const char *text, size_t bytes);
// A copy of `bytes` bytes; NULL for `bytes` 0 is never returned.
void *sim_arena_copy(sim_arena *arena, const void *source, size_t bytes);

#endif
