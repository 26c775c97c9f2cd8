// SPDX-License-Identifier: MIT
// Advice for data that is handed on by a flag or a lock in memory without what orders it.
#ifndef SIM_CHECK_FLAGS_H
#define SIM_CHECK_FLAGS_H

#include "check/pass.h"

// Of the access of `old` by block `owner`, and that of `thread` now. False: no flag or lock is
// between them.
bool check_flag_advice(const check_pass *pass, check_record old, bool old_is_write, uint32_t thread,
                       uint64_t owner, char *text, size_t bytes);

#endif
