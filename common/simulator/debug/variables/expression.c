// Expressions of C, evaluated as they are read, by recursive descent: each function is named after
// what it reads. Beyond C: `a[0]@4` are four values from a[0] on, `$r1` and `%r1` registers,
// `(@shared int *)0x20` a pointer into a space.
#include "debug/variables/value.h"

typedef struct parser {
    var_evaluation *e;
    const char *at;
} parser;

enum { NAME_BYTES = 256 };

static sim_status expression(parser *p, var_value *out);

static void skip_blanks(parser *p) {
    while (isspace((unsigned char)*p->at)) p->at++;
}

static bool accept(parser *p, const char *text) {
    skip_blanks(p);
    size_t bytes = strlen(text);
    if (strncmp(p->at, text, bytes) != 0) return false;
    p->at += bytes;
    return true;
}

static bool is_name_start(char c) { return isalpha((unsigned char)c) || c == '_'; }

static bool is_name_part(char c) { return is_name_start(c) || isdigit((unsigned char)c); }

static sim_status unexpected(parser *p) {
    skip_blanks(p);
    if (!*p->at) return var_fail(p->e, "A syntax error in expression: it ends too early.");
    return var_fail(p->e, "A syntax error in expression, near `%.40s'.", p->at);
}

// ---- primary ----

static sim_status float_literal(parser *p, char *end, var_value *out) {
    var_number number = {.is_float = true, .real = strtod(p->at, &end)};
    bool is_single = *end == 'f' || *end == 'F';
    p->at = end + is_single;
    if (is_name_part(*p->at)) return var_fail(p->e, "Invalid number \"%.40s\".", p->at);
    return var_from_number(p->e, is_single ? &var_float : &var_double, number, out);
}

// The smallest type of C that holds it.
static sim_status number(parser *p, var_value *out) {
    char *end, *end_of_float;
    const char *begin = p->at;
    bool is_hex = begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X');
    unsigned long long value = strtoull(begin, &end, 0);
    strtod(begin, &end_of_float);
    if (!is_hex && end_of_float > end) return float_literal(p, end_of_float, out);
    bool is_unsigned = false, is_long = false;
    for (; *end && strchr("uUlL", *end); end++) {
        is_unsigned |= *end == 'u' || *end == 'U';
        is_long |= *end == 'l' || *end == 'L';
    }
    if (is_name_part(*end) || end == begin)
        return var_fail(p->e, "Invalid number \"%.40s\".", begin);
    p->at = end;
    bool decimal = begin[0] != '0';
    is_unsigned |=
        value > INT64_MAX || (!decimal && !is_long && value > INT32_MAX && value <= UINT32_MAX);
    is_long |= value > UINT32_MAX || (!is_unsigned && value > INT32_MAX);
    return var_from_integer(p->e, var_int_type(is_long ? 8 : 4, is_unsigned), value, out);
}

static sim_status character(parser *p, var_value *out) {
    static const char escapes[] = "n\nt\tr\r0\0a\ab\bf\fv\v\\\\''\"\"";
    char c = *++p->at;
    if (!c || c == '\'') return unexpected(p);
    if (c == '\\') {
        c = *++p->at;
        size_t i = 0;
        while (i < sizeof escapes - 1 && escapes[i] != c) i += 2;
        if (!c || i >= sizeof escapes - 1) return unexpected(p);
        c = escapes[i + 1];
    }
    if (*++p->at != '\'') return unexpected(p);
    p->at++;
    return var_from_integer(p->e, &var_char, (uint64_t)c, out);
}

// `a`, `util::scale`, `tid.x` behind a % or $.
static void read_name(parser *p, bool dotted, char out[NAME_BYTES]) {
    size_t used = 0;
    while (used < NAME_BYTES - 3) {
        bool qualified = p->at[0] == ':' && p->at[1] == ':' && is_name_start(p->at[2]);
        if (!is_name_part(*p->at) && !qualified &&
            !(dotted && *p->at == '.' && isalpha((unsigned char)p->at[1])))
            break;
        if (qualified) out[used++] = *p->at++;
        out[used++] = *p->at++;
    }
    out[used] = '\0';
}

static sim_status reg(parser *p, var_value *out) {
    char name[NAME_BYTES + 1] = "%";
    p->at++;
    read_name(p, true, name + 1);
    return name[1] ? var_register(p->e, name, out) : unexpected(p);
}

static sim_status name(parser *p, var_value *out) {
    char text[NAME_BYTES];
    read_name(p, false, text);
    sim_status status = var_lookup(p->e, text, out);
    if (status != SIM_NOT_FOUND) return status;
    skip_blanks(p);
    if (*p->at == '(')
        return var_fail(p->e, "%s: functions cannot be called: only values can be shown.", text);
    const char *missing = p->e->variables->missing;
    if (missing[0]) return var_fail(p->e, "No symbol \"%s\" in current context. %s", text, missing);
    return var_fail(p->e, "No symbol \"%s\" in current context.", text);
}

static sim_status primary(parser *p, var_value *out) {
    skip_blanks(p);
    char c = *p->at;
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)p->at[1])))
        return number(p, out);
    if (c == '\'') return character(p, out);
    if (c == '$' || c == '%') return reg(p, out);
    if (is_name_start(c)) return name(p, out);
    if (!accept(p, "(")) return unexpected(p);
    TRY(expression(p, out));
    return accept(p, ")") ? SIM_OK : unexpected(p);
}

// ---- postfix and unary ----

static sim_status index_of(parser *p, var_value *out) {
    var_value index;
    var_number number;
    TRY(expression(p, &index));
    if (!accept(p, "]")) return unexpected(p);
    TRY(var_to_number(p->e, &index, &number));
    if (number.is_float) return var_fail(p->e, "An index must be an integer.");
    return var_index(p->e, out, number.integer);
}

static sim_status member(parser *p, bool follow, var_value *out) {
    char text[NAME_BYTES];
    skip_blanks(p);
    if (!is_name_start(*p->at)) return unexpected(p);
    read_name(p, false, text);
    if (follow && var_strip(out->type)->kind != VAR_STRUCT &&
        var_strip(out->type)->kind != VAR_UNION) // gdb takes -> for . too
        TRY(var_follow(p->e, out));
    return var_member_of(p->e, out, text, strlen(text));
}

static sim_status postfix(parser *p, var_value *out) {
    TRY(primary(p, out));
    for (;;)
        if (accept(p, "[")) TRY(index_of(p, out));
        else if (accept(p, "->")) TRY(member(p, true, out));
        else if (accept(p, ".")) TRY(member(p, false, out));
        else if (accept(p, "++") || accept(p, "--"))
            return var_fail(p->e, "Nothing is changed here: ++ and -- are not available.");
        else return SIM_OK;
}

static sim_status unary(parser *p, var_value *out);

// `(type)`, unless a variable has this name.
static bool cast_type(parser *p, const var_type **out_type) {
    const char *begin = p->at;
    var_value variable;
    if (!accept(p, "(")) return false;
    skip_blanks(p);
    bool is_type = var_parse_type(p->e, &p->at, out_type) && accept(p, ")");
    if (is_type && is_name_start(begin[1])) {
        char text[NAME_BYTES];
        kl_error ignored, *err = p->e->err;
        parser at = {p->e, begin + 1};
        read_name(&at, false, text);
        p->e->err = &ignored;
        is_type = *at.at != ')' || var_lookup(p->e, text, &variable) == SIM_NOT_FOUND;
        p->e->err = err;
    }
    if (!is_type) p->at = begin;
    return is_type;
}

static sim_status size_of(parser *p, var_value *out) {
    const var_type *type;
    skip_blanks(p);
    if (!cast_type(p, &type)) {
        p->e->unread++;
        sim_status status = unary(p, out);
        p->e->unread--;
        TRY(status);
        type = out->type;
    }
    return var_from_integer(p->e, var_int_type(8, true), var_type_bytes(type), out);
}

static bool accept_word(parser *p, const char *word) {
    const char *begin = p->at;
    if (accept(p, word) && !is_name_part(*p->at)) return true;
    p->at = begin;
    return false;
}

static sim_status unary_inner(parser *p, var_value *out) {
    const var_type *type;
    skip_blanks(p);
    if (accept(p, "++") || accept(p, "--"))
        return var_fail(p->e, "Nothing is changed here: ++ and -- are not available.");
    if (strchr("+-!~*&", *p->at) && *p->at) {
        char operator= * p->at++;
        TRY(unary(p, out));
        if (operator== '*') return var_follow(p->e, out);
        if (operator== '&') return var_address(p->e, out);
        return var_unary(p->e, operator, out);
    }
    if (accept_word(p, "sizeof")) return size_of(p, out);
    if (cast_type(p, &type)) {
        TRY(unary(p, out));
        return var_cast(p->e, out, type);
    }
    return postfix(p, out);
}

static sim_status unary(parser *p, var_value *out) {
    if (p->e->depth >= VAR_MAX_DEPTH) return var_fail(p->e, "The expression nests too deep.");
    p->e->depth++;
    sim_status status = unary_inner(p, out);
    p->e->depth--;
    return status;
}

// ---- binary ----

// Longer operators before those that begin them.
static const struct operator_row {
    const char *text;
    int level; // binds tighter the higher it is
    var_operator operation;
} operators[] = {
    {"||", 1, VAR_OR_ELSE},    {"&&", 2, VAR_AND_THEN},    {"==", 6, VAR_EQUAL},
    {"!=", 6, VAR_NOT_EQUAL},  {"<=", 7, VAR_AT_MOST},     {">=", 7, VAR_AT_LEAST},
    {"<<", 8, VAR_SHIFT_LEFT}, {">>", 8, VAR_SHIFT_RIGHT}, {"|", 3, VAR_OR},
    {"^", 4, VAR_XOR},         {"&", 5, VAR_AND},          {"<", 7, VAR_LESS},
    {">", 7, VAR_MORE},        {"@", 9, VAR_REPEAT},       {"+", 10, VAR_ADD},
    {"-", 10, VAR_SUBTRACT},   {"*", 11, VAR_MULTIPLY},    {"/", 11, VAR_DIVIDE},
    {"%", 11, VAR_REMAINDER},
};

static const struct operator_row *next_operator(parser *p) {
    skip_blanks(p);
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (strncmp(p->at, operators[i].text, strlen(operators[i].text)) == 0) return &operators[i];
    return NULL;
}

static sim_status binary(parser *p, int level, var_value *out);

// The right side of && and ||, which is not read where the left one decides.
static sim_status condition(parser *p, const struct operator_row *row, var_value *out) {
    bool left, right;
    var_value other;
    TRY(var_truth(p->e, out, &left));
    bool decided = left == (row->operation == VAR_OR_ELSE);
    p->e->unread += decided;
    sim_status status = binary(p, row->level + 1, &other);
    if (status == SIM_OK) status = var_truth(p->e, &other, &right);
    p->e->unread -= decided;
    TRY(status);
    return var_from_integer(p->e, &var_bool, decided ? left : right, out);
}

static sim_status binary(parser *p, int level, var_value *out) {
    TRY(unary(p, out));
    for (;;) {
        const struct operator_row *row = next_operator(p);
        var_value other;
        if (!row || row->level < level) return SIM_OK;
        p->at += strlen(row->text);
        if (*p->at == '=' && row->level != 7)
            return var_fail(p->e, "Nothing is changed here: %s= is not available.", row->text);
        if (row->level <= 2) {
            TRY(condition(p, row, out));
            continue;
        }
        TRY(binary(p, row->level + 1, &other));
        TRY(var_binary(p->e, row->operation, out, &other));
    }
}

static sim_status conditional(parser *p, var_value *out) {
    bool truth;
    var_value yes, no;
    TRY(binary(p, 1, out));
    if (!accept(p, "?")) return SIM_OK;
    TRY(var_truth(p->e, out, &truth));
    p->e->unread += !truth;
    sim_status status = expression(p, &yes);
    p->e->unread -= !truth;
    TRY(status);
    if (!accept(p, ":")) return unexpected(p);
    p->e->unread += truth;
    status = expression(p, &no);
    p->e->unread -= truth;
    *out = truth ? yes : no;
    return status;
}

static sim_status expression(parser *p, var_value *out) {
    if (p->e->depth >= VAR_MAX_DEPTH) return var_fail(p->e, "The expression nests too deep.");
    p->e->depth++;
    sim_status status = conditional(p, out);
    p->e->depth--;
    return status;
}

sim_status var_parse(var_evaluation *e, const char *text, var_value *out_value) {
    parser p = {e, text};
    skip_blanks(&p);
    if (!*p.at) return var_fail(e, "The history is empty: give an expression.");
    TRY(expression(&p, out_value));
    skip_blanks(&p);
    if (*p.at == '=') return var_fail(e, "Nothing is changed here: = is not available, == is.");
    return *p.at ? unexpected(&p) : SIM_OK;
}
