// Accesses in another form: see attack_text.h. What a text does not show stays as it is: the test
// that uses it looks at the counts.
#include <regex.h>

#include "attack_text.h"

enum { NAME_BYTES = 64, NAMES = 128 };

static const char by_atomics[] =
    "#include <cuda_runtime.h>\n"
    "#include <string.h>\n"
    "template <class T, int n> __host__ __device__ inline T *attack_read(T (*row)[n]) {\n"
    "    return *row;\n"
    "}\n"
    // Assembly, because a compiler may leave out an atomicOr with 0 whose value nobody uses.
    "__device__ inline unsigned attack_or(unsigned *from) {\n"
    "    unsigned value;\n"
    "    asm volatile(\"atom.or.b32 %0, [%1], 0;\" : \"=r\"(value) : \"l\"(from) : \"memory\");\n"
    "    return value;\n"
    "}\n"
    "__device__ inline unsigned long long attack_or(unsigned long long *from) {\n"
    "    unsigned long long value;\n"
    "    asm volatile(\"atom.or.b64 %0, [%1], 0;\" : \"=l\"(value) : \"l\"(from) : \"memory\");\n"
    "    return value;\n"
    "}\n"
    "template <class T> __host__ __device__ inline T attack_read(const volatile T *from) {\n"
    "    const T *p = (const T *)from;\n"
    "#ifdef __CUDA_ARCH__\n"
    "    T value;\n"
    "    const bool aligned = sizeof(T) < 8 || (sizeof(T) <= 16 && alignof(T) >= 8);\n"
    "    if (sizeof(T) < ATTACK_LEAST || !aligned || __isLocal(p)) return *p;\n"
    "    unsigned long long bits[2], *wide = (unsigned long long *)p;\n"
    "    unsigned *word = (unsigned *)((size_t)p & ~(size_t)3);\n"
    "    if (sizeof(T) >= 8) {\n"
    "        bits[0] = attack_or(wide);\n"
    "        if (sizeof(T) == 16) bits[1] = attack_or(wide + 1);\n"
    "    } else {\n"
    "        bits[0] = attack_or(word) >> 8 * ((size_t)p & 3);\n"
    "    }\n"
    "    memcpy(&value, bits, sizeof value);\n"
    "    return value;\n"
    "#else\n"
    "    return *p;\n"
    "#endif\n"
    "}\n"
    "template <class T, class V>\n"
    "__host__ __device__ inline void attack_write(volatile T *to, V from) {\n"
    "    T value = from, *p = (T *)to;\n"
    "#ifdef __CUDA_ARCH__\n"
    "    if (__isLocal(p)) {\n"
    "        *p = value;\n"
    "        return;\n"
    "    }\n"
    "    unsigned long long bits[2] = {0, 0}, *wide = (unsigned long long *)p;\n"
    "    memcpy(bits, &value, sizeof value);\n"
    "    if (sizeof(T) >= 8) {\n"
    "        atomicExch(wide, bits[0]);\n"
    "        if (sizeof(T) == 16) atomicExch(wide + 1, bits[1]);\n"
    "    } else {\n"
    "        atomicExch((unsigned *)p, (unsigned)bits[0]);\n"
    "    }\n"
    "#else\n"
    "    *p = value;\n"
    "#endif\n"
    "}\n";

typedef struct rewriting {
    FILE *out;
    const char *text;       // without comments
    char last, before_last; // characters written, blanks left out
    bool reads;             // else writes
    bool members;           // pointers in structures, which headers declare, as well
    char names[NAMES][NAME_BYTES];
    int count;
    regex_t cast, cast_index; // of a pointer: "*(T *)", "((T *)"
    bool shared_assembly;     // shared loads in inline assembly
    bool copies;              // asynchronous copies there
    regex_t load, copy;
} rewriting;

static void put(rewriting *r, const char *text, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        fputc(text[i], r->out);
        if (isspace((unsigned char)text[i])) continue;
        r->before_last = r->last;
        r->last = text[i];
    }
}

static void put_text(rewriting *r, const char *text) { put(r, text, strlen(text)); }

// Adds the names that group 1 of the expression finds.
static void collect(rewriting *r, const char *text, const char *expression) {
    regex_t compiled;
    regmatch_t match[2];
    if (regcomp(&compiled, expression, REG_EXTENDED) != 0) abort();
    for (; r->count < NAMES && regexec(&compiled, text, 2, match, 0) == 0; text += match[1].rm_eo)
        snprintf(r->names[r->count++], NAME_BYTES, "%.*s", (int)(match[1].rm_eo - match[1].rm_so),
                 text + match[1].rm_so);
    regfree(&compiled);
}

// Whether the name at `at`, which a '[' follows, is declared there: behind a type, such as
// `vec4<T> own[4]`, or behind a comma, as in `float a[4], b[4];`. Not one in shared memory, whose
// declaration rewrite() leaves as it is.
static bool is_declared_at(const char *text, const char *at, const char *bracket) {
    const char *from = at, *next = scan_blanks(scan_bracket(bracket));
    while (from > text && !strchr(";{}(", from[-1])) from--;
    char *statement = strndup(from, (size_t)(at - from));
    bool shared = strstr(statement, "__shared__") != NULL;
    free(statement);
    const char *before = at;
    if (before > from && before[-1] == '*') before--; // `a * x[i]` has a blank there
    while (before > from && before[-1] == ' ') before--;
    if (shared || before == from || before == at) return false;
    if (before[-1] == ',')
        return *next == ';' || (next[0] == '=' && scan_blanks(next + 1)[0] == '{');
    const char *word = before;
    while (word > from && scan_is_word(word[-1])) word--;
    size_t bytes = (size_t)(before - word);
    return before[-1] == '>' || (bytes > 0 && !(bytes == 6 && memcmp(word, "return", 6) == 0));
}

// Leaves names out that are local arrays elsewhere: no atomic reaches those.
static void leave_local_arrays(rewriting *r, const char *text) {
    int kept = 0;
    for (int i = 0; i < r->count; i++) {
        const char *name = r->names[i];
        size_t bytes = strlen(name);
        bool local = false;
        for (const char *at = text; !local && (at = strstr(at, name)) != NULL; at += bytes) {
            bool whole = at[bytes] == '[' && (at == text || !scan_is_word(at[-1]));
            local = whole && is_declared_at(text, at, at + bytes);
        }
        if (!local && kept != i) memmove(r->names[kept], r->names[i], NAME_BYTES);
        kept += !local;
    }
    r->count = kept;
}

static bool is_named(const rewriting *r, const char *at, size_t bytes) {
    for (int i = 0; i < r->count; i++)
        if (strlen(r->names[i]) == bytes && memcmp(r->names[i], at, bytes) == 0) return true;
    return false;
}

static void rewrite(rewriting *r, const char *at, const char *end);

// Behind a primary expression with its postfixes: NAME[i], (a + b), &x[i], &state->ready.
static const char *behind_primary(const char *at) {
    at = scan_blanks(at);
    if (*at == '&') at = scan_blanks(at + 1);
    if (*at == '(') at = scan_bracket(at);
    else
        while (scan_is_word(*at)) at++;
    for (;;) {
        bool arrow = at[0] == '-' && at[1] == '>';
        if (*at == '[' || *at == '(') at = scan_bracket(at);
        else if (*at == '.' || arrow)
            for (at += arrow ? 2 : 1; scan_is_word(*at);) at++;
        else return at;
    }
}

// Behind an expression that ends with a comma, semicolon or a bracket of the text around it.
static const char *behind_expression(const char *at) {
    while (*at != '\0' && !strchr(",;)]}", *at))
        at = strchr("([{", *at) ? scan_bracket(at) : at + 1;
    return at;
}

// An access to the memory at `begin` .. `behind`, which is a pointer (`address` "") or an element
// (`address` "&"), when it is what the form is about. Returns where the text goes on; NULL: it is
// something else.
static const char *put_access(rewriting *r, const char *address, const char *begin,
                              const char *behind) {
    const char *next = scan_blanks(behind);
    bool writes = next[0] == '=' && next[1] != '=';
    bool updates = strchr("+-*/|&^", next[0]) && next[0] != '\0' && next[1] == '=';
    if (strncmp(next, "++", 2) == 0 || strncmp(next, "--", 2) == 0) return NULL;
    if (r->reads != !writes || (updates && !r->reads)) return NULL;
    if (updates) { // x += y is x = x + y
        put_text(r, address[0] ? "" : "*");
        put(r, begin, (size_t)(behind - begin));
        put_text(r, " = ");
    }
    put_text(r, r->reads ? "attack_read(" : "attack_write(");
    put_text(r, address);
    const char *inner = *begin == '(' ? scan_bracket(begin) : begin;
    while (scan_is_word(*inner)) inner++;
    put(r, begin, (size_t)(inner - begin));
    rewrite(r, inner, behind);
    if (!writes && !updates) {
        put_text(r, ")");
        return behind;
    }
    const char *from = next + (updates ? 2 : 1), *end = behind_expression(from);
    char operation[4] = {')', ' ', next[0], '\0'};
    put_text(r, updates ? operation : ",");
    put_text(r, " (");
    rewrite(r, from, end);
    put_text(r, updates ? ")" : "))");
    return end;
}

// A name of the list: an element, or behind a `*` what it points to.
static const char *named(rewriting *r, const char *at, const char *behind) {
    const char *next = scan_blanks(behind);
    bool member = r->last == '.' || (r->last == '>' && r->before_last == '-');
    bool address = r->last == '&' && r->before_last != '&';
    if (*next != '[' || member || address) return NULL;
    while (*next == '[') next = scan_bracket(next);
    return put_access(r, "&", at, next);
}

// Whether the text also writes elements of the member, so that it is an array of a local variable,
// which no atomic reaches. member .. end: ".from".
static bool is_assigned(const rewriting *r, const char *member, const char *end) {
    size_t bytes = (size_t)(end - member);
    for (const char *at = r->text; (at = strchr(at, *member)) != NULL; at++) {
        if (strncmp(at, member, bytes) != 0 || at[bytes] != '[') continue;
        const char *next = scan_blanks(scan_bracket(at + bytes));
        if ((next[0] == '=' && next[1] != '=') || (strchr("+-", *next) && next[1] == '='))
            return true;
    }
    return false;
}

// row.from[i], row->from[i]
static const char *through_member(rewriting *r, const char *at, const char *behind) {
    const char *next = behind[0] == '.' ? behind + 1 : behind + 2;
    bool member = behind[0] == '.' || (behind[0] == '-' && behind[1] == '>');
    if (!member || !r->members || r->last == '.' || r->last == '>' || r->last == '&') return NULL;
    while (scan_is_word(*next)) next++;
    if (*next != '[') return NULL;
    if (is_assigned(r, behind, next)) return NULL;
    while (*next == '[') next = scan_bracket(next);
    return put_access(r, "&", at, next);
}

// Whether an operand comes next, so that a `*` is no product.
static bool wants_operand(const rewriting *r) {
    return r->last == '\0' || strchr("=(,;{}?:+-/<&|!", r->last) != NULL;
}

// *(const float4 *)p, *p, ((const float4 *)p)[i]
static const char *through_pointer(rewriting *r, const char *at) {
    regmatch_t match[1];
    if (*at == '*' && wants_operand(r)) {
        const char *pointer = at + 1, *word = pointer;
        while (scan_is_word(*word)) word++;
        if (regexec(&r->cast, at, 1, match, 0) == 0)
            return put_access(r, "", pointer, behind_primary(at + match[0].rm_eo));
        bool named = word > pointer && is_named(r, pointer, (size_t)(word - pointer));
        return named && !strchr("[(.", *word) && strncmp(word, "->", 2) != 0
                   ? put_access(r, "", pointer, word)
                   : NULL;
    }
    if (regexec(&r->cast_index, at, 1, match, 0) != 0) return NULL;
    const char *behind = scan_bracket(at);
    return *behind == '[' ? put_access(r, "&", at, scan_bracket(behind)) : NULL;
}

// In inline assembly: "ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];", an atomic for each destination.
// NULL: something else is here.
static const char *put_assembly_load(rewriting *r, const char *at) {
    regmatch_t match[7];
    if (!r->shared_assembly || regexec(&r->load, at, 7, match, 0) != 0) return NULL;
    int offset = match[6].rm_so < 0 ? 0 : atoi(at + match[6].rm_so);
    const char *end = at + match[3].rm_eo, *to = at + match[3].rm_so;
    for (; (to = memchr(to, '%', (size_t)(end - to))) != NULL; offset += 4) {
        char one[NAME_BYTES * 2];
        int bytes = 1 + (int)strspn(to + 1, "0123456789");
        snprintf(one, sizeof one, "atom.shared.or.b32 %.*s, [%.*s+%d], 0; ", bytes, to,
                 (int)(match[4].rm_eo - match[4].rm_so), at + match[4].rm_so, offset);
        put_text(r, one);
        to += bytes;
    }
    return at + match[0].rm_eo;
}

// In inline assembly: "cp.async.cg.shared.global [%0], [%1], 16;", atomics whose values are stored
// in shared memory. NULL: something else is here.
static const char *put_assembly_copy(rewriting *r, const char *at) {
    regmatch_t match[5];
    if (!r->copies || regexec(&r->copy, at, 5, match, 0) != 0) return NULL;
    int bytes = atoi(at + match[4].rm_so), wide = bytes < 8 ? 4 : 8;
    const char *to = at + match[2].rm_so, *from = at + match[3].rm_so;
    int to_bytes = (int)(match[2].rm_eo - match[2].rm_so),
        from_bytes = (int)(match[3].rm_eo - match[3].rm_so);
    for (int i = 0; i < bytes; i += wide) {
        char one[256];
        snprintf(one, sizeof one,
                 "{ .reg .b%d word; atom.global.or.b%d word, [%.*s+%d], 0; "
                 "st.shared.b%d [%.*s+%d], word; } ",
                 8 * wide, 8 * wide, from_bytes, from, i, 8 * wide, to_bytes, to, i);
        put_text(r, one);
    }
    return at + match[0].rm_eo;
}

// A function of CUDA that loads what its argument points to.
static bool is_load_function(const char *at, size_t bytes) {
    static const char *const names[] = {"__ldg", "__ldcs", "__ldcg", "__ldca", "__ldlu"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (bytes == strlen(names[i]) && memcmp(at, names[i], bytes) == 0) return true;
    return false;
}

static void rewrite(rewriting *r, const char *at, const char *end) {
    while (at < end) {
        const char *next = *at == '*' || *at == '(' ? through_pointer(r, at) : NULL, *word = at;
        while (!next && scan_is_word(*word)) word++;
        size_t bytes = (size_t)(word - at);
        if (r->members && is_load_function(at, bytes)) {
            put_text(r, "attack_read");
            next = word;
        } else if (bytes == 10 && strncmp(at, "__shared__", 10) == 0) { // a declaration
            next = strchr(at, ';');
            put(r, at, (size_t)(next - at));
        } else if (bytes > 0 && is_named(r, at, bytes)) {
            next = named(r, at, word);
        }
        if (!next && bytes == 2) next = put_assembly_load(r, at);
        if (!next && bytes == 2) next = put_assembly_copy(r, at);
        if (!next && bytes > 0) next = through_member(r, at, word);
        if (!next) {
            next = bytes > 0 ? word : at + 1;
            put(r, at, (size_t)(next - at));
        }
        at = next;
    }
}

#define WORD  "[A-Za-z_][A-Za-z_0-9]*"
#define TYPE  WORD "(<[^<>()]*>)?"
#define NAMED "[A-Za-z_][A-Za-z_0-9<>: ]*" // volatile float, typename values<kind>::type

static void compile_patterns(rewriting *r) {
    const char *cast = r->reads ? "^[*][(](const +|volatile +)+" TYPE " +[*][)]"
                                : "^[*][(](volatile +)?" TYPE " +[*][)]",
               *cast_index = r->reads ? "^[(][(](const +|volatile +)+" TYPE " +[*][)]"
                                      : "^[(][(](volatile +)?" TYPE " +[*][)]",
               *load = "^ld([.]volatile)?[.]shared([.]v[24])?[.][bfu]32 ([^\"[]*), "
                       "[[](%[0-9]+)([+]([0-9]+))?[]];",
               *copy = "^cp[.]async[.]c[ag][.]shared[.]global([.]L2::128B)? [[](%[0-9]+)[]], "
                       "[[](%[0-9]+)[]], ([0-9]+);";
    if (regcomp(&r->cast, cast, REG_EXTENDED) != 0 ||
        regcomp(&r->cast_index, cast_index, REG_EXTENDED) != 0 ||
        regcomp(&r->load, load, REG_EXTENDED) != 0 || regcomp(&r->copy, copy, REG_EXTENDED) != 0)
        abort();
}

char *attack_text_by_atomics(const char *text, attack_form form, attack_more more) {
    rewriting r = {.reads = form == ATTACK_GLOBAL_READS || form == ATTACK_SHARED_READS,
                   .members = form == ATTACK_GLOBAL_READS,
                   .shared_assembly = form == ATTACK_SHARED_READS,
                   .copies = form == ATTACK_GLOBAL_READS && more.copies};
    char *bare = scan_without_comments(text), *made = NULL;
    size_t bytes = 0;
    r.text = bare;
    if (form == ATTACK_GLOBAL_READS) {
        collect(&r, bare, "const +" NAMED " *[*] *__restrict__ +(" WORD ")");
        collect(&r, bare, "const +" NAMED " *[*] *(" WORD ")");
    } else if (form == ATTACK_GLOBAL_WRITES) {
        collect(&r, bare, WORD " +[*](" WORD ")");
        collect(&r, bare, WORD " +[*] *__restrict__ +(" WORD ")");
    } else {
        collect(&r, bare, "__shared__[^;[]*[ ](" WORD ")[[]");
    }
    if (form == ATTACK_GLOBAL_READS || form == ATTACK_GLOBAL_WRITES) leave_local_arrays(&r, bare);
    compile_patterns(&r);
    r.out = open_memstream(&made, &bytes);
    fprintf(r.out, "#define ATTACK_LEAST %d\n%s", more.bytes ? 1 : 4, by_atomics);
    rewrite(&r, bare, bare + strlen(bare));
    fclose(r.out);
    regfree(&r.cast);
    regfree(&r.cast_index);
    regfree(&r.load);
    regfree(&r.copy);
    free(bare);
    return made;
}
