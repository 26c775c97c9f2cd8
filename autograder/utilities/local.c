// Local variables without a value: see finding.h. A search in the text, no parser of C.
#include "utilities/finding.h"
#include "utilities/text.h"

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t\r\n"); }

// Where the declaration or the statement begins that `at` is in; *out_inside: behind a bracket.
static const char *begin_of(const char *source, const char *at, bool *out_inside) {
    int depth = 0;
    *out_inside = false;
    for (; at > source; at--) {
        char c = at[-1];
        if (depth == 0 && strchr(";{}", c)) return at;
        if (depth == 0 && strchr("([", c)) {
            *out_inside = true;
            return at;
        }
        depth += strchr(")]", c) ? 1 : strchr("([", c) ? -1 : 0;
    }
    return at;
}

static bool begins_statement(const char *at) {
    static const char *const words[] = {"return", "else",  "goto",   "case",       "do",
                                        "using",  "throw", "delete", "__shared__", "extern"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(at, words[i], length) == 0 && !ladder_is_word(at[length])) return true;
    }
    return false;
}

// Whether a name at `end` comes right behind a comma.
static bool follows_comma(const char *at, const char *end) {
    while (end > at && strchr(" \t\r\n*&", end[-1])) end--;
    return end > at && end[-1] == ',';
}

// Whether [at, end) is a type, or what stands before a further name of its declaration:
// "float", "const half2", "wmma::fragment<wmma::accumulator, 16, 16, 16, float>", "float a, b,".
static bool is_type(const char *at, const char *end) {
    int depth = 0, names = 0;
    at = skip_blanks(at);
    if (at >= end || !ladder_is_word(*at) || isdigit((unsigned char)*at) || begins_statement(at))
        return false;
    for (; at < end; at++) {
        if (ladder_is_word(*at)) {
            names += depth == 0;
            while (at + 1 < end && ladder_is_word(at[1])) at++;
        } else if (depth == 0 && strchr(",=", *at)) {
            return names >= 2 && follows_comma(at, end); // the type and the first name
        } else if (strchr("<>[]", *at)) {
            depth += strchr("<[", *at) ? 1 : -1;
        } else if (!strchr(" \t\r\n:*&,", *at)) {
            return false;
        }
    }
    return depth == 0;
}

// What the word at `at` is there.
typedef enum occurrence { NOT_DECLARED, DECLARED_WITH_VALUE, DECLARED_WITHOUT } occurrence;

static occurrence occurrence_of(const char *source, const char *at, size_t length) {
    bool inside;
    const char *begin = begin_of(source, at, &inside), *behind = skip_blanks(at + length);
    if (!is_type(begin, at)) return NOT_DECLARED;
    while (*behind == '[') behind = skip_blanks(behind + strcspn(behind, "]") + 1);
    if (inside) return strchr(",)=:;", *behind) ? DECLARED_WITH_VALUE : NOT_DECLARED;
    if (*behind == ';' || *behind == ',') return DECLARED_WITHOUT;
    return strchr("=({", *behind) && behind[1] != '=' ? DECLARED_WITH_VALUE : NOT_DECLARED;
}

// The declaration that the name at `use` has there; NULL: it is none, or one with a value.
static const char *declaration_of(const char *source, const char *use, size_t length) {
    const char *found = NULL;
    for (const char *at = source; at < use; at++) {
        bool word = ladder_is_word(*at) && (at == source || !ladder_is_word(at[-1]));
        if (!word || strncmp(at, use, length) != 0 || ladder_is_word(at[length])) continue;
        occurrence kind = occurrence_of(source, at, length);
        if (kind != NOT_DECLARED) found = kind == DECLARED_WITHOUT ? at : NULL;
    }
    return occurrence_of(source, use, length) == NOT_DECLARED ? found : NULL;
}

static uint32_t line_at(const char *source, const char *at) {
    uint32_t line = 1;
    for (; source < at; source++) line += *source == '\n';
    return line;
}

// Puts a name behind others; false: it is there already, or there is no room.
static bool add_name(char *text, size_t bytes, const char *name, size_t length, bool first) {
    size_t used = first ? 0 : strlen(text);
    char pattern[80];
    snprintf(pattern, sizeof pattern, "%.*s", (int)length, name);
    if (length >= sizeof pattern || (!first && strstr(text, pattern))) return false;
    snprintf(text + used, bytes - used, "%s%s", first ? "" : " or ", pattern);
    return true;
}

// Whether the declaration that a name is in has a word.
static bool has_type(const char *source, const char *name, const char *type) {
    bool inside;
    const char *begin = begin_of(source, name, &inside), *found = strstr(begin, type);
    return found && found <= name;
}

// The next name in [*at, end) that is no member, and its length; *at is behind it then. NULL: none.
static const char *next_name(const char *code, const char **at, const char *end,
                             size_t *out_length) {
    while (*at < end) {
        const char *name = *at;
        size_t length = 0;
        while (ladder_is_word(name[length])) length++;
        *at += length ? length : 1;
        bool arrow = name - code > 1 && name[-1] == '>' && name[-2] == '-';
        bool member = name > code && (name[-1] == '.' || name[-1] == ':' || arrow);
        *out_length = length;
        if (length && !member && !isdigit((unsigned char)*name)) return name;
    }
    return NULL;
}

// The same as below in [at, end) of a source without comments.
static uint32_t names_in(const char *code, const char *at, const char *end, const char *type,
                         char *text, size_t text_bytes) {
    enum { NAMES = 3 };
    uint32_t declared = 0, count = 0;
    size_t length;
    for (const char *name; count < NAMES && (name = next_name(code, &at, end, &length));) {
        const char *found = declaration_of(code, name, length);
        if (found && has_type(code, found, type) &&
            add_name(text, text_bytes, name, length, count == 0) && count++ == 0)
            declared = line_at(code, found);
    }
    return declared;
}

uint32_t ladder_unset_names(const char *source, uint32_t line, const char *type, char *text,
                            size_t text_bytes) {
    enum { LINES = 3 }; // of a loop: its head is the line that compilers give its end
    char *code = strdup(source);
    if (code) ladder_hide_comments(code);
    const char *at = code, *end;
    for (uint32_t number = 1; at && number < line; number++) {
        at = strchr(at, '\n');
        if (at) at++;
    }
    if (!at) {
        free(code);
        return 0;
    }
    // The line, and what belongs to its last statement.
    end = at + strcspn(at, "\n");
    while (*end != '\0' && !memchr(at, ';', (size_t)(end - at) + 1))
        end += strcspn(end + 1, ";{}") + 1;
    uint32_t declared = names_in(code, at, end, type, text, text_bytes);
    for (int i = 0; i < LINES && *end != '\0' && !declared; i++) {
        end += strcspn(end + 1, "\n") + 1;
        declared = names_in(code, at, end, type, text, text_bytes);
    }
    free(code);
    return declared;
}
