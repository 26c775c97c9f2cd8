// SPDX-License-Identifier: MIT
/// \file
/// Seen.
int shown(void);
