// Fuzz target: PTX text through lexer and parser, then every node of the tree is read by the dump.
// Must never crash, hang or leak, whatever the text.
#include "ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    kl_error err = {0};
    ptx_module *module;
    if (ptx_parse((const char *)data, bytes, &module, &err) != SIM_OK) {
        if (module || !err.text[0]) abort(); // a failure has a message and no tree
        return 0;
    }
    FILE *out = fopen("/dev/null", "w");
    if (out) {
        ptx_dump_module(module, out);
        fclose(out);
    }
    ptx_module_free(module);
    return 0;
}
