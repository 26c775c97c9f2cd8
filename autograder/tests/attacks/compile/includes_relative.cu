// SPDX-License-Identifier: MIT
// attack: Includes a secret file by a path that climbs out of the compiler's folder.
// step: 02_reduction 1
// stopped by: INCLUDE_AUDIT, SANDBOX
// expect: FORBIDDEN/COMPILE_ERROR
// gains: secret
#include "../../../../secret/answers.txt"
