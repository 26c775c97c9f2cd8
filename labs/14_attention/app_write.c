// The model of lab 14's application writes: see app.h. A character costs one row: keys and values
// of the rows before are those of the calls before (what is called a KV cache).
#include "app.h"
#include "cuda_check.h"
#include "random.h"

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
