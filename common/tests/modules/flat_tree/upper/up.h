// SPDX-License-Identifier: MIT
int up(int);
