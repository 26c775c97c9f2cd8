// SPDX-License-Identifier: MIT
// In a folder that is no module.
int lost(void);
