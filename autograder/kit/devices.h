// SPDX-License-Identifier: MIT
// Which device a command works on: what --device understands, and which device the engines that it
// starts simulate. That stands in the environment (LADDER_SIM_DEVICE), so that every engine, every
// lab program and the drop-in runtime agree on it, whoever starts them.
#ifndef LADDER_KIT_DEVICES_H
#define LADDER_KIT_DEVICES_H

#include <stdbool.h>

#include "device/device.h"
#include "error.h"

extern const char ladder_device_words[]; // "auto|sim|gpu|h100|..": for commands that can use a GPU
extern const char ladder_simulated_words[]; // "sim|h100|..": for those that always simulate

extern const char ladder_device_help[]; // a line that lists them
extern const char ladder_simulated_help[];

// Takes what --device said (NULL: nothing). A device's name goes to the environment; with any other
// word the device that stands there is kept. KL_ERROR_USAGE when there is no such device.
kl_status ladder_device_choose(const char *word, kl_error *err);

// False when what --device said asks for the simulator.
bool ladder_device_may_be_gpu(const char *word);

// The device that engines simulate; the default one when the environment names none.
const sim_device *ladder_device_simulated(void);

#endif
