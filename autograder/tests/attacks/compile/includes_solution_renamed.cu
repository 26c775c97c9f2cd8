// SPDX-License-Identifier: MIT
// attack: Includes the solution under a wrong line number and another file name.
// step: 02_reduction 1
// stopped by: INCLUDE_AUDIT, SANDBOX
// expect: FORBIDDEN/COMPILE_ERROR
// gains: points
#line 1 "reduction.h"
#include "@KIT@/solutions/02_reduction/steps/1_interleaved.cu"
