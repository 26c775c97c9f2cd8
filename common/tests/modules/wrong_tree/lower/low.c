// SPDX-License-Identifier: MIT
#include "upper/up.h"

int low(int depth);
int low(int depth) {
    return depth > 0 ? up(depth - 1) : 0;
}
