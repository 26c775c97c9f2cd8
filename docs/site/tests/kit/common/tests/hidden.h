// SPDX-License-Identifier: MIT
/// \file
/// Left out.
int hidden(void);
