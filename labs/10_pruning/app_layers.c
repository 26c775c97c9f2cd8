// The fully connected layers of a pruned network on the device: see app.h.
#include "app.h"

#include "../07_gemm/gemm.h"
#include "../08_spmv/spmv.h"
#include "cuda_check.h"

enum { LAST_GEMM = 11, LAST_SPMV = 9 };

// Of other labs' steps only names and functions are used.
static const kl_adapter gemm_names = {
    .version = KL_ADAPTER_VERSION, .lab = "gemm", .step_symbol = "gemm_step%d"};
static const kl_adapter spmv_names = {.version = KL_ADAPTER_VERSION,
                                      .lab = "spmv",
                                      .step_symbol = "spmv_step%d",
                                      .prepare_symbol = "spmv_prepare%d"};

static kl_status make(void *out, size_t bytes, kl_error *err) {
    KL_CUDA(err, cudaMalloc((void **)out, bytes > 0 ? bytes : 1));
    return KL_OK;
}

static kl_status put(void *d, const void *h, size_t bytes, kl_error *err) {
    if (bytes > 0) KL_CUDA(err, cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
    return KL_OK;
}

// ---- opening ------------------------------------------------------------------------------------

static kl_status make_layer(pruning_layer *l, int64_t most, kl_error *err) {
    size_t all = (size_t)l->capacity, floats = sizeof(float) * all, ints = sizeof(int32_t) * all;
    size_t rows = (size_t)l->rows;
    const struct {
        void *at;
        size_t bytes;
    } arrays[] = {{&l->d_w, floats},
                  {&l->d_b, sizeof(float) * rows},
                  {&l->d_mask, all},
                  {&l->d_ptr, sizeof(int32_t) * (rows + 1)},
                  {&l->d_col, ints},
                  {&l->d_val, floats},
                  {&l->d_block_b, sizeof(float) * rows},
                  {&l->d_block_ptr, sizeof(int32_t) * (rows + 1)},
                  {&l->d_block_col, ints},
                  {&l->d_block_val, PRUNING_BLOCK * floats},
                  {&l->d_y, sizeof(float) * rows * (size_t)most}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        TRY(make(arrays[i].at, arrays[i].bytes, err));
    l->spmv_bytes = spmv_prepared_bytes(l->rows, l->capacity, SPMV_FLOAT);
    return make(&l->d_spmv, l->spmv_bytes, err);
}

static bool open_other(const char *lab, bool solution, int step, const kl_adapter *names,
                       kl_step *out) {
    char folder[PRUNING_PATH];
    kl_error err = {KL_OK, ""};
    if (pruning_folder(lab, solution, folder, sizeof folder, &err) == KL_OK &&
        kl_step_open(folder, step, names, out, &err) == KL_OK)
        return true;
    fprintf(stderr, "%s, step %d: %s; left out\n", lab, step, err.text);
    return false;
}

kl_status pruning_layers_open(const pruning_options *o, const pruning_study *study,
                              pruning_layers *out, kl_error *err) {
    memset(out, 0, sizeof *out);
    out->study = study;
    TRY(pruning_steps_open(o, &out->steps, err));
    out->has_gemm = open_other("07_gemm", !o->own, LAST_GEMM, &gemm_names, &out->gemm);
    out->has_spmv = open_other("08_spmv", !o->own, LAST_SPMV, &spmv_names, &out->spmv);
    size_t space = 0;
    for (int i = 0; i < PRUNING_LAYERS; i++) {
        pruning_place p = pruning_place_of(&study->network, i);
        out->layer[i] =
            (pruning_layer){.rows = p.outputs, .cols = p.inputs, .capacity = p.outputs * p.inputs};
        TRY(make_layer(&out->layer[i], study->most, err));
        space = (size_t)out->layer[i].capacity > space ? (size_t)out->layer[i].capacity : space;
    }
    space = sizeof(float) * (space + GEMM_WORKSPACE_EXTRA);
    TRY(make(&out->d_gemm_space, space, err));
    KL_CUDA(err, cudaMemset(out->d_gemm_space, 0, space));
    size_t outputs = (size_t)study->most * (size_t)(study->network.hidden + 2 * CNN_CLASSES);
    out->product = malloc(sizeof *out->product * outputs);
    if (!out->product) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the answers");
    out->single = out->product + study->most * study->network.hidden;
    out->by_blocks = out->single + study->most * CNN_CLASSES;
    return make(&out->d_x, sizeof(float) * (size_t)(out->layer[0].cols * study->most), err);
}

static void free_layer(pruning_layer *l) {
    void *all[] = {l->d_w,         l->d_b,    l->d_val, l->d_block_b,
                   l->d_block_val, l->d_ptr,  l->d_col, l->d_block_ptr,
                   l->d_block_col, l->d_mask, l->d_y,   l->d_spmv};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) cudaFree(all[i]);
}

void pruning_layers_close(pruning_layers *layers) {
    for (int i = 0; i < PRUNING_LAYERS; i++) free_layer(&layers->layer[i]);
    cudaFree(layers->d_x);
    cudaFree(layers->d_gemm_space);
    free(layers->product);
    if (layers->has_gemm) kl_step_close(&layers->gemm);
    if (layers->has_spmv) kl_step_close(&layers->spmv);
    pruning_steps_close(&layers->steps);
    memset(layers, 0, sizeof *layers);
}

// ---- putting a network on the device ------------------------------------------------------------

// A layer on the host, transposed to [rows][cols].
typedef struct host_layer {
    float *w, *b, *block_val;
    uint8_t *mask;
    int32_t *block_ptr, *block_col;
    kl_csr csr;
} host_layer;

static void free_host(host_layer *h) {
    free(h->w);
    free(h->mask);
    free(h->block_val);
    free(h->block_ptr);
    free(h->block_col);
    kl_csr_free(&h->csr);
}

static kl_status take_layer(const pruning_layer *l, const cnn_network *net, int layer,
                            const pruning_stage *stage, host_layer *out, kl_error *err) {
    pruning_place p = pruning_place_of(net, layer);
    size_t all = (size_t)l->capacity;
    *out = (host_layer){.w = malloc(sizeof(float) * all),
                        .mask = malloc(all),
                        .b = stage->parameters + p.at + p.inputs * p.outputs,
                        .block_val = malloc(PRUNING_BLOCK * sizeof(float) * all),
                        .block_ptr = malloc(sizeof(int32_t) * (size_t)(l->rows + 1)),
                        .block_col = malloc(sizeof(int32_t) * all)};
    if (!out->w || !out->mask || !out->block_val || !out->block_ptr || !out->block_col)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for a layer");
    for (int64_t r = 0; r < l->rows; r++)
        for (int64_t c = 0; c < l->cols; c++) {
            out->w[r * l->cols + c] = stage->parameters[p.at + c * p.outputs + r];
            out->mask[r * l->cols + c] = stage->mask[p.at + c * p.outputs + r];
        }
    return kl_csr_from_dense(l->rows, l->cols, out->w, out->mask, &out->csr, err);
}

static kl_status put_csr(pruning_layers *all, pruning_layer *l, host_layer *h, kl_error *err) {
    l->nnz = h->csr.nnz;
    TRY(put(l->d_mask, h->mask, (size_t)l->capacity, err));
    if (all->steps.written[4]) {
        pruning_task task = {.op = PRUNING_CSR,
                             .shape = {1, l->rows, l->cols, l->nnz},
                             .d_w = l->d_w,
                             .d_mask_in = l->d_mask,
                             .d_ptr_out = l->d_ptr,
                             .d_col_out = l->d_col,
                             .d_val_out = l->d_val};
        return pruning_steps_run(&all->steps, 4, &task, err);
    }
    size_t nnz = (size_t)l->nnz;
    for (size_t k = 0; k < nnz; k++) h->block_val[k] = (float)h->csr.val[k];
    TRY(put(l->d_ptr, h->csr.ptr, sizeof(int32_t) * (size_t)(l->rows + 1), err));
    TRY(put(l->d_col, h->csr.col, sizeof(int32_t) * nnz, err));
    return put(l->d_val, h->block_val, sizeof(float) * nnz, err);
}

static kl_status prepare_spmv(pruning_layers *all, pruning_layer *l, kl_error *err) {
    KL_FUNCTION(spmv_prepare_function, prepare, all->spmv.prepare);
    memset(l->spmv_plan, 0, sizeof l->spmv_plan);
    if (!all->has_spmv || !prepare) return KL_OK;
    spmv_matrix a = {l->rows, l->cols, l->nnz, l->d_ptr, l->d_col, l->d_val, SPMV_FLOAT};
    spmv_prepared memory = {l->d_spmv, l->spmv_bytes, l->spmv_plan};
    int code = prepare(&a, &memory);
    if (code == SPMV_NOT_IMPLEMENTED)
        all->has_spmv = false;
    else if (code != 0)
        return kl_fail(err, KL_ERROR_CUDA, "lab 08: %s", cudaGetErrorString((cudaError_t)code));
    return KL_OK;
}

static kl_status put_single(pruning_layers *all, int layer, const pruning_stage *stage,
                            kl_pruned_storage *out_storage, kl_error *err) {
    pruning_layer *l = &all->layer[layer];
    host_layer h;
    kl_status status = take_layer(l, &all->study->network, layer, stage, &h, err);
    if (status == KL_OK) status = put(l->d_w, h.w, sizeof(float) * (size_t)l->capacity, err);
    if (status == KL_OK) status = put(l->d_b, h.b, sizeof(float) * (size_t)l->rows, err);
    if (status == KL_OK) status = put_csr(all, l, &h, err);
    if (status == KL_OK) status = kl_pruned_storage_of(&h.csr, out_storage, err);
    if (status == KL_OK) status = prepare_spmv(all, l, err);
    free_host(&h);
    return status;
}

// Blocks from a layer whose mask takes out whole ones.
static void make_blocks(pruning_layer *l, host_layer *h) {
    l->blocks = 0;
    for (int64_t i = 0; i < pruning_block_rows(l->rows); i++) {
        int64_t row = i * PRUNING_BLOCK;
        h->block_ptr[i] = (int32_t)l->blocks;
        for (int64_t c = 0; c < l->cols; c++) {
            if (!h->mask[row * l->cols + c]) continue;
            float *val = h->block_val + PRUNING_BLOCK * l->blocks;
            h->block_col[l->blocks++] = (int32_t)c;
            for (int64_t k = 0; k < PRUNING_BLOCK; k++)
                val[k] = row + k < l->rows ? h->w[(row + k) * l->cols + c] : 0.0f;
        }
    }
    h->block_ptr[pruning_block_rows(l->rows)] = (int32_t)l->blocks;
}

static kl_status put_blocks(pruning_layers *all, int layer, const pruning_stage *stage,
                            double *out_bytes, kl_error *err) {
    pruning_layer *l = &all->layer[layer];
    host_layer h;
    kl_status status = take_layer(l, &all->study->network, layer, stage, &h, err);
    if (status == KL_OK) {
        make_blocks(l, &h);
        size_t pointers = sizeof(int32_t) * (size_t)(pruning_block_rows(l->rows) + 1);
        size_t columns = sizeof(int32_t) * (size_t)l->blocks;
        size_t values = PRUNING_BLOCK * sizeof(float) * (size_t)l->blocks;
        *out_bytes = (double)(pointers + columns + values);
        status = put(l->d_block_ptr, h.block_ptr, pointers, err);
        if (status == KL_OK) status = put(l->d_block_col, h.block_col, columns, err);
        if (status == KL_OK) status = put(l->d_block_val, h.block_val, values, err);
        if (status == KL_OK) status = put(l->d_block_b, h.b, sizeof(float) * (size_t)l->rows, err);
    }
    free_host(&h);
    return status;
}

// ---- the answers --------------------------------------------------------------------------------

// Of a stage: product: [hidden][images], the first layer without bias and ReLU, or NULL; logits:
// [10][images].
static kl_status solve(const pruning_layers *all, const pruning_stage *stage, double *product,
                       double *logits, kl_error *err) {
    const cnn_network *net = &all->study->network;
    pruning_place first = pruning_place_of(net, 0), last = pruning_place_of(net, 1);
    const float *w = stage->parameters + first.at, *b = w + first.inputs * first.outputs;
    const float *w2 = stage->parameters + last.at, *b2 = w2 + last.inputs * last.outputs;
    double *hidden = malloc(sizeof *hidden * (size_t)first.outputs);
    if (!hidden) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the answers");
    for (int64_t n = 0; n < all->images; n++) {
        memset(hidden, 0, sizeof *hidden * (size_t)first.outputs);
        for (int64_t k = 0; k < first.inputs; k++) {
            double x = all->study->features[k * all->study->most + n];
            for (int64_t o = 0; o < first.outputs; o++) hidden[o] += x * w[k * first.outputs + o];
        }
        for (int64_t o = 0; o < first.outputs; o++) {
            if (product) product[o * all->images + n] = hidden[o];
            hidden[o] = fmax(hidden[o] + b[o], 0.0);
        }
        for (int64_t o = 0; o < last.outputs; o++) {
            double sum = b2[o];
            for (int64_t k = 0; k < last.inputs; k++) sum += hidden[k] * w2[k * last.outputs + o];
            logits[o * all->images + n] = sum;
        }
    }
    free(hidden);
    return KL_OK;
}

static void add_storage(const kl_pruned_storage *one, kl_pruned_storage *sum) {
    sum->dense_bytes += one->dense_bytes;
    sum->bitmap_bytes += one->bitmap_bytes;
    sum->block_bytes += one->block_bytes;
    for (int f = 0; f < KL_SPARSE_FORMATS; f++) sum->bytes[f] += one->bytes[f];
}

kl_status pruning_layers_set(pruning_layers *all, int sparsity, int64_t images,
                             kl_pruned_storage *out_storage, kl_error *err) {
    const pruning_study *s = all->study;
    const pruning_stage *single = &s->stages[PRUNING_SINGLE][sparsity];
    const pruning_stage *blocks = &s->stages[PRUNING_BY_BLOCKS][sparsity];
    all->images = images;
    memset(out_storage, 0, sizeof *out_storage);
    for (int64_t k = 0; k < all->layer[0].cols; k++)
        TRY(put(all->d_x + k * images, s->features + k * s->most, sizeof(float) * (size_t)images,
                err));
    for (int i = 0; i < PRUNING_LAYERS; i++) {
        kl_pruned_storage storage;
        TRY(put_single(all, i, single, &storage, err));
        TRY(put_blocks(all, i, blocks, &storage.block_bytes, err));
        add_storage(&storage, out_storage);
    }
    TRY(solve(all, single, all->product, all->single, err));
    return solve(all, blocks, NULL, all->by_blocks, err);
}

// ---- variants ---------------------------------------------------------------------------------

static int step_of(pruning_variant variant) {
    static const int steps[VARIANTS] = {
        [VARIANT_VECTOR] = 5, [VARIANT_BATCH] = 6, [VARIANT_FINAL] = 8,
        [VARIANT_BLOCKS] = 7, [VARIANT_DENSE] = 0, [VARIANT_DENSE_FINAL] = 8};
    return steps[variant];
}

bool pruning_layers_have(const pruning_layers *all, pruning_variant variant) {
    if (variant == VARIANT_LAB_08) return all->has_spmv && all->images == 1;
    if (variant == VARIANT_DENSE_LAB_07) return all->has_gemm;
    return all->steps.written[step_of(variant)];
}

static int product_of_lab_07(pruning_layers *all, const pruning_layer *l, const float *d_x) {
    KL_FUNCTION(gemm_function, function, all->gemm.function);
    gemm_task task = {.m = all->images,
                      .n = l->rows,
                      .k = l->cols,
                      .d_a = d_x,
                      .d_b = l->d_w,
                      .d_c = l->d_y,
                      .alpha = 1.0f,
                      .d_workspace = all->d_gemm_space};
    return function(&task);
}

static int product_of_lab_08(pruning_layers *all, pruning_layer *l, const float *d_x) {
    KL_FUNCTION(spmv_function, function, all->spmv.function);
    spmv_matrix a = {l->rows, l->cols, l->nnz, l->d_ptr, l->d_col, l->d_val, SPMV_FLOAT};
    spmv_prepared memory = {l->d_spmv, l->spmv_bytes, l->spmv_plan};
    return function(&a, d_x, l->d_y, &memory);
}

static int layer_by_step(pruning_layers *all, pruning_layer *l, pruning_variant variant,
                         const float *d_x, int relu) {
    bool blocks = variant == VARIANT_BLOCKS, dense = variant == VARIANT_DENSE_FINAL;
    pruning_task task = {.op = blocks ? PRUNING_BLOCKS : PRUNING_LAYER,
                         .shape = {all->images, l->rows, l->cols, blocks ? l->blocks : l->nnz},
                         .relu = relu,
                         .d_x = d_x,
                         .d_w = blocks ? NULL : l->d_w,
                         .d_ptr = blocks ? l->d_block_ptr : l->d_ptr,
                         .d_col = blocks ? l->d_block_col : l->d_col,
                         .d_val = blocks ? l->d_block_val : l->d_val,
                         .d_b = blocks ? l->d_block_b : l->d_b,
                         .d_y = l->d_y};
    if (dense) task.shape.nnz = l->rows * l->cols;
    kl_error err = {KL_OK, ""};
    return pruning_steps_run(&all->steps, step_of(variant), &task, &err) == KL_OK ? 0 : 1;
}

int pruning_layers_call(void *context) {
    pruning_call *call = context;
    pruning_layers *all = call->layers;
    const float *d_x = all->d_x;
    int code = 0;
    for (int i = 0; i < PRUNING_LAYERS && code == 0; i++) {
        pruning_layer *l = &all->layer[i];
        if (call->variant == VARIANT_DENSE_LAB_07)
            code = product_of_lab_07(all, l, d_x);
        else if (call->variant == VARIANT_LAB_08)
            code = product_of_lab_08(all, l, d_x);
        else
            code = layer_by_step(all, l, call->variant, d_x, i == 0);
        d_x = l->d_y;
    }
    return code;
}

// got: what a kernel left, want: the answer. A thousandth of the largest is far above rounding and
// far below a weight that is left out.
static kl_status compare(const float *d_got, const double *want, int64_t count, const char *name,
                         kl_error *err) {
    float *got = malloc(sizeof *got * (size_t)count);
    double most = 0.0;
    if (!got) return kl_fail(err, KL_ERROR_MEMORY, "no memory to compare");
    cudaError_t code = cudaMemcpy(got, d_got, sizeof *got * (size_t)count, cudaMemcpyDeviceToHost);
    kl_status status = code == cudaSuccess
                           ? KL_OK
                           : kl_cuda_fail(err, code, __FILE__, __LINE__, "copy of the outputs");
    for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(want[i]));
    for (int64_t i = 0; i < count && status == KL_OK; i++)
        if (!(fabs(got[i] - want[i]) <= 1e-3 * most + 1e-6))
            status = kl_fail(err, KL_ERROR_INPUT,
                             "%s: output %lld is %g instead of %g; ./ladder run pruning shows more",
                             name, (long long)i, (double)got[i], want[i]);
    free(got);
    return status;
}

kl_status pruning_layers_compare(const pruning_layers *all, pruning_variant variant,
                                 const char *name, kl_error *err) {
    const pruning_layer *first = &all->layer[0], *last = &all->layer[PRUNING_LAYERS - 1];
    if (variant == VARIANT_LAB_08 || variant == VARIANT_DENSE_LAB_07) // the product alone
        return compare(first->d_y, all->product, first->rows * all->images, name, err);
    return compare(last->d_y, variant == VARIANT_BLOCKS ? all->by_blocks : all->single,
                   last->rows * all->images, name, err);
}
