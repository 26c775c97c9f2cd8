// SPDX-License-Identifier: MIT
// Error record: see error.h. Formats messages; must not print or exit.
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

kl_status kl_fail(kl_error *err, kl_status status, const char *format, ...) {
    if (err != NULL) {
        va_list args;
        va_start(args, format);
        err->status = status;
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}

kl_status kl_fail_prefix(kl_error *err, const char *format, ...) {
    if (err == NULL) {
        return KL_ERROR_SYSTEM;
    }
    char old[KL_ERROR_TEXT];
    snprintf(old, sizeof old, "%s", err->text);

    char prefix[KL_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);

    // Both parts may be long; the record keeps what fits.
    int used = snprintf(err->text, sizeof err->text, "%.200s: ", prefix);
    if (used > 0 && (size_t)used < sizeof err->text) {
        snprintf(err->text + used, sizeof err->text - (size_t)used, "%.300s", old);
    }
    return err->status;
}
