// The widths of the network as an option of the applications: see model.h.
#include "model/model.h"

kl_status cnn_take_widths(const kl_option *option, const char *text, kl_error *err) {
    long long a = 0, b = 0, c = 0;
    char after = '\0';
    if (sscanf(text, "%lld,%lld,%lld%c", &a, &b, &c, &after) != 3 || a < 1 || a > 64 || b < 1 ||
        b > 256 || c < 1 || c > 4096)
        return kl_fail(err, KL_ERROR_USAGE,
                       "--%s takes filters, filters and hidden outputs, up to 64, 256 and 4096, "
                       "as in 16,32,128; not '%s'",
                       option->name, text);
    memcpy(option->target, (const int64_t[]){a, b, c}, 3 * sizeof(int64_t));
    return KL_OK;
}

void cnn_default_widths(bool simulated, int64_t out_widths[3]) {
    static const int64_t widths[][3] = {{16, 32, 128}, {4, 8, 32}};
    memcpy(out_widths, widths[simulated], sizeof widths[0]);
}
