// Products on a step of lab 13: see products.h. Factors are packed to 16 bits and padded to whole
// tiles, so that every step takes them.
#include "products/products.h"

#include "cuda_check.h"

extern const kl_adapter tensor_gemm_adapter; // of call.c, which lab.cmake compiles so

static int64_t padded(int64_t n, int64_t unit) {
    return (n + unit - 1) / unit * unit;
}

static kl_status grow(void **d_array, int64_t *bytes, int64_t needed, kl_error *err) {
    if (needed <= *bytes) return KL_OK;
    cudaFree(*d_array);
    *d_array = NULL;
    *bytes = 0;
    KL_CUDA(err, cudaMalloc(d_array, (size_t)needed));
    *bytes = needed;
    return KL_OK;
}

kl_status net_products_check(const net_products *p, int code, kl_error *err) {
    return kl_step_check("lab 13, ", p->number, code, err);
}

static int call_step(const net_products *p, const kl_step *step, int64_t m, int64_t n, int64_t k) {
    kl_call call = {.input_count = 2,
                    .output_count = 1,
                    .d_inputs = {p->d_a, p->d_b},
                    .d_outputs = {p->d_d},
                    .input_bytes = {(uint64_t)(2 * m * k), (uint64_t)(2 * n * k)},
                    .output_bytes = {(uint64_t)(4 * m * n)},
                    .d_workspace = p->d_workspace,
                    .workspace_bytes = TENSOR_GEMM_PARTS_BYTES,
                    .ints = {m, n, k, p->type}};
    return tensor_gemm_adapter.call(step->function, &call);
}

kl_status net_products_sums(net_products *p, const net_matrix *a, const net_matrix *b,
                            int64_t *out_stride, kl_error *err) {
    int64_t m = padded(a->rows, TENSOR_GEMM_SIDE), n = padded(b->rows, TENSOR_GEMM_SIDE);
    int64_t k = padded(a->columns, TENSOR_GEMM_DEPTH);
    TRY(grow(&p->d_a, &p->a_bytes, 2 * m * k, err));
    TRY(grow(&p->d_b, &p->b_bytes, 2 * n * k, err));
    TRY(grow(&p->d_d, &p->d_bytes, 4 * m * n, err));
    TRY(net_products_check(p, net_pack(a, p->type, m, k, p->d_a), err));
    TRY(net_products_check(p, net_pack(b, p->type, n, k, p->d_b), err));
    *out_stride = n;
    return net_products_check(p, call_step(p, &p->step, m, n, k), err);
}

net_matrix net_plain(net_order order, const float *d_from, int64_t rows, int64_t columns,
                     float scale) {
    return (net_matrix){
        .order = order, .d_from = d_from, .rows = rows, .columns = columns, .scale = scale};
}

kl_status net_product(net_products *p, net_matrix a, net_matrix b, float scale, const float *d_bias,
                      float *d_to, kl_error *err) {
    int64_t stride = 0;
    net_matrix to = net_plain(NET_ROWS, NULL, a.rows, b.rows, scale);
    TRY(net_products_sums(p, &a, &b, &stride, err));
    return net_products_check(p, net_unpack(&to, p->d_d, stride, d_bias, d_to), err);
}

kl_status net_layer_forward(net_products *p, const net_layer *l, float *d_y, kl_error *err) {
    return net_product(p, net_plain(NET_ROWS, l->d_x, l->n, l->c, 1),
                       net_plain(NET_COLUMNS, l->d_w, l->f, l->c, 1), 1, l->d_b, d_y, err);
}

kl_status net_layer_backward(net_products *p, const net_layer *l, const float *d_delta, float *d_dx,
                             float *d_dw, float *d_db, kl_error *err) {
    const int64_t n = l->n, c = l->c, f = l->f;
    TRY(net_product(p, net_plain(NET_ROWS, d_delta, n, f, p->scale),
                    net_plain(NET_ROWS, l->d_w, c, f, 1), 1 / p->scale, NULL, d_dx, err));
    TRY(net_product(p, net_plain(NET_COLUMNS, l->d_x, c, n, 1),
                    net_plain(NET_COLUMNS, d_delta, f, n, p->scale), 1 / p->scale, NULL, d_dw,
                    err));
    return net_products_check(p, net_bias(d_delta, n, f, 1, d_db), err);
}

// One product of a tile of zeros.
static kl_status try_step(void *context, const kl_step *step, int *out_code, kl_error *err) {
    net_products *p = context;
    const int64_t side = TENSOR_GEMM_SIDE, k = TENSOR_GEMM_DEPTH;
    TRY(grow(&p->d_a, &p->a_bytes, 2 * side * k, err));
    TRY(grow(&p->d_b, &p->b_bytes, 2 * side * k, err));
    TRY(grow(&p->d_d, &p->d_bytes, 4 * side * side, err));
    if (!p->d_workspace) KL_CUDA(err, cudaMalloc(&p->d_workspace, TENSOR_GEMM_PARTS_BYTES));
    KL_CUDA(err, cudaMemset(p->d_a, 0, (size_t)(2 * side * k)));
    KL_CUDA(err, cudaMemset(p->d_b, 0, (size_t)(2 * side * k)));
    *out_code = call_step(p, step, side, side, k);
    if (*out_code == 0) *out_code = cudaDeviceSynchronize();
    return KL_OK;
}

kl_status net_products_open(const char *folder, int chosen, net_products *out, kl_error *err) {
    const kl_step_search search = {.of = "lab 13, ",
                                   .adapter = &tensor_gemm_adapter,
                                   .last = NET_LAST_STEP,
                                   .attempt = try_step,
                                   .context = out};
    *out = (net_products){.scale = 1};
    return kl_step_open_last(folder, chosen, &search, &out->step, &out->number, err);
}

void net_products_close(net_products *products) {
    cudaFree(products->d_a);
    cudaFree(products->d_b);
    cudaFree(products->d_d);
    cudaFree(products->d_workspace);
    if (products->number >= 0) kl_step_close(&products->step);
    memset(products, 0, sizeof *products);
    products->number = -1;
}
