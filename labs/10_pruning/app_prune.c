// Masks of the fully connected layers, and the descent that keeps to them: see app.h. Lab 09's w is
// [inputs][outputs]: the four outputs of a block lie side by side.
#include "app.h"
#include "cuda_check.h"
#include "prune.h"

pruning_place pruning_place_of(const cnn_network *net, int layer) {
    cnn_layout l = cnn_layout_of(net);
    return layer == 0 ? (pruning_place){l.w3, l.flat, net->hidden}
                      : (pruning_place){l.w4, net->hidden, CNN_CLASSES};
}

// Blocks of `height` outputs of a layer.
static int64_t blocks_of(const pruning_place *p, int height) {
    return p->inputs * ((p->outputs + height - 1) / height);
}

// ---- scores ------------------------------------------------------------------------------------

// Where block i of a layer begins in the parameters, and how many weights it has.
static float *block_at(const pruning_place *p, int height, int64_t i, float *values,
                       int *out_weights) {
    int64_t across = (p->outputs + height - 1) / height, first = i % across * height;
    *out_weights = (int)(p->outputs - first < height ? p->outputs - first : height);
    return values + p->at + i / across * p->outputs + first;
}

// The mean magnitude of each block, layer by layer. scores: [blocks of both layers]
static void make_scores(const cnn_network *net, int height, float *parameters, float *scores) {
    for (int layer = 0; layer < PRUNING_LAYERS; layer++) {
        pruning_place p = pruning_place_of(net, layer);
        for (int64_t i = 0; i < blocks_of(&p, height); i++) {
            int weights = 0;
            const float *w = block_at(&p, height, i, parameters, &weights);
            double sum = 0.0;
            for (int k = 0; k < weights; k++) sum += fabs((double)w[k]);
            *scores++ = (float)(sum / weights);
        }
    }
}

static void apply_scores(const cnn_network *net, int height, const uint8_t *stays,
                         float *parameters, float *velocity, uint8_t *mask) {
    for (int layer = 0; layer < PRUNING_LAYERS; layer++) {
        pruning_place p = pruning_place_of(net, layer);
        for (int64_t i = 0; i < blocks_of(&p, height); i++, stays++) {
            int weights = 0;
            float *w = block_at(&p, height, i, parameters, &weights);
            for (int k = 0; k < weights; k++) {
                int64_t at = w + k - parameters;
                mask[at] = *stays;
                if (*stays) continue;
                parameters[at] = velocity[at] = 0.0f;
            }
        }
    }
}

// ---- the mask of scores -------------------------------------------------------------------------

// d: [count] scores, then the mask; on steps 1 and 2.
static kl_status mask_on_steps(pruning_masked *m, int64_t count, int64_t keep, const float *scores,
                               uint8_t *stays, kl_error *err) {
    float *d_scores = NULL;
    int32_t *d_select = NULL;
    uint8_t *d_mask = NULL;
    pruning_task select = {.op = PRUNING_SELECT, .shape = {1, 1, count, keep}, .keep = keep};
    kl_status status = KL_OK;
    cudaError_t code = cudaMalloc((void **)&d_scores, (size_t)count * sizeof *scores);
    if (code == cudaSuccess) code = cudaMalloc((void **)&d_select, 2 * sizeof *d_select);
    if (code == cudaSuccess) code = cudaMalloc((void **)&d_mask, (size_t)count);
    if (code == cudaSuccess)
        code = cudaMemcpy(d_scores, scores, (size_t)count * sizeof *scores, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) {
        select.d_w = d_scores;
        select.d_select = d_select;
        pruning_task mask = select;
        mask.op = PRUNING_MASK;
        mask.d_select = NULL;
        mask.d_select_in = d_select;
        mask.d_mask = d_mask;
        status = pruning_steps_run(m->steps, 1, &select, err);
        if (status == KL_OK) status = pruning_steps_run(m->steps, 2, &mask, err);
        if (status == KL_OK)
            code = cudaMemcpy(stays, d_mask, (size_t)count, cudaMemcpyDeviceToHost);
    }
    cudaFree(d_scores);
    cudaFree(d_select);
    cudaFree(d_mask);
    if (status == KL_OK) KL_CUDA(err, code);
    return status;
}

static kl_status check_scores(const float *scores, int64_t count, kl_error *err) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(scores[i]))
            return kl_fail(
                err, KL_ERROR_INPUT,
                "a weight is not finite: the network has diverged, train it again with a "
                "lower learning rate");
    return KL_OK;
}

kl_status pruning_prune(pruning_masked *m, pruning_kind kind, double sparsity, float *parameters,
                        float *velocity, uint8_t *mask, double *out_sparsity, kl_error *err) {
    int height = kind == PRUNING_BY_BLOCKS ? PRUNING_BLOCK : 1;
    int64_t count = 0, weights = 0, pruned = 0;
    for (int layer = 0; layer < PRUNING_LAYERS; layer++) {
        pruning_place p = pruning_place_of(&m->network, layer);
        count += blocks_of(&p, height);
        weights += p.inputs * p.outputs;
    }
    float *scores = malloc((size_t)count * sizeof *scores);
    uint8_t *stays = malloc((size_t)count);
    kl_status status = KL_OK;
    if (!scores || !stays) status = kl_fail(err, KL_ERROR_MEMORY, "no memory to prune");
    if (status == KL_OK) {
        make_scores(&m->network, height, parameters, scores);
        status = check_scores(scores, count, err);
    }
    if (status == KL_OK && m->steps->written[1] && m->steps->written[2]) {
        int64_t keep = llround((1 - sparsity) * (double)count);
        status = mask_on_steps(m, count, keep, scores, stays, err);
    } else if (status == KL_OK) {
        kl_prunable all = {.weights = scores, .count = count, .mask = stays};
        status = kl_prune(&all, 1, sparsity, err);
    }
    if (status == KL_OK) {
        memset(mask, 1, (size_t)m->layout.total);
        apply_scores(&m->network, height, stays, parameters, velocity, mask);
        for (int64_t i = 0; i < m->layout.total; i++) pruned += mask[i] == 0;
        *out_sparsity = (double)pruned / (double)weights;
        cudaError_t code =
            cudaMemcpy(m->d_mask, mask, (size_t)m->layout.total, cudaMemcpyHostToDevice);
        if (code != cudaSuccess)
            status = kl_cuda_fail(err, code, __FILE__, __LINE__, "copy of the mask");
    }
    free(scores);
    free(stays);
    return status;
}

// ---- descent ------------------------------------------------------------------------------------

typedef struct host_arrays {
    float *w, *v, *g;
    uint8_t *mask;
} host_arrays;

static kl_status descend_on_host(pruning_masked *m, cnn_model *model, host_arrays *h, float rate,
                                 float momentum, kl_error *err) {
    int64_t total = m->layout.total;
    size_t bytes = sizeof(float) * (size_t)total;
    KL_CUDA(err, cudaMemcpy(h->w, model->d_parameters, bytes, cudaMemcpyDeviceToHost));
    KL_CUDA(err, cudaMemcpy(h->v, model->d_velocity, bytes, cudaMemcpyDeviceToHost));
    KL_CUDA(err, cudaMemcpy(h->g, model->d_gradient, bytes, cudaMemcpyDeviceToHost));
    KL_CUDA(err, cudaMemcpy(h->mask, m->d_mask, (size_t)total, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < total; i++) {
        h->v[i] = fmaf(momentum, h->v[i], h->g[i]); // a GPU rounds once, too
        h->w[i] = fmaf(-rate, h->v[i], h->w[i]);
    }
    kl_prune_apply(h->mask, total, h->v);
    kl_prune_apply(h->mask, total, h->w);
    KL_CUDA(err, cudaMemcpy(model->d_parameters_out, h->w, bytes, cudaMemcpyHostToDevice));
    KL_CUDA(err, cudaMemcpy(model->d_velocity_out, h->v, bytes, cudaMemcpyHostToDevice));
    return KL_OK;
}

kl_status pruning_descend(void *context, cnn_model *model, double learning_rate, double momentum,
                          kl_error *err) {
    pruning_masked *m = context;
    int64_t total = m->layout.total;
    if (m->steps->written[3]) {
        pruning_task task = {.op = PRUNING_UPDATE,
                             .shape = {1, 1, total, 0},
                             .d_w = model->d_parameters,
                             .d_v = model->d_velocity,
                             .d_g = model->d_gradient,
                             .d_mask_in = m->d_mask,
                             .d_w_out = model->d_parameters_out,
                             .d_v_out = model->d_velocity_out,
                             .learning_rate = (float)learning_rate,
                             .momentum = (float)momentum};
        return pruning_steps_run(m->steps, 3, &task, err);
    }
    float *floats = malloc(3 * sizeof *floats * (size_t)total);
    uint8_t *mask = malloc((size_t)total);
    kl_status status = KL_OK;
    if (!floats || !mask) {
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory to descend");
    } else {
        host_arrays h = {floats, floats + total, floats + 2 * total, mask};
        status = descend_on_host(m, model, &h, (float)learning_rate, (float)momentum, err);
    }
    free(floats);
    free(mask);
    return status;
}
