// Device timing: see timing.h. Must not check results; that is the caller's part.
#include "timing.h"
#include "cuda_check.h"
#include "probes.h"
#include "this_machine.h"

static const uint64_t flush_least_bytes = 256u << 20; // five times the L2 of an H100
static const double patience_us =
    2e6; // measured time after which KL_TIMING_MIN repetitions suffice
// The device is kept busy while the host enqueues what is timed, some fifty launches: the events
// then bracket device work only, not the host's launch time.
static const uint64_t delay_cycles = 300000;
static const double delay_us = 150;
enum { WARM_UPS = 3 };

kl_status kl_timer_open(const kl_device *device, kl_timer *out_timer, kl_error *err) {
    memset(out_timer, 0, sizeof *out_timer);
    out_timer->simulated = device->simulated;
    KL_CUDA(err, cudaEventCreate(&out_timer->start));
    KL_CUDA(err, cudaEventCreate(&out_timer->stop));
    if (!device->simulated) {
        uint64_t twice = 2 * device->l2_bytes;
        out_timer->flush_bytes = twice > flush_least_bytes ? twice : flush_least_bytes;
        KL_CUDA(err, cudaMalloc(&out_timer->d_flush, out_timer->flush_bytes));
    }
    return KL_OK;
}

void kl_timer_close(kl_timer *timer) {
    cudaFree(timer->d_flush);
    if (timer->start) cudaEventDestroy(timer->start);
    if (timer->stop) cudaEventDestroy(timer->stop);
    memset(timer, 0, sizeof *timer);
}

// The host's clock: on the simulator what the modelled calls have taken.
static double host_us(const kl_timer *timer) {
    double us = 0;
    if (timer->simulated) kl_device_sim_query("clock_us", &us);
    else us = 1e6 * kl_now_s();
    return us;
}

static kl_status once_by_host(kl_timer *timer, kl_timed_work *work, void *context, int *out_code,
                              double *out_us, kl_error *err) {
    if (!timer->simulated) KL_CUDA(err, cudaDeviceSynchronize());
    double start_us = host_us(timer);
    *out_code = work(context);
    *out_us = host_us(timer) - start_us;
    return KL_OK;
}

kl_status kl_timer_once(kl_timer *timer, kl_timed_work *work, void *context, int *out_code,
                        double *out_us, kl_error *err) {
    if (timer->host) return once_by_host(timer, work, context, out_code, out_us, err);
    if (timer->simulated) kl_device_sim_keep_busy(delay_us);
    KL_CUDA(err, cudaEventRecord(timer->start, 0));
    *out_code = work(context);
    if (*out_code != 0) return KL_OK;
    float ms = 0.0f;
    KL_CUDA(err, cudaEventRecord(timer->stop, 0));
    KL_CUDA(err, cudaEventSynchronize(timer->stop));
    KL_CUDA(err, cudaEventElapsedTime(&ms, timer->start, timer->stop));
    *out_us = 1e3 * (double)ms;
    return KL_OK;
}

kl_status kl_timer_measure(kl_timer *timer, int repetitions, kl_timed_work *work, void *context,
                           kl_interval *out_us, int *out_samples, kl_error *err) {
    double samples[KL_STATS_MAX];
    int wanted = repetitions > KL_TIMING_MIN ? repetitions : KL_TIMING_MIN;
    wanted = wanted < KL_STATS_MAX ? wanted : KL_STATS_MAX;
    int warm_ups = WARM_UPS;
    if (timer->simulated) {
        wanted = 1;
        warm_ups = 0;
    }
    double total_us = 0.0;
    int count = 0;
    for (int r = -warm_ups; r < wanted; r++) {
        if (r >= KL_TIMING_MIN && total_us > patience_us) break;
        if (timer->d_flush && !timer->host) {
            KL_CUDA(err, cudaMemsetAsync(timer->d_flush, r & 1, timer->flush_bytes, 0));
            KL_CUDA(err, (cudaError_t)kl_probe_delay(delay_cycles));
        }
        int code = 0;
        double us = 0.0;
        TRY(kl_timer_once(timer, work, context, &code, &us, err));
        if (code != 0) {
            return kl_fail(err, KL_ERROR_CUDA, "a timed call returned %d (%s)", code,
                           code > 0 ? cudaGetErrorString((cudaError_t)code) : "not implemented");
        }
        if (r >= 0) {
            samples[count++] = us;
            total_us += us;
        }
    }
    *out_us = kl_median_interval(samples, (size_t)count, 0.95);
    if (out_samples) *out_samples = count;
    return KL_OK;
}
