// Counter kernels: shapes of grids and blocks, and what limits occupancy. Lanes of a warp are
// numbered along x, then y, then z, whatever the shape.
#include "counter_kernels.h"

static __device__ uint32_t flat_x(void) { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ uint32_t flat_y(void) { return blockIdx.y * blockDim.y + threadIdx.y; }
static __device__ uint32_t flat_z(void) { return blockIdx.z * blockDim.z + threadIdx.z; }

#define SHAPE_2D(name, element)                                                                    \
    COUNTER_KERNEL_BODY(name) {                                                                    \
        uint32_t x = flat_x(), y = flat_y(), width = gridDim.x * blockDim.x,                       \
                 height = gridDim.y * blockDim.y, at = (element);                                  \
        store_4(out + at, load_4(in + at) ^ (width + height));                                     \
    }

SHAPE_2D(shape_2d_rows, y *width + x)
SHAPE_2D(shape_2d_columns, x *height + y)
SHAPE_2D(shape_2d_16x16, y *width + x)
SHAPE_2D(shape_2d_8x8, y *width + x)

#define SHAPE_3D(name)                                                                             \
    COUNTER_KERNEL_BODY(name) {                                                                    \
        uint32_t width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;                  \
        uint32_t at = (flat_z() * height + flat_y()) * width + flat_x();                           \
        store_4(out + at, load_4(in + at) + at);                                                   \
    }

SHAPE_3D(shape_3d)
SHAPE_3D(shape_3d_odd)

#define SHAPE_1D(name)                                                                             \
    COUNTER_KERNEL_BODY(name) { store_4(out + THREAD, load_4(in + THREAD) ^ THREAD); }

SHAPE_1D(shape_block_1024)
SHAPE_1D(shape_block_32)
SHAPE_1D(shape_tail)

// About 100 values live at once, and no bound on registers below that.
extern "C" __global__ void __launch_bounds__(256) shape_registers(COUNTER_ARGUMENTS) {
    uint32_t live[96];
#pragma unroll
    for (int i = 0; i < 96; i++) live[i] = in[THREAD + i * 33792];
#pragma unroll 1
    for (uint32_t trip = 0; trip < 2 + index[0] % 4; trip++) {
#pragma unroll
        for (int i = 0; i < 96; i++) live[i] = live[i] * 5 + live[(i + 17) % 96];
    }
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < 96; i++) sum = sum * 3 + live[i];
    out[THREAD] = sum;
}

// 40 KiB a block.
COUNTER_KERNEL_BODY(shape_shared_static) {
    __shared__ uint32_t tile[10240];
    for (uint32_t i = threadIdx.x; i < 10240; i += blockDim.x) tile[i] = in[i] ^ blockIdx.x;
    __syncthreads();
    out[THREAD] = tile[10239 - threadIdx.x * 7];
}

// 100 KiB a block, more than the default limit.
COUNTER_KERNEL_BODY(shape_shared_dynamic) {
    extern __shared__ uint32_t dynamic_tile[];
    for (uint32_t i = threadIdx.x; i < 25600; i += blockDim.x) dynamic_tile[i] = in[i] ^ blockIdx.x;
    __syncthreads();
    out[THREAD] = dynamic_tile[25599 - threadIdx.x * 7];
}
