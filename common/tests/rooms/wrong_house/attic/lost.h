// SPDX-License-Identifier: MIT
// In a folder that is no room.
int lost(void);
