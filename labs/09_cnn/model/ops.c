// Operations of cnn.h and the steps that do them: see model.h. An operation without a written step
// runs on the host: its inputs are copied there, computed in double, and the results copied back.
#include "model/model.h"
#include "cuda_check.h"
#include "device.h"
#include "reference.h"

// Of the steps only names and functions are used: a program that links this may have an adapter of
// another lab.
static const kl_adapter names = {.version = KL_ADAPTER_VERSION,
                                 .lab = "cnn",
                                 .step_symbol = "cnn_step%d",
                                 .prepare_symbol = "cnn_prepare%d"};

// Which steps have an operation, the best first; -1 ends.
static const int candidates[CNN_OPS][4] = {
    [CNN_FC_FORWARD] = {0, -1},    [CNN_FC_BACKWARD] = {1, -1},
    [CNN_RELU_FORWARD] = {2, -1},  [CNN_RELU_BACKWARD] = {2, -1},
    [CNN_POOL_FORWARD] = {2, -1},  [CNN_POOL_BACKWARD] = {2, -1},
    [CNN_LOSS] = {3, -1},          [CNN_CONV_FORWARD] = {7, 6, 4, -1},
    [CNN_CONV_BACKWARD] = {5, -1}, [CNN_CONV_POOL] = {8, -1},
    [CNN_SGD] = {9, -1},           [CNN_TRAIN] = {10, 9, -1},
};

// An operation that there is not: refused by a step that is written.
static bool is_written(const kl_step *step) {
    cnn_function *function = NULL;
    memcpy(&function, &step->function, sizeof function);
    cnn_task nothing = {.op = CNN_OPS, .shape = {0, 1, 8, 8, 1}};
    return function(&nothing) != CNN_NOT_IMPLEMENTED;
}

kl_status cnn_ops_open(const char *folder, const bool *chosen, cnn_ops *out, kl_error *err) {
    memset(out, 0, sizeof *out);
    for (int s = 0; s <= CNN_LAST_STEP; s++) {
        if (chosen && !chosen[s]) continue;
        out->open[s] = kl_step_open(folder, s, &names, &out->steps[s], err) == KL_OK;
        if (!out->open[s]) fprintf(stderr, "%s; its operations run on the host\n", err->text);
    }
    for (int op = 0; op < CNN_OPS; op++) {
        out->step_of[op] = -1;
        for (int i = 0; candidates[op][i] >= 0 && out->step_of[op] < 0; i++) {
            int s = candidates[op][i];
            if (out->open[s] && is_written(&out->steps[s])) out->step_of[op] = s;
        }
    }
    return KL_OK;
}

void cnn_ops_close(cnn_ops *ops) {
    cudaFree(ops->d_workspace);
    for (int s = 0; s <= CNN_LAST_STEP; s++)
        if (ops->open[s]) kl_step_close(&ops->steps[s]);
}

bool cnn_ops_has(const cnn_ops *ops, cnn_op op) {
    return ops->step_of[op] >= 0;
}

// ---- on the host -------------------------------------------------------------------------------

// The operation's tensors as doubles.
typedef struct host_copy {
    double *values[CNN_TENSORS];
    int64_t elems[CNN_TENSORS];
    float *floats; // for copies; as long as the longest
    uint8_t *where;
    int32_t *labels;
} host_copy;

static void *device_tensor(const cnn_task *t, cnn_tensor tensor) {
    const void *all[CNN_TENSORS] = {
        t->d_x,  t->d_w,  t->d_b,  t->d_delta, t->d_where_in, t->d_labels,   t->d_y,
        t->d_dx, t->d_dw, t->d_db, t->d_where, t->d_losses,   t->d_delta_out};
    return (void *)all[tensor];
}

static bool is_float(int tensor) {
    return tensor != CNN_WHERE_IN && tensor != CNN_WHERE && tensor != CNN_LABELS;
}

static kl_status copy_in(const cnn_task *t, host_copy *h, kl_error *err) {
    int64_t longest = 1;
    for (int i = 0; i < CNN_TENSORS; i++) {
        h->elems[i] = cnn_tensor_elems(t->op, (cnn_tensor)i, &t->shape);
        longest = h->elems[i] > longest ? h->elems[i] : longest;
        h->values[i] = calloc((size_t)h->elems[i] + 1, sizeof(double));
        if (!h->values[i]) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a layer");
    }
    h->floats = malloc((size_t)longest * sizeof *h->floats);
    h->where = malloc((size_t)longest);
    h->labels = malloc((size_t)longest * sizeof *h->labels);
    if (!h->floats || !h->where || !h->labels)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for a layer");
    for (int i = 0; i < CNN_Y; i++) {
        if (h->elems[i] == 0) continue;
        void *to = i == CNN_LABELS ? (void *)h->labels : is_float(i) ? h->floats : (void *)h->where;
        size_t one = is_float(i) || i == CNN_LABELS ? 4 : 1;
        KL_CUDA(err, cudaMemcpy(to, device_tensor(t, (cnn_tensor)i), (size_t)h->elems[i] * one,
                                cudaMemcpyDeviceToHost));
        for (int64_t k = 0; is_float(i) && k < h->elems[i]; k++) h->values[i][k] = h->floats[k];
    }
    return KL_OK;
}

static kl_status copy_out(const cnn_task *t, host_copy *h, kl_error *err) {
    for (int i = CNN_Y; i < CNN_TENSORS; i++) {
        if (h->elems[i] == 0) continue;
        for (int64_t k = 0; is_float(i) && k < h->elems[i]; k++)
            h->floats[k] = (float)h->values[i][k];
        KL_CUDA(err,
                cudaMemcpy(device_tensor(t, (cnn_tensor)i),
                           is_float(i) ? (void *)h->floats : h->where,
                           (size_t)h->elems[i] * (is_float(i) ? 4 : 1), cudaMemcpyHostToDevice));
    }
    return KL_OK;
}

static void descend(const cnn_task *t, host_copy *h) {
    for (int64_t i = 0; i < h->elems[CNN_X]; i++) {
        double v = t->momentum * h->values[CNN_W][i] + h->values[CNN_DELTA][i];
        h->values[CNN_DW][i] = v;
        h->values[CNN_Y][i] = h->values[CNN_X][i] - t->learning_rate * v;
    }
}

static kl_status compute(const cnn_task *t, host_copy *h, kl_error *err) {
    static cnn_layer *const layers[CNN_OPS] = {
        [CNN_FC_FORWARD] = cnn_fc_forward,
        [CNN_FC_BACKWARD] = cnn_fc_backward,
        [CNN_RELU_FORWARD] = cnn_relu_forward,
        [CNN_RELU_BACKWARD] = cnn_relu_backward,
        [CNN_POOL_FORWARD] = cnn_pool_forward,
        [CNN_POOL_BACKWARD] = cnn_pool_backward,
        [CNN_LOSS] = cnn_loss,
        [CNN_CONV_FORWARD] = cnn_conv_forward,
        [CNN_CONV_BACKWARD] = cnn_conv_backward,
    };
    if (t->op == CNN_SGD) {
        descend(t, h);
        return KL_OK;
    }
    if (!layers[t->op])
        return kl_fail(err, KL_ERROR_INPUT, "the host has no operation %d", (int)t->op);
    double *const *v = h->values;
    layers[t->op](&(cnn_arrays){.shape = t->shape,
                                .x = v[CNN_X],
                                .w = v[CNN_W],
                                .b = v[CNN_B],
                                .delta = v[CNN_DELTA],
                                .where_in = h->where,
                                .labels = h->labels,
                                .y = v[CNN_Y],
                                .dx = v[CNN_DX],
                                .dw = v[CNN_DW],
                                .db = v[CNN_DB],
                                .where = h->where,
                                .losses = v[CNN_LOSSES],
                                .delta_out = v[CNN_DELTA_OUT]});
    return KL_OK;
}

static kl_status run_on_host(const cnn_task *task, kl_error *err) {
    host_copy h;
    memset(&h, 0, sizeof h);
    kl_status status = copy_in(task, &h, err);
    if (status == KL_OK) status = compute(task, &h, err);
    if (status == KL_OK) status = copy_out(task, &h, err);
    for (int i = 0; i < CNN_TENSORS; i++) free(h.values[i]);
    free(h.floats);
    free(h.where);
    free(h.labels);
    return status;
}

// ---- on a step ---------------------------------------------------------------------------------

static kl_status make_workspace(cnn_ops *ops, const cnn_task *task, kl_error *err) {
    size_t bytes = cnn_workspace_bytes(task->op, &task->shape);
    if (bytes <= ops->workspace_bytes) return KL_OK;
    cudaFree(ops->d_workspace);
    ops->d_workspace = NULL;
    ops->workspace_bytes = 0;
    KL_CUDA(err, cudaMalloc(&ops->d_workspace, bytes));
    ops->workspace_bytes = bytes;
    return KL_OK;
}

kl_status cnn_ops_run(cnn_ops *ops, const cnn_task *task, kl_error *err) {
    int s = ops->step_of[task->op];
    bool done = false;
    if (ops->instead) TRY(ops->instead(ops->instead_context, task, &done, err));
    if (done) return KL_OK;
    if (s < 0) return run_on_host(task, err);
    cnn_function *function = NULL;
    memcpy(&function, &ops->steps[s].function, sizeof function);
    cnn_task own = *task;
    TRY(make_workspace(ops, task, err));
    if (!own.d_workspace) own.d_workspace = ops->d_workspace;
    int code = function(&own);
    if (code == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_CUDA, "step %d: %s%s%s", s, cudaGetErrorString((cudaError_t)code),
                   kl_device_sim_fault()[0] != '\0' ? ": " : "", kl_device_sim_fault());
}
