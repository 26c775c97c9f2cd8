// SPDX-License-Identifier: MIT
// attack: A constant whose evaluation takes billions of steps, in pieces below each limit.
// step: 02_reduction 1
// stopped by: COMPILER_LIMITS
// expect: BUILD_LIMIT
// gains: holds
// limit: 3
// tier: full
constexpr int work(int n) {
    int sum = 0;
    for (int i = 0; i < 1000000; i++) sum += i ^ n;
    return sum;
}
template <int n> struct piece { static constexpr int value = work(n) + piece<n - 1>::value % 3; };
template <> struct piece<0> { static constexpr int value = 0; };
int total = piece<400>::value;
