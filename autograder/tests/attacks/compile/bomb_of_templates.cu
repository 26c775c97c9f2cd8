// SPDX-License-Identifier: MIT
// attack: A template that needs two others for each level.
// step: 02_reduction 1
// stopped by: COMPILER_LIMITS
// expect: BUILD_LIMIT
// gains: holds
// limit: 3
// tier: full
template <int depth, int branch> struct tree {
    static const long value =
        tree<depth - 1, 2 * branch>::value + tree<depth - 1, 2 * branch + 1>::value;
};
template <int branch> struct tree<0, branch> { static const long value = branch; };
long size = tree<26, 1>::value;
