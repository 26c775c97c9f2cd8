// Memory that the program gets from the runtime, and what is done with it.
#pragma once

#include "runtime/state/state.h"

// ---- pool.c -------------------------------------------------------------------------------------
// Memory pools: what they hold of the device's memory, and which address comes next.

enum { RUNTIME_POOL_BYTES = 32 << 20, RUNTIME_POOL_FREED = 32 };

typedef struct CUmemPoolHandle_st {
    runtime_memory_kind kind;
    int device;                       // whose memory it is
    uint8_t reach;                    // other devices whose kernels may use it, a bit each
    uint64_t release_threshold, most; // bytes; `most` 0: no limit
    uint64_t used, used_high;         // bytes
    uint64_t reserved, reserved_high; // of the blocks
    struct {
        bool reserved;
        uint32_t ranges;       // live ones that lie in it
    } * blocks;                // [block_count], each of RUNTIME_POOL_BYTES
    uint64_t block_count, end; // `end`: offset that nothing was at so far
    struct {
        uint64_t base, offset, bytes; // bytes 0: none
    } freed[RUNTIME_POOL_FREED];      // that may come again, as a ring
    uint32_t freed_count;             // ever
    const runtime_queue *freed_in;    // the last one; NULL: none, or by cudaFree
    int reuse[4];                     // by attribute 1..3
    bool dead;                        // destroyed, but memory of it is live
    struct CUmemPoolHandle_st *next;
} runtime_pool;

runtime_pool *runtime_pool_default(runtime_memory_kind kind);
// The present pool of the device in use; those of the other kinds are always the default ones.
runtime_pool *runtime_pool_current(void);
// What memory of graphs is counted in; no program gets its handle.
runtime_pool *runtime_pool_of_graphs(void);
bool runtime_pool_is_default(const runtime_pool *pool);
bool runtime_pool_is_live(cudaMemPool_t candidate);

runtime_pool *runtime_pool_new(runtime_memory_kind kind); // NULL: out of memory
// Memory of a destroyed pool stays valid until it is freed.
void runtime_pool_destroy(runtime_pool *pool);
// Kernels of `device` may use what lies in the pool, or may no longer.
void runtime_pool_reach(runtime_pool *pool, int device, bool may);
cudaError_t runtime_pool_get(const runtime_pool *pool, enum cudaMemPoolAttr attribute,
                             void *out_value);
cudaError_t runtime_pool_set(runtime_pool *pool, enum cudaMemPoolAttr attribute, const void *value);
// Where `bytes` lie in the pool that are taken next: at an offset that was freed before, or after
// all others. Returns the address that was there, 0: none.
uint64_t runtime_pool_place(runtime_pool *pool, uint64_t bytes, uint64_t *out_offset);
// Whether so many bytes more stay below its limit, in whole blocks.
bool runtime_pool_can_hold(const runtime_pool *pool, uint64_t bytes);
// The live range lies in the pool, at its offset; or does so no longer.
void runtime_pool_taken(runtime_pool *pool, runtime_range *range);
void runtime_pool_returned(runtime_pool *pool, const runtime_range *range);
// Gives blocks back that nothing lies in, as long as `keep` bytes stay.
void runtime_pool_trim(runtime_pool *pool, uint64_t keep);
// The host has waited, for `queue` or (NULL) for all: pools are trimmed to their thresholds.
void runtime_pools_trim(const runtime_queue *queue);
uint64_t runtime_pools_reserved(void); // of the device's memory, by all of them
void runtime_pools_reset(void);

// ---- alloc.c ------------------------------------------------------------------------------------
// Memory of the device, and of pools of any kind.

// `pool`: NULL for memory of no pool.
cudaError_t runtime_alloc(uint64_t bytes, runtime_pool *pool, void **out_pointer);
// Rows, each at the alignment that textures ask for.
cudaError_t runtime_alloc_rows(size_t width, size_t rows, void **out_pointer, size_t *out_pitch);
// Of the pool's kind of memory.
cudaError_t runtime_pool_alloc(runtime_pool *pool, uint64_t bytes, void **out_pointer);
// Memory of graphs at an address that was kept for it.
cudaError_t runtime_graph_alloc(uint64_t address, uint64_t bytes);
cudaError_t runtime_free(void *pointer);
// Whether kernels of the device in use may use the memory there, which is the program's or a
// variable's.
bool runtime_is_reached(uint64_t address);
// Releases all ranges and destroys all pools of the device in use.
void runtime_memory_reset(void);

// ---- virtual.c ----------------------------------------------------------------------------------
// Virtual memory of the driver API: reserved addresses, memory that has none, and mappings. Sizes
// are multiples of the granularity.

#define RUNTIME_GRANULE (UINT64_C(2) << 20)

// CUmemAllocationProp.
typedef struct runtime_backing {
    int type, handle_types;
    struct cudaMemLocation location;
    void *security;
    unsigned char compression, rdma;
    unsigned short usage;
    unsigned char reserved[4];
} runtime_backing;

cudaError_t runtime_virtual_reserve(uint64_t bytes, uint64_t align, uint64_t wanted,
                                    uint64_t *out_address);
cudaError_t runtime_virtual_unreserve(uint64_t address, uint64_t bytes);
cudaError_t runtime_virtual_create(uint64_t bytes, const runtime_backing *backing,
                                   uint64_t *out_handle);
// One handle of it less: memory goes with the last one, and where it is mapped no longer.
cudaError_t runtime_virtual_release(uint64_t handle);
cudaError_t runtime_virtual_backing(uint64_t handle, runtime_backing *out);
cudaError_t runtime_virtual_retain(uint64_t address, uint64_t *out_handle);
cudaError_t runtime_virtual_map(uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle);
cudaError_t runtime_virtual_unmap(uint64_t address, uint64_t bytes);
// `access`: CUmemAccess_flags of the device.
cudaError_t runtime_virtual_access(uint64_t address, uint64_t bytes, unsigned access);
cudaError_t runtime_virtual_access_of(uint64_t address, unsigned *out_access);
void runtime_virtual_reset(void);

// The driver's functions (api/memory/virtual.c): exported, for libcuda.so.1.
cudaError_t sim_runtime_virtual_reserve(uint64_t *out_address, size_t bytes, size_t align,
                                        uint64_t wanted, unsigned long long flags);
cudaError_t sim_runtime_virtual_free(uint64_t address, size_t bytes);
cudaError_t sim_runtime_virtual_create(uint64_t *out_handle, size_t bytes, const void *backing,
                                       unsigned long long flags);
cudaError_t sim_runtime_virtual_release(uint64_t handle);
cudaError_t sim_runtime_virtual_map(uint64_t address, size_t bytes, size_t offset, uint64_t handle,
                                    unsigned long long flags);
cudaError_t sim_runtime_virtual_unmap(uint64_t address, size_t bytes);
cudaError_t sim_runtime_virtual_access(uint64_t address, size_t bytes,
                                       const struct cudaMemAccessDesc *access, size_t count);
cudaError_t sim_runtime_virtual_access_of(unsigned long long *out_flags,
                                          const struct cudaMemLocation *location, uint64_t address);
cudaError_t sim_runtime_virtual_granularity(size_t *out_bytes, const void *backing, int option);
cudaError_t sim_runtime_virtual_backing(void *out, uint64_t handle); // a runtime_backing
cudaError_t sim_runtime_virtual_retain(uint64_t *out_handle, const void *address);

// cuMemGetAddressRange.
cudaError_t sim_runtime_address_range(uint64_t *out_base, size_t *out_bytes, uint64_t address);

// ---- host_pages.c -------------------------------------------------------------------------------
// Memory that host and kernels use by the same addresses: managed, page-locked, registered.

// Managed or page-locked memory: `flags` of the call that asks.
cudaError_t runtime_shared_alloc(runtime_memory_kind kind, uint64_t bytes, unsigned flags,
                                 runtime_pool *pool, void **out_pointer);
// Makes a __managed__ variable, whose engine address is `address`, readable by the host.
cudaError_t runtime_managed_adopt(sim_module_handle module, uint64_t address, uint64_t bytes);
// Lets kernels use memory that the program has.
cudaError_t runtime_host_attach(uint64_t address, uint64_t bytes, unsigned flags);
// Unmaps, frees and forgets a range of any kind.
cudaError_t runtime_range_release(runtime_range *range);
// Around a launch: registered memory that the engine cannot reach in place.
cudaError_t runtime_copies_to_device(void);
cudaError_t runtime_copies_to_host(void);

// ---- array.c ------------------------------------------------------------------------------------
// CUDA arrays: device memory row by row with a shape and a texel format. Kernels reach them through
// texture and surface objects only.

struct cudaArray {
    uint64_t address; // of the engine
    int device;       // whose memory it is
    uint64_t row_bytes, slice_bytes;
    size_t texel_bytes, rows, slices; // rows and slices are at least 1
    struct cudaChannelFormatDesc channels;
    struct cudaExtent extent; // as asked for
    unsigned flags;
    bool is_level; // of a mipmap, which has its memory
};

struct cudaMipmappedArray {
    uint32_t count;
    struct cudaArray levels[SIM_TEXTURE_MAX_LEVELS]; // [count], the largest first
};

// Bytes of a texel; 0 when there is no such format.
size_t runtime_texel_bytes(const struct cudaChannelFormatDesc *channels);
// The live array behind a handle, NULL when there is none.
struct cudaArray *runtime_array_find(cudaArray_const_t array);
cudaError_t runtime_array_create(cudaArray_t *out_array,
                                 const struct cudaChannelFormatDesc *channels,
                                 struct cudaExtent size, unsigned flags);
cudaError_t runtime_array_free(struct cudaArray *array);
cudaError_t runtime_mipmap_create(cudaMipmappedArray_t *out_mipmap,
                                  const struct cudaChannelFormatDesc *channels,
                                  struct cudaExtent size, uint32_t levels, unsigned flags);
struct cudaMipmappedArray *runtime_mipmap_find(cudaMipmappedArray_const_t mipmap);
cudaError_t runtime_mipmap_free(struct cudaMipmappedArray *mipmap);
void runtime_arrays_reset(void); // of the device in use, mipmaps, too
// As a texture that nothing has been said of yet.
sim_texture_desc runtime_array_texture(const struct cudaArray *array);

// A corner of an array, `x` in bytes. Texels lie row by row without gaps: an array is a box of
// memory.
void *runtime_array_corner(const struct cudaArray *array, size_t x, size_t y, size_t z);
// Whether the first slice has `height` rows of `width` bytes from there on.
bool runtime_array_holds(const struct cudaArray *array, size_t x, size_t y, size_t width,
                         size_t height);
// Whether [at, at + count) lies in [0, size).
bool runtime_is_inside(size_t at, size_t count, size_t size);

// ---- texture.c ----------------------------------------------------------------------------------
// Texture and surface objects.

#define RUNTIME_TEXTURE_LINEAR_BYTES (UINT64_C(1) << 32) // that a linear texture reaches

typedef struct runtime_texture {
    uint64_t handle;
    bool is_surface;
    int device; // that was current when it was made
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
} runtime_texture;

// NULL: no live object has this handle.
runtime_texture *runtime_texture_find(uint64_t handle, bool surface);
cudaError_t runtime_texture_create(uint64_t *out_handle, const struct cudaResourceDesc *resource,
                                   const struct cudaTextureDesc *desc,
                                   const struct cudaResourceViewDesc *view);
cudaError_t runtime_surface_create(uint64_t *out_handle, const struct cudaResourceDesc *resource);
void runtime_texture_destroy(runtime_texture *texture);
void runtime_textures_reset(void); // of the device in use

// ---- copy.c -------------------------------------------------------------------------------------
// Rows of bytes: copied between any two places, or filled. At once, whatever stream asked.

typedef struct runtime_rows {
    void *to;
    const void *from;              // of a copy
    uint64_t to_pitch, from_pitch; // bytes from row to row
    uint64_t bytes, count;         // of a row; rows
} runtime_rows;

// `kind` as in cudaMemcpy. Fills out_transfer with what a device would have moved, in one go.
cudaError_t runtime_copy_rows(const runtime_rows *rows, enum cudaMemcpyKind kind,
                              runtime_transfer *out_transfer);
// With elements of 1, 2 or 4 bytes.
cudaError_t runtime_fill_rows(const runtime_rows *rows, uint32_t value, uint32_t element_bytes);
// Whether memory from `destination` on can be filled, or copied to and from.
cudaError_t runtime_fill_check(void *destination, uint64_t bytes);
cudaError_t runtime_copy_check(void *destination, const void *source, uint64_t bytes,
                               enum cudaMemcpyKind kind);
// Direction and memory of a copy that has not been checked yet; not its bytes.
void runtime_copy_look(const void *to, const void *from, runtime_transfer *out_transfer);

// ---- box.c --------------------------------------------------------------------------------------
// Boxes of rows that are copied or filled. Like copy.c: at once, the caller charges the clock.

// A box of rows in linear memory or of an array. Linear copies have one row, 2D copies one slice.
typedef struct runtime_box {
    void *to;
    const void *from;
    size_t width, height, depth; // bytes, rows, slices
    size_t to_pitch, from_pitch; // bytes from row to row
    size_t to_slice, from_slice; // bytes from slice to slice
    enum cudaMemcpyKind kind;
} runtime_box;

// One row.
runtime_box runtime_box_linear(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
// The box that `p` describes; one without rows when there is nothing to copy.
cudaError_t runtime_box_of(const struct cudaMemcpy3DParms *p, runtime_box *out_box);
bool runtime_box_is_empty(const runtime_box *box);
cudaError_t runtime_box_check_pitches(const runtime_box *box);
// Whether its pitches, pointers and direction are right; moves nothing.
cudaError_t runtime_box_check(const runtime_box *box);
// Moves the bytes of a box, as a piece of work in the queue.
cudaError_t runtime_box_move(const runtime_box *box, const runtime_queue *queue,
                             runtime_mover mover, runtime_transfer *out_transfer);

// Rows to be filled with elements of 1, 2 or 4 bytes.
typedef struct runtime_filling {
    void *start;
    size_t pitch, slice; // bytes from row to row, from slice to slice
    uint32_t value, element_bytes;
    size_t width, height, depth; // elements, rows, slices
} runtime_filling;

cudaError_t runtime_filling_check(const runtime_filling *filling);
cudaError_t runtime_filling_do(const runtime_filling *filling, const runtime_queue *queue,
                               runtime_mover mover, runtime_transfer *out_transfer);
