// SPDX-License-Identifier: MIT
// attack: Hands in one line that includes the kit's own solution.
// step: 02_reduction 1
// stopped by: INCLUDE_AUDIT, SANDBOX
// expect: FORBIDDEN/COMPILE_ERROR
// gains: points
#include "@KIT@/solutions/02_reduction/steps/1_interleaved.cu"
