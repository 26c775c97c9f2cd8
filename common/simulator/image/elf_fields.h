// SPDX-License-Identifier: MIT
// Fields of ELF64 and of NVIDIA's images: little-endian numbers at any alignment, and the few ELF
// numbers needed. Private to fatbin*.c and cubin*.c.
#ifndef SIM_IMAGE_ELF_FIELDS_H
#define SIM_IMAGE_ELF_FIELDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    ELF_HEADER_BYTES = 64,
    ELF_SECTION_BYTES = 64, // of a section header
    ELF_SEGMENT_BYTES = 56, // of a program header
    ELF_SYMBOL_BYTES = 24,
    ELF_MACHINE_CUDA = 190,
    ELF_TYPE_RELOCATABLE = 1,
    ELF_SECTION_SYMTAB = 2,
    ELF_SECTION_RELA = 4,
    ELF_SECTION_NOBITS = 8,
    ELF_SECTION_REL = 9,
    // NVIDIA's own section types that, as NOBITS, have a size but no bytes in the file.
    ELF_SECTION_CUDA_GLOBAL = 0x70000007,
    ELF_SECTION_CUDA_LOCAL = 0x70000009,
    ELF_SECTION_CUDA_SHARED = 0x7000000a,
    ELF_SECTION_CUDA_SHARED_RESERVED = 0x70000015,
};

static inline uint16_t read_u16(const uint8_t *at) {
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint32_t read_u32(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint64_t read_u64(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

// True for sections without bytes in the file.
static inline bool elf_is_nobits(uint32_t section_type) {
    return section_type == ELF_SECTION_NOBITS || section_type == ELF_SECTION_CUDA_GLOBAL ||
           section_type == ELF_SECTION_CUDA_LOCAL || section_type == ELF_SECTION_CUDA_SHARED ||
           section_type == ELF_SECTION_CUDA_SHARED_RESERVED;
}

// The architecture (90) in a cubin's header of at least ELF_HEADER_BYTES: bits 8-15 of e_flags
// since ABI version 8 (toolkit 13), bits 0-7 before.
static inline uint32_t elf_cuda_arch(const uint8_t *header) {
    uint32_t flags = read_u32(header + 48);
    return header[8] >= 8 ? flags >> 8 & 0xff : flags & 0xff;
}

#endif
