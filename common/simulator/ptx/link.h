// SPDX-License-Identifier: MIT
// Links PTX modules into one, as nvlink links the object files of a program built with -rdc=true:
// one text in which every file sees the others' .visible functions and variables. Works on text, so
// that the parser and the decoder meet nothing but an ordinary module.
#ifndef SIM_PTX_LINK_H
#define SIM_PTX_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

// One PTX text of those that are linked.
typedef struct ptx_source {
    const char *text; // need not end in NUL
    size_t bytes;     // of `text`
} ptx_source;

// The linked text, NUL-terminated, for the caller to free. Definitions marked .weak or .common may
// repeat: the strong one, else the first, stays. Names that are private to a file and occur in
// another one too get the suffix "$file<number from 1>". Source file numbers of .file and .loc are
// moved apart. BAD_PTX when two files define the same visible name.
sim_status ptx_link(const ptx_source *sources, uint32_t count, char **out_text, size_t *out_bytes,
                    kl_error *err);

#endif
