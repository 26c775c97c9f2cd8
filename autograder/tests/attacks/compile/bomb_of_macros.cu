// SPDX-License-Identifier: MIT
// attack: A macro that doubles 40 times.
// step: 02_reduction 1
// stopped by: COMPILER_LIMITS
// expect: BUILD_LIMIT
// gains: holds
// limit: 3
// tier: full
#define M0(x) x x
#define M1(x) M0(M0(x))
#define M2(x) M1(M1(x))
#define M3(x) M2(M2(x))
#define M4(x) M3(M3(x))
#define M5(x) M4(M4(x))
int M5(M5(M5(a)));
