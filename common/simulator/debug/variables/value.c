// What C does with values: see value.h.
#include "debug/variables/value.h"
#include "program/fpmath.h"

enum { MAX_VALUE_BYTES = 1 << 20 }; // that one value may have to be read or printed

sim_status var_fail(var_evaluation *e, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    kl_error_fill(e->err, SIM_INVALID_VALUE, format, arguments);
    va_end(arguments);
    return SIM_INVALID_VALUE;
}

static sim_status no_memory(var_evaluation *e) {
    return sim_fail(e->err, SIM_OUT_OF_MEMORY, "The value is too large to be kept.");
}

// Where the shared memory of the thread's block begins in the generic space.
static uint64_t shared_base(const var_evaluation *e) {
    uint64_t rank = 0;
    uint32_t bytes;
    kl_error ignored;
    if (e->thread->read_register(e->thread->context, "%cluster_ctarank", &rank, &bytes, &ignored))
        rank = 0;
    return SIM_SHARED_WINDOW + rank * SIM_WINDOW_BYTES + SIM_SHARED_START;
}

void var_resolve(const var_evaluation *e, ptx_space *space, uint64_t *address) {
    const uint64_t shared = *address - SIM_SHARED_WINDOW < SIM_CLUSTER_WINDOW_BYTES
                                ? shared_base(e)
                                : SIM_SHARED_WINDOW;
    const struct {
        ptx_space space;
        uint64_t base;
    } windows[] = {{PTX_SPACE_SHARED, shared},
                   {PTX_SPACE_LOCAL, SIM_LOCAL_WINDOW},
                   {PTX_SPACE_PARAM, SIM_PARAM_WINDOW}};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        bool may = *space == PTX_SPACE_NONE || *space == windows[i].space;
        if (!may || *address < windows[i].base || *address - windows[i].base >= SIM_WINDOW_BYTES)
            continue;
        *space = windows[i].space;
        *address -= windows[i].base;
        return;
    }
    if (*space == PTX_SPACE_NONE && (*address < SIM_SHARED_WINDOW || *address >= SIM_GLOBAL_BASE))
        *space = PTX_SPACE_GLOBAL;
}

uint64_t var_generic_address(const var_evaluation *e, ptx_space space, uint64_t address) {
    var_resolve(e, &space, &address);
    return address + (space == PTX_SPACE_SHARED  ? shared_base(e)
                      : space == PTX_SPACE_LOCAL ? SIM_LOCAL_WINDOW
                      : space == PTX_SPACE_PARAM ? SIM_PARAM_WINDOW
                                                 : 0);
}

// ---- bytes ----

static sim_status load_register(var_evaluation *e, var_value *value, uint8_t *data,
                                uint64_t bytes) {
    uint64_t word = 0;
    uint32_t width = 0;
    TRY(e->thread->read_register(e->thread->context, value->register_name, &word, &width, e->err));
    if (bytes > sizeof word)
        return var_fail(e, "The value has %llu bytes, and register %s only %u.",
                        (unsigned long long)bytes, value->register_name, width);
    memcpy(data, &word, bytes);
    return SIM_OK;
}

sim_status var_load(var_evaluation *e, var_value *value) {
    if (value->data) return SIM_OK;
    uint64_t bytes = var_type_bytes(value->type);
    uint64_t read = value->bits ? (value->bit_offset + value->bits + 7) / 8 : bytes;
    if (bytes > MAX_VALUE_BYTES)
        return var_fail(
            e, "The value has %llu bytes; this shows %d at most: ask for a part, a[0]@100.",
            (unsigned long long)bytes, MAX_VALUE_BYTES);
    uint8_t *data = sim_arena_alloc(e->arena, (bytes > read ? bytes : read) + sizeof(uint64_t));
    if (!data) return no_memory(e);
    value->data = data;
    if (e->unread) return SIM_OK;
    if (value->absent) return var_fail(e, "It has no value here: %s.", value->absent);
    if (value->where == VAR_IN_REGISTER) return load_register(e, value, data, bytes);
    if (value->where == VAR_IN_MEMORY && read)
        return e->thread->read_memory(e->thread->context, value->space, value->address, data, read,
                                      e->err);
    return SIM_OK;
}

// ---- numbers ----

bool var_is_scalar(const var_type *type) {
    var_kind kind = var_strip(type)->kind;
    return kind >= VAR_BOOL && kind <= VAR_POINTER;
}

static void refuse_type(var_evaluation *e, const var_value *value, const char *what) {
    char name[256];
    var_type_name(value->type, name, sizeof name);
    var_fail(e, "%s: it is a %s.", what, name);
}

sim_status var_decay(var_evaluation *e, var_value *value) {
    const var_type *type = var_strip(value->type);
    if (type->kind != VAR_ARRAY) return SIM_OK;
    if (value->where != VAR_IN_MEMORY)
        return var_fail(e, "Attempt to take address of value not located in memory.");
    const var_type *pointer = var_pointer_to(e, type->of, value->space);
    return pointer ? var_from_integer(e, pointer, value->address, value) : no_memory(e);
}

static void take_integer(const var_value *value, const var_type *type, var_number *out) {
    uint64_t word = 0;
    uint32_t bits = type->bytes >= 8 ? 64 : (uint32_t)type->bytes * 8;
    memcpy(&word, value->data, 8);
    if (value->bits) {
        word >>= value->bit_offset;
        // bits that lie past the eighth byte
        if (value->bit_offset + value->bits > 64)
            word |= (uint64_t)value->data[8] << (64 - value->bit_offset);
        bits = value->bits;
    }
    if (bits < 64) word &= ((uint64_t)1 << bits) - 1;
    if (!out->is_unsigned && bits && bits < 64 && word >> (bits - 1)) word |= ~(uint64_t)0 << bits;
    out->integer = (int64_t)word;
}

static double small_float(const uint8_t *data, bool is_brain) {
    uint32_t bits = data[0] | (uint32_t)data[1] << 8;
    return is_brain ? sim_float_from_bits(bits << 16) : sim_float_from_f16(bits);
}

sim_status var_to_number(var_evaluation *e, var_value *value, var_number *out_number) {
    TRY(var_decay(e, value));
    const var_type *type = var_strip(value->type);
    if (!var_is_scalar(type)) {
        refuse_type(e, value, "This is no number");
        return SIM_INVALID_VALUE;
    }
    TRY(var_load(e, value));
    bool is_unsigned = type->kind == VAR_POINTER || type->is_unsigned;
    *out_number = (var_number){.is_unsigned = is_unsigned, .bytes = (uint32_t)type->bytes};
    if (type->kind != VAR_FLOAT) {
        take_integer(value, type, out_number);
        return SIM_OK;
    }
    out_number->is_float = true;
    float single;
    memcpy(&single, value->data, sizeof single);
    if (type->bytes == 4) out_number->real = single;
    else if (type->bytes == 8) memcpy(&out_number->real, value->data, sizeof out_number->real);
    else if (type->bytes == 2) out_number->real = small_float(value->data, type->is_brain);
    else return var_fail(e, "Floats of %u bytes are not understood.", out_number->bytes);
    if (out_number->real > -9.2e18 && out_number->real < 9.2e18)
        out_number->integer = (int64_t)out_number->real;
    return SIM_OK;
}

sim_status var_from_number(var_evaluation *e, const var_type *type, var_number number,
                           var_value *out_value) {
    const var_type *plain = var_strip(type);
    uint8_t *data = sim_arena_alloc(e->arena, 16);
    if (!data) return no_memory(e);
    if (plain->kind == VAR_FLOAT && plain->bytes < 4)
        return var_fail(e, "Casts to %s are not available: use float.", plain->name);
    if (plain->kind == VAR_FLOAT) {
        double real = number.is_float      ? number.real
                      : number.is_unsigned ? (double)(uint64_t)number.integer
                                           : (double)number.integer;
        float single = (float)real;
        memcpy(data, plain->bytes == 4 ? (void *)&single : (void *)&real,
               plain->bytes == 4 ? 4 : 8);
    } else {
        int64_t integer = number.integer;
        if (plain->kind == VAR_BOOL) integer = number.is_float ? number.real != 0 : integer != 0;
        memcpy(data, &integer, plain->bytes < 8 ? plain->bytes : 8);
    }
    *out_value = (var_value){.type = type, .data = data};
    return SIM_OK;
}

sim_status var_from_integer(var_evaluation *e, const var_type *type, uint64_t integer,
                            var_value *out_value) {
    var_number number = {.is_unsigned = true, .bytes = 8, .integer = (int64_t)integer};
    return var_from_number(e, type, number, out_value);
}

// ---- pointers and parts ----

const var_type *var_pointer_to(var_evaluation *e, const var_type *type, ptx_space space) {
    var_type *pointer = sim_arena_alloc(e->arena, sizeof *pointer);
    if (pointer) *pointer = (var_type){.kind = VAR_POINTER, .bytes = 8, .of = type, .space = space};
    return pointer;
}

sim_status var_follow(var_evaluation *e, var_value *value) {
    TRY(var_decay(e, value));
    const var_type *type = var_strip(value->type);
    var_number number;
    if (type->kind != VAR_POINTER)
        return var_fail(e, "Attempt to take contents of a non-pointer value.");
    if (var_strip(type->of)->kind == VAR_VOID)
        return var_fail(e, "Attempt to take contents of a void * value: cast it first, "
                           "*(float *)p.");
    TRY(var_to_number(e, value, &number));
    *value = (var_value){.type = type->of,
                         .where = VAR_IN_MEMORY,
                         .space = type->space,
                         .address = (uint64_t)number.integer};
    return SIM_OK;
}

sim_status var_address(var_evaluation *e, var_value *value) {
    if (value->bits) return var_fail(e, "Attempt to take address of a bit field.");
    if (value->absent) return var_fail(e, "It has no address: it is %s.", value->absent);
    if (value->where == VAR_IN_REGISTER)
        return var_fail(e, "It has no address: it is in register %s.", value->register_name);
    if (value->where != VAR_IN_MEMORY)
        return var_fail(e, "Attempt to take address of value not located in memory.");
    const var_type *pointer = var_pointer_to(e, value->type, value->space);
    return pointer ? var_from_integer(e, pointer, value->address, value) : no_memory(e);
}

sim_status var_index(var_evaluation *e, var_value *value, int64_t index) {
    const var_type *type = var_strip(value->type);
    if (type->kind != VAR_ARRAY && type->kind != VAR_POINTER)
        return var_fail(e, "cannot subscript something that is no array or pointer");
    uint64_t size = var_type_bytes(type->of), offset = size * (uint64_t)index;
    if (type->kind == VAR_ARRAY && (value->data || value->where != VAR_IN_MEMORY)) {
        TRY(var_load(e, value)); // the element of a value that lies nowhere
        if (index < 0 || (uint64_t)index >= type->count)
            return var_fail(e, "no such vector element");
        bool is_memory = value->where == VAR_IN_MEMORY;
        value->data += offset;
        value->type = type->of;
        value->where = is_memory ? VAR_IN_MEMORY : VAR_NOWHERE;
        value->address += offset;
        return SIM_OK;
    }
    if (type->kind == VAR_ARRAY) {
        value->type = type->of;
        value->address += offset;
        return SIM_OK;
    }
    TRY(var_follow(e, value));
    value->address += offset;
    return SIM_OK;
}

void var_take_member(const var_value *value, const var_member *member, var_value *out_value) {
    *out_value = *value;
    out_value->type = member->type ? member->type : &var_void;
    out_value->address += member->offset;
    if (out_value->data) out_value->data += member->offset;
    if (out_value->where == VAR_IN_REGISTER) out_value->where = VAR_NOWHERE;
    out_value->bit_offset = member->bit_offset;
    out_value->bits = member->bits;
    out_value->is_reference = false;
}

// In the struct, its unnamed parts and its base classes.
static bool find_member(const var_type *type, const char *name, size_t bytes, int depth,
                        var_member *out_member) {
    for (uint32_t i = 0; depth && i < type->member_count; i++) {
        const var_member *member = &type->members[i];
        if (member->name && strlen(member->name) == bytes &&
            memcmp(member->name, name, bytes) == 0) {
            *out_member = *member;
            return true;
        }
        if ((!member->name || member->is_base) &&
            find_member(var_strip(member->type), name, bytes, depth - 1, out_member)) {
            out_member->offset += member->offset;
            return true;
        }
    }
    return false;
}

bool var_member_fits(const var_type *type, const var_member *member) {
    uint64_t bytes =
        member->bits ? (member->bit_offset + member->bits + 7) / 8 : var_type_bytes(member->type);
    return member->offset <= type->bytes && bytes <= type->bytes - member->offset;
}

sim_status var_member_of(var_evaluation *e, var_value *value, const char *name, size_t name_bytes) {
    const var_type *type = var_strip(value->type);
    var_member member;
    if (type->kind != VAR_STRUCT && type->kind != VAR_UNION) {
        if (type->kind == VAR_POINTER)
            return var_fail(e, "This is a pointer: write -> or [0]. before %.*s.", (int)name_bytes,
                            name);
        refuse_type(e, value, "This has no members");
        return SIM_INVALID_VALUE;
    }
    if (!find_member(type, name, name_bytes, VAR_MAX_DEPTH, &member))
        return var_fail(e, "There is no member named %.*s.", (int)name_bytes, name);
    if (!var_member_fits(type, &member))
        return var_fail(e, "The debug information of this type is damaged.");
    if (value->where == VAR_IN_REGISTER) TRY(var_load(e, value));
    var_take_member(value, &member, value);
    return SIM_OK;
}

sim_status var_repeat(var_evaluation *e, var_value *value, int64_t count) {
    if (value->where != VAR_IN_MEMORY)
        return var_fail(e, "Only values in memory can be extended with '@'.");
    if (count <= 0) return var_fail(e, "Invalid number %lld of repetitions.", (long long)count);
    var_type *array = sim_arena_alloc(e->arena, sizeof *array);
    if (!array) return no_memory(e);
    *array = (var_type){.kind = VAR_ARRAY, .of = value->type, .count = (uint64_t)count};
    value->type = array;
    value->data = NULL;
    return SIM_OK;
}

// ---- casts ----

static sim_status cast_pointer(var_evaluation *e, var_value *value, const var_type *type,
                               const var_type *from, var_number number) {
    const var_type *to = var_strip(type);
    // (float *)p of a @shared pointer stays one; (@global float *)p changes what it means
    if (from->kind == VAR_POINTER && to->space == PTX_SPACE_NONE && from->space) {
        type = var_pointer_to(e, to->of, from->space);
        if (!type) return no_memory(e);
    } else if (from->kind == VAR_POINTER && !from->space && to->space) {
        ptx_space space = to->space;
        uint64_t address = (uint64_t)number.integer;
        var_resolve(e, &space, &address);
        number.integer = (int64_t)address;
    }
    return var_from_number(e, type, number, value);
}

sim_status var_cast(var_evaluation *e, var_value *value, const var_type *type) {
    const var_type *to = var_strip(type);
    TRY(var_decay(e, value));
    const var_type *from = var_strip(value->type);
    var_number number;
    if (!var_is_scalar(to)) {
        if (to == from || (to->name && from->name && strcmp(to->name, from->name) == 0))
            return SIM_OK;
        return var_fail(e, "Invalid cast.");
    }
    TRY(var_to_number(e, value, &number));
    if (to->kind == VAR_POINTER) return cast_pointer(e, value, type, from, number);
    if (from->kind == VAR_POINTER && to->kind == VAR_INT && to->bytes == 8)
        number.integer = (int64_t)var_generic_address(e, from->space, (uint64_t)number.integer);
    return var_from_number(e, type, number, value);
}
