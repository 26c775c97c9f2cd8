// The code of a launch as bytes (messages.c). Counts are checked against the bytes that are left
// before memory is taken for them.
#include <stdlib.h>
#include <string.h>

#include "remote/internal.h"

enum { INSTR_BYTES = 4 + 4 + 4 + 8 + 8, MACHINE_BYTES = 8 + 8 + 4 };

void wire_put_code(wire_writer *writer, const sim_code *code) {
    wire_put_u8(writer, code != NULL);
    if (!code) return;
    wire_put_u32(writer, code->text_bytes);
    wire_put_bytes(writer, code->text, code->text_bytes);
    wire_put_u32(writer, code->instr_count);
    for (uint32_t i = 0; i < code->instr_count; i++) {
        const sim_code_instr *instr = &code->instrs[i];
        wire_put_u32(writer, instr->file);
        wire_put_u32(writer, instr->line);
        wire_put_u32(writer, instr->text);
        wire_put_u64(writer, instr->executed);
        wire_put_u64(writer, instr->on);
    }
    wire_put_u32(writer, code->architecture);
    wire_put_u32(writer, code->machine_count);
    for (uint32_t i = 0; i < code->machine_count; i++) {
        wire_put_u64(writer, code->machine[i].words[0]);
        wire_put_u64(writer, code->machine[i].words[1]);
        wire_put_u32(writer, (uint32_t)code->machine[i].instr);
    }
}

static uint32_t get_count(wire_reader *reader, size_t each) {
    return wire_get_count(reader, (uint32_t)((reader->bytes - reader->at) / each));
}

// Texts are terminated, also the last one.
static void get_text(wire_reader *reader, sim_code *code) {
    uint32_t bytes = get_count(reader, 1);
    const char *text = bytes ? wire_get_bytes(reader, bytes) : NULL;
    code->text = malloc((size_t)bytes + 1);
    if (!code->text || (bytes && (!text || text[bytes - 1] != '\0'))) {
        reader->bad = true;
        return;
    }
    if (bytes) memcpy(code->text, text, bytes);
    code->text_bytes = bytes;
}

static void get_instrs(wire_reader *reader, sim_code *code, uint32_t files) {
    uint32_t count = get_count(reader, INSTR_BYTES);
    code->instrs = reader->bad ? NULL : calloc((size_t)count + 1, sizeof *code->instrs);
    if (!code->instrs) {
        reader->bad = true;
        return;
    }
    code->instr_count = count;
    for (uint32_t i = 0; i < count; i++) {
        sim_code_instr *instr = &code->instrs[i];
        instr->file = wire_get_u32(reader);
        instr->line = wire_get_u32(reader);
        instr->text = wire_get_u32(reader);
        instr->executed = wire_get_u64(reader);
        instr->on = wire_get_u64(reader);
        if (instr->text >= code->text_bytes || (instr->line && instr->file >= files))
            reader->bad = true;
    }
}

static void get_machine(wire_reader *reader, sim_code *code) {
    code->architecture = wire_get_u32(reader);
    uint32_t count = get_count(reader, MACHINE_BYTES);
    code->machine = reader->bad ? NULL : calloc((size_t)count + 1, sizeof *code->machine);
    if (!code->machine) {
        reader->bad = true;
        return;
    }
    code->machine_count = count;
    for (uint32_t i = 0; i < count; i++) {
        sim_code_machine *machine = &code->machine[i];
        machine->words[0] = wire_get_u64(reader);
        machine->words[1] = wire_get_u64(reader);
        machine->instr = (int32_t)wire_get_u32(reader);
        if (machine->instr < SIM_CODE_NONE || machine->instr >= (int64_t)code->instr_count)
            reader->bad = true;
    }
}

sim_code *wire_get_code(wire_reader *reader, uint32_t files) {
    if (!wire_get_bool(reader)) return NULL;
    sim_code *code = calloc(1, sizeof *code);
    if (!code) {
        reader->bad = true;
        return NULL;
    }
    get_text(reader, code);
    get_instrs(reader, code, files);
    get_machine(reader, code);
    return code; // freed with the report also when it is bad
}
