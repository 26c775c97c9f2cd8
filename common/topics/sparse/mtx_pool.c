// SPDX-License-Identifier: MIT
// Threads that are all alike, the caller's among them: see mtx_pool.h. Each claims the next block
// of text, reads and parses it by itself, waits until it is that block's turn, gives it away, and
// copies its entries to their place while the next block has its turn. At most one block a thread
// is on its way.
#include "mtx_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mtx_input.h"

enum { MOST_THREADS = 32 };

struct kl_mtx_pool {
    kl_mtx_form form;
    kl_mtx_taker taker;
    pthread_mutex_t claiming; // guards the two that follow
    kl_mtx_input input;
    uint64_t claimed;      // blocks so far
    pthread_mutex_t mutex; // guards what follows
    uint64_t turn;         // of this block
    int keeping;           // threads that copy
    kl_status status;      // an error ends the work of all; its text is in *err
    kl_error *err;
    pthread_cond_t settled;
    int ways;                           // so many blocks are on their way at most, and so many
    pthread_cond_t turns[MOST_THREADS]; // are used: that of block n is n % ways
};

static bool claim(kl_mtx_pool *pool, kl_mtx_block *block, uint64_t *out_number) {
    pthread_mutex_lock(&pool->mutex);
    bool stop = pool->status != KL_OK;
    pthread_mutex_unlock(&pool->mutex);
    if (stop) return false;
    pthread_mutex_lock(&pool->claiming);
    bool more = kl_mtx_input_claim(&pool->input, block);
    if (more) *out_number = pool->claimed++;
    pthread_mutex_unlock(&pool->claiming);
    return more;
}

// False when another block's turn has ended the reading.
static bool wait_for_turn(kl_mtx_pool *pool, uint64_t number) {
    pthread_mutex_lock(&pool->mutex);
    while (pool->status == KL_OK && pool->turn != number)
        pthread_cond_wait(&pool->turns[number % (uint64_t)pool->ways], &pool->mutex);
    bool mine = pool->status == KL_OK;
    pthread_mutex_unlock(&pool->mutex);
    return mine;
}

static void end_turn(kl_mtx_pool *pool, kl_status status, bool keep) {
    pthread_mutex_lock(&pool->mutex);
    pool->status = status;
    pool->turn++;
    pool->keeping += keep;
    pthread_cond_signal(&pool->turns[pool->turn % (uint64_t)pool->ways]);
    for (int i = 0; status != KL_OK && i < pool->ways; i++) pthread_cond_signal(&pool->turns[i]);
    pthread_mutex_unlock(&pool->mutex);
}

static void end_keeping(kl_mtx_pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    if (--pool->keeping == 0) pthread_cond_signal(&pool->settled);
    pthread_mutex_unlock(&pool->mutex);
}

void kl_mtx_pool_settle(kl_mtx_pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    while (pool->keeping > 0) pthread_cond_wait(&pool->settled, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

static kl_status give(kl_mtx_pool *pool, kl_mtx_block *block, bool parsed, bool *out_keep) {
    if (!parsed) return kl_fail(pool->err, KL_ERROR_MEMORY, "no memory to read a matrix");
    return pool->taker.take(pool->taker.context, pool, block, out_keep, pool->err);
}

static void work(kl_mtx_pool *pool) {
    kl_mtx_block block = {.failure.status = KL_OK};
    uint64_t number = 0;
    while (claim(pool, &block, &number)) {
        kl_mtx_input_read(&pool->input, &block);
        bool parsed = kl_mtx_block_parse(&pool->form, &block), keep = false;
        if (!wait_for_turn(pool, number)) break;
        kl_status status = give(pool, &block, parsed, &keep);
        end_turn(pool, status, keep);
        if (!keep) continue;
        pool->taker.keep(pool->taker.context, &block);
        end_keeping(pool);
    }
    kl_mtx_block_free(&block);
}

static void *help(void *pool) {
    work(pool);
    return NULL;
}

// No more than there are blocks, as far as that is known.
static int count_threads(const kl_mtx_input *input, int wanted) {
    uint64_t left = kl_mtx_input_left(input), blocks = left / input->block_bytes + 1;
    int threads = wanted < MOST_THREADS ? wanted : MOST_THREADS;
    return left > 0 && blocks < (uint64_t)threads ? (int)blocks : threads;
}

kl_status kl_mtx_pool_run(const kl_mtx_form *form, kl_lines *lines, const kl_mtx_how *how,
                          const kl_mtx_taker *taker, kl_error *err) {
    kl_mtx_pool pool = {.form = *form, .taker = *taker, .status = KL_OK, .err = err};
    pool.input = kl_mtx_input_open(lines, how->block_bytes, how->streamed);
    pool.ways = count_threads(&pool.input, how->threads);
    pthread_mutex_init(&pool.claiming, NULL);
    pthread_mutex_init(&pool.mutex, NULL);
    pthread_cond_init(&pool.settled, NULL);
    for (int i = 0; i < pool.ways; i++) pthread_cond_init(&pool.turns[i], NULL);
    pthread_t helpers[MOST_THREADS];
    int started = 0;
    // With fewer threads than asked for, or none, it takes longer: no reason to fail.
    while (started + 1 < pool.ways && pthread_create(&helpers[started], NULL, help, &pool) == 0)
        started++;
    work(&pool);
    for (int i = 0; i < started; i++) pthread_join(helpers[i], NULL);
    for (int i = 0; i < pool.ways; i++) pthread_cond_destroy(&pool.turns[i]);
    pthread_cond_destroy(&pool.settled);
    pthread_mutex_destroy(&pool.mutex);
    pthread_mutex_destroy(&pool.claiming);
    kl_mtx_input_close(&pool.input);
    return pool.status;
}
