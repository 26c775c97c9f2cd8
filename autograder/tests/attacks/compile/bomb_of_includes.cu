// SPDX-License-Identifier: MIT
// attack: A file that includes itself twice, 199 times deep.
// step: 02_reduction 1
// stopped by: COMPILER_LIMITS
// expect: BUILD_LIMIT
// gains: holds
// limit: 3
// tier: full
#include __FILE__
#include __FILE__
