// What suites.cu begins: Parboil, SHOC and CUDA's samples.
#include "kernels.h"

#define COLUMN (blockIdx.x * blockDim.x + threadIdx.x)
#define ROW    (blockIdx.y * blockDim.y + threadIdx.y)

// ---- Parboil ----

TIMING(parboil_cutcp) { // a lattice point, n charges by their distance, none beyond a cutoff
    float px = COLUMN * 0.01f, py = ROW * 0.01f, sum = 0;
    for (int k = 0; k < n; k++) {
        float dx = px - x[4 * k], dy = py - x[4 * k + 1];
        float r2 = dx * dx + dy * dy + x[4 * k + 2];
        float s = 1 - r2 * 0.05f;
        sum += r2 < 20 ? x[4 * k + 3] * rsqrtf(r2) * s * s : 0;
    }
    out[ROW * gridDim.x * blockDim.x + COLUMN] = sum;
}
TIMING(parboil_histo) { // counts that end at 255, of 4096 bins by their high bits
    unsigned i = THREAD;
    if (i >= n) return;
    unsigned bin = (words[i] >> 8) % 64 * ((words[i] >> 4) % 64);
    if (((uint32_t *)out)[bin] < 255) atomicAdd((uint32_t *)out + bin, 1u);
}
TIMING(parboil_lbm) { // 9 directions, an array each
    unsigned i = THREAD;
    if (i >= n) return;
    float f[9], density = 0;
    for (int d = 0; d < 9; d++) density += f[d] = x[d * n + (i + d % 3 + d / 3 * 512) % n];
    float u = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / density;
    float v = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / density;
    for (int d = 0; d < 9; d++) {
        float e = u * (d % 3 - 1) + v * (d / 3 - 1);
        float stays = density * (1 + 3 * e + 4.5f * e * e - 1.5f * (u * u + v * v)) / 9;
        out[d * n + i] = f[d] - 0.6f * (f[d] - stays);
    }
}
TIMING(parboil_mri_gridding) { // a sample to 9 cells about its place, of n x n
    unsigned i = THREAD, cx = words[i] % (n - 2), cy = (words[i] >> 12) % (n - 2);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            atomicAdd(out + (cy + r) * n + cx + c, x[i] * (r + 1) * (c + 1) * 0.1f);
}
TIMING(parboil_mri_q) {
    float px = x[THREAD], py = y[THREAD], real = 0, imaginary = 0;
    for (int k = 0; k < n; k++) {
        float angle = 6.2831853f * (x[k] * px + y[k] * py);
        real += x[k + 4096] * __cosf(angle);
        imaginary += x[k + 4096] * __sinf(angle);
    }
    out[2 * THREAD] = real;
    out[2 * THREAD + 1] = imaginary;
}
TIMING(parboil_sad) { // a block of 4 x 4 bytes at 32 places of a picture of n columns
    int c = blockIdx.x * 4, r = blockIdx.y * 4, move = threadIdx.x, sum = 0;
    const uint8_t *a = (const uint8_t *)words, *b = (const uint8_t *)next;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            sum += abs(a[(r + i) * n + c + k] - b[(r + i + move / 8) * n + c + k + move % 8]);
    ((uint16_t *)out)[(blockIdx.y * gridDim.x + blockIdx.x) * 32 + move] = sum;
}
TIMING(parboil_sgemm) { // a thread 16 columns of a row, columns from shared memory
    __shared__ float b[8][16];
    int r = blockIdx.x * 128 + threadIdx.x, c = blockIdx.y * 16;
    float sum[16] = {0};
    for (int k0 = 0; k0 < n; k0 += 8) {
        b[threadIdx.x / 16][threadIdx.x % 16] =
            y[(k0 + threadIdx.x / 16) * n + c + threadIdx.x % 16];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float a = x[(k0 + k) * n + r];
#pragma unroll
            for (int j = 0; j < 16; j++) sum[j] += a * b[k][j];
        }
        __syncthreads();
    }
    for (int j = 0; j < 16; j++) out[(c + j) * n + r] = sum[j];
}
TIMING(parboil_spmv) { // rows of 8 to 23 entries, stored by columns (JDS); n rows
    unsigned r = THREAD;
    if (r >= n) return;
    float sum = 0;
    int length = 23 - r * 16 / n;
    for (int k = 0; k < length; k++) sum += x[k * n + r] * y[words[k * n + r] % n];
    out[words[r] % n] = sum;
}
TIMING(parboil_stencil) { // 7 points, n planes of 512 x 64
    int c = COLUMN, r = ROW;
    if (c < 1 || r < 1 || c > 510 || r > 62) return;
    float below = x[r * 512 + c], here = x[32768 + r * 512 + c];
    for (int z = 1; z < n - 1; z++) {
        const float *at = x + z * 32768 + r * 512 + c;
        float above = at[32768];
        out[at - x] = 0.1f * (above + below + at[-1] + at[1] + at[-512] + at[512]) - 0.7f * here;
        below = here;
        here = above;
    }
}
TIMING(parboil_tpacf) { // angles between a point and n others, in 32 bins of shared memory a warp
    __shared__ uint32_t bins[8][32];
    uint32_t *own = bins[threadIdx.x / 32];
    own[LANE] = 0;
    __syncwarp();
    float px = x[THREAD], py = y[THREAD];
    for (int k = 0; k < n; k++) {
        float dot = (px * x[k] + py * y[k]) * 0.4f;
        int bin = 0;
        for (int step = 16; step; step /= 2)
            if (dot > (bin + step) * 0.03f) bin += step;
        atomicAdd(own + bin, 1u);
    }
    __syncwarp();
    out[THREAD] = own[LANE];
}

// ---- SHOC ----

TIMING(shoc_fft) { // 512 points a block of 64 threads, 8 of them a thread, in shared memory
    __shared__ float2 v[512];
    const float2 *in = (const float2 *)x + blockIdx.x * 512;
    for (int k = 0; k < 8; k++) v[k * 64 + threadIdx.x] = in[k * 64 + threadIdx.x];
    for (int half = 256; half > 0; half /= 2) {
        __syncthreads();
        for (int k = 0; k < 4; k++) {
            int i = k * 64 + threadIdx.x, at = i / half * 2 * half + i % half;
            float2 a = v[at], b = v[at + half], w;
            __sincosf(-3.1415927f * (i % half) / half, &w.y, &w.x);
            float2 d = {a.x - b.x, a.y - b.y};
            v[at] = make_float2(a.x + b.x, a.y + b.y);
            v[at + half] = make_float2(d.x * w.x - d.y * w.y, d.x * w.y + d.y * w.x);
        }
    }
    __syncthreads();
    for (int k = 0; k < 8; k++)
        ((float2 *)out)[blockIdx.x * 512 + k * 64 + threadIdx.x] = v[k * 64 + threadIdx.x];
}
TIMING(shoc_md) { // 64 neighbours of each of n atoms, their numbers by columns
    unsigned i = THREAD;
    if (i >= n) return;
    const float4 *place = (const float4 *)x;
    float4 own = place[i];
    float fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < 64; k++) {
        float4 o = place[(i + words[k * n + i] % 1024) % n];
        float dx = own.x - o.x, dy = own.y - o.y, dz = own.z - o.z;
        float r2 = 1 / (dx * dx + dy * dy + dz * dz + 0.01f), r6 = r2 * r2 * r2;
        float force = r2 > 0.06f ? r2 * r6 * (1.5f * r6 - 2) : 0;
        fx += dx * force;
        fy += dy * force;
        fz += dz * force;
    }
    ((float4 *)out)[i] = make_float4(fx, fy, fz, 0);
}
TIMING(shoc_md5hash) { // rounds of 4 words, n of them
    uint32_t a = THREAD, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
    for (int k = 0; k < n; k++) {
        uint32_t f = k % 2 ? (b & c) | (~b & d) : b ^ c ^ d, v = a + f + THREAD * k + 0x5a827999u;
        a = d;
        d = c;
        c = b;
        b += v << 7 | v >> 25;
    }
    out[THREAD] = a ^ b ^ c ^ d;
}
TIMING(shoc_reduction) {
    __shared__ float part[256];
    float sum = 0;
    for (unsigned i = blockIdx.x * 512 + threadIdx.x; i < n; i += 512 * gridDim.x)
        sum += x[i] + x[i + 256];
    part[threadIdx.x] = sum;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
TIMING(shoc_s3d) { // rates of 22 species from one temperature
    unsigned i = THREAD;
    if (i >= n) return;
    float t = x[i] * 1000, inverse = 1 / t, lg = __logf(t), sum = 0;
#pragma unroll
    for (int k = 0; k < 22; k++) {
        float rate = __expf(0.1f * k + 0.3f * lg - (100 + 50 * k) * inverse) * y[i];
        out[k % 8 * n + i] = rate;
        sum += rate / (1 + rate);
    }
    out[i] = sum;
}
TIMING(shoc_scan) { // 1024 a block, 4 a thread
    __shared__ float sums[8];
    float4 v = ((const float4 *)x)[THREAD];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    float sum = v.w;
    for (int d = 1; d < 32; d *= 2) {
        float below = __shfl_up_sync(FULL, sum, d);
        if (LANE >= d) sum += below;
    }
    if (LANE == 31) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    float before = sum - v.w;
    for (int w = 0; w < threadIdx.x / 32; w++) before += sums[w];
    ((float4 *)out)[THREAD] = make_float4(v.x + before, v.y + before, v.z + before, v.w + before);
}
TIMING(shoc_sort) { // counts of 16 digits, of 1024 keys a block
    __shared__ uint32_t counts[16];
    if (threadIdx.x < 16) counts[threadIdx.x] = 0;
    __syncthreads();
    uint4 v = ((const uint4 *)words)[THREAD];
    atomicAdd(counts + (v.x >> 4) % 16, 1u);
    atomicAdd(counts + (v.y >> 4) % 16, 1u);
    atomicAdd(counts + (v.z >> 4) % 16, 1u);
    atomicAdd(counts + (v.w >> 4) % 16, 1u);
    __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x * gridDim.x + blockIdx.x] = counts[threadIdx.x];
}
TIMING(shoc_spmv) { // rows of 64 entries, one per warp
    unsigned r = WARP;
    float sum = 0;
    for (int k = LANE; k < 64; k += 32) sum += x[r * 64 + k] * y[words[r * 64 + k] % n];
    sum = warp_sum(sum);
    if (LANE == 0) out[r] = sum;
}
TIMING(shoc_stencil2d) { // 9 points in double precision, n columns
    int c = COLUMN + 1, r = ROW + 1;
    const double *in = (const double *)x;
    if (c >= n - 1) return;
    const double *at = in + r * n + c;
    ((double *)out)[r * n + c] = 0.5 * at[0] + 0.15 * (at[-1] + at[1] + at[-n] + at[n]) +
                                 0.05 * (at[-n - 1] + at[-n + 1] + at[n - 1] + at[n + 1]);
}
TIMING(shoc_triad) {
    unsigned i = THREAD;
    if (i < n) out[i] = x[i] + 1.75f * y[i];
}

// ---- CUDA's samples ----

TIMING(sample_bilateral) {
    int c = COLUMN, r = ROW;
    float here = x[r * n + c], sum = 0, weights = 0;
    for (int i = -2; i <= 2; i++)
        for (int k = -2; k <= 2; k++) {
            float v = x[min(max(r + i, 0), n - 1) * n + min(max(c + k, 0), n - 1)];
            float w = __expf(-(i * i + k * k) * 0.1f - (v - here) * (v - here) * 8);
            sum += w * v;
            weights += w;
        }
    out[r * n + c] = sum / weights;
}
TIMING(sample_binomial) { // an option a block, n steps, 256 threads with 4 values each
    __shared__ float v[1025];
    float price = x[blockIdx.x] * 20, up = 1.002f;
    for (int i = threadIdx.x; i <= 1024; i += 256)
        v[i] = fmaxf(price * __expf((2 * i - 1024) * 0.002f) - 20 * up, 0);
    for (int step = n; step > 0; step--) {
        float next_value[4];
        __syncthreads();
        for (int k = 0; k < 4; k++) {
            int i = k * 256 + threadIdx.x;
            next_value[k] = 0.51f * v[i + 1] + 0.489f * v[i];
        }
        __syncthreads();
        for (int k = 0; k < 4; k++) v[k * 256 + threadIdx.x] = next_value[k];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = v[0];
}
TIMING(sample_black_scholes) {
    unsigned i = THREAD;
    if (i >= n) return;
    float s = x[i] * 30, k = y[i] * 30, t = 0.25f + x[i + n] * 8, root = 0.3f * sqrtf(t);
    float d1 = (__logf(s / k) + (0.02f + 0.045f) * t) / root, d2 = d1 - root;
    float c1 = normcdff(d1), c2 = normcdff(d2), e = k * __expf(-0.02f * t);
    out[i] = s * c1 - e * c2;
    out[i + n] = e * (1 - c2) - s * (1 - c1);
}
TIMING(sample_box_filter) { // columns, a running sum of 17 rows
    int c = THREAD;
    float sum = 0;
    if (c >= n) return;
    for (int r = 0; r < 17; r++) sum += x[r * n + c];
    for (int r = 17; r < 1024; r++) {
        sum += x[r * n + c] - x[(r - 17) * n + c];
        out[r * n + c] = sum * (1.0f / 17);
    }
}
TIMING(sample_dct8x8) {
    __shared__ float t[8][9];
    int c = blockIdx.x * 8 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    t[threadIdx.y][threadIdx.x] = x[r * n + c];
    __syncthreads();
    for (int k = 0; k < 8; k++)
        sum += t[threadIdx.y][k] * __cosf((2 * k + 1) * threadIdx.x * 0.19634954f);
    __syncthreads();
    t[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; k++)
        sum += t[k][threadIdx.x] * __cosf((2 * k + 1) * threadIdx.y * 0.19634954f);
    out[r * n + c] = sum;
}
TIMING(sample_fast_walsh) { // 2048 values a block of 512
    __shared__ float v[2048];
    for (int k = 0; k < 4; k++)
        v[k * 512 + threadIdx.x] = x[blockIdx.x * 2048 + k * 512 + threadIdx.x];
    for (int half = 1024; half > 0; half /= 2) {
        __syncthreads();
        for (int k = 0; k < 2; k++) {
            int i = k * 512 + threadIdx.x, at = i / half * 2 * half + i % half;
            float a = v[at], b = v[at + half];
            v[at] = a + b;
            v[at + half] = a - b;
        }
    }
    __syncthreads();
    for (int k = 0; k < 4; k++)
        out[blockIdx.x * 2048 + k * 512 + threadIdx.x] = v[k * 512 + threadIdx.x];
}
TIMING(sample_fdtd3d) { // radius 2, a column of n planes of 256 x 128 kept in registers
    __shared__ float t[12][36];
    int c = COLUMN + 2, r = ROW + 2;
    if (c >= 254 || r >= 126) c = min(c, 253), r = min(r, 125);
    const float *at = x + r * 256 + c;
    float v[5];
    for (int k = 0; k < 4; k++) v[k + 1] = at[k * 32768];
    for (int z = 2; z < n - 2; z++) {
        for (int k = 0; k < 4; k++) v[k] = v[k + 1];
        v[4] = at[(z + 2) * 32768];
        __syncthreads();
        t[threadIdx.y + 2][threadIdx.x + 2] = v[2];
        if (threadIdx.x < 2) {
            t[threadIdx.y + 2][threadIdx.x] = at[z * 32768 - 2];
            t[threadIdx.y + 2][threadIdx.x + 34] = at[z * 32768 + 32];
        }
        if (threadIdx.y < 2) {
            t[threadIdx.y][threadIdx.x + 2] = at[z * 32768 - 512];
            t[threadIdx.y + 10][threadIdx.x + 2] = at[z * 32768 + 2048];
        }
        __syncthreads();
        float sum = 0.5f * v[2] + 0.1f * (v[1] + v[3]) + 0.05f * (v[0] + v[4]);
        for (int k = 1; k <= 2; k++)
            sum +=
                0.1f / k *
                (t[threadIdx.y + 2][threadIdx.x + 2 - k] + t[threadIdx.y + 2][threadIdx.x + 2 + k] +
                 t[threadIdx.y + 2 - k][threadIdx.x + 2] + t[threadIdx.y + 2 + k][threadIdx.x + 2]);
        out[z * 32768 + r * 256 + c] = sum;
    }
}
TIMING(sample_matrix_mul) {
    __shared__ float a[32][32], b[32][32];
    int c = COLUMN, r = ROW;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        a[threadIdx.y][threadIdx.x] = x[r * n + k0 + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = y[(k0 + threadIdx.y) * n + c];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k++) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    out[r * n + c] = sum;
}
TIMING(sample_merge_ranks) { // where each of 128 keys of two rows belongs, by a search in the other
    unsigned i = THREAD, row = i / 128;
    float v = row + (i % 128) * 0.5f;
    const float *other = (const float *)next + (row ^ 1) * 128;
    int at = 0;
    for (int step = 64; step > 0; step /= 2)
        if (__float_as_uint(other[at + step - 1]) < (unsigned)(v * n)) at += step;
    out[(row & ~1u) * 128 + at + i % 128] = x[i];
}
TIMING(sample_monte_carlo) { // n paths an option, one per block
    __shared__ float sums[8];
    float s = x[blockIdx.x], sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) sum += fmaxf(s * __expf(y[i] - 1) - 1.1f, 0);
    sum = warp_sum(sum);
    if (LANE == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] =
            sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}
TIMING(sample_nbody) { // n bodies, 256 at a time in shared memory
    __shared__ float4 bodies[256];
    float4 own = ((const float4 *)x)[THREAD];
    float ax = 0, ay = 0, az = 0;
    for (int b = 0; b < n; b += 256) {
        bodies[threadIdx.x] = ((const float4 *)x)[b + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++) {
            float dx = bodies[k].x - own.x, dy = bodies[k].y - own.y, dz = bodies[k].z - own.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = bodies[k].w * r * r * r;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        __syncthreads();
    }
    ((float4 *)out)[THREAD] = make_float4(ax, ay, az, 0);
}
TIMING(sample_quasirandom) { // 31 steps of exclusive or by the bits of a number
    for (unsigned i = THREAD; i < n; i += THREADS) {
        unsigned v = 0, bits = i;
#pragma unroll
        for (int k = 0; k < 31; k++, bits >>= 1)
            if (bits & 1) v ^= words[k];
        out[i] = (v + 1) * 0x1p-31f;
    }
}
TIMING(sample_recursive_gaussian) { // columns, forward and back
    int c = THREAD;
    if (c >= n) return;
    float a = x[c], b = a;
    for (int r = 0; r < 1024; r++) {
        float v = 0.3f * x[r * n + c] + 0.9f * a - 0.2f * b;
        out[r * n + c] = v;
        b = a;
        a = v;
    }
    for (int r = 1023; r >= 0; r--) {
        float v = 0.3f * x[r * n + c] + 0.9f * a - 0.2f * b;
        out[r * n + c] += v;
        b = a;
        a = v;
    }
}
TIMING(sample_scalar_prod) { // vectors of n, one per block
    __shared__ float sums[8];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) sum += x[blockIdx.x * n + i] * y[blockIdx.x * n + i];
    sum = warp_sum(sum);
    if (LANE == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = warp_sum(LANE < 8 ? sums[LANE] : 0);
        if (LANE == 0) out[blockIdx.x] = sum;
    }
}
TIMING(sample_shfl_scan) { // sums of 1024 words per block of 1024
    __shared__ uint32_t sums[32];
    uint32_t sum = words[THREAD];
    for (int d = 1; d < 32; d *= 2) {
        uint32_t below = __shfl_up_sync(FULL, sum, d);
        if (LANE >= d) sum += below;
    }
    if (LANE == 31) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        uint32_t of_warps = sums[LANE];
        for (int d = 1; d < 32; d *= 2) {
            uint32_t below = __shfl_up_sync(FULL, of_warps, d);
            if (LANE >= d) of_warps += below;
        }
        sums[LANE] = of_warps;
    }
    __syncthreads();
    ((uint32_t *)out)[THREAD] = sum + (threadIdx.x >= 32 ? sums[threadIdx.x / 32 - 1] : 0);
}
TIMING(sample_sobel) {
    int c = COLUMN, r = ROW;
    const uint8_t *at = (const uint8_t *)words + r * n + c;
    if (r == 0 || c == 0 || c >= n - 1) return;
    int h = at[-n + 1] + 2 * at[1] + at[n + 1] - at[-n - 1] - 2 * at[-1] - at[n - 1];
    int v = at[-n - 1] + 2 * at[-n] + at[-n + 1] - at[n - 1] - 2 * at[n] - at[n + 1];
    ((uint8_t *)out)[r * n + c] = min(abs(h) + abs(v), 255);
}
TIMING(sample_sobol) { // a dimension for each row of blocks
    __shared__ uint32_t v[32];
    if (threadIdx.x < 32) v[threadIdx.x] = words[blockIdx.y * 32 + threadIdx.x];
    __syncthreads();
    uint32_t i = COLUMN, gray = i ^ i >> 1, sum = 0;
    for (int k = 0; k < 12; k++)
        if (gray >> k & 1) sum ^= v[k];
    for (; i < n; i += gridDim.x * blockDim.x) {
        out[blockIdx.y * n + i] = sum * 0x1p-32f;
        sum ^= v[__ffs(~(i / (gridDim.x * blockDim.x))) % 32] ^ v[11];
    }
}
TIMING(sample_sorting_network) { // 1024 keys a block of 512, bitonic
    __shared__ uint32_t v[1024];
    for (int k = 0; k < 2; k++)
        v[k * 512 + threadIdx.x] = words[blockIdx.x * 1024 + k * 512 + threadIdx.x];
    for (unsigned size = 2; size <= 1024; size *= 2)
        for (unsigned half = size / 2; half > 0; half /= 2) {
            __syncthreads();
            unsigned at = 2 * threadIdx.x - (threadIdx.x & (half - 1)), up = threadIdx.x & size / 2;
            uint32_t a = v[at], b = v[at + half];
            if ((a > b) != (up != 0)) v[at] = b, v[at + half] = a;
        }
    __syncthreads();
    for (int k = 0; k < 2; k++)
        ((uint32_t *)out)[blockIdx.x * 1024 + k * 512 + threadIdx.x] = v[k * 512 + threadIdx.x];
}
TIMING(sample_vector_add) {
    unsigned i = THREAD;
    if (i < n) out[i] = x[i] + y[i];
}
TIMING(sample_warp_aggregate) { // what is kept, one atomic a warp
    unsigned i = THREAD, keeps = i < n && words[i] % 3 == 0, base = 0;
    unsigned mask = __ballot_sync(FULL, keeps);
    if (LANE == 0) base = atomicAdd((uint32_t *)out, __popc(mask));
    base = __shfl_sync(FULL, base, 0);
    if (keeps) out[1 + base + __popc(mask & ((1u << LANE) - 1))] = x[i];
}
