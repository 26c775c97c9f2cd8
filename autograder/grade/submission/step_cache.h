// SPDX-License-Identifier: MIT
// Compiled steps, kept by the hash of all that went into them: the step's file, the lab's contract,
// the compiler with its flags, and this program, whose audit they passed. An entry appears whole or
// not at all and is checked when it is read; the folder belongs to one user. A class run keeps its
// entries in a folder of its own and signs them with a secret that only the judge holds: no
// submission can put an object into another one's place.
#ifndef LADDER_SUBMISSION_STEP_CACHE_H
#define LADDER_SUBMISSION_STEP_CACHE_H

#include "utilities/files.h"
#include "utilities/sha256.h"

// A cache; all 0: none.
typedef struct ladder_step_cache {
    char folder[LADDER_PATH]; // of the entries
    unsigned char secret[32]; // of a class run; zeros: entries have a checksum only
    uint64_t limit_bytes;     // of all entries; the oldest go
} ladder_step_cache;

// Makes the folder, or takes it when it is the caller's alone. KL_ERROR_SYSTEM: there is no cache
// to be had there, and everything is compiled.
kl_status ladder_step_cache_open(const char *folder, bool secret, ladder_step_cache *out_cache,
                                 kl_error *err);

// Names what a build in `folder` depends on: all files that lie there, and the compiler.
kl_status ladder_step_cache_key(const char *folder, const char *const *compiler,
                                char out_key[LADDER_SHA256_TEXT], kl_error *err);

// Copies the object of this key to `object`, with the paths of the folder that it was compiled in
// (which line information may hold) replaced by `folder`. False when there is none, or none that
// is whole.
bool ladder_step_cache_take(const ladder_step_cache *cache, const char *key, const char *folder,
                            const char *object);

// Keeps the object that was compiled in `folder`. What cannot be kept is compiled again next time.
void ladder_step_cache_put(const ladder_step_cache *cache, const char *key, const char *folder,
                           const char *object);

#endif
