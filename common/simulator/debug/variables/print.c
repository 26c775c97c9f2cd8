// Values as text, as gdb writes them: {x = 1, y = 2}, {0 <repeats 16 times>}, 97 'a', "text",
// (@global float *) 0x200000000000.
#include "debug/variables/value.h"
#include "memory/memory.h"

enum {
    MOST_ELEMENTS = 200, // of arrays, all those within one value together; gdb's too
    MOST_VALUES = 20000, // of structs and arrays too: damaged types may hold themselves
    REPEATS = 10,        // so many equal elements are written as one
    MOST_TEXT = 200      // characters of a string behind a pointer
};

typedef struct printer {
    var_evaluation *e;
    const sim_variables_format *format;
    FILE *out;
    uint32_t elements, most; // written so far, and at most
    uint32_t values;         // of any kind
} printer;

static void print_value(printer *p, var_value *value, int depth);

// ---- numbers ----

static void print_bits(FILE *out, uint64_t bits) {
    int top = 63;
    while (top > 0 && !(bits >> top & 1)) top--;
    for (; top >= 0; top--) fputc('0' + (bits >> top & 1), out);
}

static void print_float(FILE *out, double real, uint32_t bytes) {
    uint64_t bits;
    float single = (float)real;
    uint32_t single_bits;
    memcpy(&bits, &real, sizeof bits);
    memcpy(&single_bits, &single, sizeof single_bits);
    const char *sign = signbit(real) ? "-" : "";
    if (isnan(real) && bytes == 4) fprintf(out, "%snan(0x%x)", sign, single_bits & 0x7fffff);
    else if (isnan(real))
        fprintf(out, "%snan(0x%" PRIx64 ")", sign, bits & UINT64_C(0xfffffffffffff));
    else if (isinf(real)) fprintf(out, "%sinf", sign);
    else fprintf(out, "%.*g", bytes == 2 ? 5 : bytes == 4 ? 9 : 17, real);
}

static void print_char_text(FILE *out, unsigned char c, char quote) {
    static const char escapes[] = "\a\b\t\n\v\f\r\033", letters[] = "abtnvfre";
    const char *found = c ? strchr(escapes, c) : NULL;
    if (found) fprintf(out, "\\%c", letters[found - escapes]);
    else if (c == (unsigned char)quote || c == '\\') fprintf(out, "\\%c", c);
    else if (c < 32 || c > 126) fprintf(out, "\\%03o", c);
    else fputc(c, out);
}

static void print_char(FILE *out, int64_t integer) {
    fprintf(out, "%lld '", (long long)integer);
    print_char_text(out, (unsigned char)integer, '\'');
    fputc('\'', out);
}

static uint64_t mask_of(const var_number *number) {
    return number->bytes < 8 ? ((uint64_t)1 << number->bytes * 8) - 1 : UINT64_MAX;
}

// The value under one of gdb's letters.
static void print_lettered(printer *p, const var_number *number, uint32_t bits) {
    uint64_t mask = bits && bits < 64 ? ((uint64_t)1 << bits) - 1 : mask_of(number);
    uint64_t word = (uint64_t)number->integer & mask;
    switch (p->format->letter) {
    case 'x':
    case 'a': fprintf(p->out, "0x%" PRIx64, word); break;
    case 'z': fprintf(p->out, "0x%0*" PRIx64, (int)number->bytes * 2, word); break;
    case 'o': fprintf(p->out, word ? "0%" PRIo64 : "%" PRIo64, word); break;
    case 't': print_bits(p->out, word); break;
    case 'u': fprintf(p->out, "%" PRIu64, word); break;
    case 'c': print_char(p->out, (int8_t)word); break;
    case 'd':
        if (number->bytes < 8 && word >> (number->bytes * 8 - 1)) word |= ~mask_of(number);
        fprintf(p->out, "%" PRId64, (int64_t)word);
        break;
    default: // f: the bits of an integer as those of a float
        if (number->is_float || (number->bytes != 4 && number->bytes != 8)) {
            print_float(p->out, number->is_float ? number->real : (double)number->integer,
                        number->bytes);
        } else if (number->bytes == 4) {
            float single;
            uint32_t low = (uint32_t)word;
            memcpy(&single, &low, sizeof single);
            print_float(p->out, single, 4);
        } else {
            double real;
            memcpy(&real, &word, sizeof real);
            print_float(p->out, real, 8);
        }
    }
}

static void print_enum(printer *p, const var_type *type, const var_number *number) {
    for (uint32_t i = 0; i < type->enumerator_count; i++) {
        if (type->enumerators[i].value != number->integer &&
            type->enumerators[i].value != (int64_t)((uint64_t)number->integer & mask_of(number)))
            continue;
        fputs(type->enumerators[i].name, p->out);
        return;
    }
    fprintf(p->out, "%" PRId64, number->integer);
}

// ---- pointers ----

// The text that a pointer to char points to.
static void print_string_at(printer *p, ptx_space space, uint64_t address) {
    const sim_variables_thread *thread = p->e->thread;
    fputs(" \"", p->out);
    for (int i = 0; i < MOST_TEXT; i++) {
        unsigned char c = 0;
        kl_error ignored;
        if (thread->read_memory(thread->context, space, address + (uint64_t)i, &c, 1, &ignored) !=
            SIM_OK) {
            fprintf(p->out, "\" <cannot be read at 0x%" PRIx64 ">", address + (uint64_t)i);
            return;
        }
        if (!c) {
            fputc('"', p->out);
            return;
        }
        print_char_text(p->out, c, '"');
    }
    fputs("\"...", p->out);
}

static void print_pointer(printer *p, const var_type *type, const var_number *number) {
    ptx_space space = type->space;
    uint64_t address = (uint64_t)number->integer;
    if (address || space) var_resolve(p->e, &space, &address);
    const var_type *of = var_strip(type->of);
    bool is_code = of->kind == VAR_FUNCTION; // which lies in no space of data
    if (!p->format->without_type) {
        char name[256];
        var_type shown = *type;
        shown.space = is_code ? PTX_SPACE_NONE : space;
        var_type_name(&shown, name, sizeof name);
        if (is_code || space) fprintf(p->out, "(%s) ", name);
        else fprintf(p->out, "(%s %s) ", var_space_name(space), name);
    }
    fprintf(p->out, "0x%" PRIx64, address);
    if (of->kind == VAR_CHAR && address && !p->format->without_type)
        print_string_at(p, space, address);
}

static void print_scalar(printer *p, var_value *value, const var_type *type) {
    var_number number;
    if (var_to_number(p->e, value, &number) != SIM_OK) {
        fprintf(p->out, "<error: %s>", p->e->err ? p->e->err->text : "no value");
        return;
    }
    if (p->format->letter && (p->format->letter != 'f' || type->kind != VAR_POINTER)) {
        print_lettered(p, &number, value->bits);
        return;
    }
    switch (type->kind) {
    case VAR_BOOL:
        if (number.integer == 0 || number.integer == 1)
            fputs(number.integer ? "true" : "false", p->out);
        else fprintf(p->out, "%" PRId64, number.integer);
        break;
    case VAR_CHAR: print_char(p->out, number.integer); break;
    case VAR_FLOAT: print_float(p->out, number.real, number.bytes); break;
    case VAR_ENUM: print_enum(p, type, &number); break;
    case VAR_POINTER: print_pointer(p, type, &number); break;
    default:
        fprintf(p->out, number.is_unsigned ? "%" PRIu64 : "%" PRId64, (uint64_t)number.integer);
    }
}

// ---- arrays ----

// Equal elements from `at` on.
static uint64_t run_length(const uint8_t *data, uint64_t at, uint64_t count, uint64_t bytes) {
    uint64_t run = 1;
    while (at + run < count && memcmp(data + at * bytes, data + (at + run) * bytes, bytes) == 0)
        run++;
    return run;
}

// "abc\000\000", 'x' <repeats 12 times>
static void print_text(printer *p, const uint8_t *data, uint64_t count) {
    bool open = false, any = false;
    if (count && data[count - 1] == 0) count--;
    for (uint64_t i = 0; i < count && p->elements < p->most;) {
        uint64_t run = run_length(data, i, count, 1);
        if (run >= REPEATS) {
            fprintf(p->out, "%s%s'", open ? "\"" : "", any ? ", " : "");
            print_char_text(p->out, data[i], '\'');
            fprintf(p->out, "' <repeats %" PRIu64 " times>", run);
            open = false;
            i += run;
            p->elements += REPEATS;
        } else {
            if (!open) fprintf(p->out, "%s\"", any ? ", " : "");
            print_char_text(p->out, data[i++], '"');
            open = true;
            p->elements++;
        }
        any = true;
        if (i < count && p->elements >= p->most) {
            fprintf(p->out, "%s...", open ? "\"" : "");
            return;
        }
    }
    if (open) fputc('"', p->out);
    if (!any) fputs("\"\"", p->out);
}

static void print_array(printer *p, var_value *value, const var_type *type, int depth) {
    uint64_t bytes = var_type_bytes(type->of);
    if (!bytes) { // of a size that is not known
        fputs("{...}", p->out);
        return;
    }
    bool is_text = var_strip(type->of)->kind == VAR_CHAR && !p->format->letter;
    if (is_text) {
        print_text(p, value->data, type->count);
        return;
    }
    fputc('{', p->out);
    for (uint64_t i = 0; i < type->count;) {
        uint64_t run = run_length(value->data, i, type->count, bytes);
        if (i) fputs(", ", p->out);
        if (p->elements >= p->most || p->values > MOST_VALUES) {
            fputs("...", p->out);
            break;
        }
        var_value element = {.type = type->of,
                             .where = value->where,
                             .space = value->space,
                             .address = value->address + i * bytes,
                             .data = value->data + i * bytes};
        if (element.where == VAR_IN_REGISTER) element.where = VAR_NOWHERE;
        print_value(p, &element, depth - 1);
        if (run >= REPEATS) {
            fprintf(p->out, " <repeats %" PRIu64 " times>", run);
            p->elements += REPEATS;
        } else {
            run = 1;
            // an array counts its own elements
            p->elements += var_strip(type->of)->kind != VAR_ARRAY;
        }
        i += run;
    }
    fputc('}', p->out);
}

static const char *base_name(const var_member *member) {
    const char *name = var_strip(member->type)->name;
    return name ? name : member->name ? member->name : "base class";
}

static void print_struct(printer *p, var_value *value, const var_type *type, int depth) {
    fputc('{', p->out);
    for (uint32_t i = 0; i < type->member_count && p->values <= MOST_VALUES; i++) {
        const var_member *member = &type->members[i];
        var_value part;
        fputs(i ? ", " : "", p->out);
        if (member->is_base) fprintf(p->out, "<%s> = ", base_name(member));
        else if (member->name) fprintf(p->out, "%s = ", member->name);
        var_take_member(value, member, &part);
        if (var_member_fits(type, member)) print_value(p, &part, depth - 1);
        else fputs("<damaged debug information>", p->out);
    }
    fputc('}', p->out);
}

// Whether all bytes are those that fresh memory is filled with. Of less than a word that is no
// sign.
static bool is_never_written(const var_value *value, const var_type *type) {
    uint64_t bytes = var_type_bytes(type);
    if (value->where != VAR_IN_MEMORY || !value->data || value->bits || bytes < sizeof(uint32_t))
        return false;
    for (uint64_t i = 0; i < bytes; i++)
        if (value->data[i] != (uint8_t)(SIM_POISON >> (value->address + i) % 4 * 8)) return false;
    return true;
}

static void print_value(printer *p, var_value *value, int depth) {
    const var_type *type = var_strip(value->type);
    if (depth <= 0 || ++p->values > MOST_VALUES) {
        fputs("{...}", p->out);
    } else if (!p->format->letter && is_never_written(value, type)) {
        fputs("<never written>", p->out);
    } else if (type->kind == VAR_ARRAY && !type->count) { // of unknown length: its beginning
        kl_error *err = p->e->err;
        if (var_decay(p->e, value) == SIM_OK) print_scalar(p, value, var_strip(value->type));
        else fprintf(p->out, "<error: %s>", err ? err->text : "");
    } else if (type->kind == VAR_ARRAY) {
        print_array(p, value, type, depth);
    } else if (type->kind == VAR_STRUCT || type->kind == VAR_UNION) {
        print_struct(p, value, type, depth);
    } else if (type->kind == VAR_REFERENCE) { // within a struct: what it refers to is not followed
        uint64_t address = 0;
        if (value->data) memcpy(&address, value->data, sizeof address);
        fprintf(p->out, "@0x%" PRIx64, address);
    } else if (var_is_scalar(type)) {
        print_scalar(p, value, type);
    } else {
        fputs(type->kind == VAR_FUNCTION ? "{code}" : "void", p->out);
    }
}

// (Point &) @0x38: before what a reference refers to.
static void print_reference(printer *p, const var_value *value) {
    char name[256];
    ptx_space space = value->space;
    uint64_t address = value->address;
    var_resolve(p->e, &space, &address);
    var_type reference = {.kind = VAR_REFERENCE, .of = value->type, .bytes = 8, .space = space};
    var_type_name(&reference, name, sizeof name);
    fprintf(p->out, "(%s) @0x%" PRIx64 ": ", name, address);
}

sim_status var_print(var_evaluation *e, var_value *value, const sim_variables_format *format,
                     char **out_text) {
    static const sim_variables_format plain;
    size_t bytes;
    const var_type *type = var_strip(value->type);
    printer p = {.e = e, .format = format ? format : &plain, .most = MOST_ELEMENTS};
    char letter = p.format->letter;
    if (letter && !strchr("xduotcfaz", letter))
        return var_fail(e, "Undefined output format \"%c\".", letter);
    if (p.format->most_elements) p.most = p.format->most_elements;
    if (!(type->kind == VAR_ARRAY && !type->count)) TRY(var_load(e, value));
    *out_text = NULL;
    p.out = open_memstream(out_text, &bytes);
    if (!p.out) return sim_fail(e->err, SIM_OUT_OF_MEMORY, "no memory for a value's text");
    if (value->is_reference && !p.format->without_type) print_reference(&p, value);
    print_value(&p, value, VAR_MAX_DEPTH / 2);
    if (fclose(p.out) == 0) return SIM_OK;
    free(*out_text);
    *out_text = NULL;
    return sim_fail(e->err, SIM_OUT_OF_MEMORY, "no memory for a value's text");
}
