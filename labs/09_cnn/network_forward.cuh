// SPDX-License-Identifier: MIT
// The forward kernels of network.cuh: convolution with pooling, a fully connected layer with ReLU,
// and the last layer with loss and deltas. Only network.cuh includes this.
#pragma once

enum {
    NET_CONV_THREADS = 64,
    NET_CONV_CHUNK = 8, // channels whose weights lie in shared memory at a time
    NET_PATCH = CNN_SIDE + 1,
    NET_FC_THREADS = 128,
    NET_FC_WARPS = NET_FC_THREADS / 32,
    NET_FC_CHUNK = 512, // inputs of an image in shared memory at a time
    NET_LOSS_THREADS = 64,
    NET_BUSY = 132 * 128 // threads that give each SM of a large card a warp per scheduler
};

typedef struct net_conv_shape {
    int channels, side, filters, pooled; // side: of x; pooled: of y
    int64_t windows;                     // images * pooled * pooled
    const int32_t *order;                // which image is the n-th of the batch; NULL: the n-th
    int batch;
} net_conv_shape;

// x of the n-th image of this batch.
__device__ __forceinline__ const float *net_image(const net_conv_shape *s, const net_state *state,
                                                  const float *x, int64_t n) {
    if (s->order != NULL) n = s->order[(int64_t)state->batch_index * s->batch + n];
    return x + n * s->channels * s->side * s->side;
}

// 6 x 6 elements from `corner`, which is 8-byte aligned when WIDE.
template <bool WIDE>
__device__ __forceinline__ void net_load_patch(const float *corner, int pitch,
                                               float patch[NET_PATCH][NET_PATCH]) {
#pragma unroll
    for (int r = 0; r < NET_PATCH; r++)
#pragma unroll
        for (int t = 0; t < NET_PATCH; t += 2) {
            if (WIDE) {
                float2 two = *(const float2 *)(corner + r * pitch + t);
                patch[r][t] = two.x;
                patch[r][t + 1] = two.y;
            } else {
                patch[r][t] = corner[r * pitch + t];
                patch[r][t + 1] = corner[r * pitch + t + 1];
            }
        }
}

// Step 8's kernel for F filters per thread. y, where: [images][filters][pooled][pooled].
template <int F, bool WIDE>
__global__ void __launch_bounds__(NET_CONV_THREADS)
    net_conv_pool(net_conv_shape s, const net_state *state, const float *x, const float *w,
                  const float *b, float *y, uint8_t *where) {
    __shared__ __align__(16) float weights[NET_CONV_CHUNK * CNN_TAPS][F];
    int64_t at = (int64_t)blockIdx.x * NET_CONV_THREADS + threadIdx.x;
    bool inside = at < s.windows;
    int plane = s.pooled * s.pooled, first_f = blockIdx.y * F;
    int64_t n = inside ? at / plane : 0;
    int pixel = inside ? (int)(at % plane) : 0;
    const float *corner = net_image(&s, state, x, n) + pixel / s.pooled * CNN_WINDOW * s.side +
                          pixel % s.pooled * CNN_WINDOW;
    float sum[F][CNN_NOWHERE];
#pragma unroll
    for (int f = 0; f < F; f++)
#pragma unroll
        for (int k = 0; k < CNN_NOWHERE; k++)
            sum[f][k] = first_f + f < s.filters ? b[first_f + f] : 0.0f;
    for (int c0 = 0; c0 < s.channels; c0 += NET_CONV_CHUNK) {
        __syncthreads();
        for (int e = threadIdx.x; e < NET_CONV_CHUNK * CNN_TAPS * F; e += NET_CONV_THREADS) {
            int f = e / (NET_CONV_CHUNK * CNN_TAPS), k = e % (NET_CONV_CHUNK * CNN_TAPS);
            bool there = first_f + f < s.filters && c0 + k / CNN_TAPS < s.channels;
            weights[k][f] = there ? w[((first_f + f) * s.channels + c0) * CNN_TAPS + k] : 0.0f;
        }
        __syncthreads();
        int channels = min(s.channels - c0, (int)NET_CONV_CHUNK);
        for (int c = 0; inside && c < channels; c++, corner += s.side * s.side) {
            float patch[NET_PATCH][NET_PATCH];
            net_load_patch<WIDE>(corner, s.side, patch);
#pragma unroll
            for (int tap = 0; tap < CNN_TAPS; tap++)
#pragma unroll
                for (int f = 0; f < F; f++) {
                    float weight = weights[c * CNN_TAPS + tap][f];
#pragma unroll
                    for (int k = 0; k < CNN_NOWHERE; k++)
                        sum[f][k] +=
                            weight *
                            patch[tap / CNN_SIDE + k / CNN_WINDOW][tap % CNN_SIDE + k % CNN_WINDOW];
                }
        }
    }
    if (!inside) return;
#pragma unroll
    for (int f = 0; f < F; f++) {
        if (first_f + f >= s.filters) break;
        float best = 0.0f;
        int which = CNN_NOWHERE;
#pragma unroll
        for (int k = 0; k < CNN_NOWHERE; k++)
            if (sum[f][k] > best) {
                best = sum[f][k];
                which = k;
            }
        int64_t out = (n * s.filters + first_f + f) * plane + pixel;
        y[out] = best;
        where[out] = (uint8_t)which;
    }
}

template <int F>
static void net_launch_conv(const net_conv_shape *s, const net_memory *m, const float *x,
                            const float *w, const float *b, float *y, uint8_t *where,
                            cudaStream_t stream) {
    dim3 blocks((unsigned)((s->windows + NET_CONV_THREADS - 1) / NET_CONV_THREADS),
                (unsigned)((s->filters + F - 1) / F));
    if (s->side % 2 == 0)
        net_conv_pool<F, true>
            <<<blocks, NET_CONV_THREADS, 0, stream>>>(*s, m->state, x, w, b, y, where);
    else
        net_conv_pool<F, false>
            <<<blocks, NET_CONV_THREADS, 0, stream>>>(*s, m->state, x, w, b, y, where);
}

// As many filters per thread as leave enough threads.
static void net_conv(const net_conv_shape *s, const net_memory *m, const float *x, const float *w,
                     const float *b, float *y, uint8_t *where, cudaStream_t stream) {
    int64_t work = s->windows * s->filters;
    if (work / 8 >= NET_BUSY)
        net_launch_conv<8>(s, m, x, w, b, y, where, stream);
    else if (work / 4 >= NET_BUSY)
        net_launch_conv<4>(s, m, x, w, b, y, where, stream);
    else
        net_launch_conv<2>(s, m, x, w, b, y, where, stream);
}

// y = relu(x w + b) for IMAGES images and 32 outputs per block; its warps share the inputs.
// x: [images][inputs], w: [inputs][outputs], y: [images][outputs].
template <int IMAGES>
__global__ void __launch_bounds__(NET_FC_THREADS)
    net_fc_relu(int images, int inputs, int outputs, const float *x, const float *w, const float *b,
                float *y) {
    __shared__ float values[NET_FC_CHUNK][IMAGES];
    __shared__ float sums[NET_FC_WARPS][IMAGES][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, n0 = blockIdx.y * IMAGES;
    int o = blockIdx.x * 32 + lane;
    float sum[IMAGES] = {};
    for (int k0 = 0; k0 < inputs; k0 += NET_FC_CHUNK) {
        int length = min(inputs - k0, (int)NET_FC_CHUNK);
        __syncthreads();
        for (int e = threadIdx.x; e < IMAGES * length; e += NET_FC_THREADS) {
            int i = e / length, k = e % length;
            values[k][i] = n0 + i < images ? x[(int64_t)(n0 + i) * inputs + k0 + k] : 0.0f;
        }
        __syncthreads();
        if (o < outputs) {
#pragma unroll 8
            for (int k = warp; k < length; k += NET_FC_WARPS) {
                float weight = w[(int64_t)(k0 + k) * outputs + o];
#pragma unroll
                for (int i = 0; i < IMAGES; i++) sum[i] += values[k][i] * weight;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < IMAGES; i++) sums[warp][i][lane] = sum[i];
    __syncthreads();
    for (int i = warp; i < IMAGES; i += NET_FC_WARPS) {
        if (n0 + i >= images || o >= outputs) continue;
        float z = b[o];
        for (int k = 0; k < NET_FC_WARPS; k++) z += sums[k][i][lane];
        y[(int64_t)(n0 + i) * outputs + o] = z > 0.0f ? z : 0.0f;
    }
}

// The last layer, the loss, and the deltas of logits and of the hidden layer's sums. A warp per
// image. hidden: [images][inputs], w: [inputs][10].
__global__ void __launch_bounds__(NET_LOSS_THREADS)
    net_last_layer(int images, int inputs, const net_state *state, const int32_t *order,
                   const int32_t *all_labels, const float *hidden, const float *w, const float *b,
                   float *delta_logits, float *delta_hidden) {
    int n = blockIdx.x * (NET_LOSS_THREADS / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (n >= images) return; // the whole warp
    int64_t at = (int64_t)state->batch_index * images + n;
    const float *h = hidden + (int64_t)n * inputs;
    float z[CNN_CLASSES] = {};
    for (int k = lane; k < inputs; k += 32)
#pragma unroll
        for (int o = 0; o < CNN_CLASSES; o++) z[o] += h[k] * w[k * CNN_CLASSES + o];
    float most = -INFINITY, sum = 0.0f;
#pragma unroll
    for (int o = 0; o < CNN_CLASSES; o++) {
#pragma unroll
        for (int step = 16; step > 0; step /= 2) z[o] += __shfl_xor_sync(0xffffffffu, z[o], step);
        z[o] += b[o];
        most = fmaxf(most, z[o]);
    }
#pragma unroll
    for (int o = 0; o < CNN_CLASSES; o++) sum += __expf(z[o] - most);
    int label = all_labels[order[at]];
    float right = 0.0f, scale = 1.0f / (float)images;
#pragma unroll
    for (int o = 0; o < CNN_CLASSES; o++) {
        if (o == label) right = z[o] - most;
        z[o] = (__expf(z[o] - most) / sum - (o == label ? 1.0f : 0.0f)) * scale;
        if (lane == o) delta_logits[n * CNN_CLASSES + o] = z[o];
    }
    if (lane == 0) state->losses[at] = logf(sum) - right;
    for (int k = lane; k < inputs; k += 32) {
        float delta = 0.0f;
#pragma unroll
        for (int o = 0; o < CNN_CLASSES; o++) delta += z[o] * w[k * CNN_CLASSES + o];
        delta_hidden[(int64_t)n * inputs + k] = h[k] > 0.0f ? delta : 0.0f;
    }
}

static void net_forward(const cnn_training *t, const net_memory *m, cudaStream_t stream) {
    const cnn_network *net = &t->network;
    cnn_layout l = cnn_layout_of(net);
    const float *p = m->parameters;
    int images = (int)t->batch, hidden = (int)net->hidden;
    net_conv_shape first = {(int)net->channels,
                            (int)net->side,
                            (int)net->filters1,
                            (int)l.pooled1,
                            t->batch * l.pooled1 * l.pooled1,
                            t->d_order,
                            images};
    net_conv_shape second = {(int)net->filters1,
                             (int)l.pooled1,
                             (int)net->filters2,
                             (int)l.pooled2,
                             t->batch * l.pooled2 * l.pooled2,
                             NULL,
                             images};
    net_conv(&first, m, t->d_images, p + l.w1, p + l.b1, m->pooled1, m->where1, stream);
    net_conv(&second, m, m->pooled1, p + l.w2, p + l.b2, m->pooled2, m->where2, stream);
    unsigned columns = (unsigned)((hidden + 31) / 32);
    if (images < 256)
        net_fc_relu<4><<<dim3(columns, (unsigned)((images + 3) / 4)), NET_FC_THREADS, 0, stream>>>(
            images, (int)l.flat, hidden, m->pooled2, p + l.w3, p + l.b3, m->hidden);
    else
        net_fc_relu<8><<<dim3(columns, (unsigned)((images + 7) / 8)), NET_FC_THREADS, 0, stream>>>(
            images, (int)l.flat, hidden, m->pooled2, p + l.w3, p + l.b3, m->hidden);
}

static void net_loss(const cnn_training *t, const net_memory *m, cudaStream_t stream) {
    cnn_layout l = cnn_layout_of(&t->network);
    int warps = NET_LOSS_THREADS / 32;
    net_last_layer<<<(unsigned)((t->batch + warps - 1) / warps), NET_LOSS_THREADS, 0, stream>>>(
        (int)t->batch, (int)t->network.hidden, m->state, t->d_order, t->d_labels, m->hidden,
        m->parameters + l.w4, m->parameters + l.b4, m->delta_logits, m->delta_hidden);
}
