// See decode_support.h.
#include "decode/support.h"

#include "decode/decode.h"
#include "suite.h"

static sim_status place(void *context, const ptx_variable *variable, uint64_t *out_address,
                        kl_error *err) {
    uint64_t *next = context;
    if (variable->is_extern && variable->elements == 0)
        return sim_fail(err, SIM_NOT_FOUND, "no module defines %s", variable->name);
    *out_address = *next;
    *next += (variable->size_bytes + SIM_ALLOCATION_ALIGN - 1) / SIM_ALLOCATION_ALIGN *
             SIM_ALLOCATION_ALIGN;
    return SIM_OK;
}

sim_program *decode_try(const char *text, bool keep_registers, kl_error *err) {
    const sim_decode_options options = {.keep_registers = keep_registers};
    ptx_module *module;
    sim_program *program;
    uint64_t next = SIM_DUMP_BASE;
    if (ptx_parse(text, strlen(text), &module, err) != SIM_OK) return NULL;
    if (sim_decode(&options, module, text, strlen(text), place, &next, &program, err) == SIM_OK)
        return program;
    ptx_module_free(module);
    return NULL;
}

static void free_program(void *program) { sim_program_free(program); }

static sim_program *decode_or_stop(const char *text, bool keep_registers) {
    kl_error err = {0};
    sim_program *program = decode_try(text, keep_registers, &err);
    ck_assert_msg(program, "%s", err.text);
    kl_close_later(free_program, program);
    return program;
}

sim_program *decode_text(const char *text) { return decode_or_stop(text, false); }
sim_program *decode_kept(const char *text) { return decode_or_stop(text, true); }

void decode_refuses(const char *text, const char *fragment) {
    kl_error err = {0};
    sim_program *program = decode_try(text, false, &err);
    ck_assert_msg(!program, "accepted, but '%s' was expected", fragment);
    ck_assert_msg(strstr(err.text, fragment), "'%s' is not in: %s", fragment, err.text);
}

char *decode_read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "cannot open %s", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    long bytes = ftell(file);
    ck_assert_int_ge(bytes, 0);
    rewind(file);
    char *text = malloc((size_t)bytes + 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, (size_t)bytes, file), (size_t)bytes);
    text[bytes] = '\0';
    fclose(file);
    return text;
}

const char *decode_print(const sim_function *function, uint32_t pc) {
    static char line[1024];
    ck_assert_uint_lt(pc, function->code_count);
    sim_instr_print(function, &function->code[pc], line, sizeof line);
    return line;
}

const sim_instr *decode_first(const sim_function *function, sim_op op) {
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        if (function->code[pc].op == op) return &function->code[pc];
    ck_abort_msg("%s has no %s", function->name, sim_op_name(op));
    return NULL;
}
