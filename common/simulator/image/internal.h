// The structs behind sim_fatbin and sim_cubin, and what the files of each share: fatbin*.c and
// cubin*.c. Nobody else includes this.
#pragma once

#include "image/image.h"

// ---- Fields of ELF64 ----------------------------------------------------------------------------
// Fields of ELF64 and of NVIDIA's images: little-endian numbers at any alignment, and the few ELF
// numbers needed. Private to fatbin*.c and cubin*.c.

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

// ---- Fat binaries ----

#define FATBIN_MAX_PAYLOAD_BYTES ((uint64_t)256 << 20) // one decompressed PTX text or cubin
#define FATBIN_MAX_ARENA_BYTES   ((size_t)1 << 30)     // all decompressed payloads of an image

typedef struct fatbin_slot {
    sim_fatbin_entry entry;
    const uint8_t *data; // decompressed, NULL until asked for
} fatbin_slot;

struct sim_fatbin {
    sim_arena *arena;
    fatbin_slot *slots;
    uint32_t count, capacity, container_count;
};

// ---- Cubins ----

enum {
    CUBIN_NO_KERNEL = UINT32_MAX >> 1,
    CUBIN_MAX_SECTIONS = 1 << 20,
    CUBIN_MAX_SYMBOLS = 1 << 22,
    CUBIN_INSTRUCTION_BYTES = 16,
};
#define CUBIN_MAX_ARENA_BYTES ((size_t)1 << 30)

// A section of the file; data[0..bytes) was checked to lie in the image. NOBITS: data is NULL.
typedef struct cubin_section {
    const char *name; // NUL-terminated inside the image
    const uint8_t *data;
    uint64_t bytes;
    uint32_t type, link, info;
    uint32_t kernel; // index of the kernel whose code this is, else CUBIN_NO_KERNEL
} cubin_section;

// Rows of one line table that belong to one kernel.
typedef struct cubin_line_table {
    sim_cubin_line *rows;
    uint32_t count;
} cubin_line_table;

struct sim_cubin {
    sim_arena *arena;
    const uint8_t *image;
    size_t image_bytes;
    uint32_t arch;
    bool is_relocatable; // -rdc=true, not linked yet
    cubin_section *sections;
    uint32_t section_count;
    const uint8_t *symbols; // 24 bytes each
    uint32_t symbol_count;
    const char *symbol_names; // string table, ends in NUL
    uint64_t symbol_name_bytes;
    sim_cubin_kernel *kernels; // sorted by name
    uint32_t kernel_count;
    cubin_line_table *ptx_lines; // one a kernel; NULL until asked for
};

// The first section of this name, NULL when there is none.
const cubin_section *cubin_find_section(const sim_cubin *cubin, const char *name);
// Index of the kernel of this name, CUBIN_NO_KERNEL when there is none.
uint32_t cubin_kernel_index(const sim_cubin *cubin, const char *name);
// Index of the kernel in whose code symbol `symbol` lies, and its place there; CUBIN_NO_KERNEL when
// in none.
uint32_t cubin_symbol_kernel(const sim_cubin *cubin, uint32_t symbol, uint64_t *out_value);
// Index of the kernel that symbol `symbol` names, CUBIN_NO_KERNEL for any other symbol.
uint32_t cubin_symbol_names_kernel(const sim_cubin *cubin, uint32_t symbol);

// cubin_info.c: fills the kernels from .nv.info, .nv.info.*, .nv.shared.*, .nv.constant*.
sim_status cubin_read_info(sim_cubin *cubin, kl_error *err);
