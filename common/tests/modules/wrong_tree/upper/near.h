// SPDX-License-Identifier: MIT
#define NEAR 1
