// SPDX-License-Identifier: MIT
// Particles move for one time step. What is slow: a warp's load of one member of the structure.
#include "five.h"

enum { COUNT = 1 << 18, THREADS = 256 };

typedef struct particle {
    float x, y, z, vx, vy, vz, mass;
} particle;

#ifdef CHANGED
// state: [7][count], a row for each member of `particle`.
__global__ void move(float *state, int count, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    state[i] += dt * state[3 * count + i];
    state[count + i] += dt * state[4 * count + i];
    state[2 * count + i] += dt * state[5 * count + i];
}
#else
__global__ void move(particle *all, int count, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    all[i].x += dt * all[i].vx;
    all[i].y += dt * all[i].vy;
    all[i].z += dt * all[i].vz;
}
#endif

int main(void) {
    double expected = 0, got = 0;
#ifdef CHANGED
    static float state[7][COUNT];
    for (int i = 0; i < COUNT; i++) {
        for (int m = 0; m < 7; m++) state[m][i] = (float)((i * 7 + m) % 64);
        expected += state[0][i] + 0.5 * state[3][i];
    }
    float *d_state = (float *)five_upload(state, sizeof state);
    move<<<COUNT / THREADS, THREADS>>>(d_state, COUNT, 0.5f);
    FIVE_CHECK(cudaMemcpy(state, d_state, sizeof state, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) got += state[0][i];
    five_free(d_state);
#else
    static particle all[COUNT];
    for (int i = 0; i < COUNT; i++) {
        float m[7];
        for (int k = 0; k < 7; k++) m[k] = (float)((i * 7 + k) % 64);
        all[i] = (particle){m[0], m[1], m[2], m[3], m[4], m[5], m[6]};
        expected += m[0] + 0.5 * m[3];
    }
    particle *d_all = (particle *)five_upload(all, sizeof all);
    move<<<COUNT / THREADS, THREADS>>>(d_all, COUNT, 0.5f);
    FIVE_CHECK(cudaMemcpy(all, d_all, sizeof all, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) got += all[i].x;
    five_free(d_all);
#endif
    return five_end("particles", got, expected, 1e-6);
}
