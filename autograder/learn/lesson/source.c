// Lines of a step file and their keys: see lesson.h.
#include "learn/lesson/lesson.h"

static size_t word_length(const char *text) {
    size_t length = 0;
    while (ladder_is_word(text[length])) length++;
    return length;
}

static bool is_in_comment(const char *text, const char *at) {
    while (at > text && at[-1] != '\n') {
        at--;
        if (at[0] == '/' && at[1] == '/') return true;
    }
    return false;
}

// Comments apart.
static bool has_word(const char *text, const char *word) {
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || !ladder_is_word(at[-1])) && !ladder_is_word(at[length]) &&
            !is_in_comment(text, at))
            return true;
    return false;
}

// ---- Renames ----

typedef struct name_list {
    char names[LADDER_RENAMES_MAX][LADDER_NAME];
    int count;
} name_list;

// The name that a declaration after `at` gives: the word before the first parenthesis that is not
// an attribute's, as in `void __launch_bounds__(256) name(`.
static bool declared_name(const char *at, char name[LADDER_NAME]) {
    while (*at != '\0' && *at != ';' && *at != '{') {
        size_t length = word_length(at);
        if (length == 0) {
            at++;
            continue;
        }
        const char *after = at + length + strspn(at + length, " \t\r\n");
        if (*after == '(' && strncmp(at, "__", 2) != 0) {
            snprintf(name, LADDER_NAME, "%.*s", (int)length, at);
            return true;
        }
        at = *after == '(' ? after + strcspn(after, ")") : at + length;
    }
    return false;
}

static void list_names(const char *text, const char *mark, const char *other, name_list *list) {
    list->count = 0;
    for (const char *at = strstr(text, mark); at; at = strstr(at + 1, mark)) {
        char name[LADDER_NAME];
        if (!declared_name(at + strlen(mark), name) || has_word(other, name)) continue;
        bool listed = false;
        for (int i = 0; i < list->count; i++) listed |= strcmp(list->names[i], name) == 0;
        if (listed || list->count == LADDER_RENAMES_MAX) continue;
        memcpy(list->names[list->count++], name, LADDER_NAME);
    }
}

void ladder_source_find_renames(const char *a, const char *b, ladder_renames *out_renames) {
    static const char *const marks[] = {"__global__", "extern \"C\""};
    out_renames->count = 0;
    for (int m = 0; m < 2; m++) {
        name_list left, right;
        list_names(a, marks[m], b, &left);
        list_names(b, marks[m], a, &right);
        if (left.count != right.count) continue;
        for (int i = 0; i < left.count && out_renames->count < LADDER_RENAMES_MAX; i++) {
            ladder_rename *row = &out_renames->rows[out_renames->count++];
            memcpy(row->from, left.names[i], LADDER_NAME);
            memcpy(row->to, right.names[i], LADDER_NAME);
        }
    }
}

// ---- Lines ----

static bool begins_with(const char *line, const char *words) {
    line += strspn(line, " \t");
    return strncmp(line, words, strlen(words)) == 0;
}

static bool is_empty(const char *line) {
    line += strspn(line, " \t\r");
    return *line == '\n' || *line == '\0';
}

// Whether `other` has this line, which is an include.
static bool is_in(const char *line, size_t length, const char *other) {
    while (length > 0 && isspace((unsigned char)line[length - 1])) length--;
    for (; *other != '\0'; other += strcspn(other, "\n"), other += *other == '\n')
        if (strncmp(other, line, length) == 0 && is_empty(other + length)) return true;
    return false;
}

// Bytes before a comment at the end of a line. A line that is nothing but a comment is text.
static size_t code_length(const char *text, size_t length) {
    char quote = '\0';
    bool code = false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (quote == '\0' && code && c == '/' && i + 1 < length && text[i + 1] == '/') return i;
        code |= !isspace((unsigned char)c) && c != '/';
        if (quote != '\0' && c == '\\') i++;
        else if (quote != '\0') quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'') quote = c;
    }
    return length;
}

// What every step of a kit has, whatever it teaches: the skeleton's checksum, texts of what is to
// be written, and the lines that say whether it is written.
typedef enum given { GIVEN_NOT, GIVEN_TODO, GIVEN_GUARD } given;

static bool is_given(const char *line, given *state) {
    bool comment = begins_with(line, "//");
    if (*state == GIVEN_GUARD) { // up to the brace that ends it
        if (begins_with(line, "}")) *state = GIVEN_NOT;
        return true;
    }
    if (begins_with(line, "// TODO(student)")) *state = GIVEN_TODO;
    if (*state == GIVEN_TODO && comment) return true;
    *state = GIVEN_NOT;
    if (begins_with(line, "if (!IMPLEMENTED) {")) *state = GIVEN_GUARD;
    return begins_with(line, "// ladder-skeleton ") || begins_with(line, "#define IMPLEMENTED ") ||
           begins_with(line, "if (!IMPLEMENTED) ");
}

// The text without a comment behind it and without blanks but one between two words; names
// replaced. Moves *at behind the key.
static char *make_key(const char *text, size_t length, const ladder_renames *renames, char **at) {
    char *key = *at, *to = key;
    length = code_length(text, length);
    for (size_t i = 0; i < length;) {
        if (isspace((unsigned char)text[i])) {
            i++;
            continue;
        }
        size_t word = word_length(text + i);
        if (word == 0) {
            *to++ = text[i++];
            continue;
        }
        const char *name = text + i;
        size_t bytes = word;
        for (int r = 0; renames && r < renames->count; r++) {
            if (strlen(renames->rows[r].from) != word) continue;
            if (memcmp(renames->rows[r].from, text + i, word) != 0) continue;
            name = renames->rows[r].to;
            bytes = strlen(name);
        }
        if (to > key && ladder_is_word(to[-1])) *to++ = ' ';
        memcpy(to, name, bytes);
        to += bytes;
        i += word;
    }
    *to++ = '\0';
    *at = to;
    return key;
}

kl_status ladder_source_read(const char *text, const char *other, const char *skip,
                             const ladder_renames *renames, ladder_source *out_source,
                             kl_error *err) {
    ladder_source *s = out_source;
    size_t bytes = strlen(text);
    s->count = 0;
    s->lines = calloc(LADDER_SOURCE_MAX_LINES, sizeof *s->lines);
    // A word of one character may become a name, with a blank before it.
    s->keys = malloc((LADDER_NAME + 2) * bytes + LADDER_SOURCE_MAX_LINES + 1);
    if (!s->lines || !s->keys)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory to compare two files");
    char *key = s->keys;
    bool prologue = true;
    given state = GIVEN_NOT;
    for (int number = 1; *text != '\0'; number++) {
        size_t length = strcspn(text, "\n");
        bool include = begins_with(text, "#include");
        prologue = prologue && (include || is_empty(text) || begins_with(text, "//"));
        bool left_out = is_given(text, &state) || (skip && begins_with(text, skip)) ||
                        (prologue && !include) || (include && is_in(text, length, other));
        if (!left_out && s->count == LADDER_SOURCE_MAX_LINES)
            return kl_fail(err, KL_ERROR_LIMIT, "a file has more than %d lines",
                           LADDER_SOURCE_MAX_LINES);
        if (!left_out)
            s->lines[s->count++] = (ladder_compared_line){
                .text = text,
                .bytes = (int)length - (length > 0 && text[length - 1] == '\r'),
                .number = number,
                .key = make_key(text, length, renames, &key)};
        text += length + (text[length] == '\n');
    }
    return KL_OK;
}

void ladder_source_free(ladder_source *source) {
    free(source->lines);
    free(source->keys);
    *source = (ladder_source){.count = 0};
}
