// Errors with a kl_status: see error.h. Formats messages; must not print or exit.
#include "error.h"

kl_status kl_fail(kl_error *err, kl_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    kl_error_fill(err, status, format, args);
    va_end(args);
    return status;
}

kl_status kl_fail_prefix(kl_error *err, const char *format, ...) {
    va_list args;
    va_start(args, format);
    kl_error_prefix(err, format, args);
    va_end(args);
    return err ? (kl_status)err->status : KL_ERROR_SYSTEM;
}

kl_status kl_fail_from(kl_error *err, kl_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    kl_error_prefix(err, format, args);
    va_end(args);
    if (err) err->status = status;
    return status;
}

const char *kl_quoted(const char *text, char *out, size_t bytes) {
    if (text[0] == '\0') snprintf(out, bytes, "an empty text");
    else snprintf(out, bytes, "'%.*s'", bytes > 3 ? (int)(bytes - 3) : 0, text);
    return out;
}
