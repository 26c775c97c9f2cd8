// SPDX-License-Identifier: MIT
// Steps that count less without doing better: see attack_text.h. What a text does not show, such
// as loads in the lab's own headers, stays as it is: the test that uses it looks at the counts.
#include "attack_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64, NAMES = 128 };

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " \t\n");
}

// Behind the bracket that closes the one at `at`.
static const char *behind_bracket(const char *at) {
    int depth = 0;
    for (; *at != '\0'; at++) {
        if (strchr("([{", *at)) depth++;
        if (strchr(")]}", *at) && --depth == 0) return at + 1;
    }
    return at;
}

// The text without comments; caller frees.
static char *bare_text(const char *text) {
    char *copy = malloc(strlen(text) + 1), *to = copy;
    while (*text != '\0') {
        if (text[0] == '/' && text[1] == '/') {
            text += strcspn(text, "\n");
        } else if (text[0] == '/' && text[1] == '*') {
            const char *end = strstr(text + 2, "*/");
            text = end ? end + 2 : text + strlen(text);
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
    return copy;
}

// ---- further good accesses

static const char *const good_bodies[] = {
    [ATTACK_LOADS] = "(void)*(volatile unsigned *)&attack_word;",
    [ATTACK_STORES] = "*(volatile unsigned char *)&attack_bytes[256 * blockIdx.x + t] = 1;",
    [ATTACK_ASYNC_COPIES] = "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: "
                            "\"r\"((unsigned)__cvta_generic_to_shared((void *)&mine[t])), "
                            "\"l\"(__cvta_generic_to_global(&attack_word)));",
    [ATTACK_SHARED_LOADS] = "(void)mine[t];",
    [ATTACK_SHARED_STORES] = "mine[t] = 1;",
    [ATTACK_INSTRUCTIONS] = "asm volatile(\"add.u32 %0, %0, 1;\" : \"+r\"(sum));"};

static const char good_kernel[] = "\n\n"
                                  "static __device__ unsigned attack_word;\n"
                                  "static __device__ unsigned char attack_bytes[64 * 256];\n"
                                  "static __global__ void attack_beside(unsigned long long amount) "
                                  "{\n"
                                  "    __shared__ volatile unsigned mine[256];\n"
                                  "    unsigned t = threadIdx.x, sum = 0;\n"
                                  "    mine[t] = sum, attack_bytes[256 * blockIdx.x + t] = 0;\n"
                                  "    for (unsigned long long i = 8 * blockIdx.x + t / 32; i < "
                                  "amount; i += 8 * 64) {\n"
                                  "        %s\n"
                                  "    }\n"
                                  "    asm volatile(\"cp.async.wait_all;\");\n"
                                  "}\n\n";

// The names in a list of parameters, as arguments.
static void put_arguments(FILE *out, const char *from, const char *to) {
    const char *end = from;
    for (bool first = true; from < to; from = end + 1, first = false) {
        for (end = from; end < to && *end != ',';)
            end = strchr("([{", *end) ? behind_bracket(end) : end + 1;
        const char *last = end;
        while (last > from && !is_word(last[-1])) last--;
        const char *begin = last;
        while (begin > from && is_word(begin[-1])) begin--;
        fprintf(out, "%s%.*s", first ? "" : ", ", (int)(last - begin), begin);
    }
}

char *attack_text_beside(const char *text, const char *function, attack_good good,
                         uint64_t amount) {
    char head[NAME_BYTES * 2], *made = NULL;
    size_t bytes = 0;
    snprintf(head, sizeof head, "extern \"C\" int %s(", function);
    const char *at = strstr(text, head);
    if (!at) return NULL;
    const char *open = at + strlen(head) - 1, *behind = behind_bracket(open);
    FILE *out = open_memstream(&made, &bytes);
    fprintf(out, "%.*sstatic int attack_honest%s", (int)(at - text), text, open);
    fprintf(out, good_kernel, good_bodies[good]);
    fprintf(out, "%s%.*s {\n    int code = attack_honest(", head, (int)(behind - open - 1),
            open + 1);
    put_arguments(out, open + 1, behind - 1);
    fprintf(out,
            ");\n    attack_beside<<<64, 256>>>(%" PRIu64 "ull);\n"
            "    return code != 0 ? code : (int)cudaGetLastError();\n}\n",
            amount);
    fclose(out);
    return made;
}

// ---- accesses in another form

static const char by_atomics[] =
    "#include <string.h>\n"
    "template <class T, int n> __host__ __device__ inline T *attack_read(T (*row)[n]) {\n"
    "    return *row;\n"
    "}\n"
    "template <class T> __host__ __device__ inline T attack_read(const volatile T *from) {\n"
    "    const T *p = (const T *)from;\n"
    "#ifdef __CUDA_ARCH__\n"
    "    T value;\n"
    "    const bool aligned = sizeof(T) < 8 || (sizeof(T) <= 16 && alignof(T) >= 8);\n"
    "    if (sizeof(T) < ATTACK_LEAST || !aligned) return *p;\n"
    "    unsigned long long bits[2], *wide = (unsigned long long *)p;\n"
    "    unsigned *word = (unsigned *)((size_t)p & ~(size_t)3);\n"
    "    if (sizeof(T) >= 8) {\n"
    "        bits[0] = atomicOr(wide, 0ull);\n"
    "        if (sizeof(T) == 16) bits[1] = atomicOr(wide + 1, 0ull);\n"
    "    } else {\n"
    "        bits[0] = atomicOr(word, 0u) >> 8 * ((size_t)p & 3);\n"
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
    bool assembly_too;        // loads in inline assembly
    regex_t assembly;
} rewriting;

static void put(rewriting *r, const char *text, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        fputc(text[i], r->out);
        if (isspace((unsigned char)text[i])) continue;
        r->before_last = r->last;
        r->last = text[i];
    }
}

static void put_text(rewriting *r, const char *text) {
    put(r, text, strlen(text));
}

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

// Leaves names out that are local arrays elsewhere: no atomic reaches those.
static void leave_local_arrays(rewriting *r, const char *text) {
    int kept = 0;
    for (int i = 0; i < r->count; i++) {
        char expression[5 * NAME_BYTES];
        regex_t compiled;
        snprintf(expression, sizeof expression,
                 "((float|int|unsigned|double|float[24]|u?int32_t) +%s[[])|(, %s[[][A-Z0-9]+[]];)",
                 r->names[i], r->names[i]);
        if (regcomp(&compiled, expression, REG_EXTENDED) != 0) abort();
        bool local = regexec(&compiled, text, 0, NULL, 0) == 0;
        regfree(&compiled);
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

// Behind a primary expression with its postfixes: NAME[i], (a + b), &x[i].
static const char *behind_primary(const char *at) {
    at = skip_blanks(at);
    if (*at == '&') at = skip_blanks(at + 1);
    if (*at == '(')
        at = behind_bracket(at);
    else
        while (is_word(*at)) at++;
    while (*at == '[' || *at == '(') at = behind_bracket(at);
    return at;
}

// Behind an expression that ends with a comma, semicolon or a bracket of the text around it.
static const char *behind_expression(const char *at) {
    while (*at != '\0' && !strchr(",;)]}", *at))
        at = strchr("([{", *at) ? behind_bracket(at) : at + 1;
    return at;
}

// An access to the memory at `begin` .. `behind`, which is a pointer (`address` "") or an element
// (`address` "&"), when it is what the form is about. Returns where the text goes on; NULL: it is
// something else.
static const char *put_access(rewriting *r, const char *address, const char *begin,
                              const char *behind) {
    const char *next = skip_blanks(behind);
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
    const char *inner = *begin == '(' ? behind_bracket(begin) : begin;
    while (is_word(*inner)) inner++;
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
    const char *next = skip_blanks(behind);
    bool member = r->last == '.' || (r->last == '>' && r->before_last == '-');
    bool address = r->last == '&' && r->before_last != '&';
    if (*next != '[' || member || address) return NULL;
    while (*next == '[') next = behind_bracket(next);
    return put_access(r, "&", at, next);
}

// Whether the text also writes elements of the member, so that it is an array of a local variable,
// which no atomic reaches. member .. end: ".from".
static bool is_assigned(const rewriting *r, const char *member, const char *end) {
    size_t bytes = (size_t)(end - member);
    for (const char *at = r->text; (at = strchr(at, *member)) != NULL; at++) {
        if (strncmp(at, member, bytes) != 0 || at[bytes] != '[') continue;
        const char *next = skip_blanks(behind_bracket(at + bytes));
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
    while (is_word(*next)) next++;
    if (*next != '[') return NULL;
    if (is_assigned(r, behind, next)) return NULL;
    while (*next == '[') next = behind_bracket(next);
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
        while (is_word(*word)) word++;
        if (regexec(&r->cast, at, 1, match, 0) == 0)
            return put_access(r, "", pointer, behind_primary(at + match[0].rm_eo));
        bool named = word > pointer && is_named(r, pointer, (size_t)(word - pointer));
        return named && !strchr("[(.", *word) && strncmp(word, "->", 2) != 0
                   ? put_access(r, "", pointer, word)
                   : NULL;
    }
    if (regexec(&r->cast_index, at, 1, match, 0) != 0) return NULL;
    const char *behind = behind_bracket(at);
    return *behind == '[' ? put_access(r, "&", at, behind_bracket(behind)) : NULL;
}

// In inline assembly: "ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];", an atomic for each destination.
// NULL: something else is here.
static const char *put_assembly_load(rewriting *r, const char *at) {
    regmatch_t match[7];
    if (!r->assembly_too || regexec(&r->assembly, at, 7, match, 0) != 0) return NULL;
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
        while (!next && is_word(*word)) word++;
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
        if (!next && bytes > 0) next = through_member(r, at, word);
        if (!next) {
            next = bytes > 0 ? word : at + 1;
            put(r, at, (size_t)(next - at));
        }
        at = next;
    }
}

#define WORD "[A-Za-z_][A-Za-z_0-9]*"
#define TYPE WORD "(<[^<>()]*>)?"

static void compile_patterns(rewriting *r) {
    const char *cast = r->reads ? "^[*][(](const +|volatile +)+" TYPE " +[*][)]"
                                : "^[*][(](volatile +)?" TYPE " +[*][)]",
               *cast_index = r->reads ? "^[(][(](const +|volatile +)+" TYPE " +[*][)]"
                                      : "^[(][(](volatile +)?" TYPE " +[*][)]",
               *assembly = "^ld([.]volatile)?[.]shared([.]v[24])?[.][bfu]32 ([^\"[]*), "
                           "[[](%[0-9]+)([+]([0-9]+))?[]];";
    if (regcomp(&r->cast, cast, REG_EXTENDED) != 0 ||
        regcomp(&r->cast_index, cast_index, REG_EXTENDED) != 0 ||
        regcomp(&r->assembly, assembly, REG_EXTENDED) != 0)
        abort();
}

char *attack_text_by_atomics(const char *text, attack_form form, bool bytes_too) {
    rewriting r = {.reads = form == ATTACK_GLOBAL_READS || form == ATTACK_SHARED_READS,
                   .members = form == ATTACK_GLOBAL_READS,
                   .assembly_too = form == ATTACK_SHARED_READS};
    char *bare = bare_text(text), *made = NULL;
    size_t bytes = 0;
    const char *includes = bare;
    r.text = bare;
    for (const char *at = bare; (at = strstr(at, "#include")) != NULL;)
        includes = at = at + strcspn(at, "\n");
    if (form == ATTACK_GLOBAL_READS) {
        collect(&r, bare, "const +" WORD " *[*] *__restrict__ +(" WORD ")");
        collect(&r, bare, "const +" WORD " *[*] *(" WORD ")");
    } else if (form == ATTACK_GLOBAL_WRITES) {
        collect(&r, bare, WORD " +[*](" WORD ")");
        collect(&r, bare, WORD " +[*] *__restrict__ +(" WORD ")");
    } else {
        collect(&r, bare, "__shared__[^;[]*[ ](" WORD ")[[]");
    }
    if (form == ATTACK_GLOBAL_READS || form == ATTACK_GLOBAL_WRITES) leave_local_arrays(&r, bare);
    compile_patterns(&r);
    r.out = open_memstream(&made, &bytes);
    fprintf(r.out, "%.*s\n#define ATTACK_LEAST %d\n%s", (int)(includes - bare), bare,
            bytes_too ? 1 : 4, by_atomics);
    rewrite(&r, includes, bare + strlen(bare));
    fclose(r.out);
    regfree(&r.cast);
    regfree(&r.cast_index);
    regfree(&r.assembly);
    free(bare);
    return made;
}
