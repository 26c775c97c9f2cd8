// SPDX-License-Identifier: MIT
// attack: The same with the file's name put together by macros.
// step: 02_reduction 1
// stopped by: INCLUDE_AUDIT, SANDBOX
// expect: FORBIDDEN/COMPILE_ERROR
// gains: secret

// clang-format off
#define QUOTE(x) #x
#define NAME(x) QUOTE(x)
#define THE_FILE NAME(@SECRET@)
#include THE_FILE
