// Which device runs the kernels: a GPU through the real CUDA runtime, or the kit's simulator, a
// drop-in libcudart. To choose the simulator, this program is started again with the
// simulator's folder in LD_LIBRARY_PATH. CUDA is only touched in a forked child, so that the
// caller may fork later (but see kl_device_may_fork).
#pragma once

#include "error.h"
#include <stdbool.h>
#include <stddef.h>

// ---- device.c -----------------------------------------------------------------------------------

// Auto: the GPU if there is one, otherwise the simulator.
typedef enum kl_device_choice { KL_CHOOSE_AUTO, KL_CHOOSE_SIM, KL_CHOOSE_GPU } kl_device_choice;

// What --device asks for.
typedef struct kl_device_request {
    kl_device_choice choice; // from the word, or KL_CHOOSE_SIM with a model's name
    const char
        *model; // which device to simulate, a row of devices.def or a file; NULL: its own choice
} kl_device_request;

// What --device understands, for help texts: "auto|sim|gpu|h100|..|FILE".
extern const char kl_device_words[];

// Reads the argument of --device. out_request->model points to `text`, a file's path (it has a '/'
// or a '.'), or into a table of this module.
kl_status kl_device_parse(const char *text, kl_device_request *out_request, kl_error *err);

// The device that was decided on, as cudaGetDeviceProperties describes it.
typedef struct kl_device {
    bool simulated;      // kernels run on the kit's simulator, and times are modelled
    char name[256];      // of the card; of a simulated one that of its row in devices.def
    int devices;         // how many there are
    int multiprocessors; // streaming multiprocessors (SMs)
    int capability_major, capability_minor; // the compute capability, e.g. 9 and 0
    int runtime_version, driver_version;    // CUDA's numbers, e.g. 13000
    uint64_t l2_bytes; // of the L2 cache; what is timed on a GPU starts with it flushed
    uint64_t memory_bytes, memory_free_bytes; // of device memory: all of it, and what was free
                                              // when the device was chosen
} kl_device;

// False when this process has one connection to an engine in another process (LADDER_ENGINE_FD): a
// forked child would speak on the same connection, so everything must then happen in this process.
bool kl_device_may_fork(void);

// Keeps the simulator's default stream busy for `us`, and fills its L2 with other data; nothing on
// a GPU.
void kl_device_sim_keep_busy(double us);
// A quantity that the simulator exports (sim_runtime_query), e.g. "ceiling.read_gbs".
// False on a GPU or when the simulator does not know the key.
bool kl_device_sim_query(const char *key, double *out_value);

// Lets all launches from now on execute so many warp instructions together on the simulator, which
// stops the one that would execute more; 0: as many as they like. Nothing on a GPU.
void kl_device_sim_allow(double warp_instructions);

// Whether the simulator counts and times launches from now on; without, it gives results alone and
// is faster. Nothing on a GPU, and nothing for an engine in another process, which counts for its
// owner.
void kl_device_sim_count(bool counts);

// What the simulator has had to say since the last call, lines of text, "" when nothing; from the
// first call on it no longer says it on standard error. Valid until the next call; "" on a GPU.
const char *kl_device_sim_said(void);

// What the last kernel that the simulator stopped did, with its line of source; "" on a GPU, and
// when none was stopped.
const char *kl_device_sim_fault(void);
// On the simulator: watches which thread writes to [device, device + bytes) from here on; 0 bytes:
// no more. Nothing on a GPU.
void kl_device_sim_watch(const void *device, uint64_t bytes);
// The thread that wrote the byte there last: 1, and blockIdx and threadIdx (x, y, z); 0: none has;
// -1: not known, as on a GPU.
int kl_device_sim_last_write(const void *device, uint32_t out_block[3], uint32_t out_thread[3]);

// Why the last call that failed did so, as the simulator knows it; "" on a GPU, and where it does
// not.
const char *kl_device_sim_reason(void);

// The folder of the running executable, without a final slash.
kl_status kl_device_program_folder(char *folder, size_t folder_bytes, kl_error *err);

// Decides on a device and describes it. May start the program again with the same argv (and then
// does not return). A model is in the environment afterwards (LADDER_SIM_DEVICE), where the
// simulator looks for it. Errors: no GPU although one was demanded, no simulator library found, or
// a model when the device is that of an engine in another process.
kl_status kl_device_select(const kl_device_request *request, char **argv, kl_device *out_device,
                           kl_error *err);

// ---- ceilings.c ---------------------------------------------------------------------------------
// The ceilings of the present device: how fast it can read memory, copy memory, multiply and
// add floats, and launch kernels.
// On a GPU they are measured with the probes of probes.cu; the simulator states those of its model.
// They are what "percent of ceiling" means; they must never come from a data sheet.

// The ceilings of one device; a value is NaN when it is not known.
typedef struct kl_ceilings {
    double read_gbs;      // 10^9 bytes read a second
    double copy_gbs;      // 10^9 bytes read plus written a second
    double launch_us;     // time of an empty kernel, launched back to back
    double fma_tflops;    // 10^12 float operations per second; a fused multiply-add counts as two
    double tensor_tflops; // likewise of products of halves on tensor cores, sums in float
    double link_gbs;      // 10^9 bytes per second from and to the host at once, both ways added
} kl_ceilings;

// Uses CUDA in the calling process. with_link: that of the link, too, which takes 256 MiB of
// page-locked memory.
kl_status kl_ceilings_find(const kl_device *device, bool with_link, kl_ceilings *out_ceilings,
                           kl_error *err);

// ---- counts.c -----------------------------------------------------------------------------------
// What the simulator counted while a step ran: totals over all launches of this process, by the
// names of Nsight Compute. On a GPU there are none: a profiler has to ask for them.

enum { KL_COUNTS_MAX = 160 };

// One value per counter: a total, or what was added to an earlier one.
typedef struct kl_counts {
    int count;                    // 0: nothing was counted
    double values[KL_COUNTS_MAX]; // by index, see kl_counts_name
} kl_counts;

// Totals so far, less those of `since` (NULL: from the beginning). count is 0 on a GPU.
void kl_counts_read(kl_counts *out_counts, const kl_counts *since);
// The name of counter `index`, NULL beyond the last.
const char *kl_counts_name(int index);

// Sum of the counters whose names stand in `names`, separated by blanks; NaN when one is unknown.
double kl_counts_sum(const kl_counts *counts, const char *names);

// Columns of the table of counts (counts.def).
int kl_count_columns(void);
const char *kl_count_column_title(int column);
// The cell's text, "-" where it has no value. Returns `text`.
const char *kl_count_column_text(const kl_counts *counts, int column, char *text,
                                 size_t text_bytes);
