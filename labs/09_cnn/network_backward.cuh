// SPDX-License-Identifier: MIT
// The backward kernels of network.cuh. Sums over images are taken in a fixed order: where several
// blocks share one, each leaves a partial sum, and one kernel adds them. Only network.cuh includes
// this.
#pragma once

enum {
    NET_OUTER_ROWS = 16, // inputs of a tile of a fully connected layer's gradient
    NET_OUTER_IMAGES = 16,
    NET_BACK_CHUNK = 64, // outputs in shared memory at a time
    NET_BACK_IMAGES = 16,
    NET_DELTA_GROUP = 8, // channels of a block
    NET_DELTA_CHUNK = 8, // filters in shared memory at a time
    NET_DELTA_MOST = 352,
    NET_GRADIENT_THREADS = 256,
    NET_ADD_THREADS = 64
};

// x [images][inputs] transposed times delta [images][outputs]. The gradients of biases follow those
// of the weights in memory, as if x had one more input that is always 1.
typedef struct net_outer_layer {
    int inputs, outputs, tiles;
    const float *x, *delta;
    float *gradient; // [inputs + 1][outputs]
} net_outer_layer;

__global__ void __launch_bounds__(NET_FC_THREADS)
    net_outer(int images, net_outer_layer third, net_outer_layer fourth) {
    __shared__ __align__(16) float xs[NET_OUTER_IMAGES][NET_OUTER_ROWS];
    __shared__ float ds[NET_OUTER_IMAGES][32];
    bool is_third = (int)blockIdx.x < third.tiles;
    net_outer_layer l = is_third ? third : fourth;
    int tile = is_third ? blockIdx.x : blockIdx.x - third.tiles;
    int columns = (l.outputs + 31) / 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int i0 = tile / columns * NET_OUTER_ROWS, o0 = tile % columns * 32;
    float sum[4] = {};
    for (int n0 = 0; n0 < images; n0 += NET_OUTER_IMAGES) {
        __syncthreads();
        for (int e = threadIdx.x; e < NET_OUTER_IMAGES * NET_OUTER_ROWS; e += NET_FC_THREADS) {
            int n = n0 + e / NET_OUTER_ROWS, i = i0 + e % NET_OUTER_ROWS;
            float value = i == l.inputs ? 1.0f : 0.0f;
            if (i < l.inputs && n < images) value = l.x[(int64_t)n * l.inputs + i];
            xs[e / NET_OUTER_ROWS][e % NET_OUTER_ROWS] = value;
        }
        for (int e = threadIdx.x; e < NET_OUTER_IMAGES * 32; e += NET_FC_THREADS) {
            int n = n0 + e / 32, o = o0 + e % 32;
            bool there = n < images && o < l.outputs;
            ds[e / 32][e % 32] = there ? l.delta[(int64_t)n * l.outputs + o] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int n = 0; n < NET_OUTER_IMAGES; n++) {
            float4 x = *(const float4 *)&xs[n][4 * warp];
            float d = ds[n][lane];
            sum[0] += x.x * d;
            sum[1] += x.y * d;
            sum[2] += x.z * d;
            sum[3] += x.w * d;
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int i = i0 + 4 * warp + k, o = o0 + lane;
        if (i <= l.inputs && o < l.outputs) l.gradient[(int64_t)i * l.outputs + o] = sum[k];
    }
}

// dx = delta w^T for 32 inputs and NET_BACK_IMAGES images per block; lane = input.
// delta: [images][outputs], w: [inputs][outputs], dx: [images][inputs].
__global__ void __launch_bounds__(NET_FC_THREADS)
    net_fc_back(int images, int inputs, int outputs, const float *delta, const float *w,
                float *dx) {
    __shared__ float ws[32][NET_BACK_CHUNK + 1]; // + 1: lanes read different banks
    __shared__ __align__(16) float ds[NET_BACK_CHUNK][NET_BACK_IMAGES];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int i0 = blockIdx.x * 32, n0 = blockIdx.y * NET_BACK_IMAGES;
    float sum[4] = {};
    for (int o0 = 0; o0 < outputs; o0 += NET_BACK_CHUNK) {
        __syncthreads();
        for (int e = threadIdx.x; e < 32 * NET_BACK_CHUNK; e += NET_FC_THREADS) {
            int i = e / NET_BACK_CHUNK, o = e % NET_BACK_CHUNK;
            bool there = i0 + i < inputs && o0 + o < outputs;
            ws[i][o] = there ? w[(int64_t)(i0 + i) * outputs + o0 + o] : 0.0f;
        }
        for (int e = threadIdx.x; e < NET_BACK_IMAGES * NET_BACK_CHUNK; e += NET_FC_THREADS) {
            int n = e / NET_BACK_CHUNK, o = e % NET_BACK_CHUNK;
            bool there = n0 + n < images && o0 + o < outputs;
            ds[o][n] = there ? delta[(int64_t)(n0 + n) * outputs + o0 + o] : 0.0f;
        }
        __syncthreads();
#pragma unroll 16
        for (int o = 0; o < NET_BACK_CHUNK; o++) {
            float4 d = *(const float4 *)&ds[o][4 * warp];
            float weight = ws[lane][o];
            sum[0] += d.x * weight;
            sum[1] += d.y * weight;
            sum[2] += d.z * weight;
            sum[3] += d.w * weight;
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int n = n0 + 4 * warp + k;
        if (n < images && i0 + lane < inputs) dx[(int64_t)n * inputs + i0 + lane] = sum[k];
    }
}

// A convolution backward whose output was pooled to [images][filters][pooled][pooled].
typedef struct net_back_shape {
    int images, channels, side, filters, pooled;
    const int32_t *order; // as in net_conv_shape
} net_back_shape;

// dx of a convolution, as a convolution of the deltas with turned filters: in shared memory lie the
// deltas as they were before pooling, with 4 zeros round them. A block has an image and
// NET_DELTA_GROUP channels; a thread a window of 2 x 2 elements of dx in C channels.
template <int C>
__global__ void __launch_bounds__(NET_DELTA_MOST)
    net_deltas(net_back_shape s, const float *delta, const uint8_t *where, const float *w,
               float *dx) {
    extern __shared__ __align__(16) float shared[];
    int across = (s.side + 1) / CNN_WINDOW, pitch = CNN_WINDOW * across + CNN_SIDE - 1;
    int plane = pitch * pitch, pooled = s.pooled * s.pooled;
    float(*weights)[CNN_TAPS][NET_DELTA_GROUP] =
        (float(*)[CNN_TAPS][NET_DELTA_GROUP])(shared + NET_DELTA_CHUNK * plane);
    int n = blockIdx.x, c0 = blockIdx.y * NET_DELTA_GROUP;
    int window = threadIdx.x % (across * across), own = threadIdx.x / (across * across) * C;
    bool inside = own < NET_DELTA_GROUP;
    int row = window / across * CNN_WINDOW, column = window % across * CNN_WINDOW;
    float sum[C][CNN_NOWHERE] = {};
    for (int f0 = 0; f0 < s.filters; f0 += NET_DELTA_CHUNK) {
        int filters = min(s.filters - f0, (int)NET_DELTA_CHUNK);
        __syncthreads();
        for (int e = threadIdx.x; e < NET_DELTA_CHUNK * plane; e += blockDim.x) shared[e] = 0.0f;
        for (int e = threadIdx.x; e < filters * CNN_TAPS * NET_DELTA_GROUP; e += blockDim.x) {
            int tap = e % CNN_TAPS, c = e / CNN_TAPS % NET_DELTA_GROUP;
            int f = e / (CNN_TAPS * NET_DELTA_GROUP);
            bool there = c0 + c < s.channels;
            weights[f][CNN_TAPS - 1 - tap][c] =
                there ? w[((f0 + f) * s.channels + c0 + c) * CNN_TAPS + tap] : 0.0f;
        }
        __syncthreads();
        for (int e = threadIdx.x; e < filters * pooled; e += blockDim.x) {
            int64_t at = ((int64_t)n * s.filters + f0) * pooled + e;
            int k = where[at], q = e % pooled;
            int i = q / s.pooled * CNN_WINDOW + k / CNN_WINDOW + CNN_SIDE - 1;
            int j = q % s.pooled * CNN_WINDOW + k % CNN_WINDOW + CNN_SIDE - 1;
            if (k < CNN_NOWHERE) shared[e / pooled * plane + i * pitch + j] = delta[at];
        }
        __syncthreads();
        for (int f = 0; inside && f < filters; f++) {
            float patch[NET_PATCH][NET_PATCH];
            net_load_patch<true>(shared + f * plane + row * pitch + column, pitch, patch);
#pragma unroll
            for (int tap = 0; tap < CNN_TAPS; tap++)
#pragma unroll
                for (int c = 0; c < C; c++) {
                    float weight = weights[f][tap][own + c];
#pragma unroll
                    for (int k = 0; k < CNN_NOWHERE; k++)
                        sum[c][k] +=
                            weight *
                            patch[tap / CNN_SIDE + k / CNN_WINDOW][tap % CNN_SIDE + k % CNN_WINDOW];
                }
        }
    }
    if (!inside) return;
#pragma unroll
    for (int c = 0; c < C; c++)
#pragma unroll
        for (int k = 0; k < CNN_NOWHERE; k++) {
            int i = row + k / CNN_WINDOW, j = column + k % CNN_WINDOW;
            if (c0 + own + c < s.channels && i < s.side && j < s.side)
                dx[(((int64_t)n * s.channels + c0 + own + c) * s.side + i) * s.side + j] =
                    sum[c][k];
        }
}

// Partial gradients of a convolution: block x adds the images x, x + CNN_PARTS, .. A thread has one
// pair of filter and channel, and of its windows a slice; only the chosen element of a window has a
// delta. parts: [gridDim.x][filters * channels * 25 + filters].
__global__ void __launch_bounds__(NET_GRADIENT_THREADS)
    net_conv_parts(net_back_shape s, int slices, const net_state *state, const float *x,
                   const float *delta, const uint8_t *where, float *parts) {
    extern __shared__ __align__(16) float shared[];
    int plane = s.side * s.side, pooled = s.pooled * s.pooled,
        pitch = plane | 1; // odd: other banks
    int pairs = s.filters * s.channels, group = NET_GRADIENT_THREADS / slices;
    float *xs = shared, *ds = xs + s.channels * pitch, *sums = ds + s.filters * pooled;
    uint8_t *ks = (uint8_t *)(sums + (slices > 1 ? NET_GRADIENT_THREADS * (CNN_TAPS + 1) : 0));
    int pair = blockIdx.y * group + threadIdx.x % group, slice = threadIdx.x / group;
    int f = pair / s.channels, c = pair % s.channels;
    bool inside = pair < pairs && slice < slices;
    float sum[CNN_TAPS + 1] = {};
    net_conv_shape place = {s.channels, s.side, 0, 0, 0, s.order, s.images};
    for (int n = blockIdx.x; n < s.images; n += gridDim.x) {
        const float *image = net_image(&place, state, x, n);
        __syncthreads();
        for (int e = threadIdx.x; e < s.channels * plane; e += NET_GRADIENT_THREADS)
            xs[e / plane * pitch + e % plane] = image[e];
        for (int e = threadIdx.x; e < s.filters * pooled; e += NET_GRADIENT_THREADS) {
            ds[e] = delta[(int64_t)n * s.filters * pooled + e];
            ks[e] = where[(int64_t)n * s.filters * pooled + e];
        }
        __syncthreads();
        for (int q = slice; inside && q < pooled; q += slices) {
            int k = ks[f * pooled + q];
            if (k >= CNN_NOWHERE) continue;
            float d = ds[f * pooled + q];
            const float *corner = xs + c * pitch +
                                  (q / s.pooled * CNN_WINDOW + k / CNN_WINDOW) * s.side +
                                  q % s.pooled * CNN_WINDOW + k % CNN_WINDOW;
#pragma unroll
            for (int tap = 0; tap < CNN_TAPS; tap++)
                sum[tap] += d * corner[tap / CNN_SIDE * s.side + tap % CNN_SIDE];
            sum[CNN_TAPS] += d;
        }
    }
    if (slices > 1) {
#pragma unroll
        for (int k = 0; k <= CNN_TAPS; k++) sums[k * NET_GRADIENT_THREADS + threadIdx.x] = sum[k];
        __syncthreads();
        if (slice > 0) return;
#pragma unroll
        for (int k = 0; k <= CNN_TAPS; k++)
            for (int other = 1; other < slices; other++)
                sum[k] += sums[k * NET_GRADIENT_THREADS + other * group + threadIdx.x];
    }
    if (!inside) return;
    float *part = parts + (int64_t)blockIdx.x * (pairs * CNN_TAPS + s.filters);
#pragma unroll
    for (int tap = 0; tap < CNN_TAPS; tap++) part[pair * CNN_TAPS + tap] = sum[tap];
    if (c == 0) part[pairs * CNN_TAPS + f] = sum[CNN_TAPS];
}

// gradient[i] = sum of the partial sums; count1 of the first convolution, then count2 of the
// second.
__global__ void __launch_bounds__(NET_ADD_THREADS)
    net_add(int parts, int count1, int count2, const float *parts1, const float *parts2,
            float *gradient) {
    int i = blockIdx.x * NET_ADD_THREADS + threadIdx.x;
    if (i >= count1 + count2) return;
    const float *from = i < count1 ? parts1 + i : parts2 + i - count1;
    int pitch = i < count1 ? count1 : count2;
    float sum = 0.0f;
#pragma unroll 16
    for (int k = 0; k < parts; k++) sum += from[(int64_t)k * pitch];
    gradient[i] = sum;
}

static void net_fc_gradients(const cnn_training *t, const net_memory *m, cudaStream_t stream) {
    cnn_layout l = cnn_layout_of(&t->network);
    int hidden = (int)t->network.hidden;
    net_outer_layer third = {(int)l.flat, hidden,          0,
                             m->pooled2,  m->delta_hidden, m->gradient + l.w3};
    net_outer_layer fourth = {hidden,    CNN_CLASSES,     0,
                              m->hidden, m->delta_logits, m->gradient + l.w4};
    third.tiles = (third.inputs / NET_OUTER_ROWS + 1) * ((third.outputs + 31) / 32);
    fourth.tiles = (fourth.inputs / NET_OUTER_ROWS + 1) * ((fourth.outputs + 31) / 32);
    net_outer<<<(unsigned)(third.tiles + fourth.tiles), NET_FC_THREADS, 0, stream>>>((int)t->batch,
                                                                                     third, fourth);
}

static void net_fc_deltas(const cnn_training *t, const net_memory *m, cudaStream_t stream) {
    cnn_layout l = cnn_layout_of(&t->network);
    dim3 blocks((unsigned)((l.flat + 31) / 32),
                (unsigned)((t->batch + NET_BACK_IMAGES - 1) / NET_BACK_IMAGES));
    net_fc_back<<<blocks, NET_FC_THREADS, 0, stream>>>((int)t->batch, (int)l.flat,
                                                       (int)t->network.hidden, m->delta_hidden,
                                                       m->parameters + l.w3, m->delta_pooled2);
}

static void net_conv_deltas(const cnn_training *t, const net_memory *m, cudaStream_t stream) {
    const cnn_network *net = &t->network;
    cnn_layout l = cnn_layout_of(net);
    net_back_shape s = {(int)t->batch,      (int)net->filters1, (int)l.pooled1,
                        (int)net->filters2, (int)l.pooled2,     NULL};
    int across = (s.side + 1) / CNN_WINDOW, pitch = CNN_WINDOW * across + CNN_SIDE - 1;
    size_t bytes =
        sizeof(float) * NET_DELTA_CHUNK * (size_t)(pitch * pitch + CNN_TAPS * NET_DELTA_GROUP);
    dim3 blocks((unsigned)s.images,
                (unsigned)((s.channels + NET_DELTA_GROUP - 1) / NET_DELTA_GROUP));
    const float *w = m->parameters + l.w2;
    int windows = across * across, c = t->batch >= 256 ? 4 : 2;
    unsigned threads = (unsigned)((windows * (NET_DELTA_GROUP / c) + 31) / 32 * 32);
    if (c == 4)
        net_deltas<4><<<blocks, threads, bytes, stream>>>(s, m->delta_pooled2, m->where2, w,
                                                          m->delta_pooled1);
    else
        net_deltas<2><<<blocks, threads, bytes, stream>>>(s, m->delta_pooled2, m->where2, w,
                                                          m->delta_pooled1);
}

static int net_parts(const cnn_training *t) {
    return t->batch < CNN_PARTS ? (int)t->batch : CNN_PARTS;
}

// Of the first or the second convolution.
static void net_conv_gradients(const cnn_training *t, const net_memory *m, int layer,
                               cudaStream_t stream) {
    const cnn_network *net = &t->network;
    cnn_layout l = cnn_layout_of(net);
    bool is_first = layer == 1;
    net_back_shape s = is_first
                           ? net_back_shape{(int)t->batch,      (int)net->channels, (int)net->side,
                                            (int)net->filters1, (int)l.pooled1,     t->d_order}
                           : net_back_shape{(int)t->batch,      (int)net->filters1, (int)l.pooled1,
                                            (int)net->filters2, (int)l.pooled2,     NULL};
    int pairs = s.channels * s.filters;
    int slices = pairs < NET_GRADIENT_THREADS ? NET_GRADIENT_THREADS / pairs : 1;
    int group = NET_GRADIENT_THREADS / slices, pooled = s.filters * s.pooled * s.pooled;
    size_t floats = (size_t)(s.channels * (s.side * s.side | 1) + pooled);
    if (slices > 1) floats += NET_GRADIENT_THREADS * (CNN_TAPS + 1);
    size_t bytes = floats * sizeof(float) + (size_t)pooled;
    if (bytes > 48 << 10) // what a kernel gets without asking
        cudaFuncSetAttribute(net_conv_parts, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)bytes);
    net_conv_parts<<<dim3((unsigned)net_parts(t), (unsigned)((pairs + group - 1) / group)),
                     NET_GRADIENT_THREADS, bytes, stream>>>(
        s, slices, m->state, is_first ? t->d_images : m->pooled1,
        is_first ? m->delta_pooled1 : m->delta_pooled2, is_first ? m->where1 : m->where2,
        is_first ? m->parts1 : m->parts2);
}

static void net_add_parts(const cnn_training *t, const net_memory *m, cudaStream_t stream) {
    cnn_layout l = cnn_layout_of(&t->network);
    net_add<<<(unsigned)((l.w3 + NET_ADD_THREADS - 1) / NET_ADD_THREADS), NET_ADD_THREADS, 0,
              stream>>>(net_parts(t), (int)l.w2, (int)(l.w3 - l.w2), m->parts1, m->parts2,
                        m->gradient);
}
