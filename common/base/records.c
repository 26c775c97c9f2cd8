// Records between the kit's programs: see records.h.
#include "records.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int kl_records_new(void) {
    int fd = memfd_create("records", MFD_CLOEXEC);
    if (fd >= 0) fcntl(fd, F_SETFL, O_APPEND); // several processes write to it
    return fd;
}

int kl_records_wanted(void) {
    const char *number = getenv(KL_RECORDS_VARIABLE);
    return number && *number >= '0' && *number <= '9' ? atoi(number) : -1;
}

bool kl_record_send(int fd, const kl_record *record) {
    ssize_t sent = send(fd, record, sizeof *record, MSG_NOSIGNAL);
    if (sent < 0 && errno == ENOTSOCK) sent = write(fd, record, sizeof *record);
    return sent == (ssize_t)sizeof *record;
}

bool kl_record_accept(kl_record *record) {
    switch ((kl_record_kind)record->kind) {
    case KL_RECORD_CASE: record->is.in_case.family[KL_RECORD_NAME - 1] = '\0'; return true;
    case KL_RECORD_STEP: record->is.end.text[KL_RECORD_TEXT - 1] = '\0'; return true;
    case KL_RECORD_CHECKED: record->is.check.text[KL_RECORD_FINDING - 1] = '\0'; return true;
    case KL_RECORD_CRASH: record->is.crash[sizeof record->is.crash - 1] = '\0'; return true;
    case KL_RECORD_PREPARATION:
    case KL_RECORD_CHECK: return true;
    case KL_RECORD_KINDS: break;
    }
    return false;
}

bool kl_record_at(int fd, uint32_t number, kl_record *out_record) {
    off_t at = (off_t)number * (off_t)sizeof *out_record;
    return fd >= 0 &&
           pread(fd, out_record, sizeof *out_record, at) == (ssize_t)sizeof *out_record &&
           kl_record_accept(out_record);
}
