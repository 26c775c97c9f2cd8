// Jacobi's iteration on the device with a product of the lab's: see app.h.
#include "app.h"

#include "cuda_check.h"
#include "gemv_row.h"

extern const kl_adapter kl_lab_adapter;

enum { MOST_AHEAD = 64 }; // iterations that are enqueued without a look at the changes

kl_status jacobi_device_open(const kl_device *device, int64_t n, int limit, jacobi_device *out,
                             kl_error *err) {
    *out = (jacobi_device){.device = device, .n = n, .limit = limit};
    size_t row = (size_t)n * sizeof(float), changes = (size_t)limit * sizeof(jacobi_change);
    KL_CUDA(err, cudaMalloc((void **)&out->d_r, (size_t)n * row));
    KL_CUDA(err, cudaMalloc(&out->d_prepared, gemv_row_prepared_bytes(n, n)));
    KL_CUDA(err, cudaMalloc(&out->d_workspace, GEMV_ROW_WORKSPACE_BYTES));
    KL_CUDA(err, cudaMemset(out->d_workspace, 0, GEMV_ROW_WORKSPACE_BYTES));
    KL_CUDA(err, cudaMalloc((void **)&out->d_x, row));
    KL_CUDA(err, cudaMalloc((void **)&out->d_y, row));
    KL_CUDA(err, cudaMalloc((void **)&out->d_b, row));
    KL_CUDA(err, cudaMalloc((void **)&out->d_d, row));
    KL_CUDA(err, cudaMalloc((void **)&out->d_history, changes));
    KL_CUDA(err, cudaMallocHost((void **)&out->h_history, changes));
    KL_CUDA(err, cudaMallocHost((void **)&out->h_x, row));
    KL_CUDA(err, cudaMallocHost((void **)&out->h_y, row));
    return KL_OK;
}

void jacobi_device_close(jacobi_device *device) {
    cudaFree(device->d_r);
    cudaFree(device->d_prepared);
    cudaFree(device->d_workspace);
    cudaFree(device->d_x);
    cudaFree(device->d_y);
    cudaFree(device->d_b);
    cudaFree(device->d_d);
    cudaFree(device->d_history);
    cudaFreeHost(device->h_history);
    cudaFreeHost(device->h_x);
    cudaFreeHost(device->h_y);
    *device = (jacobi_device){.n = 0};
}

// One solution under way.
typedef struct solution {
    jacobi_device *device;
    const kl_step *step;
    const jacobi_system *system;
    const jacobi_goal *goal;
    kl_call call;
    jacobi_result *result;
    _Alignas(16) unsigned char plan[GEMV_ROW_PLAN_BYTES];
} solution;

static kl_status to_device(solution *s, void *d_to, const void *from, size_t bytes, kl_error *err) {
    KL_CUDA(err, cudaMemcpy(d_to, from, bytes, cudaMemcpyHostToDevice));
    s->result->to_device.bytes += (int64_t)bytes;
    s->result->to_device.calls++;
    return KL_OK;
}

static kl_status to_host(solution *s, void *to, const void *d_from, size_t bytes, kl_error *err) {
    KL_CUDA(err, cudaMemcpy(to, d_from, bytes, cudaMemcpyDeviceToHost));
    s->result->to_host.bytes += (int64_t)bytes;
    s->result->to_host.calls++;
    return KL_OK;
}

static kl_status check_code(int code, kl_error *err) {
    if (code == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "%s",
                   code == KL_NOT_IMPLEMENTED ? "not implemented"
                                              : cudaGetErrorString((cudaError_t)code));
}

static kl_status multiply(solution *s, kl_error *err) {
    return check_code(kl_lab_adapter.call(s->step->function, &s->call), err);
}

// How many more iterations to enqueue after iteration k: those which the changes so far say are
// missing, if they go on shrinking as fast.
static int ahead(const solution *s, int k) {
    const jacobi_change *h = s->device->h_history;
    int left = s->goal->limit - 1 - k;
    if (k < 1 || !(h[k].change < h[k - 1].change) || !(h[k].change > 0.0f)) return 1;
    double missing = log((double)s->goal->tolerance * (double)h[k].size / (double)h[k].change);
    double count = missing / log((double)h[k].change / (double)h[k - 1].change);
    int wanted = count < MOST_AHEAD ? (int)count : MOST_AHEAD;
    return wanted < 1 ? 1 : wanted < left ? wanted : left;
}

static kl_status iterate_resident(solution *s, kl_error *err) {
    jacobi_device *v = s->device;
    jacobi_result *r = s->result;
    int done = 0, enqueued = 0;
    KL_CUDA(err, cudaMemset(v->d_x, 0, (size_t)v->n * sizeof(float)));
    KL_CUDA(err, cudaMemset(v->d_history, 0, (size_t)s->goal->limit * sizeof(jacobi_change)));
    while (!r->converged && done < s->goal->limit) {
        int wanted = done == 0 ? 1 : ahead(s, done - 1);
        for (int i = 0; i < wanted; i++, enqueued++) {
            TRY(multiply(s, err));
            TRY(check_code(jacobi_update(v->d_y, v->d_b, v->d_d, v->d_x, v->n, s->goal->tolerance,
                                         enqueued, v->d_history),
                           err));
        }
        TRY(to_host(s, v->h_history + done, v->d_history + done,
                    (size_t)(enqueued - done) * sizeof(jacobi_change), err));
        while (done < enqueued && !r->converged)
            r->converged = jacobi_is_done(v->h_history[done++], s->goal->tolerance);
        if (!isfinite(v->h_history[done - 1].change)) break;
    }
    r->iterations = done;
    return to_host(s, v->h_x, v->d_x, (size_t)v->n * sizeof(float), err);
}

static jacobi_change update_on_host(const jacobi_system *system, const float *y, float *x) {
    jacobi_change all = {0.0f, 0.0f};
    for (int64_t i = 0; i < system->n; i++) {
        float next = (system->b[i] - y[i]) / system->d[i];
        float change = fabsf(next - x[i]), size = fabsf(next);
        all.change = change <= all.change ? all.change : change; // keeps a NaN
        all.size = size <= all.size ? all.size : size;
        x[i] = next;
    }
    return all;
}

static kl_status iterate_transferred(solution *s, kl_error *err) {
    jacobi_device *v = s->device;
    jacobi_result *r = s->result;
    size_t bytes = (size_t)v->n * sizeof(float);
    memset(v->h_x, 0, bytes);
    while (!r->converged && r->iterations < s->goal->limit) {
        TRY(to_device(s, v->d_x, v->h_x, bytes, err));
        TRY(multiply(s, err));
        TRY(to_host(s, v->h_y, v->d_y, bytes, err));
        jacobi_change change = update_on_host(s->system, v->h_y, v->h_x);
        v->h_history[r->iterations++] = change;
        r->converged = jacobi_is_done(change, s->goal->tolerance);
        if (!isfinite(change.change)) break;
    }
    return KL_OK;
}

static float ms_between(cudaEvent_t from, cudaEvent_t to) {
    float ms = NAN;
    return cudaEventElapsedTime(&ms, from, to) == cudaSuccess ? ms : NAN;
}

// at: [4], the beginning, the matrix there, the step's preparation done, the end.
static kl_status solve_between(solution *s, bool resident, cudaEvent_t *at, kl_error *err) {
    jacobi_device *v = s->device;
    size_t row = (size_t)v->n * sizeof(float);
    KL_CUDA(err, cudaEventRecord(at[0], 0));
    TRY(to_device(s, v->d_r, s->system->r, (size_t)v->n * row, err));
    KL_CUDA(err, cudaEventRecord(at[1], 0));
    if (s->step->prepare) TRY(check_code(kl_lab_adapter.prepare(s->step->prepare, &s->call), err));
    KL_CUDA(err, cudaEventRecord(at[2], 0));
    if (resident) {
        TRY(to_device(s, v->d_b, s->system->b, row, err));
        TRY(to_device(s, v->d_d, s->system->d, row, err));
        TRY(iterate_resident(s, err));
    } else {
        TRY(iterate_transferred(s, err));
    }
    KL_CUDA(err, cudaEventRecord(at[3], 0));
    KL_CUDA(err, cudaEventSynchronize(at[3]));
    return KL_OK;
}

kl_status jacobi_solve_device(jacobi_device *device, const kl_step *step,
                              const jacobi_system *system, const jacobi_goal *goal, bool resident,
                              float *x, jacobi_result *out, kl_error *err) {
    enum { EVENTS = 4 };
    cudaEvent_t at[EVENTS] = {NULL};
    *out = (jacobi_result){.converged = false};
    solution s = {device, step, system, goal, .result = out};
    s.call = (kl_call){.input_count = 2,
                       .output_count = 1,
                       .d_inputs = {device->d_r, device->d_x},
                       .d_outputs = {device->d_y},
                       .ints = {device->n, device->n},
                       .d_workspace = device->d_workspace,
                       .workspace_bytes = GEMV_ROW_WORKSPACE_BYTES,
                       .d_prepared = device->d_prepared,
                       .prepared_bytes = gemv_row_prepared_bytes(device->n, device->n),
                       .h_plan = s.plan};
    for (int i = 0; i < EVENTS; i++) KL_CUDA(err, cudaEventCreate(&at[i]));
    kl_status status = solve_between(&s, resident, at, err);
    if (status == KL_OK) {
        out->matrix_us = 1e3 * (double)ms_between(at[0], at[1]);
        out->prepare_us = 1e3 * (double)ms_between(at[1], at[2]);
        out->total_us = 1e3 * (double)ms_between(at[0], at[3]);
        out->contraction = jacobi_contraction(device->h_history, out->iterations);
        memcpy(x, device->h_x, (size_t)device->n * sizeof *x);
    }
    for (int i = 0; i < EVENTS; i++) cudaEventDestroy(at[i]);
    return status;
}
