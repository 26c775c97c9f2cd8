// SPDX-License-Identifier: MIT
// As whom jobs run.
#ifndef LADDER_ISOLATION_USER_H
#define LADDER_ISOLATION_USER_H

#include <stdbool.h>

// True when this process may make namespaces and mounts without a user namespace: root, but not
// that of a container without CAP_SYS_ADMIN.
bool sandbox_may_mount(void);

// A user for the next job, who owns nothing. False when there is none to be had: root in a user
// namespace that maps few users.
bool sandbox_choose_user(unsigned *out_user);

#endif
