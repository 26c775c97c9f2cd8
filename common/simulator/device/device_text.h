// A device as text: the format of files for --device, and what processes exchange when such a
// device is simulated. Lines, or parts between ';', are `field = value`; what follows '#' is a
// comment. `like = ID` takes over a row of devices.def and comes first; without it every number
// must be given. The other fields are `name` (free text) and those of device_fields.def; a list of
// sizes is written with blanks.
//
//     like = k40
//     name = Tesla K20X      # 14 SMs, 732 MHz
//     sm_count = 14
//     clock_mhz = 732
#pragma once

#include "base/base.h"
#include "device/device.h"

enum { SIM_DEVICE_TEXT = 3072 }; // bytes of a device's `id` at most, with its end

// Whether a word means a device as text (it has a '='), or a file with one (it has a '/' or a '.').
bool sim_device_is_text(const char *word);
bool sim_device_is_file(const char *word);

// Reads a device. out_device->id becomes its text on one line without comments, which is read again
// as the same device. The device lives as long as the process, as the rows of devices.def do.
// SIM_INVALID_VALUE says the line and what is wrong: an unknown field, a number outside its range,
// a field given twice or missing, numbers that contradict one another. SIM_OUT_OF_MEMORY.
sim_status sim_device_from_text(const char *text, const sim_device **out_device, kl_error *err);

// The same from a file, whose path stands before the message.
sim_status sim_device_from_file(const char *path, const sim_device **out_device, kl_error *err);

// A row, a text or a file, whichever `word` is; NULL: the default row.
sim_status sim_device_open(const char *word, const sim_device **out_device, kl_error *err);

// Writes a device in this format, each number with what it is and, for a row of devices.def, where
// it comes from (device_sources.def).
void sim_device_write(FILE *out, const sim_device *device);

// A number by its field's name; false when there is none of this name.
bool sim_device_number(const sim_device *device, const char *field, double *out_value);

// The source of a row's number; NULL when none is stated.
const char *sim_device_source(const char *id, const char *field);
