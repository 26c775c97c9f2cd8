// SPDX-License-Identifier: MIT
int low(int depth);
