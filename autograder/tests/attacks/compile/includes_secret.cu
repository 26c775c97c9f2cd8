// SPDX-License-Identifier: MIT
// attack: Includes a secret file: the compiler's message quotes its first line.
// step: 02_reduction 1
// stopped by: INCLUDE_AUDIT, SANDBOX
// expect: FORBIDDEN/COMPILE_ERROR
// gains: secret
#include "@SECRET@"
