// Types of DWARF 2 to 5 (sections 5.1 to 5.12) as those of internal.h. Types name each other in any
// order and in circles: each gets its node when it is first named, and its contents later, from a
// list, so that no chain of types makes a deep recursion.
#include "debug/variables/internal.h"
#include <dwarf.h>

ptx_space var_class_space(Dwarf_Die *die) {
    static const ptx_space spaces[] = {
        [4] = PTX_SPACE_CONST, [5] = PTX_SPACE_GLOBAL, [6] = PTX_SPACE_LOCAL,
        [7] = PTX_SPACE_PARAM, [8] = PTX_SPACE_SHARED, [2] = PTX_SPACE_REG};
    uint64_t number = var_die_number(die, DW_AT_address_class, 0);
    return number < sizeof spaces / sizeof spaces[0] ? spaces[number] : PTX_SPACE_NONE;
}

const char *var_die_text(var_dwarf *d, Dwarf_Die *die, unsigned attribute) {
    Dwarf_Attribute found;
    const char *text =
        dwarf_attr_integrate(die, attribute, &found) ? dwarf_formstring(&found) : NULL;
    return text ? sim_arena_text(d->model->arena, text, strlen(text)) : NULL;
}

const char *var_plain_name(var_dwarf *d, const char *name) {
    char text[512];
    size_t used = 0;
    if (!name || strncmp(name, "_ZN", 3) != 0) return name;
    for (const char *at = name + 3; *at != 'E'; at += 0) {
        char *end;
        unsigned long bytes = strtoul(at, &end, 10);
        if (end == at || bytes == 0 || bytes > strlen(end) || used + bytes + 3 > sizeof text)
            return name; // a template's, or one that is no name
        if (used) used += (size_t)sprintf(text + used, "::");
        memcpy(text + used, end, bytes);
        used += bytes;
        at = end + bytes;
    }
    const char *copy = sim_arena_text(d->model->arena, text, used);
    return copy ? copy : name;
}

uint64_t var_die_number(Dwarf_Die *die, unsigned attribute, uint64_t otherwise) {
    Dwarf_Attribute found;
    Dwarf_Word number;
    if (!dwarf_attr_integrate(die, attribute, &found) || dwarf_formudata(&found, &number) != 0)
        return otherwise;
    return number;
}

sim_status var_dwarf_no_memory(var_dwarf *d) {
    return sim_fail(d->err, SIM_OUT_OF_MEMORY, "no memory for debug information");
}

sim_status var_dwarf_count(var_dwarf *d) {
    if (++d->entries < VAR_MAX_ENTRIES) return SIM_OK;
    return sim_fail(d->err, SIM_BAD_PTX, "it has more than %d entries", VAR_MAX_ENTRIES);
}

// ---- the table of types ----

static var_type_slot *find_slot(var_type_slot *slots, uint32_t count, Dwarf_Off offset) {
    uint32_t at = (uint32_t)(offset * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (count - 1);
    while (slots[at].type && slots[at].offset != offset) at = (at + 1) & (count - 1);
    return &slots[at];
}

static bool grow_slots(var_dwarf *d) {
    uint32_t count = d->slot_count ? 2 * d->slot_count : 256;
    var_type_slot *slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    for (uint32_t i = 0; i < d->slot_count; i++)
        if (d->slots[i].type) *find_slot(slots, count, d->slots[i].offset) = d->slots[i];
    free(d->slots);
    d->slots = slots;
    d->slot_count = count;
    return true;
}

static bool wait_for(var_dwarf *d, const var_type_slot *slot) {
    if (!sim_reserve(&d->waiting, &d->waiting_capacity, d->waiting_count, sizeof *slot))
        return false;
    d->waiting[d->waiting_count++] = *slot;
    return true;
}

sim_status var_die_type(var_dwarf *d, Dwarf_Die *die, const var_type **out_type) {
    Dwarf_Attribute found;
    Dwarf_Die named;
    *out_type = NULL;
    if (!dwarf_attr_integrate(die, DW_AT_type, &found)) return SIM_OK;
    if (!dwarf_formref_die(&found, &named))
        return sim_fail(d->err, SIM_BAD_PTX, "a type lies outside of .debug_info");
    if (d->type_count >= d->slot_count / 2 && !grow_slots(d)) return var_dwarf_no_memory(d);
    var_type_slot *slot = find_slot(d->slots, d->slot_count, dwarf_dieoffset(&named));
    if (!slot->type) {
        slot->type = sim_arena_alloc(d->model->arena, sizeof *slot->type);
        if (!slot->type) return var_dwarf_no_memory(d);
        slot->offset = dwarf_dieoffset(&named);
        slot->die = named;
        d->type_count++;
        if (!wait_for(d, slot)) return var_dwarf_no_memory(d);
    }
    *out_type = slot->type;
    return SIM_OK;
}

// ---- contents ----

// How many children have one of two tags.
static sim_status count_children(var_dwarf *d, Dwarf_Die *die, int tag, int also,
                                 uint32_t *out_count) {
    Dwarf_Die child;
    *out_count = 0;
    if (dwarf_child(die, &child) != 0) return SIM_OK;
    do {
        TRY(var_dwarf_count(d));
        int found = dwarf_tag(&child);
        *out_count += found == tag || found == also;
    } while (dwarf_siblingof(&child, &child) == 0);
    return SIM_OK;
}

static void fill_base(var_type *type, Dwarf_Die *die) {
    uint64_t encoding = var_die_number(die, DW_AT_encoding, 0);
    switch (encoding) {
    case DW_ATE_boolean: type->kind = VAR_BOOL; break;
    case DW_ATE_float: type->kind = VAR_FLOAT; break;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char: type->kind = VAR_CHAR; break;
    default: type->kind = VAR_INT; break;
    }
    type->is_unsigned = encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char ||
                        encoding == DW_ATE_boolean || encoding == DW_ATE_UTF;
    // nvcc notes "unsigned char" as an unsigned integer of one byte
    if (type->kind == VAR_INT && type->bytes == 1 && type->name && strstr(type->name, "char"))
        type->kind = VAR_CHAR;
}

// One node a dimension, the outermost first.
static sim_status fill_array(var_dwarf *d, var_type *type, Dwarf_Die *die) {
    Dwarf_Die child;
    const var_type *element;
    TRY(var_die_type(d, die, &element));
    var_type *at = NULL;
    bool more = dwarf_child(die, &child) == 0;
    for (uint32_t i = 0; more && i < VAR_MAX_DEPTH; i++) {
        TRY(var_dwarf_count(d));
        if (dwarf_tag(&child) == DW_TAG_subrange_type) {
            var_type *inner = at ? sim_arena_alloc(d->model->arena, sizeof *inner) : type;
            if (!inner) return var_dwarf_no_memory(d);
            inner->kind = VAR_ARRAY;
            if (at) at->of = inner;
            at = inner;
            // no upper bound, or -1: as many as there is memory
            uint64_t last = var_die_number(&child, DW_AT_upper_bound, UINT64_MAX);
            at->count = var_die_number(&child, DW_AT_count, last + 1);
        }
        more = dwarf_siblingof(&child, &child) == 0;
    }
    if (!at) {
        at = type;
        at->kind = VAR_ARRAY;
    }
    at->of = element;
    return SIM_OK;
}

static bool member_offset(Dwarf_Die *die, uint64_t *out_offset) {
    Dwarf_Attribute found;
    Dwarf_Op *ops;
    size_t count;
    *out_offset = 0;
    if (!dwarf_attr(die, DW_AT_data_member_location, &found)) return false;
    if (dwarf_formudata(&found, out_offset) == 0) return true;
    if (dwarf_getlocation(&found, &ops, &count) != 0 || count != 1 ||
        ops[0].atom != DW_OP_plus_uconst)
        return false;
    *out_offset = ops[0].number;
    return true;
}

static void fill_bits(var_member *member, Dwarf_Die *die, uint64_t type_bytes) {
    uint64_t bits = var_die_number(die, DW_AT_bit_size, 0);
    uint64_t at = var_die_number(die, DW_AT_data_bit_offset, UINT64_MAX);
    uint64_t unit = var_die_number(die, DW_AT_byte_size, type_bytes);
    if (bits == 0 || bits > 64 || unit > 8) return;
    if (at != UINT64_MAX) { // DWARF 4: from the beginning of the struct
        member->offset = at / 8;
        at %= 8;
    } else { // DWARF 2: from the highest bit of the unit
        at = unit * 8 - var_die_number(die, DW_AT_bit_offset, 0) - bits;
    }
    if (at > 63) return;
    member->bits = (uint32_t)bits;
    member->bit_offset = (uint32_t)at;
}

// nvcc writes base classes as members: "__b_4Base".
static bool is_nvcc_base(const char *name) {
    return name && strncmp(name, "__b_", 4) == 0 && name[4] >= '1' && name[4] <= '9';
}

static sim_status fill_struct(var_dwarf *d, var_type *type, Dwarf_Die *die) {
    Dwarf_Die child;
    uint32_t count;
    TRY(count_children(d, die, DW_TAG_member, DW_TAG_inheritance, &count));
    var_member *members = sim_arena_array(d->model->arena, count, sizeof *members);
    if (!members) return var_dwarf_no_memory(d);
    type->kind = dwarf_tag(die) == DW_TAG_union_type ? VAR_UNION : VAR_STRUCT;
    type->members = members;
    if (count == 0 || dwarf_child(die, &child) != 0) return SIM_OK;
    do {
        TRY(var_dwarf_count(d));
        int tag = dwarf_tag(&child);
        if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
        var_member *member = &members[type->member_count];
        bool placed = member_offset(&child, &member->offset);
        if (!placed && type->kind != VAR_UNION && !dwarf_hasattr(&child, DW_AT_data_bit_offset))
            continue; // a static member lies elsewhere
        member->name = var_die_text(d, &child, DW_AT_name);
        if (member->name && !member->name[0]) member->name = NULL;
        member->is_base = tag == DW_TAG_inheritance || is_nvcc_base(member->name);
        TRY(var_die_type(d, &child, &member->type));
        fill_bits(member, &child, 4);
        type->member_count++;
    } while (type->member_count < count && dwarf_siblingof(&child, &child) == 0);
    type->is_brain = type->name && strcmp(type->name, "__nv_bfloat16") == 0;
    if (type->bytes == 2 && (type->is_brain || (type->name && strcmp(type->name, "__half") == 0)))
        type->kind = VAR_FLOAT;
    return SIM_OK;
}

static sim_status fill_enum(var_dwarf *d, var_type *type, Dwarf_Die *die) {
    Dwarf_Die child;
    Dwarf_Attribute found;
    uint32_t count;
    TRY(count_children(d, die, DW_TAG_enumerator, DW_TAG_enumerator, &count));
    var_enumerator *rows = sim_arena_array(d->model->arena, count, sizeof *rows);
    if (!rows) return var_dwarf_no_memory(d);
    type->kind = VAR_ENUM;
    type->enumerators = rows;
    if (count == 0 || dwarf_child(die, &child) != 0) return SIM_OK;
    do {
        TRY(var_dwarf_count(d));
        Dwarf_Sword value = 0;
        if (dwarf_tag(&child) != DW_TAG_enumerator) continue;
        if (!dwarf_attr(&child, DW_AT_const_value, &found) || dwarf_formsdata(&found, &value) != 0)
            continue;
        const char *name = var_plain_name(d, var_die_text(d, &child, DW_AT_name));
        if (name) rows[type->enumerator_count++] = (var_enumerator){name, value};
    } while (type->enumerator_count < count && dwarf_siblingof(&child, &child) == 0);
    return SIM_OK;
}

// From the C++ run-time library.
extern char *__cxa_demangle(const char *name, char *buffer, size_t *bytes, int *status);

// "Tile<2, float>"; nvcc up to 12 writes "_Z4TileILi2EfE".
static const char *type_name(var_dwarf *d, Dwarf_Die *die) {
    const char *name = var_die_text(d, die, DW_AT_name);
    int status = 0;
    if (!name || strncmp(name, "_Z", 2) != 0) return name;
    char *plain = __cxa_demangle(name, NULL, NULL, &status);
    const char *copy = plain ? sim_arena_text(d->model->arena, plain, strlen(plain)) : NULL;
    free(plain);
    return copy ? copy : name;
}

static sim_status fill(var_dwarf *d, var_type *type, Dwarf_Die *die) {
    TRY(var_dwarf_count(d));
    type->name = type_name(d, die);
    type->bytes = var_die_number(die, DW_AT_byte_size, 0);
    switch (dwarf_tag(die)) {
    case DW_TAG_base_type: fill_base(type, die); return SIM_OK;
    case DW_TAG_array_type: return fill_array(d, type, die);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type: return fill_struct(d, type, die);
    case DW_TAG_enumeration_type: return fill_enum(d, type, die);
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        type->kind = dwarf_tag(die) == DW_TAG_pointer_type ? VAR_POINTER : VAR_REFERENCE;
        type->bytes = 8;
        type->space = var_class_space(die);
        return var_die_type(d, die, &type->of);
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_typedef:
        type->kind = VAR_ALIAS;
        type->is_const = dwarf_tag(die) == DW_TAG_const_type;
        return var_die_type(d, die, &type->of);
    case DW_TAG_subroutine_type: type->kind = VAR_FUNCTION; return var_die_type(d, die, &type->of);
    default: type->kind = VAR_VOID; return SIM_OK;
    }
}

// Those that an expression can name, for casts and sizeof, and those with enumerators.
static sim_status list_named(var_dwarf *d) {
    const var_type **named = sim_arena_array(d->model->arena, d->type_count, sizeof *named);
    if (!named) return var_dwarf_no_memory(d);
    for (uint32_t i = 0; i < d->slot_count; i++) {
        const var_type *type = d->slots[i].type;
        if (type && (type->name || type->kind == VAR_ENUM)) named[d->model->type_count++] = type;
    }
    d->model->types = named;
    return SIM_OK;
}

sim_status var_dwarf_fill_types(var_dwarf *d) {
    while (d->waiting_count) {
        var_type_slot next = d->waiting[--d->waiting_count];
        TRY(fill(d, next.type, &next.die));
    }
    return list_named(d);
}
