// SPDX-License-Identifier: MIT
// Independent pieces of host work on the processor's cores: inputs of large cases, comparisons of
// large outputs. Where the system gives no threads, the caller does all of it.
#ifndef KL_PARALLEL_H
#define KL_PARALLEL_H

enum { KL_PARALLEL_MOST = 16 }; // threads, the caller included

// Piece `index` of the work; several run at once.
typedef void kl_piece(void *context, int index);

// How many threads kl_parallel takes: the cores there are, 1 to KL_PARALLEL_MOST.
int kl_parallel_threads(void);

// Calls piece(context, i) once for each i in 0 .. count - 1, in ascending order of starts, and
// returns when all have returned. Its threads have ended then: a process may fork afterwards.
void kl_parallel(int count, kl_piece *piece, void *context);

#endif
