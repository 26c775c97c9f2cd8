// Builds a cubin section by section, as ptxas 13 lays one out (image/image.h): see
// build_cubin().
#include "support/bytes.h"

enum {
    NAMES, // .shstrtab
    STRINGS,
    SYMBOLS,
    INFO,
    KERNEL_INFO,
    CODE,
    SHARED,
    PTX_LINE,
    PTX_RELOCATIONS,
    SECTIONS,
};

// Section indices in the file are one more: 0 is the empty section.
static const struct {
    const char *name;
    uint32_t type, link, info;
} layout[SECTIONS] = {
    [NAMES] = {".shstrtab", 3, 0, 0},
    [STRINGS] = {".strtab", 3, 0, 0},
    [SYMBOLS] = {".symtab", 2, STRINGS + 1, 0},
    [INFO] = {".nv.info", 0x70000000, SYMBOLS + 1, 0},
    [KERNEL_INFO] = {".nv.info.k", 0x70000000, SYMBOLS + 1, CODE + 1},
    [CODE] = {".text.k", 1, SYMBOLS + 1, 1},
    [SHARED] = {".nv.shared.k", 8, 0, CODE + 1},
    [PTX_LINE] = {".nv_debug_line_sass", 1, 0, 0},
    [PTX_RELOCATIONS] = {".rela.nv_debug_line_sass", 4, SYMBOLS + 1, PTX_LINE + 1},
};

static void put_sized(test_bytes *bytes, uint8_t attribute, const uint32_t *words, uint16_t count) {
    uint8_t head[2] = {4, attribute};
    bytes_put(bytes, head, 2);
    bytes_put_u16(bytes, (uint16_t)(count * 4));
    bytes_put(bytes, words, count * 4u);
}

static void put_value(test_bytes *bytes, uint8_t format, uint8_t attribute, uint16_t value) {
    uint8_t head[2] = {format, attribute};
    bytes_put(bytes, head, 2);
    bytes_put_u16(bytes, value);
}

static void put_symbol(test_bytes *bytes, uint32_t name, uint8_t info, uint8_t other,
                       uint16_t section, uint64_t value, uint64_t size) {
    uint8_t kind[2] = {info, other};
    bytes_put_u32(bytes, name);
    bytes_put(bytes, kind, 2);
    bytes_put_u16(bytes, section);
    bytes_put_u64(bytes, value);
    bytes_put_u64(bytes, size);
}

static void build_info(test_bytes *info, test_bytes *kernel_info) {
    put_sized(info, 0x2f, (uint32_t[]){1, 40}, 2);
    put_sized(info, 0x11, (uint32_t[]){1, 24}, 2);
    put_sized(info, 0x12, (uint32_t[]){1, 32}, 2);
    put_sized(info, 0x2f, (uint32_t[]){999, 1}, 2); // no such symbol: skipped
    put_sized(kernel_info, 0x37, (uint32_t[]){130}, 1);
    put_sized(kernel_info, 0x17, (uint32_t[]){0, 1 | 8 << 16, 4u << 18}, 3);
    put_sized(kernel_info, 0x17, (uint32_t[]){0, 0, 8u << 18}, 3);
    put_value(kernel_info, 3, 0x1b, 64);
    put_value(kernel_info, 2, 0x4c, 3);
    put_sized(kernel_info, 0x05, (uint32_t[]){128, 2, 1}, 3);
    put_value(kernel_info, 3, 0x19, 12);
    put_sized(kernel_info, 0x0a, (uint32_t[]){1, 0x210 | 12 << 16}, 2);
    put_sized(kernel_info, 0x55, (uint32_t[]){1, 32, 1, 16}, 4);
}

// Four instructions: anything, STL.64, LDL.32, anything (low 12 bits opcode, bits 73-75 width).
static void build_code(test_bytes *code) {
    bytes_put_u64(code, 0x7918);
    bytes_put_u64(code, 0);
    bytes_put_u64(code, 0x7387);
    bytes_put_u64(code, 5u << 9);
    bytes_put_u64(code, 0x7983);
    bytes_put_u64(code, 4u << 9);
    bytes_put_u64(code, 0x794d);
    bytes_put_u64(code, 0);
}

// DWARF 2 unit around `program`; gives the offset in the section of the program.
static size_t put_unit(test_bytes *section, const char *tables, size_t table_bytes,
                       const uint8_t *program, size_t program_bytes) {
    static const uint8_t fixed[] = {1, 1, (uint8_t)-5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1};
    uint32_t header_bytes = (uint32_t)(sizeof fixed + table_bytes);
    bytes_put_u32(section, (uint32_t)(6 + header_bytes + program_bytes));
    bytes_put_u16(section, 2);
    bytes_put_u32(section, header_bytes);
    bytes_put(section, fixed, sizeof fixed);
    bytes_put(section, tables, table_bytes);
    size_t at = section->count;
    bytes_put(section, program, program_bytes);
    return at;
}

// The address operand is three bytes into each program; symbol 2 is the section of the code.
static void put_relocation(test_bytes *relocations, size_t program_at) {
    bytes_put_u64(relocations, program_at + 3);
    bytes_put_u64(relocations, (uint64_t)2 << 32 | 2);
    bytes_put_u64(relocations, 0);
}

static void build_lines(test_bytes *sections) {
    static const char tables[] = "/src\0\0a.cu\0\1\0\0h.cuh\0\0\0\0"; // ends in the implicit NUL
    static const uint8_t program[] = {
        0,
        9,
        2,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0, // address 0
        3,
        9,
        1, // line 10, row 1
        4,
        2,
        0,
        3,
        0x90,
        1,
        2, // file and inlined call, which are not read
        3,
        0x7d,
        2,
        16,
        1, // line 7, address 16, row 2
        3,
        4,
        9,
        16,
        0,
        1,                    // line 11, fixed advance to 32, row 3
        10 + 16 * 14 + 4 + 5, // special opcode: 16 bytes on, 4 lines on, line base -5: row 4
        2,
        16,
        0,
        1,
        1, // end at 64
    };
    size_t at = put_unit(&sections[PTX_LINE], tables, sizeof tables, program, sizeof program);
    put_relocation(&sections[PTX_RELOCATIONS], at);
}

static void build_symbols(test_bytes *sections) {
    bytes_put(&sections[STRINGS], "\0k", 3);
    put_symbol(&sections[SYMBOLS], 0, 0, 0, 0, 0, 0);
    put_symbol(&sections[SYMBOLS], 1, 0x12, 0x10, CODE + 1, 0, 64); // global function, entry
    put_symbol(&sections[SYMBOLS], 0, 3, 0, CODE + 1, 0, 0);        // section
}

static void put_header(test_bytes *file, uint64_t table_at) {
    static const uint8_t ident[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8};
    bytes_put(file, ident, sizeof ident);
    bytes_put_u16(file, 2);   // executable
    bytes_put_u16(file, 190); // CUDA
    bytes_put_u32(file, 1);
    bytes_put_u64(file, 0);
    bytes_put_u64(file, 0); // no program headers
    bytes_put_u64(file, table_at);
    bytes_put_u32(file, 90 << 8 | 4);
    bytes_put_u16(file, 64);
    bytes_put_u16(file, 56);
    bytes_put_u16(file, 0);
    bytes_put_u16(file, 64);
    bytes_put_u16(file, SECTIONS + 1);
    bytes_put_u16(file, NAMES + 1);
}

test_bytes build_cubin(void) {
    test_bytes sections[SECTIONS] = {0}, contents = {0}, file = {0};
    uint32_t names[SECTIONS];
    size_t offsets[SECTIONS];
    build_symbols(sections);
    build_info(&sections[INFO], &sections[KERNEL_INFO]);
    build_code(&sections[CODE]);
    build_lines(sections);
    bytes_put(&sections[NAMES], "", 1);
    for (int i = 0; i < SECTIONS; i++) {
        names[i] = (uint32_t)sections[NAMES].count;
        bytes_put(&sections[NAMES], layout[i].name, strlen(layout[i].name) + 1);
    }
    for (int i = 0; i < SECTIONS; i++) {
        bytes_align(&contents, 8);
        offsets[i] = 64 + contents.count;
        bytes_put(&contents, sections[i].data, sections[i].count);
    }
    bytes_align(&contents, 8);
    put_header(&file, 64 + contents.count);
    bytes_put(&file, contents.data, contents.count);
    for (int i = -1; i < SECTIONS; i++) {
        bool real = i >= 0;
        bytes_put_u32(&file, real ? names[i] : 0);
        bytes_put_u32(&file, real ? layout[i].type : 0);
        bytes_put_u64(&file, 0);
        bytes_put_u64(&file, 0);
        bytes_put_u64(&file, real ? offsets[i] : 0);
        bytes_put_u64(&file, !real ? 0 : i == SHARED ? 1040 : sections[i].count);
        bytes_put_u32(&file, real ? layout[i].link : 0);
        bytes_put_u32(&file, real ? layout[i].info : 0);
        bytes_put_u64(&file, 1);
        bytes_put_u64(&file, 0);
    }
    for (int i = 0; i < SECTIONS; i++) bytes_free(&sections[i]);
    bytes_free(&contents);
    return file;
}
