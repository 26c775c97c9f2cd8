// The problem beside the ladder, backward.h: which function does it, whether it is right, how fast
// it is (`ladder run attention --app -- --backward`). See app.h.
#include "app.h"
#include "attention.h"
#include "cuda_check.h"
#include "random.h"
#include "reference.h"
#include "timing.h"

enum { PATH_BYTES = 4096 };

// ---- arrays of a case --------------------------------------------------------------------------

enum { Q, K, V, O, DO, DQ, DK, DV, MATRICES };

typedef struct shape {
    int64_t heads, queries, keys;
    int width, causal;
} shape;

typedef struct arrays {
    shape s;
    void *d[MATRICES]; // device, halves
    float *d_log, *d_row;
    uint16_t *h[MATRICES];
    float *h_log;
    attention_backward_function *run; // what is timed
} arrays;

static bool of_keys(int matrix) {
    return matrix == K || matrix == V || matrix == DK || matrix == DV;
}

static int64_t elements(const shape *s, int matrix) {
    return s->heads * s->width * (of_keys(matrix) ? s->keys : s->queries);
}

static kl_status allocate(arrays *a, kl_error *err) {
    const size_t logs = sizeof(float) * (size_t)(a->s.heads * a->s.queries + 1);
    for (int m = 0; m < MATRICES; m++) {
        const size_t bytes = sizeof(uint16_t) * (size_t)(elements(&a->s, m) + 1);
        a->h[m] = malloc(bytes);
        if (!a->h[m]) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a case");
        KL_CUDA(err, cudaMalloc(&a->d[m], bytes));
        KL_CUDA(err, cudaMemset(a->d[m], KL_POISON, bytes)); // NaN
    }
    a->h_log = malloc(logs);
    if (!a->h_log) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a case");
    KL_CUDA(err, cudaMalloc((void **)&a->d_log, logs));
    KL_CUDA(err, cudaMalloc((void **)&a->d_row, logs));
    KL_CUDA(err, cudaMemset(a->d_log, 0, logs));
    return KL_OK;
}

static void release(arrays *a) {
    for (int m = 0; m < MATRICES; m++) {
        cudaFree(a->d[m]);
        free(a->h[m]);
    }
    cudaFree(a->d_log);
    cudaFree(a->d_row);
    free(a->h_log);
}

static void draw(arrays *a) {
    for (int m = Q; m <= DO; m++)
        for (int64_t i = 0; i < elements(&a->s, m); i++)
            a->h[m][i] =
                attention_bits(2 * kl_random_signed(kl_random_fork(5, (uint64_t)m), (uint64_t)i));
}

static kl_status upload(const arrays *a, kl_error *err) {
    for (int m = Q; m <= DO; m++)
        KL_CUDA(err, cudaMemcpy(a->d[m], a->h[m], sizeof(uint16_t) * (size_t)elements(&a->s, m),
                                cudaMemcpyHostToDevice));
    return KL_OK;
}

static attention_backward_task task_of(const arrays *a) {
    const shape *s = &a->s;
    return (attention_backward_task){.heads = s->heads,
                                     .queries = s->queries,
                                     .keys = s->keys,
                                     .width = s->width,
                                     .causal = s->causal,
                                     .d_q = a->d[Q],
                                     .d_k = a->d[K],
                                     .d_v = a->d[V],
                                     .d_o = a->d[O],
                                     .d_do = a->d[DO],
                                     .d_log = a->d_log,
                                     .d_dq = a->d[DQ],
                                     .d_dk = a->d[DK],
                                     .d_dv = a->d[DV],
                                     .d_row = a->d_row,
                                     .describe = attention_describe_boxes};
}

// ---- which function ----------------------------------------------------------------------------

// What a case of one element gives.
static int try_function(attention_backward_function *run) {
    arrays a = {.s = {1, 1, 1, LM_HEAD, 0}};
    kl_error none = {KL_OK, ""};
    int code = cudaErrorMemoryAllocation;
    if (allocate(&a, &none) == KL_OK) {
        draw(&a);
        const attention_backward_task task = task_of(&a);
        code = upload(&a, &none) == KL_OK ? run(&task) : cudaErrorInvalidValue;
        if (code == 0) code = cudaDeviceSynchronize();
    }
    release(&a);
    cudaGetLastError(); // the next call must not return it
    return code;
}

void lm_backward_open(const char *folder, lm_backward *out) {
    char file[PATH_BYTES];
    kl_error none = {KL_OK, ""};
    attention_backward_function *run = NULL;
    *out = (lm_backward){.code = ATTENTION_NOT_IMPLEMENTED, .run = attention_backward_simple};
    snprintf(file, sizeof file, "%s/backward.so", folder);
    if (kl_step_open_file(file, "attention_backward", &out->step, &none) != KL_OK) return;
    memcpy(&run, &out->step.function, sizeof run); // ISO C has no cast from data to functions
    out->code = try_function(run);
    if (out->code == 0)
        out->run = run;
    else
        kl_step_close(&out->step);
}

void lm_backward_close(lm_backward *b) {
    if (b->run && b->code == 0) kl_step_close(&b->step);
    b->code = ATTENTION_NOT_IMPLEMENTED;
}

const char *lm_backward_words(const lm_backward *b) {
    return b->code == 0                           ? "by backward.cu"
           : b->code == ATTENTION_NOT_IMPLEMENTED ? "as given: backward.cu is not implemented"
                                                  : "as given: backward.cu does not run here";
}

// ---- right? ------------------------------------------------------------------------------------

static const shape checked[] = {{1, 1, 1, 64, 0},    {2, 70, 70, 64, 1},   {2, 33, 150, 64, 1},
                                {2, 150, 33, 64, 1}, {1, 130, 200, 64, 0}, {1, 65, 129, 128, 0},
                                {2, 80, 80, 128, 1}, {1, 140, 70, 128, 1}, {1, 3, 0, 64, 0},
                                {1, 0, 3, 128, 0}};
enum { CHECKED = sizeof checked / sizeof checked[0] };

static void to_doubles(const uint16_t *from, int64_t first, int64_t count, double *to) {
    for (int64_t i = 0; i < count; i++) to[i] = (double)attention_value(from[first + i]);
}

// Head `index` of the inputs; its answer, and what the forward pass would have left.
static kl_status solve_head(arrays *a, int64_t index, backward_head *head, kl_error *err) {
    const int64_t queries = head->queries * head->width, keys = head->keys * head->width;
    to_doubles(a->h[Q], index * queries, queries, head->q);
    to_doubles(a->h[K], index * keys, keys, head->k);
    to_doubles(a->h[V], index * keys, keys, head->v);
    to_doubles(a->h[DO], index * queries, queries, head->d_o);
    TRY(backward_head_solve(head, err));
    for (int64_t i = 0; i < queries; i++)
        a->h[O][index * queries + i] = attention_bits((float)head->o[i]);
    for (int64_t i = 0; i < head->queries; i++)
        a->h_log[index * head->queries + i] = (float)head->log[i];
    return KL_OK;
}

static void worst_of(const uint16_t *got, const double *want, const double *far, int64_t count,
                     double *most) {
    for (int64_t i = 0; i < count; i++) {
        const double error = fabs((double)attention_value(got[i]) - want[i]) / far[i];
        if (!(error <= *most) && !isnan(*most)) *most = error; // a NaN stays
    }
}

static kl_status run_case(const lm_backward *b, arrays *a, backward_head *heads, double *memory,
                          double *most, kl_error *err) {
    const shape *s = &a->s;
    const int64_t doubles = backward_head_doubles(s->queries, s->keys, s->width);
    const int64_t queries = s->queries * s->width, keys = s->keys * s->width;
    for (int64_t h = 0; h < s->heads; h++) {
        heads[h] = (backward_head){
            .queries = s->queries, .keys = s->keys, .width = s->width, .causal = s->causal};
        backward_head_lay(&heads[h], memory + h * doubles);
        TRY(solve_head(a, h, &heads[h], err));
    }
    TRY(upload(a, err));
    KL_CUDA(err, cudaMemcpy(a->d_log, a->h_log, sizeof(float) * (size_t)(s->heads * s->queries),
                            cudaMemcpyHostToDevice));
    const attention_backward_task task = task_of(a);
    KL_CUDA(err, (cudaError_t)b->run(&task));
    for (int m = DQ; m <= DV; m++)
        KL_CUDA(err, cudaMemcpy(a->h[m], a->d[m], sizeof(uint16_t) * (size_t)elements(s, m),
                                cudaMemcpyDeviceToHost));
    for (int64_t h = 0; h < s->heads; h++) {
        worst_of(a->h[DQ] + h * queries, heads[h].dq, heads[h].far_q, queries, most);
        worst_of(a->h[DK] + h * keys, heads[h].dk, heads[h].far_k, keys, most);
        worst_of(a->h[DV] + h * keys, heads[h].dv, heads[h].far_v, keys, most);
    }
    return KL_OK;
}

static kl_status check_case(const lm_backward *b, const shape *s, double *most, kl_error *err) {
    enum { MOST_HEADS = 2 };
    backward_head heads[MOST_HEADS];
    arrays a = {.s = *s};
    double *memory = malloc(
        sizeof(double) * (size_t)(s->heads * backward_head_doubles(s->queries, s->keys, s->width)));
    kl_status status =
        memory ? allocate(&a, err) : kl_fail(err, KL_ERROR_MEMORY, "no memory for an answer");
    if (status == KL_OK) {
        draw(&a);
        status = run_case(b, &a, heads, memory, most, err);
    }
    release(&a);
    free(memory);
    if (status != KL_OK || *most <= 1) return status;
    return kl_fail(err, KL_ERROR_INPUT,
                   "backward: a derivative is %.3g times its bound off, with %lld heads, %lld "
                   "queries, %lld keys, width %d%s",
                   *most, (long long)s->heads, (long long)s->queries, (long long)s->keys, s->width,
                   s->causal ? ", causal" : "");
}

kl_status lm_backward_check(const lm_backward *b, double *out_most, kl_error *err) {
    *out_most = 0;
    for (int i = 0; i < CHECKED; i++) TRY(check_case(b, &checked[i], out_most, err));
    return KL_OK;
}

// ---- fast? -------------------------------------------------------------------------------------

// 16,384 rows of 2,048 elements, as performance tables of attention have them.
enum { ROWS = 16384, ELEMENTS = 2048 };
static const shape timed[] = {{0, 1024, 1024, 64, 0},  {0, 4096, 4096, 64, 0},
                              {0, 1024, 1024, 64, 1},  {0, 4096, 4096, 64, 1},
                              {0, 1024, 1024, 128, 0}, {0, 4096, 4096, 128, 0},
                              {0, 1024, 1024, 128, 1}, {0, 4096, 4096, 128, 1}};
enum { TIMED = sizeof timed / sizeof timed[0] };

static int call(void *context) {
    const arrays *a = context;
    const attention_backward_task task = task_of(a);
    return a->run(&task);
}

static kl_status time_case(const lm_backward *b, kl_timer *timer, shape s, double *out_us,
                           kl_error *err) {
    arrays a = {.s = s, .run = b->run};
    kl_interval us = {0};
    kl_status status = allocate(&a, err);
    if (status == KL_OK) {
        draw(&a);
        status = upload(&a, err);
    }
    attention_backward_task task = task_of(&a);
    if (status == KL_OK && attention_log_sums(&task, a.d_log) != 0)
        status = kl_fail(err, KL_ERROR_CUDA, "no logarithms");
    if (status == KL_OK) status = kl_timer_measure(timer, 0, call, &a, &us, NULL, err);
    release(&a);
    *out_us = us.mid;
    return status;
}

kl_status lm_backward_times(const lm_backward *b, const kl_device *device, kl_error *err) {
    kl_timer timer;
    TRY(kl_timer_open(device, &timer, err));
    printf("width   rows  causal       time   TFLOP/s\n");
    printf("-----  -----  ------  ---------  --------\n");
    kl_status status = KL_OK;
    for (int i = 0; i < TIMED && status == KL_OK; i++) {
        shape s = timed[i];
        double us = 0;
        s.heads = (int64_t)ROWS / s.queries * (ELEMENTS / s.width);
        // Five products; half of them where half is not seen.
        const double ops =
            10.0 * (double)(s.heads * s.queries * s.keys) * s.width / (s.causal ? 2 : 1);
        status = time_case(b, &timer, s, &us, err);
        if (status == KL_OK)
            printf("%5d  %5lld  %-6s  %6.0f us  %8.1f\n", s.width, (long long)s.queries,
                   s.causal ? "yes" : "no", us, ops / us * 1e-6);
        fflush(stdout);
    }
    kl_timer_close(&timer);
    return status;
}
