// Device memory: the global and constant spaces as one host mapping that mirrors the addresses from
// SIM_GLOBAL_BASE on, with a sorted table of allocations that makes every bound exact. Several
// devices have allocations of their own in it: a kernel reaches those of its device. Shared
// allocations are pages of a file that the program's process maps as well (managed and page-locked
// memory). Host memory at any other address can be attached, so that kernels reach it by the host's
// own pointers. Functions are named sim_mem_*; engine/engine.h's sim_memory_* are the same
// operations by engine handle. Allocation and release must not run while a kernel runs on the same
// memory (the engine serialises them); only the device heap (malloc in kernels) changes during a
// launch, behind its own lock.
#pragma once

#include "device/descriptors.h"
#include "record/sectors.h"

// ---- memory.c -----------------------------------------------------------------------------------

// The memory of all devices of an engine, with its allocations; opaque.
typedef struct sim_memory sim_memory;

// Fresh memory holds this 32-bit pattern, a large number of every type (2.3e36 as float, 2.1e9 as
// int, 6e4 as half). No NaN: |a - b| > bound is false for that, so that a program's own test of its
// results would pass, which fails on a card where the memory holds what was there before.
#define SIM_POISON UINT32_C(0x7BDE7BAD)

// What kernels may do with mapped memory.
typedef enum sim_mem_rights { // as CUmemAccess_flags
    SIM_MEM_INACCESSIBLE = 0,
    SIM_MEM_READABLE = 1,
    SIM_MEM_WRITABLE = 3
} sim_mem_rights;

typedef enum sim_mem_kind { // what an entry of the table is; with 0 bytes no kernel may go there
    SIM_MEM_PLAIN,
    SIM_MEM_RESERVED, // addresses without memory
    SIM_MEM_PAGES,    // memory without addresses: its own are nobody's
    SIM_MEM_MAPPED    // such memory at reserved addresses
} sim_mem_kind;

// A live range [base, base + bytes): exact bytes, base 256-byte aligned. Ids count up and are never
// reused.
typedef struct sim_allocation {
    uint64_t base, bytes; // of the range
    uint64_t whole;       // unless SIM_MEM_PLAIN: its bytes, whether or not they are accessible
    sim_mem_kind kind;    // which of them it is
    bool read_only;       // kernels may not write there
    uint64_t extent;      // from base: no other allocation starts in it
    uint64_t id;          // tells it from every other allocation of the device
    const char *label;    // a variable's name, or NULL; borrowed
    bool given;           // by the judge: not the program's to free
    bool scattered;       // kernels have stored there at addresses that depend on data
    uint8_t device;       // whose memory it is
    bool of_host;         // no device's: each reaches it
    uint8_t reach;        // devices whose kernels may use it
    bool apart;           // `reach` was given by sim_mem_reach, and peers change nothing
} sim_allocation;

// budget_bytes: the most that may be allocated at once on a device. The mapping costs address
// space, not memory.
sim_status sim_mem_new(uint64_t budget_bytes, sim_memory **out_memory, kl_error *err);
void sim_mem_delete(sim_memory *memory);

// What is allocated from here on, and what is asked of a device, is of this one, below
// SIM_MOST_DEVICES; at first 0.
void sim_mem_use(sim_memory *memory, uint32_t device);
// Kernels of `device` may use the memory of `peer`, also what is allocated later; or may no longer.
void sim_mem_peer(sim_memory *memory, uint32_t device, uint32_t peer, bool may);
// Kernels of these devices alone, and of its own, may use the allocation that starts at `address`.
void sim_mem_reach(sim_memory *memory, uint64_t address, uint8_t devices);

// Poisoned. bytes 0 is SIM_INVALID_VALUE; past the budget is SIM_OUT_OF_MEMORY.
sim_status sim_mem_alloc(sim_memory *memory, uint64_t bytes, uint64_t *out_address, kl_error *err);
// The same for a variable, which lies at a multiple of `align`, a power of two, where there are no
// guards.
sim_status sim_mem_alloc_variable(sim_memory *memory, uint64_t bytes, uint64_t align,
                                  uint64_t *out_address, kl_error *err);
// What stays free after an allocation. A new memory has no guards: allocations follow each other
// as on a device (H200).
typedef enum sim_guard {
    SIM_GUARD_NONE,
    SIM_GUARD_UNIT, // SIM_ALLOCATION_ALIGN bytes: what misses one by a little hits no other
    SIM_GUARD_WIDE  // as much as the allocation has, within limits
} sim_guard;
// Allocations from here on have this guard.
void sim_mem_guard(sim_memory *memory, sim_guard guard);
// As sim_mem_alloc at `address`, where such an allocation was and has been released.
// SIM_OUT_OF_MEMORY also when another one has taken the place.
sim_status sim_mem_alloc_at(sim_memory *memory, uint64_t address, uint64_t bytes, kl_error *err);
// SIM_INVALID_VALUE when `address` is not the start of a live allocation; the text tells a double
// free.
sim_status sim_mem_release(sim_memory *memory, uint64_t address, kl_error *err);
// Likewise for host and device: pages of its own, of zeros, with exact bounds. Does not count
// against the budget, for it is host memory.
sim_status sim_mem_alloc_shared(sim_memory *memory, uint64_t bytes, uint64_t *out_address,
                                kl_error *err);
// Where the pages of the shared allocation that starts at `address` lie: in which file, from which
// byte on. The descriptor stays the memory's.
sim_status sim_mem_shared_file(const sim_memory *memory, uint64_t address, int *out_descriptor,
                               uint64_t *out_offset, kl_error *err);
// Lets kernels use [address, address + bytes), which lies outside the device's addresses. `pages`:
// where those bytes are in this process; NULL: the device keeps its own copy, reached by the
// functions below under the same addresses.
sim_status sim_mem_attach(sim_memory *memory, uint64_t address, uint64_t bytes, void *pages,
                          kl_error *err);
// SIM_INVALID_VALUE when no attached range starts at `address`.
sim_status sim_mem_detach(sim_memory *memory, uint64_t address, kl_error *err);
// Names the allocation that starts at `address` for messages; `label` must outlive it.
void sim_mem_label(sim_memory *memory, uint64_t address, const char *label);

// Virtual memory (virtual.c), of which sim_mem_release takes back, at an address where several
// begin: what is mapped, addresses while nothing is mapped there, memory (mapped, it stays).
// Addresses at a multiple of `align`, at `wanted` if that is free (0:
// anywhere): nothing else comes there, and nothing is there.
sim_status sim_mem_reserve(sim_memory *memory, uint64_t bytes, uint64_t align, uint64_t wanted,
                           uint64_t *out_address, kl_error *err);
// Poisoned memory that has no address, in whole pages of the host; its name. Counts against the
// budget.
sim_status sim_mem_pages_new(sim_memory *memory, uint64_t bytes, uint64_t *out_pages,
                             kl_error *err);
// All of that memory at reserved addresses that are free, accessible.
sim_status sim_mem_map(sim_memory *memory, uint64_t address, uint64_t pages, kl_error *err);
// Gives or takes access to memory that is mapped from `address` on.
sim_status sim_mem_access(sim_memory *memory, uint64_t address, sim_mem_rights rights,
                          kl_error *err);
// Whether an address is reserved: it tells nothing of allocations near it.
bool sim_mem_is_virtual(const sim_memory *memory, uint64_t address);
// Whether accessible memory goes on without a gap from inside this allocation to `end`.
bool sim_mem_goes_on(const sim_memory *memory, const sim_allocation *found, uint64_t end);

// The live allocation that holds `address`, NULL when there is none.
const sim_allocation *sim_mem_find(const sim_memory *memory, uint64_t address);
// The same, and NULL where kernels of `device` may not use it.
const sim_allocation *sim_mem_find_from(const sim_memory *memory, uint64_t address,
                                        uint32_t device);
// Whether what lies in the MiB from this address on is memory of another device than this one.
bool sim_mem_is_peers(const sim_memory *memory, uint64_t address, uint32_t device);
// Entries of the table in ascending order (for leak reports), those of 0 bytes too; the device heap
// is one, labelled "device heap".
const sim_allocation *sim_mem_list(const sim_memory *memory, size_t *out_count);
void sim_mem_info(const sim_memory *memory, uint64_t *out_free_bytes, uint64_t *out_total_bytes);

// Host side copies. A range must lie inside one allocation, else SIM_INVALID_VALUE and a text that
// says where it ends up instead. bytes 0 is valid for any address.
sim_status sim_mem_write(sim_memory *memory, uint64_t destination, const void *source,
                         uint64_t bytes, kl_error *err);
sim_status sim_mem_read(const sim_memory *memory, void *destination, uint64_t source,
                        uint64_t bytes, kl_error *err);
sim_status sim_mem_copy(sim_memory *memory, uint64_t destination, uint64_t source, uint64_t bytes,
                        kl_error *err);
// `count` elements of `width` (1, 2 or 4) bytes, each the low bytes of `value`.
sim_status sim_mem_fill(sim_memory *memory, uint64_t destination, uint32_t value, uint32_t width,
                        uint64_t count, kl_error *err);

// --- For a judge ---

// From here on notes are kept of who writes what (record/sectors.h).
sim_status sim_mem_keep_writers(sim_memory *memory, kl_error *err);
sim_writers *sim_mem_writers(const sim_memory *memory);  // NULL: none are kept
void sim_mem_give(sim_memory *memory, uint64_t address); // the allocation that starts there
// Whether the host shares the page of this address.
bool sim_mem_is_shared(const sim_memory *memory, uint64_t address);
// For a debugger, while a kernel runs: shared pages are this process's own until they are put back,
// then the program sees what was written. False: the system does not map them.
bool sim_mem_set_aside_shared(sim_memory *memory);
bool sim_mem_put_back_shared(sim_memory *memory);
// Bytes that kernels have written on shared pages since the last time, each counted once.
uint64_t sim_mem_take_shared_bytes(sim_memory *memory);

// One clause for people about where [address, address + bytes) lies: "4 bytes past the end of the
// allocation of 4096 bytes at 0x2000..", "inside an allocation that was freed", "null pointer", ..
void sim_mem_describe(const sim_memory *memory, uint64_t address, uint64_t bytes, char *out_text,
                      size_t out_bytes);

// Notes that a kernel stores at `address`, which depends on data.
void sim_mem_note_scatter(sim_memory *memory, uint64_t address);
// The live allocation that an address, which none holds, is nearest to; NULL: nothing is allocated.
const sim_allocation *sim_mem_nearest(const sim_memory *memory, uint64_t address);
// Whether an address is of device memory, or so near to it that a wrong index explains it.
static inline bool sim_mem_is_near(uint64_t address) {
    return address + SIM_GLOBAL_SPAN >= SIM_GLOBAL_BASE &&
           address < SIM_GLOBAL_BASE + 2 * SIM_GLOBAL_SPAN;
}

// --- For the executor and observers inside the engine's process only ---

// Host address of device address 0: host = origin + address, valid inside live allocations only.
uint8_t *sim_mem_origin(const sim_memory *memory);
// Device addresses from SIM_GLOBAL_BASE to here have been allocated at some time.
uint64_t sim_mem_high_water(const sim_memory *memory);
// Equal for two points in time: no allocation came or went between them, and none got or lost a
// device that reaches it.
uint64_t sim_mem_version(const sim_memory *memory);

// An attached range: device memory under another address. Counters, caches and checks see `device`,
// the bytes are at `host`.
typedef struct sim_attachment {
    uint64_t base, bytes, device; // of the range, and its address in device memory
    uint8_t *host;                // the host's own memory, borrowed
} sim_attachment;

// The range that holds all of [address, address + bytes); NULL when none does.
const sim_attachment *sim_mem_attached(const sim_memory *memory, uint64_t address, uint64_t bytes);

// Its device address for an address that is attached; any other comes back as it is.
uint64_t sim_mem_device(const sim_memory *memory, uint64_t address);

// Heap of the device in use: malloc and free of kernels. sim_grid_run creates it before a launch
// that calls malloc, because the allocation table stays fixed while kernels run. Thread-safe from
// then on; false: no memory for it.
// Default 8 MiB; false: the heap exists already and has another size.
bool sim_mem_set_heap_bytes(sim_memory *memory, uint64_t bytes);
uint64_t sim_mem_heap_bytes(const sim_memory *memory);
bool sim_mem_heap_create(sim_memory *memory);
uint64_t sim_mem_heap_alloc(sim_memory *memory, uint64_t bytes); // 0 when the heap is full
bool sim_mem_heap_release(sim_memory *memory, uint64_t address); // false: not a live heap block
// The heap's range; lookups inside it go through sim_mem_heap_holds, because it changes during
// launches.
void sim_mem_heap_range(const sim_memory *memory, uint64_t *out_base, uint64_t *out_end);
bool sim_mem_heap_holds(const sim_memory *memory, uint64_t address, uint64_t bytes);

// ---- texture.c ----------------------------------------------------------------------------------
// Textures and surfaces: the fetch as a function of an object's description, of device memory and
// of coordinates (CUDA C++ Programming Guide, appendix "Texture Fetching"; PTX ISA 9.0, section
// 9.7.10). Knows nothing of warps, of counters or of the runtime API.

enum { SIM_TEXTURE_MAX_TEXELS = 16 }; // of a volume, on two levels

// Coordinates of one fetch, and the texels that it read.
typedef struct sim_texture_point {
    sim_geometry geometry; // of the instruction
    bool is_integer;       // the coordinates are `index`, not `at`
    float at[3];           // coordinates of a texture, by axis
    int32_t index[3];      // coordinates of a surface, or of texels, by axis
    uint32_t layer;        // clamped to the layers there are
    float level;           // of a mipmap; -infinity: none is asked for, and no bias counts
    bool has_gradients;    // which give the level instead
    float gradients[2][3]; // of the coordinates, from pixel to pixel along x and y
    // Filled by a fetch: places of the texels read, as byte, row and slice of a level.
    uint32_t texel_count;
    struct {
        uint32_t byte, row, slice, level;
    } texels[SIM_TEXTURE_MAX_TEXELS];
} sim_texture_point;

// From the first byte to the last one.
uint64_t sim_texture_bytes(const sim_texture_desc *texture);
// Whether a description makes sense in itself: sizes, formats, no overflow.
sim_status sim_texture_check(const sim_texture_desc *texture, kl_error *err);

// `memory`: host address of byte 0. Out: what the four registers hold.
void sim_texture_fetch(const sim_texture_desc *texture, const uint8_t *memory,
                       sim_texture_point *point, uint32_t out[4]);
// The four texels that a linear fetch would weigh, `component` of each: in the order of tld4.
void sim_texture_gather(const sim_texture_desc *texture, const uint8_t *memory,
                        sim_texture_point *point, uint32_t component, uint32_t out[4]);

// Where an access of `bytes` at byte x of row y of slice z lies, from the surface's start.
// SIM_OUTSIDE: nowhere; with SIM_SURFACE_CLAMP the nearest place inside.
#define SIM_OUTSIDE UINT64_MAX
uint64_t sim_surface_place(const sim_texture_desc *surface, sim_surface_clamp clamp,
                           sim_texture_point *point, uint32_t bytes);
// sust.p: four registers as a texel of the surface's format.
void sim_surface_pack(const sim_texture_desc *surface, const uint32_t values[4],
                      uint8_t out_texel[16]);

// The objects of a device. Handles are what kernels hold; 0 is none.
typedef struct sim_texture_table {
    // One object; a handle leads to it.
    struct sim_texture_slot {
        bool is_live;          // created and not destroyed
        sim_texture_desc desc; // copied
    } * slots;                 // [count], by handle
    uint32_t count, capacity;  // of `slots`: used, and allocated
} sim_texture_table;

// Keeps a copy of a checked description (sim_texture_check). SIM_OUT_OF_MEMORY also at the largest
// number of objects.
sim_status sim_texture_add(sim_texture_table *table, const sim_texture_desc *texture,
                           uint64_t *out_handle, kl_error *err);
// Ends the handle. SIM_INVALID_HANDLE when it names no live object.
sim_status sim_texture_remove(sim_texture_table *table, uint64_t handle, kl_error *err);
// NULL when the handle names no live object.
const sim_texture_desc *sim_texture_find(const sim_texture_table *table, uint64_t handle);
void sim_texture_table_free(sim_texture_table *table);
