// The error record: see error_record.h. Formats messages; must not print or exit.
#include "error_record.h"

void kl_error_fill(kl_error *err, unsigned status, const char *format, va_list arguments) {
    if (!err) return;
    err->status = status;
    vsnprintf(err->text, sizeof err->text, format, arguments);
}

void kl_error_append(kl_error *err, const char *format, ...) {
    if (!err) return;
    size_t used = strlen(err->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->text + used, sizeof err->text - used, format, arguments);
    va_end(arguments);
}

void kl_error_prefix(kl_error *err, const char *format, va_list arguments) {
    if (!err) return;
    kl_error whole = {.text = ""};
    vsnprintf(whole.text, sizeof whole.text / 2, format, arguments);
    kl_error_append(&whole, ": %s", err->text);
    memcpy(err->text, whole.text, sizeof err->text);
}
