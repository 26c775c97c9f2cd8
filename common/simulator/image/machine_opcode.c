// Operation codes of machine instructions: see image.h.
#include "image/image.h"

enum { PLAIN = false, MOVES = true };

static const struct {
    uint16_t code;
    bool moves;
    const char *name, *text;
} rows[] = {
#define MACHINE_OPCODE(code, name, moves, text) {code, moves, name, text},
#include "image/machine_opcodes.def"
#undef MACHINE_OPCODE
};

sim_machine_opcode sim_machine_opcode_of(const uint64_t words[2]) {
    static const uint8_t widths[8] = {8, 8, 16, 16, 32, 64, 128, 0};
    sim_machine_opcode opcode = {
        .code = words[0] & 0xFFF, .predicate = words[0] >> 12 & 7, .negated = words[0] >> 15 & 1};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].code != (opcode.code & 0x1FF)) continue;
        opcode.name = rows[i].name;
        opcode.text = rows[i].text;
        if (rows[i].moves) opcode.bits = widths[words[1] >> 9 & 7];
        break;
    }
    return opcode;
}
