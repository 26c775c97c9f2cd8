// SPDX-License-Identifier: MIT
// Which device a command works on: what --device understands, and which device the engines that it
// starts simulate. That is in the environment (LADDER_SIM_DEVICE), so that every engine, every
// lab program and the drop-in runtime agree on it, however they are started.
#ifndef LADDER_KIT_DEVICES_H
#define LADDER_KIT_DEVICES_H

#include <stdbool.h>

#include "device/device.h"
#include "error.h"
#include "problem.h"

// "auto|sim|gpu|h100|..|FILE": for commands that can use a GPU; "sim|h100|..|FILE": for those that
// always simulate. FILE is one of device/device_text.h, told by a '/' or a '.' in its name.
extern const char ladder_device_words[];
extern const char ladder_simulated_words[];

// Takes what --device said (NULL: nothing). A device's name, or the text of a file, goes to the
// environment; with any other word the device that is there is kept. KL_ERROR_USAGE when there
// is no such device, or something is wrong with the file.
kl_status ladder_device_choose(const char *word, kl_error *err);

// What --resident understands: the blocks of a launch that run at the same time, and so may wait
// for
// each other: with "all" as many as fit on the device, with "earlier" those of cooperative launches
// alone. In the environment (LADDER_SIM_RESIDENT) as the device is. word NULL: nothing was said.
extern const char ladder_resident_words[];
kl_status ladder_resident_choose(const char *word, kl_error *err);
// The word that holds for the engines that are started.
const char *ladder_resident(void);

// What to hand over as --device to a program that inherits the environment: a file was read
// already.
const char *ladder_device_for_program(const char *word);

// False when what --device said asks for the simulator.
bool ladder_device_may_be_gpu(const char *word);

// The device that engines simulate; the default one when the environment names none.
const sim_device *ladder_device_simulated(void);

// Whether a step needs more than this toolkit, or than a GPU of compute capability sm / 10 (0: the
// simulated device), has; then why (kl_step_lacks).
bool ladder_device_lacks(const kl_step_info *step, int sm, char *text, size_t text_bytes);

#endif
