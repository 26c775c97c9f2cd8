// Fuzz target: debug sections of a PTX text, then what is visible at its lines and the values of
// that, with registers and memory that answer anything. Must never crash, hang or leak.
#include "debug/variables/variables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { LINES = 400, STEP = 7 }; // that are looked at

static sim_status read_register(void *context, const char *name, uint64_t *out_value,
                                uint32_t *out_bytes, kl_error *err) {
    (void)context, (void)err;
    *out_value = (uint64_t)name[1] << 40 | (uint64_t)name[strlen(name) - 1];
    *out_bytes = 8;
    return SIM_OK;
}

static sim_status read_memory(void *context, ptx_space space, uint64_t address, void *out,
                              uint64_t bytes, kl_error *err) {
    (void)context, (void)space, (void)err;
    memset(out, (int)(address & 0x7f), bytes);
    return SIM_OK;
}

static sim_status find_symbol(void *context, const char *name, ptx_space *out_space,
                              uint64_t *out_address, kl_error *err) {
    (void)context, (void)err;
    *out_space = (ptx_space)(name[0] % (PTX_SPACE_TEX + 1));
    *out_address = (uint64_t)name[0] << 8;
    return SIM_OK;
}

typedef struct look {
    const sim_variables *variables;
    const sim_variables_thread *thread;
} look;

static bool print(void *context, const sim_variable_row *row) {
    const look *at = context;
    const sim_variables_format format = {.most_elements = 50};
    kl_error err = {0};
    sim_variables_value value;
    if (sim_variables_evaluate(at->variables, at->thread, row->name, &format, &value, &err) ==
        SIM_OK) {
        if (!value.text || !value.type) abort();
    } else if (!err.text[0]) {
        abort(); // a failure has a message
    }
    sim_variables_value_free(&value);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    kl_error err = {0};
    sim_variables *variables;
    enum { RANGES = 8 };
    sim_variables_frame frames[SIM_VARIABLES_MAX_FRAMES];
    sim_variables_range ranges[RANGES];
    sim_variables_thread thread = {
        .read_register = read_register, .read_memory = read_memory, .find_symbol = find_symbol};
    if (sim_variables_open((const char *)data, bytes, &variables, &err) != SIM_OK) abort();
    look at = {variables, &thread};
    for (uint32_t line = 1; !sim_variables_missing(variables) && line < LINES; line += STEP) {
        thread.ptx_line = line;
        uint32_t count = sim_variables_frames(variables, line, frames);
        for (uint32_t i = 0; i < count; i++) {
            char path[256];
            sim_variables_file(variables, frames[i].call_file, path, sizeof path);
        }
        uint32_t beside = sim_variables_inlined_beside(variables, line, ranges, RANGES);
        for (uint32_t i = 0; i < beside; i++)
            if (line >= ranges[i].first && line < ranges[i].end) abort();
        for (thread.frame = 0; thread.frame < count; thread.frame++)
            sim_variables_list(variables, line, thread.frame, print, &at);
    }
    sim_variables_close(variables);
    return 0;
}
