// Functions, blocks and variables of DWARF (sections 3.3 to 3.5, 4.1, and 2.6 for places) as those
// of internal.h. What is NVIDIA's own: a register is DW_OP_regx with the characters of its PTX name
// as a number, the last in the lowest byte; the space of a variable is its DW_AT_address_class;
// stack variables lie at an offset from the symbol __local_depotN.
#include "debug/variables/internal.h"
#include <dwarf.h>

// ---- places ----

static const char *register_name(var_dwarf *d, uint64_t number) {
    char text[10] = "%"; // a name of nine characters has lost its first one, a '%'
    size_t used = number >> 56 && number >> 56 != '%';
    bool begun = false;
    for (int shift = 56; shift >= 0; shift -= 8) {
        char c = (char)(number >> shift);
        if (!c && !begun) continue;
        if (c <= ' ' || c > '~') return NULL;
        begun = true;
        text[used++] = c;
    }
    return begun && text[0] == '%' ? sim_arena_text(d->model->arena, text, used) : NULL;
}

static void base_of(var_dwarf *d, uint64_t address, var_place *place) {
    int64_t offset = 0;
    place->name = var_symbol_of(d->sections, address, &offset);
    place->base = place->name ? VAR_BASE_SYMBOL : VAR_BASE_ADDRESS;
    place->offset = place->name ? offset : (int64_t)address;
    place->in_memory = true;
}

// The forms that nvcc writes. Others leave base NONE.
static var_place place_of(var_dwarf *d, const Dwarf_Op *ops, size_t count) {
    var_place place = {VAR_BASE_NONE, false, NULL, 0}, none = place;
    for (size_t i = 0; i < count; i++) {
        switch (ops[i].atom) {
        case DW_OP_addr: base_of(d, ops[i].number, &place); break;
        case DW_OP_regx:
        case DW_OP_bregx:
            place.base = VAR_BASE_REGISTER;
            place.in_memory = ops[i].atom == DW_OP_bregx;
            place.offset = place.in_memory ? (int64_t)ops[i].number2 : 0;
            place.name = register_name(d, ops[i].number);
            if (!place.name) return none;
            break;
        case DW_OP_plus_uconst:
            if (!place.in_memory) return none;
            place.offset = (int64_t)((uint64_t)place.offset + ops[i].number);
            break;
        default: return none;
        }
    }
    return place;
}

// A number instead of a place.
static bool is_constant(const Dwarf_Op *ops, size_t count, int64_t *out_value) {
    if (count == 0 || count > 2 || (count == 2 && ops[1].atom != DW_OP_stack_value)) return false;
    if (ops[0].atom >= DW_OP_const1u && ops[0].atom <= DW_OP_consts) {
        *out_value = (int64_t)ops[0].number;
        return true;
    }
    if (ops[0].atom < DW_OP_lit0 || ops[0].atom > DW_OP_lit31) return false;
    *out_value = ops[0].atom - DW_OP_lit0;
    return true;
}

enum { MAX_RANGES = 1 << 16 }; // of one variable

static sim_status read_ranges(var_dwarf *d, Dwarf_Die *die, var_variable *variable) {
    Dwarf_Attribute found;
    Dwarf_Addr base, from, to;
    Dwarf_Op *ops;
    size_t op_count;
    ptrdiff_t at = 0;
    uint32_t capacity = 0;
    var_range *ranges = NULL;
    if (dwarf_attr(die, DW_AT_const_value, &found)) {
        Dwarf_Sword value;
        variable->has_constant = dwarf_formsdata(&found, &value) == 0;
        if (variable->has_constant) variable->constant = value;
    }
    if (!dwarf_attr_integrate(die, DW_AT_location, &found)) return SIM_OK;
    while ((at = dwarf_getlocations(&found, at, &base, &from, &to, &ops, &op_count)) > 0) {
        TRY(var_dwarf_count(d));
        if (variable->range_count == MAX_RANGES) break;
        if (variable->range_count == capacity) {
            capacity = capacity ? 2 * capacity : 1;
            var_range *grown = sim_arena_array(d->model->arena, capacity, sizeof *grown);
            if (!grown) return var_dwarf_no_memory(d);
            if (ranges) memcpy(grown, ranges, variable->range_count * sizeof *grown);
            variable->ranges = ranges = grown;
        }
        variable->has_constant |= is_constant(ops, op_count, &variable->constant);
        ranges[variable->range_count++] = (var_range){from, to, place_of(d, ops, op_count)};
    }
    if (at < 0) // what was read before the damage is still right
        return variable->range_count ? SIM_OK
                                     : sim_fail(d->err, SIM_BAD_PTX, "the place of %s: %s",
                                                variable->name, dwarf_errmsg(-1));
    return SIM_OK;
}

// ---- variables ----

static sim_status read_variable(var_dwarf *d, Dwarf_Die *die, bool in_function,
                                var_variable *variable) {
    variable->name = var_plain_name(d, var_die_text(d, die, DW_AT_name));
    if (!variable->name) variable->name = "";
    variable->line = (uint32_t)var_die_number(die, DW_AT_decl_line, 0);
    variable->space = var_class_space(die);
    bool is_local = variable->space != PTX_SPACE_SHARED && variable->space != PTX_SPACE_GLOBAL &&
                    variable->space != PTX_SPACE_CONST;
    variable->kind = dwarf_tag(die) == DW_TAG_formal_parameter ? SIM_VARIABLE_PARAMETER
                     : !in_function                            ? SIM_VARIABLE_MODULE
                     : is_local                                ? SIM_VARIABLE_LOCAL
                     : variable->space == PTX_SPACE_SHARED     ? SIM_VARIABLE_SHARED
                                                               : SIM_VARIABLE_MODULE;
    TRY(var_die_type(d, die, &variable->type));
    return read_ranges(d, die, variable);
}

static bool is_variable(Dwarf_Die *die) {
    return dwarf_tag(die) == DW_TAG_variable || dwarf_tag(die) == DW_TAG_formal_parameter;
}

// In the order of the source; those of one line, or of none, as the compiler has them.
static int compare_variables(const void *a, const void *b) {
    const var_variable *left = a, *right = b;
    if (left->line != right->line) return left->line < right->line ? -1 : 1;
    return left->order < right->order ? -1 : 1;
}

// All variables right below an entry.
static sim_status read_variables(var_dwarf *d, Dwarf_Die *parent, bool in_function,
                                 const var_variable **out_variables, uint32_t *out_count) {
    Dwarf_Die child;
    uint32_t count = 0, used = 0;
    *out_count = 0;
    if (dwarf_child(parent, &child) != 0) return SIM_OK;
    do {
        TRY(var_dwarf_count(d));
        count += is_variable(&child);
    } while (dwarf_siblingof(&child, &child) == 0);
    var_variable *variables = sim_arena_array(d->model->arena, count, sizeof *variables);
    if (!variables) return var_dwarf_no_memory(d);
    if (count == 0 || dwarf_child(parent, &child) != 0) return SIM_OK;
    do {
        if (!is_variable(&child)) continue;
        variables[used].order = used;
        TRY(read_variable(d, &child, in_function, &variables[used++]));
    } while (used < count && dwarf_siblingof(&child, &child) == 0);
    qsort(variables, used, sizeof *variables, compare_variables);
    *out_variables = variables;
    *out_count = used;
    return SIM_OK;
}

// ---- scopes ----

static bool read_extent(Dwarf_Die *die, var_scope *scope) {
    Dwarf_Addr base, from, to;
    ptrdiff_t at = 0;
    scope->from = UINT64_MAX;
    scope->to = 0;
    for (uint32_t i = 0; i < MAX_RANGES && (at = dwarf_ranges(die, at, &base, &from, &to)) > 0;
         i++) {
        if (from < scope->from) scope->from = from;
        if (to > scope->to) scope->to = to;
    }
    return scope->from < scope->to;
}

// As .loc numbers it; 0: unknown.
static uint32_t file_number(var_dwarf *d, Dwarf_Die *die, unsigned attribute) {
    uint32_t number = (uint32_t)var_die_number(die, attribute, 0);
    return number ? number + d->first_file : 0;
}

static sim_status read_inner(var_dwarf *d, Dwarf_Die *die, uint32_t depth, const var_scope **out);

// NULL in *out_scope: it has no code.
static sim_status read_scope(var_dwarf *d, Dwarf_Die *die, uint32_t depth,
                             const var_scope **out_scope) {
    var_scope extent = {.kind = VAR_SCOPE_BLOCK};
    *out_scope = NULL;
    int tag = dwarf_tag(die);
    if (tag == DW_TAG_subprogram) extent.kind = VAR_SCOPE_FUNCTION;
    if (tag == DW_TAG_inlined_subroutine) extent.kind = VAR_SCOPE_INLINED;
    if (tag == DW_TAG_lexical_block || extent.kind != VAR_SCOPE_BLOCK) {
        if (!read_extent(die, &extent)) return SIM_OK;
    } else {
        return SIM_OK;
    }
    if (depth > VAR_MAX_DEPTH) return sim_fail(d->err, SIM_BAD_PTX, "its blocks nest too deep");
    var_scope *scope = sim_arena_alloc(d->model->arena, sizeof *scope);
    if (!scope) return var_dwarf_no_memory(d);
    *scope = extent;
    if (scope->kind != VAR_SCOPE_BLOCK) {
        scope->name = var_die_text(d, die, DW_AT_name);
        if (!scope->name) scope->name = "??";
        scope->line = (uint32_t)var_die_number(die, DW_AT_decl_line, 0);
        scope->file = file_number(d, die, DW_AT_decl_file);
    }
    if (scope->kind == VAR_SCOPE_INLINED) {
        scope->call_line = (uint32_t)var_die_number(die, DW_AT_call_line, 0);
        scope->call_file = file_number(d, die, DW_AT_call_file);
    }
    TRY(read_variables(d, die, true, &scope->variables, &scope->variable_count));
    TRY(read_inner(d, die, depth + 1, &scope->inner));
    *out_scope = scope;
    return SIM_OK;
}

static sim_status read_inner(var_dwarf *d, Dwarf_Die *die, uint32_t depth, const var_scope **out) {
    Dwarf_Die child;
    const var_scope **end = out;
    if (dwarf_child(die, &child) != 0) return SIM_OK;
    do {
        const var_scope *scope;
        TRY(var_dwarf_count(d));
        TRY(read_scope(d, &child, depth, &scope));
        if (!scope) continue;
        *end = scope;
        end = &((var_scope *)scope)->next;
    } while (dwarf_siblingof(&child, &child) == 0);
    return SIM_OK;
}

// ---- units ----

// Variables of the module stand in all units, one array in the end.
static sim_status add_variables(var_dwarf *d, const var_variable *more, uint32_t count) {
    var_model *model = d->model;
    if (!count) return SIM_OK;
    if (!model->variable_count) {
        model->variables = more;
        model->variable_count = count;
        return SIM_OK;
    }
    var_variable *all =
        sim_arena_array(model->arena, (size_t)model->variable_count + count, sizeof *all);
    if (!all) return var_dwarf_no_memory(d);
    memcpy(all, model->variables, model->variable_count * sizeof *all);
    memcpy(all + model->variable_count, more, count * sizeof *all);
    model->variables = all;
    model->variable_count += count;
    return SIM_OK;
}

static sim_status read_unit(var_dwarf *d, Dwarf_Die *unit, const var_scope ***end) {
    const var_variable *variables = NULL;
    uint32_t count;
    TRY(read_variables(d, unit, false, &variables, &count));
    TRY(add_variables(d, variables, count));
    TRY(read_inner(d, unit, 0, *end));
    while (**end) *end = (const var_scope **)&((var_scope *)**end)->next;
    return SIM_OK;
}

static sim_status read_units(var_dwarf *d) {
    Dwarf_Off offset = 0, next;
    size_t header_bytes;
    const var_scope **end = &d->model->functions;
    int more;
    while ((more = dwarf_nextcu(d->dwarf, offset, &next, &header_bytes, NULL, NULL, NULL)) == 0) {
        Dwarf_Die unit;
        TRY(var_dwarf_count(d));
        if (!dwarf_offdie(d->dwarf, offset + header_bytes, &unit) || next <= offset)
            return sim_fail(d->err, SIM_BAD_PTX, "%s", dwarf_errmsg(-1));
        for (uint32_t i = 0; i < d->sections->unit_count; i++)
            if (d->sections->units[i].offset <= offset)
                d->first_file = d->sections->units[i].first_file;
        TRY(read_unit(d, &unit, &end));
        offset = next;
    }
    if (more < 0) return sim_fail(d->err, SIM_BAD_PTX, "%s", dwarf_errmsg(-1));
    return var_dwarf_fill_types(d);
}

static sim_status read_elf(var_dwarf *d) {
    size_t bytes;
    char *image = var_elf_image(d->sections, d->model->arena, &bytes);
    if (!image) return var_dwarf_no_memory(d);
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory(image, bytes);
    if (!elf) return sim_fail(d->err, SIM_BAD_PTX, "%s", elf_errmsg(-1));
    sim_status status;
    d->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    if (d->dwarf) status = read_units(d);
    else status = sim_fail(d->err, SIM_BAD_PTX, "%s", dwarf_errmsg(-1));
    dwarf_end(d->dwarf);
    elf_end(elf);
    return status;
}

sim_status var_model_read(const char *ptx, size_t bytes, var_model *model, kl_error *err) {
    var_sections sections;
    TRY(var_sections_read(ptx, bytes, model->arena, &sections, err));
    if (!var_section_find(&sections, "debug_info")) return SIM_NOT_FOUND;
    var_dwarf d = {.model = model, .sections = &sections, .err = err};
    sim_status status = read_elf(&d);
    if (status != SIM_OK) *model = (var_model){.arena = model->arena};
    free(d.slots);
    free(d.waiting);
    return status;
}
