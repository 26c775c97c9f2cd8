// Fuzz target: PTX text through the parser and the decoder, functions that cannot run kept as a
// loaded module keeps them; what was decoded is printed. Must never crash, hang or leak.
#include "decode/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static sim_status place_anywhere(void *context, const ptx_variable *variable, uint64_t *out_address,
                                 kl_error *err) {
    uint64_t *next = context;
    if (variable->size_bytes > SIM_GLOBAL_SPAN - *next % SIM_GLOBAL_SPAN - SIM_ALLOCATION_ALIGN)
        return sim_fail(err, SIM_OUT_OF_MEMORY, "%s does not fit", variable->name);
    *out_address = *next;
    *next += (variable->size_bytes / SIM_ALLOCATION_ALIGN + 1) * SIM_ALLOCATION_ALIGN;
    return SIM_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    const sim_decode_options options = {.refuses_functions = true};
    const char *text = (const char *)data;
    kl_error err = {0};
    uint64_t next = SIM_GLOBAL_BASE;
    ptx_module *module;
    sim_program *program;
    if (ptx_parse(text, bytes, &module, &err) != SIM_OK) return 0;
    if (sim_decode(&options, module, text, bytes, place_anywhere, &next, &program, &err) !=
        SIM_OK) {
        if (!err.text[0]) abort(); // a failure has a message
        ptx_module_free(module);
        return 0;
    }
    FILE *out = fopen("/dev/null", "w");
    if (out) {
        sim_program_print(program, out);
        fclose(out);
    }
    sim_program_free(program);
    return 0;
}
