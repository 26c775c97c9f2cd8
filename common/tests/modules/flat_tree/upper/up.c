// SPDX-License-Identifier: MIT
#include "both.h"
#include "up.h"
int up(int x) {
    return x ? low(x - 1) : 0;
}
