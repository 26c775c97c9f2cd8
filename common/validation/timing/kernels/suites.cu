// Kernels of the kinds that public benchmark suites have, in code of their own: see kernels.def.
// Matrices and grids are of n rows and n columns, unless a kernel says otherwise.
#include "kernels.h"

static __constant__ float taps[80] = {0.51f, 0.63f, 0.77f, 0.94f, 1.02f, 1.13f, 1.29f, 1.44f};

#define COLUMN (blockIdx.x * blockDim.x + threadIdx.x)
#define ROW    (blockIdx.y * blockDim.y + threadIdx.y)
#define INSIDE (r > 0 && c > 0 && r < n - 1 && c < n - 1)

// ---- PolyBench-GPU ----

TIMING(poly_2dconv) {
    int c = COLUMN, r = ROW;
    if (!INSIDE) return;
    float sum = 0;
    for (int i = -1; i <= 1; i++)
        for (int k = -1; k <= 1; k++) sum += (0.2f * i - 0.3f * k) * x[(r + i) * n + c + k];
    out[r * n + c] = sum;
}
TIMING(poly_3dconv) { // n planes of 256 x 256
    int c = COLUMN, r = ROW;
    if (c < 1 || r < 1 || c > 254 || r > 254) return;
    for (int z = 1; z < n - 1; z++) {
        const float *at = x + (z * 256 + r) * 256 + c;
        out[at - x] = 0.2f * (at[-65536 - 256 - 1] + at[65536 + 256 + 1]) -
                      0.3f * (at[-65536 + 1] + at[65536 - 1]) + 0.4f * (at[-256] + at[256]) + at[0];
    }
}
TIMING(poly_2mm) {
    int c = COLUMN, r = ROW;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += 0.7f * x[r * n + k] * y[k * n + c];
    out[r * n + c] = sum;
}
TIMING(poly_atax) {
    int r = THREAD;
    float sum = 0;
    if (r >= n) return;
    for (int k = 0; k < n; k++) sum += x[r * n + k] * y[k];
    out[r] = sum;
}
TIMING(poly_bicg) {
    int c = THREAD;
    float sum = 0;
    if (c >= n) return;
    for (int k = 0; k < n; k++) sum += y[k] * x[k * n + c];
    out[c] = sum;
}
TIMING(poly_corr) { // mean and deviation of columns
    int c = THREAD;
    float sum = 0, squares = 0;
    if (c >= n) return;
    for (int k = 0; k < n; k++) sum += x[k * n + c];
    sum /= n;
    for (int k = 0; k < n; k++) squares += (x[k * n + c] - sum) * (x[k * n + c] - sum);
    out[c] = sqrtf(squares / n);
}
TIMING(poly_covar) {
    int c = THREAD;
    if (c >= n) return;
    for (int d = c; d < n; d++) {
        float sum = 0;
        for (int k = 0; k < n; k++) sum += x[k * n + c] * x[k * n + d];
        out[c * n + d] = out[d * n + c] = sum;
    }
}
TIMING(poly_fdtd2d) {
    int c = COLUMN, r = ROW;
    if (r >= n - 1 || c >= n - 1) return;
    out[r * n + c] -= 0.7f * (x[r * n + c + 1] - x[r * n + c] + y[(r + 1) * n + c] - y[r * n + c]);
}
TIMING(poly_gesummv) {
    int r = THREAD;
    float a = 0, b = 0;
    if (r >= n) return;
    for (int k = 0; k < n; k++) {
        a += x[r * n + k] * x[k];
        b += y[r * n + k] * x[k];
    }
    out[r] = 0.6f * a + 0.4f * b;
}
TIMING(poly_gramschmidt) { // each column less its part along the first
    int c = THREAD;
    float dot = 0;
    if (c == 0 || c >= n) return;
    for (int k = 0; k < n; k++) dot += x[k * n] * x[k * n + c];
    for (int k = 0; k < n; k++) out[k * n + c] = x[k * n + c] - x[k * n] * dot;
}
TIMING(poly_syrk) {
    int c = COLUMN, r = ROW;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += x[r * n + k] * x[c * n + k];
    out[r * n + c] = 0.3f * out[r * n + c] + sum;
}
TIMING(poly_syr2k) {
    int c = COLUMN, r = ROW;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += x[r * n + k] * y[c * n + k] + y[r * n + k] * x[c * n + k];
    out[r * n + c] = sum;
}

// ---- Rodinia ----

TIMING(rodinia_backprop) { // 16 inputs of each of 16 outputs, summed in shared memory
    __shared__ float part[16][16];
    unsigned row = blockIdx.x * 16 + threadIdx.y;
    part[threadIdx.y][threadIdx.x] = y[row] * x[row * 16 + threadIdx.x];
    __syncthreads();
    for (int d = 1; d < 16; d *= 2) {
        if (threadIdx.y % (2 * d) == 0)
            part[threadIdx.y][threadIdx.x] += part[threadIdx.y + d][threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.y == 0) out[blockIdx.x * 16 + threadIdx.x] = part[0][threadIdx.x];
}
TIMING(rodinia_bfs) { // an eighth of n nodes is the frontier; up to 7 edges each
    unsigned node = THREAD;
    if (node >= n || words[node] % 8) return;
    unsigned edges = words[node] >> 29;
    for (unsigned e = 0; e < edges; e++) {
        unsigned to = words[node + e + 1] % n;
        if (out[to] == 0) out[to] = 1;
    }
}
TIMING(rodinia_btree) { // a block walks down a tree of 64 keys a node
    __shared__ unsigned chosen;
    unsigned at = 0, wanted = words[blockIdx.x] % 64;
    for (int level = 0; level < 4; level++) {
        if (threadIdx.x == 0) chosen = 0;
        __syncthreads();
        if (threadIdx.x < 64 && words[at * 64 + threadIdx.x] % 64 == wanted) chosen = threadIdx.x;
        __syncthreads();
        at = (at * 64 + chosen + 1) % n;
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = at;
}
TIMING(rodinia_cfd) { // five variables of an element and of its four neighbours
    unsigned i = THREAD;
    if (i >= n) return;
    float flux[5] = {0};
    float density = x[i], energy = x[i + 4 * n], speed = x[i + n] / density;
    for (int f = 0; f < 4; f++) {
        unsigned near = (i + (f < 2 ? f * 2 - 1 : (words[i * 4 + f] % 512) - 256)) % n;
        float other = x[near], pressure = 0.4f * (x[near + 4 * n] - 0.5f * other * speed * speed);
        float factor = 0.5f * (speed + sqrtf(1.4f * fabsf(pressure) / other));
        for (int v = 0; v < 5; v++) flux[v] += factor * (x[i + v * n] - x[near + v * n]) + pressure;
    }
    for (int v = 0; v < 5; v++) out[i + v * n] = flux[v] * energy;
}
TIMING(rodinia_dwt2d) { // one level of rows
    unsigned i = THREAD;
    if (i >= n) return;
    float2 v = ((const float2 *)x)[i];
    out[i] = 0.5f * (v.x + v.y);
    out[i + n] = 0.5f * (v.x - v.y);
}
TIMING(rodinia_gaussian) { // one step of elimination
    int c = COLUMN, r = ROW;
    if (r > 0) out[r * n + c] = x[r * n + c] - y[r] * x[c];
}
TIMING(rodinia_hotspot) {
    __shared__ float t[16][16];
    int c = blockIdx.x * 14 + threadIdx.x - 1, r = blockIdx.y * 14 + threadIdx.y - 1;
    int cc = min(max(c, 0), n - 1), rr = min(max(r, 0), n - 1);
    float power = y[rr * n + cc];
    t[threadIdx.y][threadIdx.x] = x[rr * n + cc];
    __syncthreads();
    bool edge = threadIdx.x % 15 == 0 || threadIdx.y % 15 == 0;
    if (edge || c >= n || r >= n) return;
    float here = t[threadIdx.y][threadIdx.x];
    out[r * n + c] =
        here +
        0.1f *
            (power + 0.3f * (80 - here) +
             0.2f * (t[threadIdx.y - 1][threadIdx.x] + t[threadIdx.y + 1][threadIdx.x] - 2 * here) +
             0.2f * (t[threadIdx.y][threadIdx.x - 1] + t[threadIdx.y][threadIdx.x + 1] - 2 * here));
}
TIMING(rodinia_hotspot3d) { // 8 layers
    int c = COLUMN, r = ROW, plane = n * n;
    if (!INSIDE) return;
    float below = x[r * n + c], here = below;
    for (int z = 0; z < 8; z++) {
        int at = z * plane + r * n + c;
        float above = z < 7 ? x[at + plane] : here;
        out[at] = 0.4f * here +
                  0.1f * (below + above + x[at - 1] + x[at + 1] + x[at - n] + x[at + n]) +
                  0.01f * y[at];
        below = here;
        here = above;
    }
}
TIMING(rodinia_hybridsort) { // which of 1024 buckets, by a search; counted
    unsigned i = THREAD;
    if (i >= n) return;
    float v = x[i];
    int low = 0, high = 1023;
    while (low < high) {
        int middle = (low + high) / 2;
        if (v > 0.5f + middle * (1.0f / 1024)) low = middle + 1;
        else high = middle;
    }
    ((uint32_t *)out)[n + i] = low << 20 | atomicAdd((uint32_t *)out + low, 1u);
}
TIMING(rodinia_kmeans) { // 5 centres, 16 features, one array a feature
    unsigned i = THREAD;
    if (i >= n) return;
    float best = 1e30f;
    int which = 0;
    for (int k = 0; k < 5; k++) {
        float sum = 0;
        for (int f = 0; f < 16; f++) {
            float d = x[f * n + i] - taps[k * 16 + f];
            sum += d * d;
        }
        if (sum < best) best = sum, which = k;
    }
    out[i] = which;
}
TIMING(rodinia_lavamd) { // 100 particles a box, against n boxes beside it
    __shared__ float4 other[100];
    float4 own = ((const float4 *)x)[blockIdx.x * 100 + threadIdx.x % 100], sum = {0, 0, 0, 0};
    for (int b = 0; b < n; b++) {
        __syncthreads();
        if (threadIdx.x < 100)
            other[threadIdx.x] =
                ((const float4 *)x)[(blockIdx.x + b * 7) % 1000 * 100 + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 100; k++) {
            float4 o = other[k];
            float r2 = own.w + o.w - own.x * o.x - own.y * o.y - own.z * o.z, v = __expf(-r2);
            sum.x += v * (own.x - o.x);
            sum.y += v * (own.y - o.y);
            sum.z += v * (own.z - o.z);
            sum.w += v;
        }
    }
    ((float4 *)out)[THREAD] = sum;
}
TIMING(rodinia_lud) { // a tile of 16 x 16 less a product of two tiles
    __shared__ float a[16][16], b[16][16];
    int c = COLUMN, r = ROW;
    a[threadIdx.y][threadIdx.x] = x[r * n + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = x[threadIdx.y * n + c];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 16; k++) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    out[r * n + c] = x[r * n + c] - sum;
}
TIMING(rodinia_nn) {
    unsigned i = THREAD;
    if (i >= n) return;
    float2 p = ((const float2 *)x)[i];
    out[i] = sqrtf((p.x - 0.9f) * (p.x - 0.9f) + (p.y - 1.1f) * (p.y - 1.1f));
}
TIMING(rodinia_nw) { // one warp per tile of 32 x 32, one diagonal after the other
    __shared__ int t[33][33];
    unsigned lane = threadIdx.x, base = blockIdx.x * 1024;
    t[0][lane + 1] = -(int)lane;
    t[lane + 1][0] = -(int)lane;
    if (lane == 0) t[0][0] = 0;
    __syncwarp();
    for (int d = 0; d < 63; d++) {
        int r = d - (int)lane + 1, c = lane + 1;
        if (r > 0 && r <= 32) {
            int score = (int)(words[base + (r - 1) * 32 + lane] % 16) - 8;
            t[r][c] = max(t[r - 1][c - 1] + score, max(t[r][c - 1], t[r - 1][c]) - 10);
        }
        __syncwarp();
    }
    for (int r = 0; r < 32; r++) out[base + r * 32 + lane] = t[r + 1][lane + 1];
}
TIMING(rodinia_particlefilter) { // the first of n rising sums above a value, one after the other
    unsigned i = THREAD;
    if (i >= n) return;
    float u = (float)i / n;
    int at = 0;
    while (at < n - 1 && (at + x[at]) / n < u) at++;
    out[i] = at;
}
TIMING(rodinia_pathfinder) { // n rows of a strip of 256 columns
    __shared__ float row[2][256];
    unsigned c = blockIdx.x * 216 + threadIdx.x, t = threadIdx.x;
    row[0][t] = x[c];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        const float *from = row[k % 2];
        float best = fminf(from[t], fminf(from[t > 0 ? t - 1 : 0], from[t < 255 ? t + 1 : 255]));
        row[1 - k % 2][t] = best + x[(k + 1) * 262144 + c];
    }
    if (t >= 20 && t < 236) out[c] = row[n % 2][t];
}
TIMING(rodinia_srad) {
    int c = COLUMN, r = ROW;
    float here = x[r * n + c];
    float up = x[max(r - 1, 0) * n + c] - here, down = x[min(r + 1, n - 1) * n + c] - here;
    float left = x[r * n + max(c - 1, 0)] - here, right = x[r * n + min(c + 1, n - 1)] - here;
    float g = (up * up + down * down + left * left + right * right) / (here * here);
    float l = (up + down + left + right) / here, num = 0.5f * g - 0.0625f * l * l;
    float den = 1 + 0.25f * l, q = num / (den * den);
    float v = 1 / (1 + (q - 0.05f) / (0.05f * 1.05f));
    out[r * n + c] = v < 0 ? 0 : v > 1 ? 1 : v;
}
TIMING(rodinia_streamcluster) { // 32 dimensions, one array each, of a point and of its centre
    unsigned i = THREAD;
    if (i >= n) return;
    float sum = 0;
    for (int d = 0; d < 32; d++) {
        float v = x[d * n + i] - taps[d];
        sum += v * v;
    }
    out[i] = sum * y[i] < out[i + n] + 2 ? sum : 0;
}
