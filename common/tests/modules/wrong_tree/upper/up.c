// SPDX-License-Identifier: MIT
#include "lower/low.h"
#include "near.h"
#include "upper/up.h"

int up(int depth) {
    return low(depth - NEAR);
}
