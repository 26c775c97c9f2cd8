// SPDX-License-Identifier: MIT
// Reader of CUDA fat binaries: the container that nvcc puts into .nv_fatbin, also raw PTX text and
// raw cubins. Layout as observed with nvcc 13.0: NVIDIA publishes none. Images are hostile
// input: nothing is trusted, nothing is read at or past the given limit, no alignment is assumed.
#ifndef SIM_IMAGE_FATBIN_H
#define SIM_IMAGE_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

// What an entry holds, by the numbers of the format.
typedef enum sim_fatbin_kind {
    SIM_FATBIN_PTX = 1,   // text, no NUL promised
    SIM_FATBIN_CUBIN = 2, // ELF64 of machine code
    SIM_FATBIN_LTO = 8    // intermediate code for link-time optimisation
    // other numbers are listed as they are
} sim_fatbin_kind;

// How an entry's payload is stored.
typedef enum sim_fatbin_compression {
    SIM_FATBIN_PLAIN,
    SIM_FATBIN_LZ4,  // block format
    SIM_FATBIN_ZSTD, // one frame
} sim_fatbin_compression;

// One image of a fat binary: a module for one architecture.
typedef struct sim_fatbin_entry {
    uint32_t kind;                      // sim_fatbin_kind
    uint32_t arch;                      // 90 for sm_90 and sm_90a
    bool is_arch_exact;                 // sm_90a: runs on this architecture only
    bool is_family;                     // sm_100f: runs on this family only
    uint64_t flags;                     // as stored
    uint32_t container;                 // index of the container it lies in
    sim_fatbin_compression compression; // of `stored`
    const uint8_t *stored;              // payload as stored, inside the image
    size_t stored_bytes;                // without padding when compressed
    size_t payload_bytes;               // once decompressed
    char name[64]; // file name that nvcc noted with -lineinfo or -G, else empty; truncated
} sim_fatbin_entry;

// An opened fat binary; opaque.
typedef struct sim_fatbin sim_fatbin;

enum {
    SIM_FATBIN_ANY = -1,           // any container
    SIM_FATBIN_MAX_ENTRIES = 4096, // of an image
};

// Bytes of the image that starts at `image`, from its own header: a fat binary container, an ELF,
// or PTX text up to its NUL. For callers who have a bare pointer (registration of kernels): `limit`
// may then be SIZE_MAX. Only headers are read (of PTX, the text).
sim_status sim_fatbin_image_bytes(const void *image, size_t limit, size_t *out_bytes,
                                  kl_error *err);

// Lists the entries of image[0..bytes): one container or several one after the other (zero bytes
// between them), raw PTX or a raw cubin. The image must outlive the result. An image without
// entries is fine.
sim_status sim_fatbin_open(const void *image, size_t bytes, sim_fatbin **out_fatbin, kl_error *err);
void sim_fatbin_close(sim_fatbin *fatbin); // accepts NULL

// Containers that lie one after the other in the image.
uint32_t sim_fatbin_container_count(const sim_fatbin *fatbin);
// Entries of all containers.
uint32_t sim_fatbin_count(const sim_fatbin *fatbin);
// NULL when `index` is not below the count.
const sim_fatbin_entry *sim_fatbin_get(const sim_fatbin *fatbin, uint32_t index);

// The payload of an entry, decompressed; it lives as long as the fat binary. UNSUPPORTED when the
// library for its compression was not built in.
sim_status sim_fatbin_payload(sim_fatbin *fatbin, uint32_t index, const uint8_t **out_data,
                              size_t *out_bytes, kl_error *err);

// The PTX that a device of compute capability `arch` (90) runs best: the highest one not above it;
// of equal ones the architecture-exact (90a). `container` is an index or SIM_FATBIN_ANY. False when
// there is none.
bool sim_fatbin_best_ptx(const sim_fatbin *fatbin, int container, uint32_t arch,
                         uint32_t *out_index);
// The cubin of exactly `arch` (plain before exact), else the highest below it: look at its `arch`,
// as registers of another architecture are but an estimate. False when there is none.
bool sim_fatbin_best_cubin(const sim_fatbin *fatbin, int container, uint32_t arch,
                           uint32_t *out_index);

// What __cudaRegisterFatBinary is handed. Version 2 (a program built with -rdc=true): `image` is
// the linked cubin, and `prelinked` the container of each object file, in which the PTX is. Reads
// this process's memory: the wrapper must be real, it is no untrusted input.
typedef struct sim_fatbin_wrapper {
    uint32_t version;             // 1 or 2
    const void *image;            // the container, in this process's memory
    const void *const *prelinked; // NULL for version 1
    uint32_t prelinked_count;     // of `prelinked`
} sim_fatbin_wrapper;

// Reads what nvcc hands to __cudaRegisterFatBinary. SIM_INVALID_VALUE when it is NULL,
// SIM_BAD_IMAGE when it is no such wrapper.
sim_status sim_fatbin_wrapper_read(const void *wrapper, sim_fatbin_wrapper *out_wrapper,
                                   kl_error *err);

#endif
