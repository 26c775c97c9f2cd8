// Time of device work by CUDA events. On a GPU: warm-up, then at least KL_TIMING_MIN repetitions,
// before each of which the L2 cache is flushed by writing a buffer; the median and its interval are
// reported. On the simulator event times are modelled and repeat exactly, so one repetition is
// taken.
#pragma once

#include "device.h"
#include "stats.h"
#include <cuda_runtime_api.h>

enum {
    KL_TIMING_MIN = 11,    // repetitions on a GPU, at least
    KL_TIMING_DEFAULT = 31 // repetitions on a GPU unless asked otherwise
};

// What a series of timings shares. Open with kl_timer_open.
typedef struct kl_timer {
    bool simulated;          // event times are modelled, and one repetition is enough
    bool host;               // by the host's clock, on the simulator its virtual one: set by a
                             // caller whose work has waited for the device when it returns
    cudaEvent_t start, stop; // reused by every timing
    void *d_flush;           // NULL on the simulator
    uint64_t flush_bytes;    // of d_flush: larger than the L2 cache
} kl_timer;

// Enqueues the work on the default stream; returns a cudaError_t (or a lab's own negative status).
typedef int kl_timed_work(void *context);

// Creates the events and, on a GPU, the buffer for flushing. KL_ERROR_CUDA. Close with
// kl_timer_close.
kl_status kl_timer_open(const kl_device *device, kl_timer *out_timer, kl_error *err);
// Frees events and buffer; a timer of zeros may be closed, too.
void kl_timer_close(kl_timer *timer);

// One timed call without flush or warm-up, in microseconds. *out_code is what the work returned;
// when it is not 0 no time is taken and KL_OK is returned.
kl_status kl_timer_once(kl_timer *timer, kl_timed_work *work, void *context, int *out_code,
                        double *out_us, kl_error *err);

// Median time of a call in microseconds with a 95 % interval. Slow work is repeated KL_TIMING_MIN
// times only. out_samples may be NULL.
kl_status kl_timer_measure(kl_timer *timer, int repetitions, kl_timed_work *work, void *context,
                           kl_interval *out_us, int *out_samples, kl_error *err);
