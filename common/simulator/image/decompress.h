// SPDX-License-Identifier: MIT
// zstd and LZ4, for device code that nvcc compressed. The libraries are looked for when they are
// needed: Debian installs them everywhere, but not what a build against them would ask for.
#ifndef SIM_IMAGE_DECOMPRESS_H
#define SIM_IMAGE_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

// A decompression library that is loaded when an image needs it.
typedef struct sim_codec {
    const char *method;  // as a message names it
    const char *library; // shared object
    const char *package; // of Debian, that brings it
} sim_codec;

// The two methods of compressed entries. Static data.
extern const sim_codec sim_codec_zstd;
extern const sim_codec sim_codec_lz4;

// True when the library can be loaded on this machine.
bool sim_codec_is_there(const sim_codec *codec);
// A function of the library. SIM_UNSUPPORTED when that is missing: the text says which package
// brings it.
sim_status sim_codec_function(const sim_codec *codec, const char *name, void **out_function,
                              kl_error *err);

// Fills `to`, exactly. SIM_BAD_IMAGE for damaged data.
sim_status sim_decompress_zstd(const uint8_t *from, size_t from_bytes, uint8_t *to, size_t to_bytes,
                               kl_error *err);
sim_status sim_decompress_lz4(const uint8_t *from, size_t from_bytes, uint8_t *to, size_t to_bytes,
                              kl_error *err);

#endif
