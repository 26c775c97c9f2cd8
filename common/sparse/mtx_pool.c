// SPDX-License-Identifier: MIT
// A ring of blocks: see mtx_pool.h. The caller's thread reads the file into the blocks one after the other and takes
// them back in the same order; whichever thread is free parses the oldest that is not parsed yet, the caller's too
// when it would have to wait.
#include "mtx_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 16, LINE_BYTES = 4 << 20 };

typedef enum slot_state { EMPTY, FILLED, TAKEN, PARSED } slot_state;

typedef struct slot {
    kl_mtx_block block;
    size_t text_bytes; // room for text in the block
    slot_state state;
    bool failed; // no memory for the entries
} slot;

struct kl_mtx_pool {
    kl_mtx_form form;
    kl_lines *lines;
    size_t block_bytes;
    char *rest; // begin of a line whose end is still to be read
    size_t rest_bytes, rest_room;
    bool at_end;      // of the source, or where it failed
    kl_error failure; // of the source, for when the blocks before it have been given
    bool long_line;   // the failure is a line that no buffer takes
    slot *slots;
    int slot_count;
    uint64_t filled, given; // blocks so far; block n lies in slot n % slot_count
    bool held;              // block `given` is with the caller
    uint64_t taken;         // blocks that a thread has begun to parse
    bool stop;
    int helpers;
    pthread_t threads[MOST_THREADS];
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
};

// ---- threads ---------------------------------------------------------------------------------

// With the mutex held; lets go of it while parsing. Parses block number `taken`.
static void parse_one(kl_mtx_pool *pool) {
    slot *s = &pool->slots[pool->taken++ % (uint64_t)pool->slot_count];
    s->state = TAKEN;
    pthread_mutex_unlock(&pool->mutex);
    bool failed = !kl_mtx_block_parse(&pool->form, &s->block);
    pthread_mutex_lock(&pool->mutex);
    s->failed = failed;
    s->state = PARSED;
    pthread_cond_signal(&pool->done);
}

static void *help(void *argument) {
    kl_mtx_pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->stop) {
        if (pool->taken < pool->filled) {
            parse_one(pool);
        } else {
            pthread_cond_wait(&pool->work, &pool->mutex);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

// ---- reading ---------------------------------------------------------------------------------

static kl_status no_memory(kl_error *err) {
    return kl_fail(err, KL_ERROR_MEMORY, "no memory to read a matrix");
}

static bool reserve(char **text, size_t *room, size_t bytes) {
    if (*room >= bytes) return true;
    char *larger = realloc(*text, bytes);
    if (larger == NULL) return false;
    *text = larger;
    *room = bytes;
    return true;
}

// Bytes: first what the line reader has left, then the source's.
static kl_status read_bytes(kl_mtx_pool *pool, char *buffer, size_t capacity, size_t *out_bytes,
                            kl_error *err) {
    kl_lines *lines = pool->lines;
    size_t left = lines->end - lines->next;
    if (left == 0) return kl_bytes_read(lines->source, buffer, capacity, out_bytes, err);
    size_t take = left < capacity ? left : capacity;
    memcpy(buffer, lines->buffer + lines->next, take);
    lines->next += take;
    *out_bytes = take;
    return KL_OK;
}

// Bytes up to and with the last newline.
static size_t whole_lines(const char *text, size_t bytes) {
    while (bytes > 0 && text[bytes - 1] != '\n') bytes--;
    return bytes;
}

// Fills the block's text up to `want` bytes. A source that fails ends here.
static void read_text(kl_mtx_pool *pool, kl_mtx_block *b, size_t want) {
    while (b->bytes < want && !pool->at_end) {
        size_t got = 0;
        kl_status status =
            read_bytes(pool, b->text + b->bytes, want - b->bytes, &got, &pool->failure);
        pool->at_end = status != KL_OK || got == 0;
        b->bytes += got;
    }
}

// Whole lines into the block, which begins with the rest of the block before. No bytes: the end of the file.
static kl_status fill(kl_mtx_pool *pool, slot *s, kl_error *err) {
    kl_mtx_block *b = &s->block;
    size_t want = pool->block_bytes + pool->rest_bytes;
    if (!reserve(&b->text, &s->text_bytes, want + 1 + KL_MTX_PAD)) return no_memory(err);
    b->bytes = pool->rest_bytes;
    if (b->bytes > 0) memcpy(b->text, pool->rest, b->bytes);
    read_text(pool, b, want);
    size_t whole = whole_lines(b->text, b->bytes);
    while (whole == 0 && !pool->at_end) { // a line longer than a block
        want = 2 * want < LINE_BYTES ? 2 * want : LINE_BYTES;
        if (b->bytes >= want) {
            pool->at_end = pool->long_line = true;
            break;
        }
        if (!reserve(&b->text, &s->text_bytes, want + 1 + KL_MTX_PAD)) return no_memory(err);
        read_text(pool, b, want);
        whole = whole_lines(b->text, b->bytes);
    }
    if (pool->at_end && pool->failure.status == KL_OK && !pool->long_line && whole < b->bytes) {
        b->text[b->bytes++] = '\n'; // the last line had none
        whole = b->bytes;
    }
    pool->rest_bytes = b->bytes - whole;
    b->bytes = whole;
    if (!reserve(&pool->rest, &pool->rest_room, pool->rest_bytes)) return no_memory(err);
    if (pool->rest_bytes > 0) memcpy(pool->rest, b->text + whole, pool->rest_bytes);
    memset(b->text + whole, '\n', KL_MTX_PAD);
    return KL_OK;
}

static kl_status fill_slots(kl_mtx_pool *pool, kl_error *err) {
    while (!pool->at_end && pool->filled - pool->given < (uint64_t)pool->slot_count) {
        slot *s = &pool->slots[pool->filled % (uint64_t)pool->slot_count];
        TRY(fill(pool, s, err));
        if (s->block.bytes == 0) break;
        pthread_mutex_lock(&pool->mutex);
        s->state = FILLED;
        pool->filled++;
        pthread_cond_signal(&pool->work);
        pthread_mutex_unlock(&pool->mutex);
    }
    return KL_OK;
}

static kl_status end_of_source(const kl_mtx_pool *pool, int64_t lines_before, kl_error *err) {
    if (pool->long_line) {
        return kl_fail(err, KL_ERROR_INPUT, "line %lld is longer than %d MiB",
                       (long long)lines_before + 1, LINE_BYTES >> 20);
    }
    if (pool->failure.status != KL_OK)
        return kl_fail(err, pool->failure.status, "%s", pool->failure.text);
    return KL_OK;
}

kl_status kl_mtx_pool_next(kl_mtx_pool *pool, int64_t lines_before, kl_mtx_block **out_block,
                           kl_error *err) {
    *out_block = NULL;
    if (pool->held) {
        pool->slots[pool->given++ % (uint64_t)pool->slot_count].state = EMPTY;
        pool->held = false;
    }
    TRY(fill_slots(pool, err));
    if (pool->given == pool->filled) return end_of_source(pool, lines_before, err);
    slot *s = &pool->slots[pool->given % (uint64_t)pool->slot_count];
    pthread_mutex_lock(&pool->mutex);
    while (s->state != PARSED) {
        if (pool->taken < pool->filled) {
            parse_one(pool);
        } else {
            pthread_cond_wait(&pool->done, &pool->mutex);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    if (s->failed) return no_memory(err);
    pool->held = true;
    *out_block = &s->block;
    return KL_OK;
}

// ---- open and close --------------------------------------------------------------------------

kl_status kl_mtx_pool_open(const kl_mtx_form *form, kl_lines *lines, int threads,
                           size_t block_bytes, kl_mtx_pool **out_pool, kl_error *err) {
    kl_mtx_pool *pool = calloc(1, sizeof *pool);
    *out_pool = NULL;
    if (pool == NULL) return no_memory(err);
    *pool = (kl_mtx_pool){.form = *form, .lines = lines, .block_bytes = block_bytes};
    threads = threads > MOST_THREADS ? MOST_THREADS : threads;
    pool->slot_count = threads > 1 ? 2 * threads : 1;
    pool->slots = calloc((size_t)pool->slot_count, sizeof *pool->slots);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    if (pool->slots == NULL) {
        kl_mtx_pool_close(pool);
        return no_memory(err);
    }
    // With fewer threads than asked for, or none, it takes longer: no reason to fail.
    while (pool->helpers + 1 < threads &&
           pthread_create(&pool->threads[pool->helpers], NULL, help, pool) == 0) {
        pool->helpers++;
    }
    *out_pool = pool;
    return KL_OK;
}

void kl_mtx_pool_close(kl_mtx_pool *pool) {
    if (pool == NULL) return;
    pthread_mutex_lock(&pool->mutex);
    pool->stop = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->helpers; i++) pthread_join(pool->threads[i], NULL);
    for (int i = 0; pool->slots != NULL && i < pool->slot_count; i++) {
        kl_mtx_block_free(&pool->slots[i].block);
    }
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->slots);
    free(pool->rest);
    free(pool);
}
