// This kit: where its parts lie, how it compiles, which device it works on, which defences it has.
#pragma once

#include "device/device.h"
#include "problem.h"
#include "utilities/files.h"

// ---- kit.c --------------------------------------------------------------------------------------
// Where the parts of this kit lie: source tree, build folder, programs and libraries in it.

// A kit that was built.
typedef struct ladder_kit {
    char source[LADDER_PATH]; // the kit's top folder
    char build[LADDER_PATH];  // the build folder that this program lies in
} ladder_kit;

// The kit that this program belongs to: the build folder is two above the program.
// LADDER_KIT=FOLDER, for tests: that kit and the folder `build` in it.
kl_status ladder_kit_find(ladder_kit *out_kit, kl_error *err);

// Whether this kit is what `ladder handout` wrote: it has no tests, and solutions as they are
// released.
bool ladder_kit_is_handout(const ladder_kit *kit);

// Paths in the build folder; out: [LADDER_PATH]. KL_ERROR_SYSTEM when the file is not there.
kl_status ladder_kit_simulator(const ladder_kit *kit, char *out_folder, kl_error *err);
kl_status ladder_kit_engine(const ladder_kit *kit, char *out, kl_error *err);
kl_status ladder_kit_runner(const ladder_kit *kit, char *out, kl_error *err);
// Of the lab in this folder, "02_reduction": what calls its steps.
kl_status ladder_kit_adapter(const ladder_kit *kit, const char *lab, char *out, kl_error *err);

// ---- kit.c -------------------------------------------------------------------------------------
// The command line of nvcc that every object of a step starts with, wherever `ladder` builds one:
// the flags of the kit's own build (common/cmake, CMake's Release flags for nvcc).

enum { LADDER_NVCC_ARGUMENTS = 32 }; // that ladder_nvcc_begin writes at most

// Flags that CMake gave the kit's own build, ended by NULL.
extern const char *const ladder_nvcc_flags[];

// What steps are compiled for at least where no GPU runs them, compute capability times 10: the
// code that thresholds are of. So a score does not depend on the card that the kit was built for.
enum { LADDER_SIMULATED_SM = 90 };

// The flag for machine code and PTX: of the build's own architecture, or of needs_sm (kl_step_info)
// where that is later. exact: with the features that only needs_sm itself has (kl_step_info), such
// as sm_90a.
const char *ladder_nvcc_architecture(int needs_sm, bool exact);
// Writes the compiler's path and the flags to argv; returns their number. The caller adds what to
// make of which file.
int ladder_nvcc_begin(int needs_sm, bool exact, const char **argv);

// A grader is about to run the compiler: adds a byte to the file that LADDER_COMPILED names, if it
// is set. So tests count what they compile (autograder/tests/support/budget.sh).
void ladder_nvcc_count(void);

// ---- devices.c ----------------------------------------------------------------------------------
// Which device a command works on: what --device understands, and which device the engines that it
// starts simulate. That is in the environment (LADDER_SIM_DEVICE), so that every engine, every
// lab program and the drop-in runtime agree on it, however they are started.

// "auto|sim|gpu|h100|..|FILE": for commands that can use a GPU; "sim|h100|..|FILE": for those that
// always simulate. FILE is one of device/device.h, told by a '/' or a '.' in its name.
extern const char ladder_device_words[];
extern const char ladder_simulated_words[];

// Takes what --device said (NULL: nothing). A device's name, or the text of a file, goes to the
// environment; with any other word the device that is there is kept. KL_ERROR_USAGE when there
// is no such device, or something is wrong with the file.
kl_status ladder_device_choose(const char *word, kl_error *err);

// What --resident understands: the blocks of a launch that run at the same time, and so may wait
// for each other: with "all" as many as fit on the device, with "earlier" those of cooperative
// launches alone. In the environment (LADDER_SIM_RESIDENT) as the device is.
extern const char ladder_resident_words[];
// What --devices understands: how many a program has of the device. Likewise (LADDER_SIM_DEVICES).
extern const char ladder_devices_words[];
// Takes what --device, --devices and --resident said (NULL: nothing).
kl_status ladder_simulation_choose(const char *device, const char *devices, const char *resident,
                                   kl_error *err);
// The words that hold for the engines that are started.
const char *ladder_resident(void);
const char *ladder_devices(void);
// How many those are when nobody says: those of a lab's problem; at the beginning 1.
void ladder_devices_default(int devices);

// What to hand over as --device to a program that inherits the environment: a file was read
// already.
const char *ladder_device_for_program(const char *word);

// False when what --device said asks for the simulator.
bool ladder_device_may_be_gpu(const char *word);

// The device that engines simulate; the default one when the environment names none.
const sim_device *ladder_device_simulated(void);

// The GPU of this machine, as its driver tells of it.

// What the driver says about the first GPU.
typedef struct ladder_gpu {
    char name[128];        // "NVIDIA H200"
    int sm;                // compute capability times 10; 0: not known
    int devices;           // GPUs of the machine; 0: not known
    double bytes_s;        // of its memory at the rated clock; 0: not known
    uint64_t l2_bytes;     // 0: not known
    uint64_t memory_bytes; // of the device; 0: not known
} ladder_gpu;

// Whether a step needs more than this toolkit, or than this machine with its GPU (NULL: the
// simulated device), has; then why (kl_step_lacks).
bool ladder_device_lacks(const kl_step_info *step, const ladder_gpu *gpu, char *text,
                         size_t text_bytes);

// True when a real GPU can be used: the driver's library loads and reports a device.
bool ladder_gpu_present(void);
// The same, and what card it is.
bool ladder_gpu_find(ladder_gpu *out_gpu);
// The simulated device that is this card, "h200"; NULL: none is, or the environment names one.
const char *ladder_gpu_row(const ladder_gpu *gpu);
