// Types of C: the base types, sizes, and names as a declaration writes them.
#include "debug/variables/internal.h"

const var_type var_void = {.kind = VAR_VOID, .name = "void"};
const var_type var_bool = {.kind = VAR_BOOL, .name = "bool", .bytes = 1, .is_unsigned = true};
const var_type var_char = {.kind = VAR_CHAR, .name = "char", .bytes = 1};
const var_type var_float = {.kind = VAR_FLOAT, .name = "float", .bytes = 4};
const var_type var_double = {.kind = VAR_FLOAT, .name = "double", .bytes = 8};
static const var_type signed_char = {.kind = VAR_CHAR, .name = "signed char", .bytes = 1};
static const var_type unsigned_char = {
    .kind = VAR_CHAR, .name = "unsigned char", .bytes = 1, .is_unsigned = true};

// The integers, each of the name that DWARF and gdb give it first.
static const var_type integers[] = {
    {.kind = VAR_INT, .name = "short", .bytes = 2},
    {.kind = VAR_INT, .name = "unsigned short", .bytes = 2, .is_unsigned = true},
    {.kind = VAR_INT, .name = "int", .bytes = 4},
    {.kind = VAR_INT, .name = "unsigned int", .bytes = 4, .is_unsigned = true},
    {.kind = VAR_INT, .name = "long", .bytes = 8},
    {.kind = VAR_INT, .name = "unsigned long", .bytes = 8, .is_unsigned = true},
    {.kind = VAR_INT, .name = "long long", .bytes = 8},
    {.kind = VAR_INT, .name = "unsigned long long", .bytes = 8, .is_unsigned = true},
};
enum { INTEGERS = sizeof integers / sizeof integers[0] };

static const struct {
    const char *name, *means;
} other_names[] = {
    {"int8_t", "signed char"}, {"uint8_t", "unsigned char"},   {"int16_t", "short"},
    {"int32_t", "int"},        {"uint16_t", "unsigned short"}, {"uint32_t", "unsigned int"},
    {"int64_t", "long"},       {"uint64_t", "unsigned long"},  {"size_t", "unsigned long"},
};

const var_type *var_base_type(const char *name) {
    static const var_type *const others[] = {&var_void,   &var_bool,    &var_char,     &var_float,
                                             &var_double, &signed_char, &unsigned_char};
    for (size_t i = 0; i < INTEGERS; i++)
        if (strcmp(integers[i].name, name) == 0) return &integers[i];
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i]->name, name) == 0) return others[i];
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++)
        if (strcmp(other_names[i].name, name) == 0) return var_base_type(other_names[i].means);
    return NULL;
}

const var_type *var_int_type(uint32_t bytes, bool is_unsigned) {
    if (bytes == 1) return is_unsigned ? &unsigned_char : &signed_char;
    return &integers[(bytes == 2 ? 0 : bytes == 4 ? 2 : 4) + is_unsigned];
}

static const var_member xyz[] = {
    {.name = "x", .type = &integers[3], .offset = 0},
    {.name = "y", .type = &integers[3], .offset = 4},
    {.name = "z", .type = &integers[3], .offset = 8},
};
const var_type var_uint3 = {
    .kind = VAR_STRUCT, .name = "uint3", .bytes = 12, .members = xyz, .member_count = 3};

const var_type *var_strip(const var_type *type) {
    for (int i = 0; type && type->kind == VAR_ALIAS; i++)
        type = i < VAR_MAX_DEPTH ? type->of : NULL;
    return type ? type : &var_void;
}

uint64_t var_type_bytes(const var_type *type) {
    uint64_t count = 1;
    for (int i = 0; i < VAR_MAX_DEPTH; i++) {
        type = var_strip(type);
        if (type->kind != VAR_ARRAY)
            return __builtin_mul_overflow(count, type->bytes, &count) ? 0 : count;
        if (__builtin_mul_overflow(count, type->count, &count)) return 0;
        type = type->of;
    }
    return 0;
}

const char *var_space_name(ptx_space space) {
    static const char *const names[] = {
        [PTX_SPACE_NONE] = "@generic",    [PTX_SPACE_REG] = "@register",
        [PTX_SPACE_PARAM] = "@parameter", [PTX_SPACE_GLOBAL] = "@global",
        [PTX_SPACE_SHARED] = "@shared",   [PTX_SPACE_LOCAL] = "@local",
        [PTX_SPACE_CONST] = "@constant",  [PTX_SPACE_TEX] = "@texture"};
    return names[space];
}

enum { NAME_BYTES = 512 };

// Writes the type of something that is declared as `declarator`, inside out.
static void write_name(const var_type *type, const char *declarator, int depth, char *out,
                       size_t out_bytes) {
    char text[NAME_BYTES];
    const char *blank = declarator[0] ? " " : "";
    if (!type) type = &var_void;
    if (depth == 0) {
        snprintf(out, out_bytes, "..");
    } else if (type->kind == VAR_ALIAS && !type->name) { // const and its like
        if (!type->is_const) {
            write_name(type->of, declarator, depth - 1, out, out_bytes);
            return;
        }
        bool behind = var_strip(type->of)->kind == VAR_POINTER;
        snprintf(text, sizeof text, "%sconst%s%s", behind ? " " : "", blank, declarator);
        if (behind) {
            write_name(type->of, text, depth - 1, out, out_bytes);
        } else {
            write_name(type->of, declarator, depth - 1, text, sizeof text);
            snprintf(out, out_bytes, "const %s", text);
        }
    } else if (type->kind == VAR_POINTER || type->kind == VAR_REFERENCE) {
        var_kind of = type->of ? type->of->kind : VAR_VOID;
        bool group = of == VAR_ARRAY || of == VAR_FUNCTION;
        snprintf(text, sizeof text, "%s%c%s%s", group ? "(" : "",
                 type->kind == VAR_POINTER ? '*' : '&', declarator, group ? ")" : "");
        write_name(type->of, text, depth - 1, out, out_bytes);
    } else if (type->kind == VAR_ARRAY && type->count) {
        snprintf(text, sizeof text, "%s[%llu]", declarator, (unsigned long long)type->count);
        write_name(type->of, text, depth - 1, out, out_bytes);
    } else if (type->kind == VAR_ARRAY) {
        snprintf(text, sizeof text, "%s[]", declarator);
        write_name(type->of, text, depth - 1, out, out_bytes);
    } else if (type->kind == VAR_FUNCTION) {
        snprintf(text, sizeof text, "%s()", declarator);
        write_name(type->of, text, depth - 1, out, out_bytes);
    } else {
        static const char *const unnamed[] = {
            [VAR_STRUCT] = "struct {...}", [VAR_UNION] = "union {...}", [VAR_ENUM] = "enum {...}"};
        const char *name = type->name               ? type->name
                           : type->kind >= VAR_ENUM ? unnamed[type->kind]
                                                    : "?";
        snprintf(out, out_bytes, "%s%s%s", name ? name : "?", blank, declarator);
    }
}

void var_type_name(const var_type *type, char *out, size_t out_bytes) {
    char text[NAME_BYTES];
    const var_type *plain = var_strip(type);
    write_name(type, "", VAR_MAX_DEPTH / 4, text, sizeof text);
    bool tells = (plain->kind == VAR_POINTER || plain->kind == VAR_REFERENCE) &&
                 plain->space != PTX_SPACE_NONE;
    snprintf(out, out_bytes, "%s%s%s", tells ? var_space_name(plain->space) : "", tells ? " " : "",
             text);
}
