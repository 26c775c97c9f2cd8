// Weights and velocities of a network by name, to and from checkpoints. See model.h.
#include "cuda_check.h"
#include "model/model.h"

enum { TENSORS = 8 }; // and as many velocities

static void list_tensors(const cnn_model *m, kl_tensor out[TENSORS], int64_t offsets[TENSORS]) {
    const cnn_network *n = &m->shape;
    const cnn_layout *l = &m->layout;
    const kl_tensor all[TENSORS] = {
        {"conv1.weight", 4, {n->filters1, n->channels, CNN_SIDE, CNN_SIDE}, NULL},
        {"conv1.bias", 1, {n->filters1}, NULL},
        {"conv2.weight", 4, {n->filters2, n->filters1, CNN_SIDE, CNN_SIDE}, NULL},
        {"conv2.bias", 1, {n->filters2}, NULL},
        {"fc1.weight", 2, {l->flat, n->hidden}, NULL},
        {"fc1.bias", 1, {n->hidden}, NULL},
        {"fc2.weight", 2, {n->hidden, CNN_CLASSES}, NULL},
        {"fc2.bias", 1, {CNN_CLASSES}, NULL},
    };
    const int64_t at[TENSORS] = {l->w1, l->b1, l->w2, l->b2, l->w3, l->b3, l->w4, l->b4};
    memcpy(out, all, sizeof all);
    memcpy(offsets, at, sizeof at);
}

// Names and places of parameters, then of velocities, in `values`: [2][layout.total].
static void name_all(const cnn_model *m, float *values, kl_tensor out[2 * TENSORS]) {
    int64_t offsets[TENSORS];
    list_tensors(m, out, offsets);
    for (int i = 0; i < TENSORS; i++) {
        out[TENSORS + i] = out[i];
        snprintf(out[TENSORS + i].name, sizeof out[i].name, "%.32s/momentum", out[i].name);
        out[i].values = values + offsets[i];
        out[TENSORS + i].values = values + m->layout.total + offsets[i];
    }
}

static kl_status fetch(const cnn_model *m, float *values, kl_error *err) {
    size_t bytes = sizeof(float) * (size_t)m->layout.total;
    KL_CUDA(err, cudaMemcpy(values, m->d_parameters, bytes, cudaMemcpyDeviceToHost));
    KL_CUDA(err,
            cudaMemcpy(values + m->layout.total, m->d_velocity, bytes, cudaMemcpyDeviceToHost));
    return KL_OK;
}

static kl_status put(const cnn_model *m, const float *values, kl_error *err) {
    size_t bytes = sizeof(float) * (size_t)m->layout.total;
    KL_CUDA(err, cudaMemcpy(m->d_parameters, values, bytes, cudaMemcpyHostToDevice));
    KL_CUDA(err,
            cudaMemcpy(m->d_velocity, values + m->layout.total, bytes, cudaMemcpyHostToDevice));
    return KL_OK;
}

static float *make_values(const cnn_model *m, kl_error *err) {
    float *values = malloc(2 * sizeof(float) * (size_t)m->layout.total);
    if (!values) kl_fail(err, KL_ERROR_MEMORY, "no memory for a checkpoint");
    return values;
}

kl_status cnn_model_save(const cnn_model *m, const kl_checkpoint *base, const char *path,
                         kl_error *err) {
    kl_tensor tensors[2 * TENSORS];
    float *values = make_values(m, err);
    if (!values) return KL_ERROR_MEMORY;
    name_all(m, values, tensors);
    kl_checkpoint c = *base;
    c.tensor_count = 2 * TENSORS;
    c.tensors = tensors;
    kl_status status = fetch(m, values, err);
    if (status == KL_OK) status = kl_checkpoint_save(path, &c, err);
    free(values);
    return status;
}

static kl_status take_all(cnn_model *m, const kl_checkpoint *c, float *values, kl_error *err) {
    kl_tensor tensors[2 * TENSORS];
    name_all(m, values, tensors);
    for (int i = 0; i < 2 * TENSORS; i++)
        TRY(kl_checkpoint_take(c, tensors[i].name, tensors[i].dims, tensors[i].shape,
                               tensors[i].values, err));
    return put(m, values, err);
}

kl_status cnn_model_take(cnn_model *m, const kl_checkpoint *from, kl_error *err) {
    float *values = make_values(m, err);
    kl_status status = !values ? KL_ERROR_MEMORY : take_all(m, from, values, err);
    free(values);
    return status;
}

// ---- The widths of the network as an option of the applications ----

kl_status cnn_take_widths(const kl_option *option, const char *text, kl_error *err) {
    long long a = 0, b = 0, c = 0;
    char after = '\0';
    if (sscanf(text, "%lld,%lld,%lld%c", &a, &b, &c, &after) != 3 || a < 1 || a > 64 || b < 1 ||
        b > 256 || c < 1 || c > 4096)
        return kl_fail(err, KL_ERROR_USAGE,
                       "--%s takes filters, filters and hidden outputs, up to 64, 256 and 4096, "
                       "as in 16,32,128; not '%s'",
                       option->name, text);
    memcpy(option->target, (const int64_t[]){a, b, c}, 3 * sizeof(int64_t));
    return KL_OK;
}

void cnn_default_widths(bool simulated, int64_t out_widths[3]) {
    static const int64_t widths[][3] = {{16, 32, 128}, {4, 8, 32}};
    memcpy(out_widths, widths[simulated], sizeof widths[0]);
}
