// The model of lab 14's application, forward: see app.h. Every array has a row per character, so
// that a text that grows needs the new rows alone: what attention reads of those before is there.
#include "app.h"
#include "cuda_check.h"
#include "attention.h"
#include "random.h"

#define RUN(call) KL_CUDA(err, (cudaError_t)(call))

// ---- arrays ----

typedef struct new_array {
    void **d_array;
    int64_t elems, bytes; // bytes: of an element
} new_array;

static kl_status allocate(const new_array *arrays, int count, kl_error *err) {
    for (int i = 0; i < count; i++)
        KL_CUDA(err, cudaMalloc(arrays[i].d_array, (size_t)(arrays[i].elems * arrays[i].bytes)));
    return KL_OK;
}

#define ARRAY(pointer, elems, bytes)                                                               \
    { (void **)&(pointer), elems, bytes }

static kl_status new_saved(lm_saved *s, int64_t rows, int64_t width, kl_error *err) {
    const int64_t n = rows * width;
    const new_array arrays[] = {
        ARRAY(s->d_x, n, 4),     ARRAY(s->d_norm1, n, 4),  ARRAY(s->d_qkv, 3 * n, 4),
        ARRAY(s->d_q, n, 2),     ARRAY(s->d_k, n, 2),      ARRAY(s->d_v, n, 2),
        ARRAY(s->d_o, n, 2),     ARRAY(s->d_mixed, n, 4),  ARRAY(s->d_middle, n, 4),
        ARRAY(s->d_norm2, n, 4), ARRAY(s->d_up, 4 * n, 4), ARRAY(s->d_gelu, 4 * n, 4)};
    return allocate(arrays, (int)(sizeof arrays / sizeof arrays[0]), err);
}

static kl_status new_arrays(lm_model *m, kl_error *err) {
    const lm_shape *s = &m->shape;
    const int64_t total = m->layout.total, rows = s->batch * s->context, n = rows * lm_width(s);
    const new_array arrays[] = {ARRAY(m->d_parameters, total, 4),
                                ARRAY(m->d_gradient, total, 4),
                                ARRAY(m->d_mean, total, 4),
                                ARRAY(m->d_square, total, 4),
                                ARRAY(m->d_logits, rows * s->symbols, 4),
                                ARRAY(m->d_delta, rows * s->symbols, 4),
                                ARRAY(m->d_losses, rows, 4),
                                ARRAY(m->d_symbols, rows, 4),
                                ARRAY(m->d_targets, rows, 4),
                                ARRAY(m->d_dx, n, 4),
                                ARRAY(m->d_narrow, n, 4),
                                ARRAY(m->d_wide, 4 * n, 4),
                                ARRAY(m->d_moments, 2 * rows, 4),
                                ARRAY(m->d_log, rows * s->heads, 4),
                                ARRAY(m->d_row, rows * s->heads, 4),
                                ARRAY(m->d_do, n, 2),
                                ARRAY(m->d_dq, n, 2),
                                ARRAY(m->d_dk, n, 2),
                                ARRAY(m->d_dv, n, 2)};
    TRY(allocate(arrays, (int)(sizeof arrays / sizeof arrays[0]), err));
    for (int64_t l = 0; l <= s->layers; l++) TRY(new_saved(&m->saved[l], rows, lm_width(s), err));
    m->h_losses = malloc(sizeof(float) * (size_t)rows);
    return m->h_losses ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for losses");
}

static kl_status set_parameters(lm_model *m, uint64_t seed, kl_error *err) {
    const size_t bytes = sizeof(float) * (size_t)m->layout.total;
    float *h_parameters = malloc(bytes);
    if (!h_parameters) return kl_fail(err, KL_ERROR_MEMORY, "no memory for parameters");
    lm_initial(&m->shape, seed, h_parameters);
    cudaError_t code = cudaMemcpy(m->d_parameters, h_parameters, bytes, cudaMemcpyHostToDevice);
    free(h_parameters);
    KL_CUDA(err, code);
    KL_CUDA(err, cudaMemset(m->d_mean, 0, bytes));
    KL_CUDA(err, cudaMemset(m->d_square, 0, bytes));
    return KL_OK;
}

kl_status lm_model_new(const lm_shape *shape, uint64_t seed, const lm_kernels *kernels,
                       lm_model *out, kl_error *err) {
    memset(out, 0, sizeof *out);
    out->shape = *shape;
    out->layout = lm_layout_of(shape);
    out->kernels = *kernels;
    TRY(new_arrays(out, err));
    return set_parameters(out, seed, err);
}

static void free_saved(lm_saved *s) {
    void *const arrays[] = {s->d_x, s->d_norm1, s->d_qkv,    s->d_q,     s->d_k,  s->d_v,
                            s->d_o, s->d_mixed, s->d_middle, s->d_norm2, s->d_up, s->d_gelu};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) cudaFree(arrays[i]);
}

void lm_model_free(lm_model *m) {
    void *const arrays[] = {m->d_parameters, m->d_gradient, m->d_mean,    m->d_square,  m->d_logits,
                            m->d_delta,      m->d_losses,   m->d_symbols, m->d_targets, m->d_dx,
                            m->d_narrow,     m->d_wide,     m->d_moments, m->d_log,     m->d_row,
                            m->d_do,         m->d_dq,       m->d_dk,      m->d_dv};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) cudaFree(arrays[i]);
    for (int l = 0; l <= LM_MOST_LAYERS; l++) free_saved(&m->saved[l]);
    free(m->h_losses);
    memset(m, 0, sizeof *m);
}

// ---- forward ----

// The rows of a call: those of array d [..][columns] begin at at(d, columns).
typedef struct lm_rows {
    int64_t batch, first, rows; // of each sequence
} lm_rows;

static float *at(const lm_rows *r, float *d_array, int64_t columns) {
    return d_array + r->first * columns;
}

static kl_status linear(lm_model *m, const lm_rows *r, const lm_linear *l, float *d_x, float *d_y,
                        kl_error *err) {
    const net_layer layer = {.n = r->batch * r->rows,
                             .c = l->inputs,
                             .f = l->outputs,
                             .d_x = at(r, d_x, l->inputs),
                             .d_w = m->d_parameters + l->w,
                             .d_b = m->d_parameters + l->b};
    return net_layer_forward(m->kernels.products, &layer, at(r, d_y, l->outputs), err);
}

static kl_status normalise(lm_model *m, const lm_rows *r, const lm_norm *norm, float *d_x,
                           float *d_y, kl_error *err) {
    const int64_t width = lm_width(&m->shape);
    const lm_norm_task task = {r->batch * r->rows, width, at(r, d_x, width),
                               m->d_parameters + norm->gain, m->d_parameters + norm->shift};
    RUN(lm_normalise(&task, at(r, d_y, width)));
    return KL_OK;
}

// x + what the second linear layer gave, in d_narrow.
static kl_status add(lm_model *m, const lm_rows *r, float *d_x, float *d_sum, kl_error *err) {
    const int64_t width = lm_width(&m->shape);
    RUN(lm_add(at(r, d_x, width), at(r, m->d_narrow, width), r->batch * r->rows * width,
               at(r, d_sum, width)));
    return KL_OK;
}

// New rows ask; all rows so far are asked.
static kl_status mix(lm_model *m, const lm_rows *r, lm_saved *s, kl_error *err) {
    const int64_t heads = m->shape.heads, width = lm_width(&m->shape), keys = r->first + r->rows;
    const lm_heads queries = {r->batch, heads, r->rows, 3 * width, 0};
    const lm_heads of_k = {r->batch, heads, keys, 3 * width, width};
    const lm_heads of_v = {r->batch, heads, keys, 3 * width, 2 * width};
    const lm_heads back = {r->batch, heads, r->rows, width, 0};
    const lm_mix mix = {r->batch * heads, r->rows, keys, s->d_q, s->d_k, s->d_v, s->d_o};
    RUN(lm_to_heads(&queries, at(r, s->d_qkv, 3 * width), s->d_q));
    RUN(lm_to_heads(&of_k, s->d_qkv, s->d_k));
    RUN(lm_to_heads(&of_v, s->d_qkv, s->d_v));
    TRY(lm_attention_run(m->kernels.attention, &mix, err));
    RUN(lm_from_heads(&back, s->d_o, at(r, s->d_mixed, width)));
    return KL_OK;
}

static kl_status forward_layer(lm_model *m, const lm_rows *r, int64_t index, kl_error *err) {
    const lm_layer *layer = &m->layout.layers[index];
    lm_saved *s = &m->saved[index];
    const int64_t columns = 4 * lm_width(&m->shape);
    TRY(normalise(m, r, &layer->norm1, s->d_x, s->d_norm1, err));
    TRY(linear(m, r, &layer->qkv, s->d_norm1, s->d_qkv, err));
    TRY(mix(m, r, s, err));
    TRY(linear(m, r, &layer->out, s->d_mixed, m->d_narrow, err));
    TRY(add(m, r, s->d_x, s->d_middle, err));
    TRY(normalise(m, r, &layer->norm2, s->d_middle, s->d_norm2, err));
    TRY(linear(m, r, &layer->up, s->d_norm2, s->d_up, err));
    RUN(lm_gelu(at(r, s->d_up, columns), r->batch * r->rows * columns, at(r, s->d_gelu, columns)));
    TRY(linear(m, r, &layer->down, s->d_gelu, m->d_narrow, err));
    return add(m, r, s->d_middle, s[1].d_x, err);
}

// Logits of rows first .. first + rows - 1 of each of `batch` sequences; h_symbols: theirs. The
// rows before `first` are those of the last call: 0 unless batch is 1.
static kl_status lm_model_forward(lm_model *m, int64_t batch, int64_t first, int64_t rows,
                                  const int32_t *h_symbols, kl_error *err) {
    const lm_rows r = {batch, first, rows};
    const lm_embedding embedding = {.d_symbols = m->d_symbols + first,
                                    .rows = batch * rows,
                                    .first = first,
                                    .context = rows,
                                    .width = lm_width(&m->shape),
                                    .symbol_count = m->shape.symbols,
                                    .d_token = m->d_parameters + m->layout.token,
                                    .d_position = m->d_parameters + m->layout.position};
    lm_saved *last = &m->saved[m->shape.layers];
    KL_CUDA(err, cudaMemcpy(m->d_symbols + first, h_symbols,
                            sizeof(int32_t) * (size_t)(batch * rows), cudaMemcpyHostToDevice));
    RUN(lm_embed(&embedding, at(&r, m->saved[0].d_x, lm_width(&m->shape))));
    for (int64_t l = 0; l < m->shape.layers; l++) TRY(forward_layer(m, &r, l, err));
    TRY(normalise(m, &r, &m->layout.norm, last->d_x, last->d_norm1, err));
    return linear(m, &r, &m->layout.head, last->d_norm1, m->d_logits, err);
}

kl_status lm_model_loss(lm_model *m, const int32_t *h_symbols, const int32_t *h_targets,
                        double *out_loss, kl_error *err) {
    const int64_t rows = m->shape.batch * m->shape.context;
    double sum = 0;
    KL_CUDA(err, cudaMemcpy(m->d_targets, h_targets, sizeof(int32_t) * (size_t)rows,
                            cudaMemcpyHostToDevice));
    TRY(lm_model_forward(m, m->shape.batch, 0, m->shape.context, h_symbols, err));
    RUN(lm_loss(m->d_logits, m->d_targets, rows, m->shape.symbols, m->d_losses, m->d_delta));
    KL_CUDA(err, cudaMemcpy(m->h_losses, m->d_losses, sizeof(float) * (size_t)rows,
                            cudaMemcpyDeviceToHost));
    for (int64_t r = 0; r < rows; r++) sum += (double)m->h_losses[r];
    *out_loss = sum / (double)rows;
    return KL_OK;
}

// ---- Attention on the lab's step ----

extern const kl_adapter kl_lab_adapter;

static kl_status grow(lm_attention *a, uint64_t needed, kl_error *err) {
    if (needed <= a->workspace_bytes) return KL_OK;
    cudaFree(a->d_workspace);
    a->d_workspace = NULL;
    a->workspace_bytes = 0;
    KL_CUDA(err, cudaMalloc(&a->d_workspace, needed));
    a->workspace_bytes = needed;
    return KL_OK;
}

static int call_step(const lm_attention *a, const kl_step *step, const lm_mix *m) {
    const uint64_t query_bytes = (uint64_t)(m->heads * m->queries * LM_HEAD * 2);
    const uint64_t key_bytes = (uint64_t)(m->heads * m->keys * LM_HEAD * 2);
    kl_call call = {.input_count = 3,
                    .output_count = 1,
                    .d_inputs = {m->d_q, m->d_k, m->d_v},
                    .d_outputs = {m->d_o},
                    .input_bytes = {query_bytes, key_bytes, key_bytes},
                    .output_bytes = {query_bytes},
                    .ints = {m->heads, m->queries, m->keys, LM_HEAD, 1},
                    .d_workspace = a->d_workspace,
                    .workspace_bytes = a->workspace_bytes};
    return kl_lab_adapter.call(step->function, &call);
}

kl_status lm_attention_run(lm_attention *a, const lm_mix *mix, kl_error *err) {
    TRY(grow(a, (uint64_t)attention_workspace_bytes(mix->heads, mix->queries, mix->keys), err));
    return kl_step_check("", a->number, call_step(a, &a->step, mix), err);
}

// One head of one row of zeros.
static kl_status try_step(void *context, const kl_step *step, int *out_code, kl_error *err) {
    lm_attention *a = context;
    void *d_zeros;
    TRY(grow(a, (uint64_t)attention_workspace_bytes(1, 1, 1), err));
    KL_CUDA(err, cudaMalloc(&d_zeros, 4 * 256));
    KL_CUDA(err, cudaMemset(d_zeros, 0, 4 * 256));
    char *zeros = d_zeros;
    lm_mix mix = {1, 1, 1, zeros, zeros + 256, zeros + 2 * 256, zeros + 3 * 256};
    *out_code = call_step(a, step, &mix);
    if (*out_code == 0) *out_code = cudaDeviceSynchronize();
    cudaFree(d_zeros);
    return KL_OK;
}

kl_status lm_attention_open(const char *folder, int chosen, lm_attention *out, kl_error *err) {
    const kl_step_search search = {.of = "",
                                   .adapter = &kl_lab_adapter,
                                   .last = LM_LAST_STEP,
                                   .attempt = try_step,
                                   .context = out};
    *out = (lm_attention){.number = -1};
    return kl_step_open_last(folder, chosen, &search, &out->step, &out->number, err);
}

void lm_attention_close(lm_attention *attention) {
    cudaFree(attention->d_workspace);
    if (attention->number >= 0) kl_step_close(&attention->step);
    attention->number = -1;
}

// ---- Writing ----

// A character costs one row: keys and values of the rows before are those of the calls before (what
// is called a KV cache).

enum { MOST_START = 32 };

// Row `row` of the logits, as a symbol: each with the probability that the model gives it.
static kl_status choose(const lm_model *m, int64_t row, double temperature, double uniform,
                        int32_t *out, kl_error *err) {
    const int64_t symbols = m->shape.symbols;
    float logits[LM_MOST_SYMBOLS], most = -INFINITY;
    double weight[LM_MOST_SYMBOLS], sum = 0;
    KL_CUDA(err, cudaMemcpy(logits, m->d_logits + row * symbols, sizeof(float) * (size_t)symbols,
                            cudaMemcpyDeviceToHost));
    for (int64_t s = 0; s < symbols; s++) most = fmaxf(most, logits[s]);
    for (int64_t s = 0; s < symbols; s++)
        sum += weight[s] = exp((double)(logits[s] - most) / temperature);
    *out = 0;
    for (double left = uniform * sum; *out < symbols - 1 && left >= weight[*out]; ++*out)
        left -= weight[*out];
    return KL_OK;
}

kl_status lm_write(lm_model *m, const lm_text *text, double temperature, uint64_t seed,
                   int64_t count, char *out, kl_error *err) {
    const int64_t context = m->shape.context, half = context / 2;
    int64_t known = half < MOST_START ? half : MOST_START, done = 0; // rows; of them with logits
    int32_t *symbols = malloc(sizeof(int32_t) * (size_t)(context + 1));
    if (!symbols) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a text");
    for (int64_t t = 0; t < known; t++) symbols[t] = text->codes[t];
    kl_status status = KL_OK;
    for (int64_t i = 0; i < count && status == KL_OK; i++) {
        if (known > context) { // positions are used up: the second half becomes the first
            memmove(symbols, symbols + known - half, sizeof(int32_t) * (size_t)half);
            known = half;
            done = 0;
        }
        status = lm_model_forward(m, 1, done, known - done, symbols + done, err);
        done = known;
        if (status == KL_OK)
            status = choose(m, known - 1, temperature, (double)kl_random_unit(seed, (uint64_t)i),
                            &symbols[known], err);
        if (status == KL_OK) out[i] = text->letter[symbols[known++]];
    }
    free(symbols);
    return status;
}
