// SPDX-License-Identifier: MIT
// What every stage asks of a module that is being decoded: to report an error, and its functions by
// name.
#include "decode/instruction/state.h"

#include <stdarg.h>
#include <stdio.h>

sim_status decode_fail(const decode_module *module, ptx_place place, sim_status status,
                       const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return ptx_fail(module->text, module->text_bytes, place, status, module->err, "%s", message);
}

sim_status decode_no_memory(const decode_module *module) {
    return sim_fail(module->err, SIM_OUT_OF_MEMORY, "out of memory while decoding PTX");
}

uint32_t decode_find_function(const decode_module *module, const char *name) {
    // An alias of an alias is not PTX, but a loop of them must not hang.
    for (int depth = 0; depth < 8; depth++) {
        uint32_t index = decode_map_get(&module->functions, name);
        if (index != DECODE_NONE) return index;
        uint32_t alias = decode_map_get(&module->aliases, name);
        if (alias == DECODE_NONE) return DECODE_NONE;
        name = module->syntax->aliases[alias].target;
    }
    return DECODE_NONE;
}
