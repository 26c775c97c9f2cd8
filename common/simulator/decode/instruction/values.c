// Values: registers, deduplicated immediates, special registers (PTX ISA 9.0, chapter 10). A value
// is a number until decode/slots.c gives it a place in the frame.
#include "decode/instruction/instruction.h"

enum { MAX_VALUES = 1 << 24 }; // a function; far above what fits a frame

sim_status decode_new_value(decode_function *function, decode_value value, uint32_t *out_value) {
    if (function->value_count >= MAX_VALUES)
        return decode_fail(function->module, function->syntax->place, SIM_UNSUPPORTED,
                           "'%s' has too many registers", function->syntax->name);
    decode_value *cell = DECODE_PUSH(function->scratch, function->values, function->value_count,
                                     function->value_capacity);
    if (!cell) return decode_no_memory(function->module);
    *cell = value;
    cell->slot = SIM_NO_SLOT;
    *out_value = function->value_count - 1;
    return SIM_OK;
}

decode_width decode_type_width(ptx_type type) {
    switch (ptx_type_bytes(type)) {
    case 0: return WIDTH_PRED;
    case 8: return WIDTH_64;
    case 16: return WIDTH_128;
    default: return WIDTH_32;
    }
}

// ---- Constants ----------------------------------------------------------------------------------

static uint32_t constant_cell(const decode_function *function, decode_width width, bool is_shared,
                              uint64_t value) {
    uint32_t mask = function->constant_capacity - 1;
    uint64_t mixed = (value ^ (uint64_t)width << 56) * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t cell = (uint32_t)(mixed >> 32) & mask;
    while (function->constant_table[cell]) {
        const decode_value *known = &function->values[function->constant_table[cell] - 1];
        if (known->constant == value && known->width == width && known->is_shared == is_shared)
            break;
        cell = (cell + 1) & mask;
    }
    return cell;
}

static sim_status grow_constants(decode_function *function) {
    uint32_t *old = function->constant_table;
    uint32_t old_capacity = function->constant_capacity;
    function->constant_capacity = old_capacity ? old_capacity * 2 : 64;
    function->constant_table = sim_arena_array(function->scratch, function->constant_capacity,
                                               sizeof *function->constant_table);
    if (!function->constant_table) return decode_no_memory(function->module);
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (!old[i]) continue;
        const decode_value *value = &function->values[old[i] - 1];
        uint32_t cell =
            constant_cell(function, (decode_width)value->width, value->is_shared, value->constant);
        function->constant_table[cell] = old[i];
    }
    return SIM_OK;
}

static sim_status constant(decode_function *function, decode_width width, bool is_shared,
                           uint64_t value, uint32_t *out_value) {
    if (width == WIDTH_PRED) value = value != 0;
    if (width == WIDTH_32) value = (uint32_t)value;
    if (function->constant_count * 2 >= function->constant_capacity) TRY(grow_constants(function));
    uint32_t cell = constant_cell(function, width, is_shared, value);
    if (!function->constant_table[cell]) {
        uint32_t number = 0;
        TRY(decode_new_value(function,
                             (decode_value){.kind = VALUE_CONSTANT,
                                            .width = (uint8_t)width,
                                            .is_shared = is_shared,
                                            .constant = value},
                             &number));
        function->constant_table[cell] = number + 1;
        function->constant_count++;
    }
    *out_value = function->constant_table[cell] - 1;
    return SIM_OK;
}

sim_status decode_constant(decode_function *function, decode_width width, uint64_t value,
                           uint32_t *out_value) {
    return constant(function, width, false, value, out_value);
}

sim_status decode_shared_constant(decode_function *function, decode_width width, uint64_t offset,
                                  uint32_t *out_value) {
    return constant(function, width, true, offset, out_value);
}

sim_status decode_local_base(decode_function *function, uint32_t *out_value) {
    if (function->out->is_entry) return decode_constant(function, WIDTH_64, 0, out_value);
    if (function->local_base == DECODE_NONE)
        TRY(decode_new_value(function, (decode_value){.kind = VALUE_LOCAL_BASE, .width = WIDTH_64},
                             &function->local_base));
    *out_value = function->local_base;
    return SIM_OK;
}

// ---- Special registers --------------------------------------------------------------------------

// A row without an id is a constant.
typedef struct special_row {
    const char *name;
    sim_special_id id;
    decode_width width;
    uint64_t constant;
} special_row;

#define FIXED SIM_SPECIAL_COUNT
static const special_row special_rows[] = {
#define SIM_SPECIAL(id, name, width) {name, SIM_SPECIAL_##id, WIDTH_##width, 0},
#include "program/specials.def"
#undef SIM_SPECIAL
    {"%tid.w", FIXED, WIDTH_32, 0},
    {"%ntid.w", FIXED, WIDTH_32, 1},
    {"%ctaid.w", FIXED, WIDTH_32, 0},
    {"%nctaid.w", FIXED, WIDTH_32, 1},
    {"%cluster_ctaid.w", FIXED, WIDTH_32, 0},
    {"%cluster_nctaid.w", FIXED, WIDTH_32, 0},
    {"%clusterid.w", FIXED, WIDTH_32, 0},
    {"%nclusterid.w", FIXED, WIDTH_32, 0},
    {"%reserved_smem_offset_0", FIXED, WIDTH_32, 0},
    {"%current_graph_exec", FIXED, WIDTH_64, 0},
};

// %envreg0 to 31, %pm0 to 7 and %pm0_64 to 7: nothing writes them but the two envregs above.
static bool is_unwritten(const char *name, bool *out_wide) {
    uint32_t number;
    char end = '\0';
    *out_wide = false;
    if (sscanf(name, "%%envreg%2u%c", &number, &end) == 1) return number < 32;
    if (sscanf(name, "%%pm%1u%c", &number, &end) >= 1 && number < 8) {
        *out_wide = strcmp(name + 4, "_64") == 0;
        return end == '\0' || *out_wide;
    }
    return false;
}

// `.r`, `.g`, `.b`, `.a` are other names of `.x`, `.y`, `.z`, `.w`.
static const special_row *find_special(const char *given) {
    static const char colours[] = "rgba", axes[] = "xyzw";
    char name[32];
    size_t bytes = strlen(given);
    if (bytes >= sizeof name) return NULL;
    memcpy(name, given, bytes + 1);
    const char *colour =
        bytes > 2 && name[bytes - 2] == '.' ? strchr(colours, name[bytes - 1]) : NULL;
    if (colour) name[bytes - 1] = axes[colour - colours];
    for (size_t i = 0; i < sizeof special_rows / sizeof special_rows[0]; i++)
        if (strcmp(special_rows[i].name, name) == 0) return &special_rows[i];
    return NULL;
}

bool sim_special_find(const char *name, sim_special_id *out_id) {
    const special_row *row = find_special(name);
    if (!row || row->id >= SIM_SPECIAL_CLOCK) return false;
    *out_id = row->id;
    return true;
}

sim_status decode_special(decode_function *function, const ptx_operand *operand,
                          uint32_t *out_value, uint32_t *out_id) {
    *out_value = DECODE_NONE;
    *out_id = SIM_SPECIAL_COUNT;
    const char *name = operand->name;
    if (name[0] != '%' && strcmp(name, "WARP_SZ") != 0) return SIM_OK;
    if (name[0] != '%') return decode_constant(function, WIDTH_32, SIM_WARP_LANES, out_value);
    if (strcmp(name, DECODE_SCRATCH_REGISTER) == 0)
        return decode_shared_constant(function, WIDTH_32, function->module->scratch_offset,
                                      out_value);
    const special_row *row = find_special(name);
    bool wide;
    if (!row && is_unwritten(name, &wide))
        return decode_constant(function, wide ? WIDTH_64 : WIDTH_32, 0, out_value);
    if (!row) return SIM_OK;
    if (row->id == FIXED) return decode_constant(function, row->width, row->constant, out_value);
    *out_id = row->id;
    if (row->id >= SIM_SPECIAL_CLOCK) return SIM_OK;
    if (function->specials[row->id] == DECODE_NONE)
        TRY(decode_new_value(function,
                             (decode_value){.kind = VALUE_SPECIAL,
                                            .width = (uint8_t)row->width,
                                            .special = (uint8_t)row->id},
                             &function->specials[row->id]));
    *out_value = function->specials[row->id];
    return SIM_OK;
}
