// The code of a launch as bytes (internal.h).
#include "remote/internal.h"

enum { INSTR_BYTES = 4 + 4 + 4 + 8 + 8, MACHINE_BYTES = 8 + 8 + 4 };

#define PUT_INDEX(value) PUT_U32((uint32_t)(value))
#define GET_INDEX(value) value = (int32_t)wire_get_u32(reader);

// clang-format off
#define INSTR(F)   F(U32, file) F(U32, line) F(U32, text) F(U64, executed) F(U64, on)
#define MACHINE(F) F(U64S, words) F(INDEX, instr)
// clang-format on
PART(instr, sim_code_instr, INSTR)
PART(machine, sim_code_machine, MACHINE)

void wire_put_code(wire_writer *writer, const sim_code *code) {
    wire_put_u8(writer, code != NULL);
    if (!code) return;
    wire_put_u32(writer, code->text_bytes);
    wire_put_bytes(writer, code->text, code->text_bytes);
    PUT_LIST(put_instr, code->instrs, code->instr_count)
    wire_put_u32(writer, code->architecture);
    PUT_LIST(put_machine, code->machine, code->machine_count)
}

// Texts are terminated, also the last one.
static void get_text(wire_reader *reader, sim_code *code) {
    code->text = wire_get_list(reader, UINT32_MAX, 1, 1, &code->text_bytes);
    const char *text = wire_get_bytes(reader, code->text_bytes);
    if (!text || code->text_bytes == 0) return;
    memcpy(code->text, text, code->text_bytes);
    if (text[code->text_bytes - 1] != '\0') reader->bad = true;
}

sim_code *wire_get_code(wire_reader *reader, uint32_t files) {
    if (!wire_get_bool(reader)) return NULL;
    sim_code *code = calloc(1, sizeof *code);
    if (!code) {
        reader->bad = true;
        return NULL;
    }
    get_text(reader, code);
    code->instrs =
        wire_get_list(reader, UINT32_MAX, INSTR_BYTES, sizeof *code->instrs, &code->instr_count);
    for (uint32_t i = 0; i < code->instr_count; i++) {
        sim_code_instr *instr = &code->instrs[i];
        get_instr(reader, instr);
        if (instr->text >= code->text_bytes || (instr->line && instr->file >= files))
            reader->bad = true;
    }
    code->architecture = wire_get_u32(reader);
    code->machine = wire_get_list(reader, UINT32_MAX, MACHINE_BYTES, sizeof *code->machine,
                                  &code->machine_count);
    for (uint32_t i = 0; i < code->machine_count; i++) {
        sim_code_machine *machine = &code->machine[i];
        get_machine(reader, machine);
        if (machine->instr < SIM_CODE_NONE || machine->instr >= (int64_t)code->instr_count)
            reader->bad = true;
    }
    return code; // freed with the report also when it is bad
}
