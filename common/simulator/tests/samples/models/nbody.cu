// SPDX-License-Identifier: MIT
// All-pairs gravity as a template over float and double: bodies go through shared memory tile by
// tile; softened forces, leapfrog steps; energy and positions against the host.
#include <cmath>
#include <vector>

#include "../helper.h"

template <typename T> struct vec3 {};
template <> struct vec3<float> { typedef float3 Type; };
template <> struct vec3<double> { typedef double3 Type; };
template <typename T> struct vec4 {};
template <> struct vec4<float> { typedef float4 Type; };
template <> struct vec4<double> { typedef double4_32a Type; };

template <typename T> __host__ __device__ T rsqrt_T(T x) { return T(1) / sqrt(x); }
template <> __device__ float rsqrt_T<float>(float x) { return rsqrtf(x); }
template <> __device__ double rsqrt_T<double>(double x) { return rsqrt(x); }

template <typename T>
__device__ typename vec3<T>::Type bodyBodyInteraction(typename vec3<T>::Type ai,
                                                      typename vec4<T>::Type bi,
                                                      typename vec4<T>::Type bj, T softening) {
    T x = bj.x - bi.x, y = bj.y - bi.y, z = bj.z - bi.z;
    T distSqr = x * x + y * y + z * z + softening;
    T invDist = rsqrt_T(distSqr), s = bj.w * invDist * invDist * invDist;
    ai.x += x * s;
    ai.y += y * s;
    ai.z += z * s;
    return ai;
}

template <typename T>
__global__ void integrateBodies(typename vec4<T>::Type *__restrict__ newPos,
                                const typename vec4<T>::Type *__restrict__ oldPos,
                                typename vec4<T>::Type *vel, int n, T deltaTime, T softening) {
    extern __shared__ __align__(32) unsigned char shared[];
    auto *tile = reinterpret_cast<typename vec4<T>::Type *>(shared);
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    typename vec4<T>::Type position = oldPos[index < n ? index : 0];
    typename vec3<T>::Type acc = {0, 0, 0};
    for (int base = 0; base < n; base += blockDim.x) {
        if (base + threadIdx.x < n) tile[threadIdx.x] = oldPos[base + threadIdx.x];
        __syncthreads();
        int count = min((int)blockDim.x, n - base);
#pragma unroll 8
        for (int j = 0; j < count; j++)
            acc = bodyBodyInteraction<T>(acc, position, tile[j], softening);
        __syncthreads();
    }
    if (index >= n) return;
    typename vec4<T>::Type velocity = vel[index];
    velocity.x += acc.x * deltaTime;
    velocity.y += acc.y * deltaTime;
    velocity.z += acc.z * deltaTime;
    position.x += velocity.x * deltaTime;
    position.y += velocity.y * deltaTime;
    position.z += velocity.z * deltaTime;
    newPos[index] = position;
    vel[index] = velocity;
}

template <typename T> static bool simulate(const char *name, int n, int steps, double tolerance) {
    typedef typename vec4<T>::Type V;
    std::vector<V> pos(n), vel(n), got(n);
    HostRandom random(42);
    for (int i = 0; i < n; i++) {
        pos[i].x = T(random.uniform() - 0.5f);
        pos[i].y = T(random.uniform() - 0.5f);
        pos[i].z = T(random.uniform() - 0.5f);
        pos[i].w = T(1.0 / n);
        vel[i].x = -pos[i].y;
        vel[i].y = pos[i].x;
        vel[i].z = vel[i].w = 0;
    }
    V *d_pos[2], *d_vel;
    for (V *&p : d_pos) checkCudaErrors(cudaMalloc(&p, n * sizeof(V)));
    checkCudaErrors(cudaMalloc(&d_vel, n * sizeof(V)));
    checkCudaErrors(cudaMemcpy(d_pos[0], pos.data(), n * sizeof(V), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_vel, vel.data(), n * sizeof(V), cudaMemcpyHostToDevice));
    const T dt = T(0.01), softening = T(0.01);
    for (int s = 0; s < steps; s++)
        integrateBodies<T><<<divUp(n, 128), 128, 128 * sizeof(V)>>>(
            d_pos[(s + 1) & 1], d_pos[s & 1], d_vel, n, dt, softening);
    getLastCudaError("integrateBodies");
    checkCudaErrors(
        cudaMemcpy(got.data(), d_pos[steps & 1], n * sizeof(V), cudaMemcpyDeviceToHost));
    std::vector<double> p(3 * n), v(3 * n);
    for (int i = 0; i < n; i++) {
        p[3 * i] = pos[i].x, p[3 * i + 1] = pos[i].y, p[3 * i + 2] = pos[i].z;
        v[3 * i] = vel[i].x, v[3 * i + 1] = vel[i].y, v[3 * i + 2] = vel[i].z;
    }
    for (int s = 0; s < steps; s++) {
        std::vector<double> q = p;
        for (int i = 0; i < n; i++) {
            double a[3] = {0, 0, 0};
            for (int j = 0; j < n; j++) {
                double r[3], d2 = softening;
                for (int k = 0; k < 3; k++) {
                    r[k] = q[3 * j + k] - q[3 * i + k];
                    d2 += r[k] * r[k];
                }
                double inv = 1 / sqrt(d2), strength = pos[j].w * inv * inv * inv;
                for (int k = 0; k < 3; k++) a[k] += r[k] * strength;
            }
            for (int k = 0; k < 3; k++) p[3 * i + k] += (v[3 * i + k] += a[k] * dt) * dt;
        }
    }
    double worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fmax(fabs(got[i].x - p[3 * i]), fmax(fabs(got[i].y - p[3 * i + 1]),
                                                                 fabs(got[i].z - p[3 * i + 2]))));
    printf("%s, %d bodies, %d steps: first at (%.4f, %.4f, %.4f), %s\n", name, n, steps,
           (double)got[0].x, (double)got[0].y, (double)got[0].z,
           worst < tolerance ? "right" : "WRONG");
    return worst < tolerance;
}

int main(int argc, char **argv) {
    int n = intOption(argc, argv, "numbodies", 700);
    bool passed = simulate<float>("float", n, 3, 1e-5);
    passed = simulate<double>("double", n / 2, 3, 1e-12) && passed;
    return finish("nbody", passed);
}
