// On x86-64 the result of a call is in eax: this follows the machine code behind the call until it
// reads eax or writes it (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2,
// appendix A). It knows what compilers put behind a call; at anything else the result counts as
// read. result_use_aarch64.c does the same for that processor.
#include "runtime/state/internal.h"

#if defined(__x86_64__)

typedef enum use { USE_GOES_ON, USE_READ, USE_WRITTEN, USE_RETURNS } use;

// One instruction on its way through the decoder.
typedef struct instruction {
    const uint8_t *at;
    bool rex_w, rex_r, rex_x, rex_b, narrow; // narrow: 16-bit operands
    bool is_register;                        // the operand `rm` is one
    uint8_t reg, rm;                         // numbers; 0 is eax
    bool address_reads;                      // the address of a memory operand is formed with rax
} instruction;

static int32_t signed_32(const uint8_t *at) {
    int32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void read_prefixes(instruction *i) {
    for (;; i->at++) {
        uint8_t byte = *i->at;
        bool segment = byte == 0x2E || byte == 0x3E || byte == 0x64 || byte == 0x65;
        if (byte == 0x66) i->narrow = true;
        if (byte != 0x66 && byte != 0xF2 && byte != 0xF3 && !segment) break;
    }
    if ((*i->at & 0xF0) != 0x40) return;
    i->rex_w = *i->at & 8;
    i->rex_r = *i->at & 4;
    i->rex_x = *i->at & 2;
    i->rex_b = *i->at++ & 1;
}

// ModRM, SIB and displacement.
static void read_operands(instruction *i) {
    uint8_t byte = *i->at++, mod = byte >> 6, low = byte & 7;
    i->reg = (uint8_t)((byte >> 3 & 7) | (i->rex_r ? 8 : 0));
    i->rm = (uint8_t)(low | (i->rex_b ? 8 : 0));
    i->is_register = mod == 3;
    if (i->is_register) return;
    bool no_base = mod == 0 && low == 5; // relative to rip
    uint8_t base = i->rm;
    if (low == 4) {
        uint8_t sib = *i->at++, index = (uint8_t)((sib >> 3 & 7) | (i->rex_x ? 8 : 0));
        base = (uint8_t)((sib & 7) | (i->rex_b ? 8 : 0));
        no_base = mod == 0 && (sib & 7) == 5;
        i->address_reads = index == 0;
    }
    i->address_reads |= !no_base && base == 0;
    i->at += mod == 1 ? 1 : mod == 2 || no_base ? 4 : 0;
}

static use read_or(bool reads, bool writes) {
    return reads ? USE_READ : writes ? USE_WRITTEN : USE_GOES_ON;
}

// An instruction with ModRM. What it does with its two operands, and the bytes of an immediate one.
static use two_operands(instruction *i, bool reads_reg, bool reads_rm, bool writes_reg,
                        bool writes_rm, int immediate) {
    read_operands(i);
    i->at += immediate;
    bool rm_is_eax = i->is_register && i->rm == 0, reg_is_eax = i->reg == 0;
    bool reads = i->address_reads || (reads_reg && reg_is_eax) || (reads_rm && rm_is_eax);
    return read_or(reads, (writes_reg && reg_is_eax) || (writes_rm && rm_is_eax));
}

static use arithmetic(instruction *i, uint8_t opcode) {
    uint8_t form = opcode & 7, operation = opcode >> 3;
    if (form >= 4) return USE_READ; // of eax with an immediate operand; or no instruction
    const uint8_t *at = i->at;
    bool clears = (operation == 6 || operation == 5) && *at == 0xC0; // xor eax, eax
    if (clears && !i->rex_r && !i->rex_b) {
        i->at++;
        return USE_WRITTEN;
    }
    return two_operands(i, true, true, false, false, 0);
}

static use two_byte_opcode(instruction *i) {
    uint8_t opcode = *i->at++;
    switch (opcode) {
    case 0x1E:
    case 0x1F: return two_operands(i, false, false, false, false, 0); // endbr64, nop
    case 0x2A:
    case 0x6E: return two_operands(i, false, true, false, false, 0); // to an SSE register
    case 0x7E: return two_operands(i, false, false, false, !i->rex_b, 0);
    case 0x10:
    case 0x11:
    case 0x12:
    case 0x13:
    case 0x14:
    case 0x16:
    case 0x17:
    case 0x28:
    case 0x29:
    case 0x2E:
    case 0x2F:
    case 0x51:
    case 0x54:
    case 0x57:
    case 0x58:
    case 0x59:
    case 0x5A:
    case 0x5C:
    case 0x5E:
    case 0x6C:
    case 0x6F:
    case 0x7F:
    case 0xD6:
    case 0xEF: // of SSE registers alone
        read_operands(i);
        return i->address_reads ? USE_READ : USE_GOES_ON;
    case 0xAF: return two_operands(i, true, true, false, false, 0);
    case 0xB6:
    case 0xB7:
    case 0xBE:
    case 0xBF: return two_operands(i, false, true, true, false, 0); // movzx, movsx
    default: return USE_READ;
    }
}

// What one instruction does with eax. Jumps, calls and returns are the caller's business.
static use step(instruction *i) {
    uint8_t opcode = *i->at++;
    int wide = i->narrow ? 2 : 4;
    if (opcode == 0x0F) return two_byte_opcode(i);
    if (opcode < 0x40) return arithmetic(i, opcode);
    if (opcode >= 0x50 && opcode < 0x60) {
        bool is_eax = (opcode & 7) == 0 && !i->rex_b;
        return read_or(is_eax && opcode < 0x58, is_eax);
    }
    if (opcode >= 0xB0 && opcode < 0xC0) {
        i->at += opcode < 0xB8 ? 1 : i->rex_w ? 8 : wide;
        return read_or(false, (opcode & 7) == 0 && !i->rex_b);
    }
    switch (opcode) {
    case 0x63: return two_operands(i, false, true, true, false, 0);
    case 0x68: i->at += 4; return USE_GOES_ON;
    case 0x6A: i->at++; return USE_GOES_ON;
    case 0x80:
    case 0x83: return two_operands(i, false, true, false, false, 1);
    case 0x81: return two_operands(i, false, true, false, false, wide);
    case 0x84:
    case 0x85: return two_operands(i, true, true, false, false, 0);
    case 0x88:
    case 0x89: return two_operands(i, true, false, false, true, 0);
    case 0x8A:
    case 0x8B: return two_operands(i, false, false, true, false, 0);
    case 0x8D: return two_operands(i, false, false, true, false, 0);
    case 0x90: return USE_GOES_ON;
    case 0xC0:
    case 0xC1: return two_operands(i, false, true, false, false, 1);
    case 0xC6: return two_operands(i, false, false, false, true, 1);
    case 0xC7: return two_operands(i, false, false, false, true, wide);
    case 0xC9: return USE_GOES_ON; // leave
    case 0xD0:
    case 0xD1: return two_operands(i, false, true, false, false, 0);
    case 0xC3: return USE_RETURNS;
    default: return USE_READ;
    }
}

// A jump through a table of functions in other files, as the linker makes: a call that returns past
// this function, whose result is that of the other one.
static bool is_foreign_jump(const uint8_t *at) {
    if (memcmp(at, "\xF3\x0F\x1E\xFA", 4) == 0) at += 4; // endbr64
    if (*at == 0xF2) at++;
    return at[0] == 0xFF && at[1] == 0x25;
}

static use follow(const uint8_t *at, int jumps) {
    enum { INSTRUCTIONS = 64, JUMPS = 6 };
    for (int n = 0; n < INSTRUCTIONS && jumps <= JUMPS; n++) {
        instruction i = {.at = at};
        read_prefixes(&i);
        uint8_t opcode = *i.at;
        if (opcode == 0xE8) return USE_WRITTEN; // another call: its result takes the place
        if (opcode == 0xE9 || opcode == 0xEB) {
            at = opcode == 0xE9 ? i.at + 5 + signed_32(i.at + 1) : i.at + 2 + (int8_t)i.at[1];
            if (is_foreign_jump(at)) return USE_WRITTEN;
            jumps++;
            continue;
        }
        bool is_near = opcode >= 0x70 && opcode < 0x80;
        bool is_far = opcode == 0x0F && (i.at[1] & 0xF0) == 0x80;
        if (is_near || is_far) { // both ways
            const uint8_t *next = i.at + (is_near ? 2 : 6);
            use one = follow(next + (is_near ? (int8_t)i.at[1] : signed_32(i.at + 2)), jumps + 1);
            use other = one == USE_WRITTEN ? follow(next, jumps + 1) : USE_READ;
            return one == other ? one : USE_READ;
        }
        use found = step(&i);
        if (found != USE_GOES_ON) return found;
        at = i.at;
    }
    return USE_READ;
}

bool runtime_result_is_unused(void *const *code, int count) {
    for (int i = 0; i < count; i++) {
        use found = follow(code[i], 0);
        if (found != USE_RETURNS) return found == USE_WRITTEN;
    }
    return false;
}

#endif
