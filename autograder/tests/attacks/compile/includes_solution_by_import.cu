// SPDX-License-Identifier: MIT
// attack: Reads the solution by the old directive #import.
// step: 02_reduction 1
// stopped by: INCLUDE_AUDIT, SANDBOX
// expect: FORBIDDEN/COMPILE_ERROR
// gains: points
#import "@KIT@/solutions/02_reduction/steps/1_interleaved.cu"
