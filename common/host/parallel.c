// SPDX-License-Identifier: MIT
// Threads that take the next piece until none is left: see parallel.h.
#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "this_machine.h"

typedef struct work {
    kl_piece *piece;
    void *context;
    int count;
    atomic_int next;
} work;

static void *take_pieces(void *context) {
    work *w = context;
    for (int i = atomic_fetch_add(&w->next, 1); i < w->count; i = atomic_fetch_add(&w->next, 1))
        w->piece(w->context, i);
    return NULL;
}

int kl_parallel_threads(void) {
    return kl_processors() < KL_PARALLEL_MOST ? kl_processors() : KL_PARALLEL_MOST;
}

void kl_parallel(int count, kl_piece *piece, void *context) {
    work w = {.piece = piece, .context = context, .count = count};
    pthread_t threads[KL_PARALLEL_MOST];
    int wanted = kl_parallel_threads(), started = 0;
    atomic_init(&w.next, 0);
    wanted = wanted < count ? wanted : count;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, take_pieces, &w) == 0)
        started++;
    take_pieces(&w);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
}
