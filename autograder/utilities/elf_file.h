// SPDX-License-Identifier: MIT
// What the grader needs to know of an ELF file (System V ABI, x86-64): the symbols it imports and
// defines, the libraries it asks for, whether it holds a section. The file may be hostile: every
// offset and count is checked against its size, and nothing of it is executed or mapped writable.
#ifndef LADDER_KIT_ELF_FILE_H
#define LADDER_KIT_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

enum {
    LADDER_ELF_MAX_BYTES = 256 << 20,
    LADDER_ELF_MAX_NAMES = 1 << 16 // symbols looked at in one file
};

// What was read of a file.
typedef struct ladder_elf {
    unsigned char *bytes;             // the file; all names below point into it
    size_t size;                      // of bytes
    const char **undefined;           // imported symbols, without their version
    size_t undefined_count;           // of undefined
    const char **defined;             // global symbols that it defines
    size_t defined_count;             // of defined
    const char **needed;              // DT_NEEDED of a program or shared object
    size_t needed_count;              // of needed
    bool has_device_code;             // a section .nv_fatbin
    const unsigned char *device_code; // that section; NULL without one
    size_t device_code_bytes;         // of device_code
} ladder_elf;

// KL_ERROR_INPUT when the file is not a 64-bit little-endian ELF file or is damaged, KL_ERROR_LIMIT
// when it is too large.
kl_status ladder_elf_read(const char *path, ladder_elf *out_elf, kl_error *err);
void ladder_elf_free(ladder_elf *elf);

// True when it asks for a shared library whose name starts like this, e.g. "libcudart.so".
bool ladder_elf_needs(const ladder_elf *elf, const char *library);

// Whether it has a global symbol of this name.
bool ladder_elf_defines(const ladder_elf *elf, const char *symbol);

#endif
