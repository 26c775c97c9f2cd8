// What every module of the simulator may use: statuses, addresses, arenas, small helpers.
#pragma once

#include "error_record.h"

// ---- status.c -----------------------------------------------------------------------------------
// Status codes that every function of the simulator returns; their error record is that of
// common/base. Codes say what went wrong in the simulator's own terms; the runtime shim maps them
// to cudaError_t.

// SIM_OK is 0; the rest are the rows of status.def.
typedef enum sim_status {
#define SIM_STATUS(id, text) SIM_##id,
#include "base/status.def"
#undef SIM_STATUS
    SIM_STATUS_COUNT
} sim_status;

// Fills `error` (which may be NULL) and returns `status`, so that `return sim_fail(...)` reads
// well. The record and TRY are those of common/base.
sim_status sim_fail(kl_error *err, sim_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A short constant text for a status: "illegal memory access".
const char *sim_status_text(sim_status status);

// A kernel's name as its author wrote it.

// Without templates' arguments: of "_Z4workPf" "work", to be printed with "%.*s". Names inside
// namespaces stay as they are (Itanium C++ ABI, section 5.1).
const char *sim_kernel_name(const char *mangled, int *out_length);

// "tile" of _ZZ4workPiE4tile, a variable of a function; other names stay. Writes to text, or not.
const char *sim_variable_name(const char *symbol, char *text, size_t bytes);

// The library of the toolkit that a kernel is of, "Thrust" or "CUB", by its namespace; NULL: none.
const char *sim_kernel_library(const char *mangled);

// Paths of source files as compilers write them.

// "a/b/../c" becomes "a/c", in place: what a file includes by "../" has one name, and a short one.
void sim_path_shorten(char *path);

// ---- address map --------------------------------------------------------------------------------
// Where things live in the simulated 64-bit generic address space. A program sees these numbers.
// Host code can use those of managed and page-locked memory only, which the drop-in runtime maps at
// the same addresses in the program; it keeps the rest unmapped so that host code faults there.

// Device memory (global and constant): allocations are carved from here, 512-byte aligned.
#define SIM_DUMP_BASE UINT64_C(0x200000000000) // in every build: dumps and golden files
#if defined(__SANITIZE_THREAD__) // which lets programs map only parts of the address space
#define SIM_GLOBAL_BASE UINT64_C(0x7E8000000000)
#define SIM_GLOBAL_SPAN UINT64_C(0x002000000000)
#else
#define SIM_GLOBAL_BASE SIM_DUMP_BASE
#define SIM_GLOBAL_SPAN UINT64_C(0x008000000000) // 512 GiB of address space, not of memory
#endif
// Windows of the generic space: address = window + offset in the block's or thread's own memory.
#define SIM_SHARED_WINDOW UINT64_C(0x100000000000)
#define SIM_LOCAL_WINDOW  UINT64_C(0x110000000000)
#define SIM_PARAM_WINDOW  UINT64_C(0x120000000000)
#define SIM_WINDOW_BYTES  UINT64_C(0x1000000) // 16 MiB each
// The shared memory of a whole cluster: the block of rank r has the addresses from r *
// SIM_WINDOW_BYTES on (PTX ISA, "mapa"). The system reserves the first of them (H200): what a
// program declares begins at SIM_SHARED_START.
enum { SIM_CLUSTER_BLOCKS = 16 }; // at most, of sm_90, where a kernel allows more than 8
#define SIM_CLUSTER_WINDOW_BYTES (SIM_WINDOW_BYTES * SIM_CLUSTER_BLOCKS)
#define SIM_SHARED_START         UINT64_C(0x400)

enum { SIM_ALLOCATION_ALIGN = 512 };

// Devices of one engine, at most; a set of them is a bit each in a byte.
enum { SIM_MOST_DEVICES = 8, SIM_ALL_DEVICES = 0xFF };

// ---- arena.c ------------------------------------------------------------------------------------
// Bump allocator: many small zeroed allocations that die together. Syntax trees and images live in
// one. Nothing is freed singly; a cap bounds what a hostile input can make us allocate.

// An arena; free with sim_arena_free. One thread at a time uses it.
typedef struct sim_arena sim_arena;

// A new arena that hands out at most `cap_bytes` in total; NULL when memory is short.
sim_arena *sim_arena_new(size_t cap_bytes);
// Frees the arena and everything in it; accepts NULL.
void sim_arena_free(sim_arena *arena);

// `bytes` zeroed bytes aligned for any type (16); NULL when over the cap or out of memory.
// Zero bytes give a valid pointer.
void *sim_arena_alloc(sim_arena *arena, size_t bytes);
// `count` zeroed elements of `element_bytes`, the product checked for overflow.
void *sim_arena_array(sim_arena *arena, size_t count, size_t element_bytes);
// A copy of text[0..bytes) that ends in NUL.
char *sim_arena_text(sim_arena *arena, const char *text, size_t bytes);
// A copy of `bytes` bytes; NULL for `bytes` 0 is never returned.
void *sim_arena_copy(sim_arena *arena, const void *source, size_t bytes);

// Room for one more than `count` elements in a list on the heap: `list` is the address of a pointer
// to elements of `bytes`, *capacity how many there is memory for. False: no memory; the list stays
// as it is.
bool sim_reserve(void *list, uint32_t *capacity, uint64_t count, size_t bytes);

// Bytes of a page of this machine's memory, a power of two: 4096 on x86-64; 4096, 16384 or 65536 on
// aarch64.
uint64_t sim_host_page(void);

// `bytes` rounded up to whole pages.
static inline uint64_t sim_host_pages_up(uint64_t bytes) {
    return (bytes + sim_host_page() - 1) & ~(sim_host_page() - 1);
}

// ---- numbers ------------------------------------------------------------------------------------
// The larger of two numbers: of two cycles, the later one. Not fmax, which is a call because of its
// rules for NaN; neither is one here.
static inline double sim_larger(double a, double b) { return a > b ? a : b; }

// Digests of state, by which two moments are compared.

// The digest of nothing.
#define SIM_DIGEST_BEGIN UINT64_C(0xCBF29CE484222325)

// The digest with further bytes: after FNV-1a, but by words and folded, so that all bits of a word
// reach all later ones. It resists no forger.
static inline uint64_t sim_digest(uint64_t digest, const void *data, size_t bytes) {
    const uint8_t *at = data;
    for (uint64_t word; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
        memcpy(&word, at, sizeof word);
        digest = (digest ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        digest ^= digest >> 29;
    }
    for (; bytes > 0; at++, bytes--) digest = (digest ^ *at) * UINT64_C(0x100000001B3);
    return digest;
}

// ---- host variants ------------------------------------------------------------------------------
// Naming of what is compiled once for each host variant (any processor; x86-64-v3 with AVX2 and
// FMA, on x86-64 only). CMake defines SIM_EXEC_VARIANT while compiling a variant; ops/ops.h has
// the tables that lead to it.

// Pastes the names as they are; SIM_PASTE expands them first.
#define SIM_PASTE_(name, variant) name##_##variant

// The name of a function of one variant.
#define SIM_PASTE(name, variant) SIM_PASTE_(name, variant)
#ifdef SIM_EXEC_VARIANT
#define SIM_VARIANT(name) SIM_PASTE(name, SIM_EXEC_VARIANT)
#endif
