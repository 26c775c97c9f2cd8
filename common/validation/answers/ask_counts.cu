// Questions about counters of small kernels, each launched once: run under a profiler.
// Without one the program prints only "done 0".
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
typedef unsigned u32;
#define LANE threadIdx.x
static __device__ volatile u32 zero;
static __constant__ float table[64];
extern __shared__ __align__(128) float tile[];
static __device__ __forceinline__ u32 at(int word) {
    return (u32)__cvta_generic_to_shared(tile) + 4 * word;
}
typedef void (*Kernel)(float *g, float *o);
struct Launch {
    Kernel kernel;
    unsigned blocks, threads;
};
static Launch launches[128];
static int launch_count;
struct Enter {
    Enter(Kernel kernel, unsigned blocks, unsigned threads) {
        launches[launch_count++] = {kernel, blocks, threads};
    }
};
#define K(number, blocks, threads, ...)                                                            \
    __global__ void c##number(float *g, float *o) { __VA_ARGS__; }                                 \
    static Enter enter##number(c##number, blocks, threads);
#define LOAD(T, index) ((const volatile T *)g)[index]
static __device__ __forceinline__ float4 load4(const float *g, u32 index) {
    float4 v;
    asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"((const float4 *)g + index));
    return v;
}
static __device__ __forceinline__ float2 load2(const float *g, u32 index) {
    float2 v;
    asm volatile("ld.global.v2.f32 {%0,%1}, [%2];"
                 : "=f"(v.x), "=f"(v.y)
                 : "l"((const float2 *)g + index));
    return v;
}
#define use(v) o[LANE] = (v)
static __device__ __forceinline__ float lds(int word) {
    float v;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at(word)));
    return v;
}
static __device__ __forceinline__ void sts(int word, float v) {
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(at(word)), "f"(v) : "memory");
}

// ---- instructions ------------------------------------------------------------------------------
K(1501, 1, 32, )
K(1502, 2, 128, )
K(1503, 1, 32, o[0] = 1)
K(1504, 1, 32, o[LANE] = LANE)
K(1505, 1, 64, if (LANE < 40) o[LANE] = 1)
K(1506, 1, 64, if (LANE < 32) o[LANE] = 1)
K(1507, 1, 32, for (u32 i = 0; i < 3 + zero; i++) o[i] = 1)
K(1508, 1, 32, __syncthreads(); o[LANE] = 1)
K(1509, 1, 32, if (LANE & 1) o[LANE] = 1; else o[LANE] = g[LANE] * 3)
K(1510, 1, 32, o[LANE] = __sinf(g[LANE]))
K(1511, 1, 32, o[LANE] = sqrtf(g[LANE]))
K(1512, 1, 32, o[LANE] = 1 / g[LANE])
// ---- wavefronts of global memory ---------------------------------------------------------------
K(1521, 1, 32, use(LOAD(float, LANE)))
K(1522, 1, 32, use(LOAD(float, 0)))
K(1523, 1, 32, if (LANE == 0) use(LOAD(float, 0)))
K(1524, 1, 32, use(LOAD(float, LANE + 1)))
K(1525, 1, 32, use(LOAD(float, LANE * 2)))
K(1526, 1, 32, use(LOAD(float, LANE * 4)))
K(1527, 1, 32, use(LOAD(float, LANE * 8)))
K(1528, 1, 32, use(LOAD(float, LANE * 16)))
K(1529, 1, 32, use(LOAD(float, LANE * 32)))
K(1530, 1, 32, use(LOAD(float, LANE * 33)))
K(1531, 1, 32, use(LOAD(float, LANE * 9)))
K(1532, 1, 32, float2 v = load2(g, LANE); use(v.x + v.y))
K(1533, 1, 32, float2 v = load2(g, LANE * 2); use(v.x + v.y))
K(1534, 1, 32, float4 v = load4(g, LANE); use(v.x + v.y + v.z + v.w))
K(1535, 1, 32, float4 v = load4(g, LANE * 2); use(v.x + v.y + v.z + v.w))
K(1536, 1, 32, float4 v = load4(g, LANE + 1); use(v.x + v.y + v.z + v.w))
K(1537, 1, 32, float4 v = load4(g, 0); use(v.x + v.y + v.z + v.w))
K(1538, 1, 32, use(LOAD(unsigned char, LANE)))
K(1539, 1, 32, use(LOAD(float, (LANE * 5) % 32)))
K(1540, 1, 32, use(LOAD(float, LANE % 2 * 64 + LANE)))
K(1541, 1, 32, use(LOAD(float, LANE % 2 * 32 + LANE / 2)))
K(1542, 1, 32, use(LOAD(float, LANE) + LOAD(float, LANE)))
K(1543, 1, 32, use(LOAD(float, LANE) + LOAD(float, LANE + 32)))
K(1544, 1, 16, use(LOAD(float, LANE)))
K(1545, 1, 32, use(LOAD(float, LANE / 4 * 32)))
K(1546, 1, 32, use(LOAD(float, LANE / 16 * 1024 + LANE)))
K(1551, 1, 32, o[LANE + 1] = 1)
K(1552, 1, 32, o[LANE * 2] = 1)
K(1553, 1, 32, o[LANE * 8] = 1)
K(1554, 1, 32, o[LANE * 32] = 1)
K(1555, 1, 32, ((float2 *)o)[LANE] = make_float2(1, 1))
K(1556, 1, 32, ((float4 *)o)[LANE] = make_float4(1, 1, 1, 1))
K(1557, 1, 32, ((float4 *)o)[LANE * 2] = make_float4(1, 1, 1, 1))
K(1558, 1, 32, ((unsigned char *)o)[LANE] = 1)
K(1559, 1, 32, if (LANE == 5) o[0] = 1)
K(1560, 1, 32, o[LANE * 33] = 1)
K(1561, 1, 32, atomicAdd((int *)o, (int)LANE))
K(1562, 1, 32, atomicAdd((int *)o + LANE, 1))
K(1563, 1, 32, atomicAdd(o + LANE, 1.0f))
K(1564, 1, 32, use(__int_as_float(atomicAdd((int *)o + LANE, 1))))
K(1565, 1, 32, atomicAdd((int *)o + LANE * 8, 1))
K(1566, 1, 32, use(__int_as_float(atomicExch((int *)o, (int)LANE))))
// ---- shared memory -----------------------------------------------------------------------------
K(1571, 1, 32, use(lds(LANE)))
K(1572, 1, 32, sts(LANE, 1))
K(1573, 1, 32, sts(LANE, 1); use(lds(LANE)))
K(1574, 1, 32, use(lds(LANE) + lds(LANE + 32) + lds(LANE * 2)))
K(1575, 1, 64, use(lds(LANE)))
K(1576, 2, 32, use(lds(LANE)))
K(1577, 1, 32, use(lds(LANE * 32)))
K(1578, 1, 32, sts(LANE * 32, 1))
K(1579, 1, 32, use(__shfl_xor_sync(~0u, g[LANE], 1)))
K(1580, 1, 32, use(__shfl_xor_sync(~0u, (float)LANE, 1)))
K(1581, 1, 32, o[LANE] = __ballot_sync(~0u, LANE &zero))
K(1582, 1, 32, o[LANE] = __reduce_add_sync(~0u, LANE))
K(1583, 1, 32, asm volatile("red.shared.add.s32 [%0], %1;" ::"r"(at(LANE)), "r"(LANE)))
K(1584, 1, 32, asm volatile("red.shared.add.s32 [%0], %1;" ::"r"(at(0)), "r"(LANE)))
K(1585, 1, 32, u32 r; asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                                   : "=r"(r)
                                   : "r"(at(LANE)), "r"(LANE));
  use(__uint_as_float(r)))
K(1586, 1, 32, u32 r; asm volatile("atom.shared.exch.b32 %0, [%1], %2;"
                                   : "=r"(r)
                                   : "r"(at(0)), "r"(LANE));
  use(__uint_as_float(r)))
K(1587, 1, 32, u32 r; asm volatile("atom.shared.cas.b32 %0, [%1], %2, %2;"
                                   : "=r"(r)
                                   : "r"(at(LANE)), "r"(LANE));
  use(__uint_as_float(r)))
K(1588, 1, 32, asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(at(LANE)), "f"(1.0f)))
K(1589, 1, 32, u32 r; asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                                   : "=r"(r)
                                   : "r"(at(LANE % 8 * 4)));
  use(__uint_as_float(r)))
K(1590, 1, 32,
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"(at(LANE)),
               "l"(g + LANE)
               : "memory"))
K(1591, 1, 32,
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8; cp.async.wait_all;" ::"r"(at(LANE * 2)),
               "l"(g + LANE * 2)
               : "memory"))
K(1592, 1, 32,
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16; cp.async.wait_all;" ::"r"(at(LANE * 4)),
               "l"(g + LANE * 4)
               : "memory"))
K(1593, 1, 32,
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.wait_all;" ::"r"(at(LANE * 4)),
               "l"(g + LANE * 4)
               : "memory"))
K(1594, 1, 32,
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"(at(LANE * 32)),
               "l"(g + LANE)
               : "memory"))
K(1595, 1, 32,
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"(at(LANE)),
               "l"(g + LANE * 32)
               : "memory"))
K(1596, 1, 32,
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.wait_all;" ::"r"(at(LANE * 8)),
               "l"(g + LANE * 4)
               : "memory"))
K(1597, 1, 32, o[LANE] = table[LANE + zero])
K(1598, 1, 32,
  if (LANE == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(0))
                              : "memory"))
K(1599, 1, 32, __threadfence(); __threadfence_block())
// ---- the L2's sectors --------------------------------------------------------------------------
#define SIZED(size)                                                                                \
    float v;                                                                                       \
    asm volatile("ld.global." size "f32 %0, [%1];" : "=f"(v) : "l"(g + LANE * 0));                 \
    use(v)
K(1601, 1, 1, SIZED("L2::64B."))
K(1602, 1, 1, SIZED("L2::128B."))
K(1603, 1, 1, SIZED("L2::256B."))
K(1604, 1, 1, SIZED("cg."))
K(1605, 1, 1, asm volatile("prefetch.global.L2 [%0];" ::"l"(g)))
K(1606, 1, 1, asm volatile("prefetch.global.L1 [%0];" ::"l"(g)))
K(1607, 1, 1, float v; asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(g + 4)); use(v))
K(1608, 1, 1, float v; asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(g + 8)); use(v))
K(1609, 1, 32, float v; asm volatile("ld.global.L2::128B.f32 %0, [%1];"
                                     : "=f"(v)
                                     : "l"(g + LANE * 32));
  use(v))
K(1610, 1, 32, float v; asm volatile("ld.global.L2::256B.f32 %0, [%1];"
                                     : "=f"(v)
                                     : "l"(g + LANE * 64));
  use(v))
K(1611, 1, 32, float v; asm volatile("ld.global.f32 %0, [%1];"
                                     : "=f"(v)
                                     : "l"(g + LANE * 64));
  use(v))
K(1612, 1, 32, float v; asm volatile("ld.global.L2::64B.f32 %0, [%1];"
                                     : "=f"(v)
                                     : "l"(g + LANE * 64));
  use(v))
K(1613, 1, 1, asm volatile("cp.async.bulk.prefetch.L2.global [%0], 256;" ::"l"(g)))
K(1614, 1, 1, asm volatile("discard.global.L2 [%0], 128;" ::"l"(g)))
K(1615, 132, 32, use(LOAD(float, LANE)))
K(1616, 4, 32, use(LOAD(float, LANE + 32 * blockIdx.x)))

int main() {
    float *g, *o;
    cudaMalloc(&g, 1 << 20);
    cudaMalloc(&o, 1 << 20);
    cudaMemset(g, 0, 1 << 20);
    cudaMemset(o, 0, 1 << 20);
    for (int i = 0; i < launch_count; i++)
        launches[i].kernel<<<launches[i].blocks, launches[i].threads, 8192>>>(g, o);
    int error = cudaDeviceSynchronize();
    printf("done %d\n", error);
    return error;
}
