// Types as an expression writes them: "unsigned char", "Node *", "Tile<2, float>", "@shared int *",
// "float (*)[8]". A space stands before the type, or before the `*`, whose target it tells.
#include "debug/variables/value.h"

static void skip_blanks(const char **at) {
    while (isspace((unsigned char)**at)) (*at)++;
}

static bool is_name_part(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool accept_word(const char **at, const char *word) {
    size_t bytes = strlen(word);
    skip_blanks(at);
    if (strncmp(*at, word, bytes) != 0 || is_name_part((*at)[bytes])) return false;
    *at += bytes;
    return true;
}

// `@shared` and its like, any number of them; the last counts.
static void accept_space(const char **at, ptx_space *space) {
    static const ptx_space spaces[] = {PTX_SPACE_NONE,   PTX_SPACE_PARAM, PTX_SPACE_GLOBAL,
                                       PTX_SPACE_SHARED, PTX_SPACE_LOCAL, PTX_SPACE_CONST};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (!accept_word(at, var_space_name(spaces[i]))) continue;
        *space = spaces[i];
        i = (size_t)-1;
    }
}

static void skip_qualifiers(const char **at) {
    static const char *const words[] = {"const", "volatile", "struct", "class", "union", "enum"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (accept_word(at, words[i])) i = (size_t)-1;
}

// "long unsigned int" and the other orders of the integers' words; NULL: no such word is next.
static const var_type *accept_integer(const char **at) {
    static const char *const words[] = {"unsigned", "signed", "short", "long", "int", "char"};
    enum { UNSIGNED, SIGNED, SHORT, LONG, INT, CHAR, WORDS };
    int counts[WORDS] = {0};
    bool any = false;
    for (int i = 0; i < WORDS; i++) {
        if (!accept_word(at, words[i])) continue;
        counts[i]++;
        any = true;
        i = -1;
    }
    if (!any) return NULL;
    bool is_unsigned = counts[UNSIGNED] > 0;
    if (counts[CHAR])
        return counts[UNSIGNED] || counts[SIGNED] ? var_int_type(1, is_unsigned) : &var_char;
    if (counts[LONG] > 1) return var_base_type(is_unsigned ? "unsigned long long" : "long long");
    return var_int_type(counts[SHORT] ? 2 : counts[LONG] ? 8 : 4, is_unsigned);
}

// How much of `text` the name is, whatever blanks there are: "Tile<2, float>"; 0: it is not.
static size_t matches(const char *text, const char *name) {
    const char *at = text;
    for (; *name; name++) {
        if (isspace((unsigned char)*name)) continue;
        if (!is_name_part(*name) || (at > text && !is_name_part(at[-1]))) skip_blanks(&at);
        if (*at++ != *name) return 0;
    }
    return is_name_part(*at) ? 0 : (size_t)(at - text);
}

// The longest name among the types of the module.
static const var_type *accept_named(var_evaluation *e, const char **at) {
    const var_model *model = &e->variables->model;
    const var_type *found = NULL;
    size_t longest = 0;
    skip_blanks(at);
    for (uint32_t i = 0; i < model->type_count; i++) {
        const char *name = model->types[i]->name;
        size_t bytes = name ? matches(*at, name) : 0;
        if (bytes <= longest) continue;
        longest = bytes;
        found = model->types[i];
    }
    *at += longest;
    return found;
}

static const var_type *accept_base(var_evaluation *e, const char **at) {
    static const char *const words[] = {"float",    "double",  "bool",    "void",     "size_t",
                                        "int8_t",   "uint8_t", "int16_t", "uint16_t", "int32_t",
                                        "uint32_t", "int64_t", "uint64_t"};
    const var_type *type = accept_integer(at);
    if (!type) type = accept_named(e, at);
    for (size_t i = 0; !type && i < sizeof words / sizeof words[0]; i++)
        if (accept_word(at, words[i])) type = var_base_type(words[i]);
    return type;
}

// `[2][8]`: arrays of the type before them. The first is the outermost.
static const var_type *accept_arrays(var_evaluation *e, const char **at, const var_type *type,
                                     int depth) {
    char *end;
    const char *begin = *at;
    skip_blanks(at);
    unsigned long long count = **at == '[' ? strtoull(*at + 1, &end, 0) : 0;
    if (count == 0 || *end != ']' || depth == 0) {
        *at = begin;
        return type;
    }
    *at = end + 1;
    type = accept_arrays(e, at, type, depth - 1);
    var_type *array = type ? sim_arena_alloc(e->arena, sizeof *array) : NULL;
    if (array) *array = (var_type){.kind = VAR_ARRAY, .of = type, .count = count};
    return array;
}

// `(*)`, before the dimensions of what it points to.
static bool accept_group(const char **at) {
    const char *begin = *at;
    for (const char *c = "(*)"; *c; c++) {
        skip_blanks(at);
        if (**at != *c) {
            *at = begin;
            return false;
        }
        ++*at;
    }
    return true;
}

bool var_parse_type(var_evaluation *e, const char **at, const var_type **out_type) {
    const char *begin = *at;
    ptx_space space = PTX_SPACE_NONE;
    accept_space(at, &space);
    skip_qualifiers(at);
    const var_type *type = accept_base(e, at);
    while (type) {
        skip_qualifiers(at);
        accept_space(at, &space);
        skip_blanks(at);
        if (**at != '*') break;
        ++*at;
        type = var_pointer_to(e, type, space);
        space = PTX_SPACE_NONE;
    }
    bool grouped = type && accept_group(at);
    if (type) type = accept_arrays(e, at, type, VAR_MAX_DEPTH);
    if (type && grouped) type = var_pointer_to(e, type, space);
    if (!type) {
        *at = begin;
        return false;
    }
    *out_type = type;
    return true;
}
