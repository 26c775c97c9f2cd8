// Readers of what nvcc and ptxas write: fat binaries, cubins, compressed device code, operation
// codes.
#pragma once

#include "base/base.h"

// ---- fatbin.c -----------------------------------------------------------------------------------
// Reader of CUDA fat binaries: the container that nvcc puts into .nv_fatbin, also raw PTX text and
// raw cubins. Layout as observed with nvcc 13.0: NVIDIA publishes none. Images are hostile
// input: nothing is trusted, nothing is read at or past the given limit, no alignment is assumed.

// What an entry holds, by the numbers of the format.
typedef enum sim_fatbin_kind {
    SIM_FATBIN_PTX = 1,   // text, no NUL promised
    SIM_FATBIN_CUBIN = 2, // ELF64 of machine code
    SIM_FATBIN_LTO = 8,   // intermediate code for link-time optimisation
    SIM_FATBIN_TILE = 128 // of tile kernels, in a fat binary of their own (nvcc -enable-tile, 13.5)
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

// ---- cubin.c ------------------------------------------------------------------------------------
// Reader of cubins: the ELF64 files of machine code that ptxas writes. Gives what PTX does not
// tell: registers, static shared memory, stack, barriers, spills, the code itself, and which source
// and PTX line each instruction came from. NVIDIA publishes neither sections nor attributes: they
// are as observed in files of ptxas 13.0 (cuobjdump -elf shows them). Cubins are hostile input:
// nothing is trusted. Must not decode instructions, but for the width of a spill (cubin_info.c).

// An opened cubin; opaque.
typedef struct sim_cubin sim_cubin;

// Where a kernel parameter lies: `offset` from the first one.
typedef struct sim_cubin_param {
    uint32_t offset, size_bytes; // in the parameter block
} sim_cubin_param;

// One kernel, or (in relocatable cubins) one device function.
typedef struct sim_cubin_kernel {
    const char *name;       // mangled
    bool is_entry;          // false: a device function
    uint32_t registers;     // a thread; 0: the cubin does not say
    uint32_t max_registers; // what launch bounds or .maxnreg allow; 0: no limit given
    uint32_t shared_bytes;  // static, per block, without the 1 KiB that sm_90 reserves
    uint32_t frame_bytes;   // stack frame, per thread
    uint32_t stack_bytes;  // frame and those of its callees; the frame alone when that is not known
    bool is_stack_unknown; // recursion or calls through pointers: ptxas gives no bound
    uint32_t barriers;     // named barriers that it uses: highest number plus one
    uint32_t param_bytes;  // all parameters
    uint32_t max_threads[3];      // .maxntid or __launch_bounds__; 0: not given
    uint32_t required_threads[3]; // .reqntid; 0: not given
    uint32_t spill_store_bytes,   // as ptxas -v prints: width of each spill instruction, per thread
        spill_load_bytes;         // as ptxas -v prints: width of each spill instruction, per thread
    bool marks_spills; // false: of a toolkit before 13, which does not tell spills from other
                       // accesses to local memory; all of them count above, and `spills` is empty
    const sim_cubin_param *params; // in order
    uint32_t param_count;          // of `params`
    const uint32_t *spills;        // offsets of the spill instructions in the code, ascending
    uint32_t spill_count;          // of `spills`
    const uint8_t *code; // .text.<name>: 16 bytes per instruction, local functions included
    size_t code_bytes;   // of `code`
} sim_cubin_kernel;

// From `offset` on, up to the next row, instructions belong to `line` of the PTX text.
typedef struct sim_cubin_line {
    uint32_t offset; // bytes from the beginning of the code
    uint32_t line;   // from 1
} sim_cubin_line;

// Reads the headers of image[0..bytes), which must outlive the result.
sim_status sim_cubin_open(const void *image, size_t bytes, sim_cubin **out_cubin, kl_error *err);
void sim_cubin_close(sim_cubin *cubin); // accepts NULL

uint32_t sim_cubin_arch(const sim_cubin *cubin); // 90

// Kernels of the cubin; functions that are only called are none.
uint32_t sim_cubin_kernel_count(const sim_cubin *cubin);
// In order of name; NULL when `index` is not below the count.
const sim_cubin_kernel *sim_cubin_kernel_get(const sim_cubin *cubin, uint32_t index);
// By mangled name; NULL when there is none.
const sim_cubin_kernel *sim_cubin_find(const sim_cubin *cubin, const char *name);

// Lines of the PTX text that was compiled (the text beside the cubin in its fat binary: same line
// numbers) of a kernel's code, ascending by offset; of rows with one offset the last counts. Zero
// rows when compiled without -lineinfo. The rows live as long as the cubin.
sim_status sim_cubin_ptx_lines(sim_cubin *cubin, const char *kernel,
                               const sim_cubin_line **out_lines, uint32_t *out_count,
                               kl_error *err);
// The row that `offset` belongs to: the last one at or before it. NULL when there is none.
const sim_cubin_line *sim_cubin_line_at(const sim_cubin_line *lines, uint32_t count,
                                        uint32_t offset);

// ---- decompress.c -------------------------------------------------------------------------------
// zstd and LZ4, for device code that nvcc compressed. The libraries are looked for when they are
// needed: Debian installs them everywhere, but not what a build against them would ask for.

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

// ---- cubin.c ------------------------------------------------------------------------------------
// What a machine instruction of compute capability 9.0 is, as far as its operation code tells:
// name, width of an access, predicate. Operands are not decoded: that is nvdisasm's business.

enum { SIM_MACHINE_BYTES = 16, SIM_MACHINE_ALWAYS = 7 }; // of an instruction; predicate register PT

// What is known of an instruction.
typedef struct sim_machine_opcode {
    const char *name;  // "LDG"; NULL: not in the table
    const char *text;  // what it does
    uint32_t code;     // the low 12 bits
    uint32_t bits;     // an access moves for each thread; 0: it is none
    uint8_t predicate; // register that decides whether it acts; SIM_MACHINE_ALWAYS: it always does
    bool negated;      // it acts where the predicate is false
} sim_machine_opcode;

// words: the bits of the instruction, the low half first. Never fails: name is NULL for an
// operation that the table does not have.
sim_machine_opcode sim_machine_opcode_of(const uint64_t words[2]);
