// Attention of lab 14's application on the lab's step: see app.h.
#include "app.h"
#include "attention.h"
#include "cuda_check.h"

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
