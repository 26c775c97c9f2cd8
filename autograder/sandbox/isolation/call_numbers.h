// SPDX-License-Identifier: MIT
// Numbers of the system calls in denied.def that older headers do not know (the same on all
// machines from 424 on), and -1 for those that only x86 has. Included by inside_filter.c alone.
#ifndef LADDER_ISOLATION_CALL_NUMBERS_H
#define LADDER_ISOLATION_CALL_NUMBERS_H

#include <sys/syscall.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif
#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_modify_ldt
#define SYS_modify_ldt (-1)
#endif
#ifndef SYS_uselib
#define SYS_uselib (-1)
#endif
#ifndef SYS_iopl
#define SYS_iopl (-1)
#endif
#ifndef SYS_ioperm
#define SYS_ioperm (-1)
#endif

#endif
