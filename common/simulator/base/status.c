// Statuses of the simulator: see base.h.
#include "base/base.h"

static const char *const status_texts[SIM_STATUS_COUNT] = {
#define SIM_STATUS(id, text) text,
#include "base/status.def"
#undef SIM_STATUS
};

const char *sim_status_text(sim_status status) {
    if ((unsigned)status >= SIM_STATUS_COUNT) return "unknown status";
    return status_texts[status];
}

sim_status sim_fail(kl_error *err, sim_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    kl_error_fill(err, status, format, arguments);
    va_end(arguments);
    return status;
}

// ---- names of kernels ---------------------------------------------------------------------------

const char *sim_kernel_name(const char *mangled, int *out_length) {
    *out_length = (int)strlen(mangled);
    if (strncmp(mangled, "_Z", 2) != 0) return mangled;
    char *rest = NULL;
    unsigned long length = strtoul(mangled + (mangled[2] == 'L' ? 3 : 2), &rest, 10);
    if (length == 0 || length > strlen(rest)) return mangled;
    *out_length = (int)length;
    return rest;
}

const char *sim_variable_name(const char *symbol, char *text, size_t bytes) {
    for (const char *at = symbol; strncmp(symbol, "_ZZ", 3) == 0 && (at = strchr(at, 'E'));) {
        char *name;
        unsigned long length = strtoul(++at, &name, 10);
        size_t left = strlen(name);
        bool last = length > 0 && (length == left || (length < left && name[length] == '_'));
        if (!last || length >= bytes) continue;
        snprintf(text, bytes, "%.*s", (int)length, name);
        return text;
    }
    return symbol;
}

const char *sim_kernel_library(const char *mangled) {
    if (strncmp(mangled, "_ZN6thrust", 10) == 0) return "Thrust";
    return strncmp(mangled, "_ZN3cub", 7) == 0 ? "CUB" : NULL;
}

// ---- paths of source files ----------------------------------------------------------------------

void sim_path_shorten(char *path) {
    char *at = path;
    for (char *up; (up = strstr(at, "/../"));) {
        char *part = up;
        while (part > path && part[-1] != '/') part--;
        size_t bytes = (size_t)(up - part);
        bool stays = bytes == 0 || strncmp(part, "..", bytes) == 0; // "", "." or ".."
        if (!stays) memmove(part, up + 4, strlen(up + 4) + 1);
        at = stays ? up + 3 : part > path ? part - 1 : path;
    }
}
