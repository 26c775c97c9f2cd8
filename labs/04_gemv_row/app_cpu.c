// Jacobi's iteration on the host: see app.h. Threads have neighbouring rows each; two barriers per
// iteration. A row's sum is kept in 16 partial sums, which a compiler can hold in vector registers
// without changing the order of additions.
#include "app.h"

#include <pthread.h>

#include "this_machine.h"

enum { LANES = 16, MOST_THREADS = 256, CACHE_LINE = 64 };

typedef struct member {
    struct team *team;
    int64_t first, last; // rows, last one excluded
    _Alignas(CACHE_LINE) jacobi_change change;
} member;

typedef struct team {
    const jacobi_system *system;
    const jacobi_goal *goal;
    float *from, *to; // x[k], x[k+1]; exchanged by member 0 between the barriers
    jacobi_change *history;
    int iterations;
    bool converged;
    int threads;
    pthread_mutex_t gate; // closed until it is known how many threads there are
    pthread_barrier_t barrier;
    member members[MOST_THREADS];
} team;

// Compiled for wider vectors, too, where the processor has them.
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__ &&                                \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
__attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#endif
static float
dot(const float *row, const float *x, int64_t n) {
    float part[LANES] = {0.0f}, sum = 0.0f;
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES)
        for (int l = 0; l < LANES; l++) part[l] += row[j + l] * x[j + l];
    for (; j < n; j++) sum += row[j] * x[j];
    for (int l = 0; l < LANES; l++) sum += part[l];
    return sum;
}

// The greater one, or NaN if one is.
static float most(float a, float b) {
    return a >= b || isnan(a) ? a : b;
}

static void iterate_rows(member *m) {
    const jacobi_system *s = m->team->system;
    const float *from = m->team->from;
    m->change = (jacobi_change){0.0f, 0.0f};
    for (int64_t i = m->first; i < m->last; i++) {
        float next = (s->b[i] - dot(s->r + i * s->n, from, s->n)) / s->d[i];
        m->change.change = most(m->change.change, fabsf(next - from[i]));
        m->change.size = most(m->change.size, fabsf(next));
        m->team->to[i] = next;
    }
}

// By member 0, when all rows are done.
static void end_iteration(team *t) {
    jacobi_change all = {0.0f, 0.0f};
    for (int i = 0; i < t->threads; i++) {
        all.change = most(all.change, t->members[i].change.change);
        all.size = most(all.size, t->members[i].change.size);
    }
    t->history[t->iterations++] = all;
    t->converged = jacobi_is_done(all, t->goal->tolerance);
    float *before = t->from;
    t->from = t->to;
    t->to = before;
}

static void *work(void *context) {
    member *m = context;
    team *t = m->team;
    pthread_mutex_lock(&t->gate);
    pthread_mutex_unlock(&t->gate);
    for (bool going = true; going;) {
        iterate_rows(m);
        pthread_barrier_wait(&t->barrier);
        if (m == t->members) end_iteration(t);
        pthread_barrier_wait(&t->barrier);
        going = !t->converged && t->iterations < t->goal->limit &&
                isfinite(t->history[t->iterations - 1].change);
    }
    return NULL;
}

// This thread is member 0. Where the system gives fewer threads, fewer do the work.
static void run_team(team *t, int wanted) {
    pthread_t thread[MOST_THREADS];
    int64_t n = t->system->n;
    pthread_mutex_init(&t->gate, NULL);
    pthread_mutex_lock(&t->gate);
    t->threads = 1;
    while (t->threads < wanted && t->threads < n && t->threads < MOST_THREADS &&
           pthread_create(&thread[t->threads], NULL, work, &t->members[t->threads]) == 0)
        t->threads++;
    pthread_barrier_init(&t->barrier, NULL, (unsigned)t->threads);
    for (int i = 0; i < t->threads; i++) {
        t->members[i].first = n * i / t->threads;
        t->members[i].last = n * (i + 1) / t->threads;
    }
    pthread_mutex_unlock(&t->gate);
    work(&t->members[0]);
    for (int i = 1; i < t->threads; i++) pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&t->barrier);
    pthread_mutex_destroy(&t->gate);
}

kl_status jacobi_solve_cpu(const jacobi_system *system, const jacobi_goal *goal, int threads,
                           float *x, jacobi_result *out, kl_error *err) {
    size_t n = (size_t)system->n;
    team *t = aligned_alloc(CACHE_LINE, sizeof *t);
    float *vectors = calloc(2 * n, sizeof *vectors);
    jacobi_change *history = calloc((size_t)goal->limit, sizeof *history);
    kl_status status = KL_OK;
    if (!t || !vectors || !history) {
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for vectors of %zu elements", n);
    } else {
        *t = (team){.system = system, .goal = goal, .from = vectors, .to = vectors + n};
        t->history = history;
        for (int i = 0; i < MOST_THREADS; i++) t->members[i].team = t;
        uint64_t start = kl_now_ns();
        run_team(t, threads);
        memcpy(x, t->from, n * sizeof *x);
        *out = (jacobi_result){.iterations = t->iterations, .converged = t->converged};
        out->total_us = 1e-3 * (double)(kl_now_ns() - start);
        out->contraction = jacobi_contraction(history, t->iterations);
        out->threads = t->threads;
    }
    free(t);
    free(vectors);
    free(history);
    return status;
}
