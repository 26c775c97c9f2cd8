// SPDX-License-Identifier: MIT
// attack: Eight thousand kernels, made by a template.
// step: 02_reduction 1
// stopped by: COMPILER_LIMITS
// expect: BUILD_LIMIT
// gains: holds
// limit: 3
// tier: full
template <int number> __global__ void bomb(float *x) {
    for (int i = threadIdx.x; i < number; i += blockDim.x)
        x[i] = x[i + number] * number + x[i * 7 % (number + 1)];
}

template <int first, int count> struct launch {
    static void all(float *x) {
        launch<first, count / 2>::all(x);
        launch<first + count / 2, count - count / 2>::all(x);
    }
};

template <int first> struct launch<first, 1> {
    static void all(float *x) { bomb<first><<<1, 32>>>(x); }
};

void launch_all(float *x) {
    launch<1, 8192>::all(x);
}
