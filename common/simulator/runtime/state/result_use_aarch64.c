// On aarch64 the result of a call is in x0: see result_use.c (Arm Architecture Reference Manual,
// chapter C4, whose names of instruction classes these are). The first argument of a call lies in
// x0 as well, so that a call reads the result when the called function reads x0 first.
#include "runtime/state/internal.h"

#if defined(__aarch64__)

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

typedef enum use { USE_GOES_ON, USE_READ, USE_WRITTEN, USE_RETURNS } use;

static use follow(const uint32_t *at, int jumps);

static use read_or(bool reads, bool writes) {
    return reads ? USE_READ : writes ? USE_WRITTEN : USE_GOES_ON;
}

static uint32_t field(uint32_t word, int low, int bits) { return word >> low & ((1u << bits) - 1); }

static int32_t signed_field(uint32_t word, int low, int bits) {
    return (int32_t)(word << (32 - low - bits)) >> (32 - bits);
}

// Whether the operand whose number is at this bit is x0.
static bool is_x0(uint32_t word, int low) { return field(word, low, 5) == 0; }

enum { RD = 0, RN = 5, RA = 10, RM = 16 }; // where numbers of operands are

// Data processing (immediate).
static use immediate_operation(uint32_t word) {
    bool d = is_x0(word, RD), n = is_x0(word, RN);
    uint32_t variant = field(word, 29, 2);
    switch (field(word, 23, 3)) {
    case 0:
    case 1: return read_or(false, d);                    // adr, adrp
    case 5: return read_or(d && variant == 3, d);        // movk keeps the other bits
    case 6: return read_or(n || (d && variant == 1), d); // so does bfm
    case 7: return read_or(n || is_x0(word, RM), d);
    default: return read_or(n, d);
    }
}

// Loads and stores: literals, pairs, and a register at an address of any form.
static use load_or_store(uint32_t word) {
    bool vector = field(word, 26, 1), base = is_x0(word, RN), data = !vector && is_x0(word, RD);
    bool is_unsigned_offset = field(word, 24, 1),
         has_index = !is_unsigned_offset && field(word, 21, 1);
    switch (field(word, 27, 3)) {
    case 3: return is_unsigned_offset ? USE_READ : read_or(false, data);
    case 5:
        data |= !vector && is_x0(word, RA);
        return read_or(base || (data && !field(word, 22, 1)), data);
    case 7: {
        if (has_index && field(word, 10, 2) != 2) return USE_READ; // atomics and the like
        bool loads = field(word, 22, 2) != 0,
             prefetches = !vector && (field(word, 22, 10) & 0x3FB) == 0x3E2;
        if (prefetches) data = false;
        return read_or(base || (has_index && is_x0(word, RM)) || (data && !loads), data);
    }
    default: return USE_READ;
    }
}

// Data processing (register).
static use register_operation(uint32_t word) {
    bool d = is_x0(word, RD), n = is_x0(word, RN), m = is_x0(word, RM);
    if (!field(word, 28, 1)) return read_or(n || m, d); // logical, add, sub
    switch (field(word, 21, 4)) {
    case 2: return read_or(n || (m && !field(word, 11, 1)), false); // conditional compare
    case 6: return read_or(n || (m && !field(word, 30, 1)), d);
    case 0:
    case 4: return read_or(n || m, d);
    default: return field(word, 24, 1) ? read_or(n || m || is_x0(word, RA), d) : USE_READ;
    }
}

// Floating point and vectors: general registers take part in conversions and moves alone.
static use vector_operation(uint32_t word) {
    bool d = is_x0(word, RD), n = is_x0(word, RN);
    if ((word & 0x7F20FC00) == 0x1E200000) { // between floating point and integer
        uint32_t operation = field(word, 16, 3);
        bool from_general = operation == 2 || operation == 3 || operation == 7;
        return read_or(from_general && n, !from_general && d);
    }
    if ((word & 0x7F200000) == 0x1E000000) return read_or(n || d, false); // fixed point
    if ((word & 0x9FE08400) == 0x0E000400) { // copies: dup, ins, smov, umov
        uint32_t operation = field(word, 11, 4);
        bool from_general = operation == 1 || operation == 3;
        bool to_general = operation == 5 || operation == 7;
        return read_or(from_general && n, to_general && d);
    }
    return USE_GOES_ON;
}

// What one instruction does with x0. Branches are the caller's business.
static use step(uint32_t word) {
    if ((word & 0xFFFFF01F) == 0xD503201F) return USE_GOES_ON; // nop, bti, paciasp and other hints
    switch (field(word, 25, 4)) {
    case 8:
    case 9: return immediate_operation(word);
    case 4:
    case 6:
    case 12:
    case 14: return load_or_store(word);
    case 5:
    case 13: return register_operation(word);
    case 7:
    case 15: return vector_operation(word);
    default: return USE_READ;
    }
}

// The function that the loader will write into a slot of the table of functions in other files.
static const void *function_of_slot(const void *in_file, uint64_t slot) {
    Dl_info info;
    struct link_map *map;
    const Elf64_Rela *relocations = NULL;
    const Elf64_Sym *symbols = NULL;
    const char *names = NULL;
    uint64_t bytes = 0;
    if (!dladdr1(in_file, &info, (void **)&map, RTLD_DL_LINKMAP)) return NULL;
    for (const Elf64_Dyn *item = map->l_ld; item->d_tag != DT_NULL; item++) {
        if (item->d_tag == DT_JMPREL) relocations = (const void *)item->d_un.d_ptr;
        if (item->d_tag == DT_SYMTAB) symbols = (const void *)item->d_un.d_ptr;
        if (item->d_tag == DT_STRTAB) names = (const void *)item->d_un.d_ptr;
        if (item->d_tag == DT_PLTRELSZ) bytes = item->d_un.d_val;
    }
    if (!relocations || !symbols || !names) return NULL;
    for (uint64_t i = 0; i < bytes / sizeof *relocations; i++) {
        if (map->l_addr + relocations[i].r_offset != slot) continue;
        uint32_t symbol = (uint32_t)ELF64_R_SYM(relocations[i].r_info);
        return dlsym(RTLD_DEFAULT, names + symbols[symbol].st_name);
    }
    return NULL;
}

// Where a call leads that goes through the linker's table: adrp x16, ldr x17, add x16, br x17.
static const uint32_t *behind_table(const uint32_t *at) {
    const uint32_t *first = *at == 0xD503245F ? at + 1 : at; // bti c
    if ((first[0] & 0x9F00001F) != 0x90000010 || (first[1] & 0xFFC003FF) != 0xF9400211) return at;
    int64_t pages = (int64_t)signed_field(first[0], 5, 19) * 4 + field(first[0], 29, 2);
    uint64_t page =
        (uint64_t)(uintptr_t)first & ~UINT64_C(4095); // of the instruction, not of memory
    uint64_t slot = page + (uint64_t)(pages * 4096) + 8 * (uint64_t)field(first[1], 10, 12);
    return function_of_slot(at, slot);
}

// A call, whose own result takes the place unless it is given the old one.
static use call(const uint32_t *target, int jumps) {
    target = behind_table(target);
    return !target || follow(target, jumps + 1) == USE_READ ? USE_READ : USE_WRITTEN;
}

static use both_ways(const uint32_t *at, int32_t distance, int jumps) {
    use one = follow(at + distance, jumps + 1);
    use other = one == USE_READ ? USE_READ : follow(at + 1, jumps + 1);
    return one == other ? one : USE_READ;
}

static use follow(const uint32_t *at, int jumps) {
    enum { INSTRUCTIONS = 64, JUMPS = 6 };
    for (int n = 0; n < INSTRUCTIONS && jumps <= JUMPS; n++) {
        uint32_t word = *at;
        if (word >> 26 == 0x25) return call(at + signed_field(word, 0, 26), jumps); // bl
        if (word >> 26 == 0x05) {                                                   // b
            at += signed_field(word, 0, 26);
            if (behind_table(at) != at) return call(at, jumps);
            jumps++;
            continue;
        }
        bool tests = (word & 0x7C000000) == 0x34000000; // cbz, cbnz, tbz, tbnz
        bool one_bit = tests && field(word, 25, 1);
        if (tests && is_x0(word, RD)) return USE_READ;
        if (tests || word >> 24 == 0x54) // or b.cond
            return both_ways(at, signed_field(word, 5, one_bit ? 14 : 19), jumps);
        if ((word & 0xFFFFFC1F) == 0xD65F0000 || (word & 0xFFFFFBFF) == 0xD65F0BFF)
            return USE_RETURNS; // ret, retaa, retab
        use found = step(word);
        if (found != USE_GOES_ON) return found;
        at++;
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
