// SPDX-License-Identifier: MIT
// attack: A device function that is unrolled without end.
// step: 02_reduction 1
// stopped by: COMPILER_LIMITS
// expect: BUILD_LIMIT
// gains: holds
// limit: 3
// tier: full
__global__ void bomb(float *x) {
#pragma unroll
    for (int i = 0; i < 3000; i++)
#pragma unroll
        for (int k = 0; k < 300; k++) x[i * 300 + k] = x[(i * 7 + k * 13) % 900] * 1.5f + x[k];
}
