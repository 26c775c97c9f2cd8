// The line table of a cubin that leads from machine code to PTX, .nv_debug_line_sass: a DWARF 2
// line program (DWARF 2, section 6.2). One sequence a kernel; a relocation says which. Files are
// not read.
#include "image/internal.h"

enum {
    OPCODE_EXTENDED = 0,
    OPCODE_COPY = 1,
    OPCODE_ADVANCE_PC = 2,
    OPCODE_ADVANCE_LINE = 3,
    OPCODE_CONST_ADD_PC = 8,
    OPCODE_FIXED_ADVANCE_PC = 9,
    EXTENDED_END = 1,
    EXTENDED_SET_ADDRESS = 2,

    MAX_ROWS = 1 << 24,
};

typedef struct line_row {
    uint32_t kernel, offset, line;
    uint32_t emitted; // index in the table
} line_row;

typedef struct line_program {
    sim_cubin *cubin;
    const cubin_section *section, *relocations;
    bool has_addends;        // .rela
    const uint8_t *at, *end; // of the unit
    uint8_t minimum_length, line_range, opcode_base;
    int8_t line_base;
    const uint8_t *standard_lengths;
    line_row *rows; // of all units
    uint32_t row_count, row_capacity;
    // The state machine.
    uint64_t address;
    uint32_t kernel;
    int64_t line;
    bool damaged;
    kl_error *err;
} line_program;

static uint64_t read_uleb(line_program *program) {
    uint64_t value = 0;
    for (unsigned shift = 0; program->at < program->end; shift += 7) {
        uint8_t byte = *program->at++;
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
    program->damaged = true;
    return 0;
}

static int64_t read_sleb(line_program *program) {
    uint64_t value = 0;
    for (unsigned shift = 0; program->at < program->end;) {
        uint8_t byte = *program->at++;
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80) continue;
        if (shift < 64 && (byte & 0x40)) value |= ~(uint64_t)0 << shift;
        return (int64_t)value;
    }
    program->damaged = true;
    return 0;
}

// Reads the header of the unit at program->at; `out_next` is where the next unit begins.
static void read_unit_header(line_program *program, const uint8_t **out_next) {
    const uint8_t *section_end = program->section->data + program->section->bytes;
    const uint8_t *at = program->at;
    *out_next = section_end;
    program->damaged = true;
    if (section_end - at < 15) return;
    uint32_t unit_bytes = read_u32(at);
    uint16_t version = read_u16(at + 4);
    uint32_t header_bytes = read_u32(at + 6);
    if (unit_bytes > (uint64_t)(section_end - at - 4) || version < 2 || version > 3) return;
    program->end = at + 4 + unit_bytes;
    if (unit_bytes < 11 || header_bytes > (uint64_t)(program->end - at - 10)) return;
    const uint8_t *code = at + 10 + header_bytes;
    program->minimum_length = at[10];
    program->line_base = (int8_t)at[12];
    program->line_range = at[13];
    program->opcode_base = at[14];
    program->standard_lengths = at + 15;
    program->at = code; // behind the tables of directories and files
    *out_next = program->end;
    program->damaged = program->line_range == 0 || program->opcode_base == 0 ||
                       program->opcode_base + 4u > header_bytes; // lengths are part of the header
}

static void begin_sequence(line_program *program) {
    program->address = 0;
    program->kernel = CUBIN_NO_KERNEL;
    program->line = 1;
}

static sim_status emit_row(line_program *program) {
    if (program->row_count == MAX_ROWS ||
        !sim_reserve(&program->rows, &program->row_capacity, program->row_count, sizeof(line_row)))
        return sim_fail(program->err, SIM_OUT_OF_MEMORY, "no memory for a line table");
    bool fits = program->address <= UINT32_MAX && program->line >= 0 && program->line <= UINT32_MAX;
    program->rows[program->row_count] =
        (line_row){.kernel = fits ? program->kernel : (uint32_t)CUBIN_NO_KERNEL,
                   .offset = (uint32_t)program->address,
                   .line = (uint32_t)program->line,
                   .emitted = program->row_count};
    program->row_count++;
    return SIM_OK;
}

// DW_LNE_set_address: the operand is relocated against the kernel's code.
static void set_address(line_program *program, const uint8_t *operand) {
    program->address = read_u64(operand);
    program->kernel = program->cubin->kernel_count == 1 ? 0 : (uint32_t)CUBIN_NO_KERNEL;
    if (!program->relocations) return;
    uint64_t place = (uint64_t)(operand - program->section->data);
    uint32_t entry_bytes = program->has_addends ? 24 : 16;
    uint64_t count = program->relocations->bytes / entry_bytes;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *entry = program->relocations->data + i * entry_bytes;
        if (read_u64(entry) != place) continue;
        uint64_t value = 0;
        program->kernel = cubin_symbol_kernel(program->cubin, read_u32(entry + 12), &value);
        program->address = value + (program->has_addends ? read_u64(entry + 16) : program->address);
        return;
    }
}

static void run_extended(line_program *program) {
    uint64_t bytes = read_uleb(program);
    if (program->damaged || bytes == 0 || bytes > (uint64_t)(program->end - program->at)) {
        program->damaged = true;
        return;
    }
    uint8_t opcode = *program->at;
    if (opcode == EXTENDED_SET_ADDRESS && bytes == 9) set_address(program, program->at + 1);
    else if (opcode == EXTENDED_END) begin_sequence(program);
    program->at += bytes;
}

static sim_status run_standard(line_program *program, uint8_t opcode) {
    switch (opcode) {
    case OPCODE_COPY: return emit_row(program);
    case OPCODE_ADVANCE_PC: program->address += read_uleb(program) * program->minimum_length; break;
    case OPCODE_ADVANCE_LINE:
        program->line = (int64_t)((uint64_t)program->line + (uint64_t)read_sleb(program));
        break;
    case OPCODE_CONST_ADD_PC:
        program->address += (uint64_t)((255 - program->opcode_base) / program->line_range) *
                            program->minimum_length;
        break;
    case OPCODE_FIXED_ADVANCE_PC:
        if (program->end - program->at < 2) {
            program->damaged = true;
            break;
        }
        program->address += read_u16(program->at);
        program->at += 2;
        break;
    default: // a standard opcode without effect here: skip its operands
        for (uint8_t i = 0; i < program->standard_lengths[opcode - 1]; i++) read_uleb(program);
    }
    return SIM_OK;
}

static sim_status run_unit(line_program *program) {
    begin_sequence(program);
    while (program->at < program->end && !program->damaged) {
        uint8_t opcode = *program->at++;
        if (opcode >= program->opcode_base) {
            unsigned adjusted = (unsigned)opcode - program->opcode_base;
            program->address +=
                (uint64_t)(adjusted / program->line_range) * program->minimum_length;
            int advance = program->line_base + (int)(adjusted % program->line_range);
            program->line = (int64_t)((uint64_t)program->line + (uint64_t)(int64_t)advance);
            TRY(emit_row(program));
        } else if (opcode == OPCODE_EXTENDED) {
            run_extended(program);
        } else {
            TRY(run_standard(program, opcode));
        }
    }
    return SIM_OK;
}

// Runs all units of a section; the rows are left in program->rows.
static sim_status run_section(line_program *program) {
    const uint8_t *next = program->section->data;
    const uint8_t *end = next ? next + program->section->bytes : next;
    while (next < end) {
        program->at = next;
        read_unit_header(program, &next);
        if (!program->damaged) TRY(run_unit(program));
        if (program->damaged)
            return sim_fail(program->err, SIM_BAD_IMAGE, "damaged cubin: bad line table '%s'",
                            program->section->name);
    }
    return SIM_OK;
}

static int compare_rows(const void *a, const void *b) {
    const line_row *left = a, *right = b;
    if (left->kernel != right->kernel) return left->kernel < right->kernel ? -1 : 1;
    if (left->offset != right->offset) return left->offset < right->offset ? -1 : 1;
    return left->emitted < right->emitted ? -1 : left->emitted > right->emitted;
}

// Sorts the rows by kernel and offset, and gives each kernel its part.
static sim_status distribute_rows(line_program *program, cubin_line_table *tables) {
    sim_cubin *cubin = program->cubin;
    uint32_t count = program->row_count;
    sim_cubin_line *lines = sim_arena_array(cubin->arena, count, sizeof *lines);
    if (!lines) return sim_fail(program->err, SIM_OUT_OF_MEMORY, "no memory for a line table");
    if (count) qsort(program->rows, count, sizeof *program->rows, compare_rows);
    for (uint32_t i = 0; i < count; i++) {
        const line_row *row = &program->rows[i];
        lines[i] = (sim_cubin_line){.offset = row->offset, .line = row->line};
        if (row->kernel >= cubin->kernel_count) continue;
        if (tables[row->kernel].count++ == 0) tables[row->kernel].rows = &lines[i];
    }
    return SIM_OK;
}

static void find_relocations(line_program *program) {
    const sim_cubin *cubin = program->cubin;
    uint32_t target = (uint32_t)(program->section - cubin->sections);
    for (uint32_t i = 0; i < cubin->section_count; i++) {
        const cubin_section *section = &cubin->sections[i];
        if ((section->type != ELF_SECTION_RELA && section->type != ELF_SECTION_REL) ||
            section->info != target || !section->data)
            continue;
        program->relocations = section;
        program->has_addends = section->type == ELF_SECTION_RELA;
    }
}

// Reads the whole table at its first use.
static sim_status read_table(sim_cubin *cubin, kl_error *err) {
    if (cubin->ptx_lines) return SIM_OK;
    cubin_line_table *made = sim_arena_array(cubin->arena, cubin->kernel_count, sizeof *made);
    if (!made) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a line table");
    line_program program = {.cubin = cubin, .err = err};
    program.section = cubin_find_section(cubin, ".nv_debug_line_sass");
    if (program.section) find_relocations(&program);
    sim_status status = program.section ? run_section(&program) : SIM_OK;
    if (status == SIM_OK) status = distribute_rows(&program, made);
    free(program.rows);
    if (status == SIM_OK) cubin->ptx_lines = made;
    return status;
}

sim_status sim_cubin_ptx_lines(sim_cubin *cubin, const char *kernel,
                               const sim_cubin_line **out_lines, uint32_t *out_count,
                               kl_error *err) {
    *out_lines = NULL;
    *out_count = 0;
    uint32_t index = cubin_kernel_index(cubin, kernel);
    if (index == CUBIN_NO_KERNEL)
        return sim_fail(err, SIM_NOT_FOUND, "the cubin has no kernel '%s'", kernel);
    TRY(read_table(cubin, err));
    *out_lines = cubin->ptx_lines[index].rows;
    *out_count = cubin->ptx_lines[index].count;
    return SIM_OK;
}

const sim_cubin_line *sim_cubin_line_at(const sim_cubin_line *lines, uint32_t count,
                                        uint32_t offset) {
    uint32_t low = 0, high = count; // the first row beyond `offset` lies in [low, high]
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lines[middle].offset <= offset) low = middle + 1;
        else high = middle;
    }
    return low ? &lines[low - 1] : NULL;
}
