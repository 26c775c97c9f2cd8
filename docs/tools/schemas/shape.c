// Descriptions of JSON documents: reading them, comparing documents with them. See shape.h.
#include "shape.h"

#include <stdio.h>
#include <string.h>

static char *trimmed(char *text) {
    text += strspn(text, " \t");
    for (size_t n = strlen(text); n > 0 && strchr(" \t\n", text[n - 1]); n--) text[n - 1] = '\0';
    return text;
}

// Takes a '?' off the end; that of "array of number?" belongs to the elements.
static bool take_mark(char *text) {
    size_t n = strlen(text);
    if (n == 0 || text[n - 1] != '?' || strncmp(text, "array of ", 9) == 0) return false;
    text[n - 1] = '\0';
    return true;
}

// Takes a line KEY | TYPE | UNIT OR VALUES | MEANING. False when it is none.
static bool read_row(char *line, shape_table *table) {
    shape_row *row = &table->rows[table->count];
    char *const cells[] = {row->key, row->type, row->unit, row->meaning};
    *row = (shape_row){0};
    for (int i = 0; i < 4; i++) {
        char *cell = i < 3 ? strsep(&line, "|") : line;
        if (cell) snprintf(cells[i], SHAPE_TEXT, "%s", trimmed(cell));
    }
    if (row->meaning[0] == '\0' || ++table->count == SHAPE_ROWS) return false;
    row->optional = take_mark(row->key);
    return true;
}

const char *shape_schema(const char *described) {
    const char *colon = strrchr(described, ':');
    return colon ? colon + 1 : NULL;
}

// Whether the line begins the section of the schema.
static bool begins(const char *line, const char *schema) {
    size_t length = strlen(schema);
    return strncmp(line + 3, schema, length) == 0 && line[3 + length] == ' ';
}

bool shape_read(const char *described, shape_table *out_table) {
    const char *schema = shape_schema(described);
    char line[4 * SHAPE_TEXT], path[4096];
    int bytes = schema ? (int)(schema - 1 - described) : (int)strlen(described), number = 0;
    snprintf(path, sizeof path, "%.*s", bytes, described);
    FILE *in = fopen(path, "r");
    bool inside = !schema, found = inside;
    out_table->count = 0;
    if (!in) {
        perror(path);
        return false;
    }
    while (fgets(line, sizeof line, in)) {
        number++;
        if (schema && strncmp(line, "## ", 3) == 0) {
            inside = begins(line, schema);
            found = found || inside;
            continue;
        }
        char *text = trimmed(line);
        if (!inside || *text == '\0' || *text == '#') continue;
        if (read_row(text, out_table)) continue;
        fprintf(stderr, "ladder-docs schema: %s:%d: KEY | TYPE | UNIT OR VALUES | MEANING\n", path,
                number);
        fclose(in);
        return false;
    }
    fclose(in);
    if (!found) fprintf(stderr, "ladder-docs schema: %s has no section %s\n", path, schema);
    return found;
}

static shape_row *find(shape_table *table, const char *key) {
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].key, key) == 0) return &table->rows[i];
    return NULL;
}

// The row of a member; `described` is where the object's members are described.
static shape_row *row_of(shape_table *table, const char *described, const char *member) {
    char key[2 * SHAPE_TEXT];
    const char *dot = described[0] != '\0' ? "." : "";
    snprintf(key, sizeof key, "%s%s%s", described, dot, member);
    shape_row *row = find(table, key);
    if (row) return row;
    snprintf(key, sizeof key, "%s%sNAME", described, dot);
    return find(table, key);
}

// Whether the key of `row` is a member of the object described as `described`, and which; its name
// may hold dots, so an object on the way to it decides.
static const char *member_of(shape_table *table, const shape_row *row, const char *described) {
    size_t length = strlen(described);
    if (strncmp(row->key, described, length) != 0) return NULL;
    const char *name = row->key + length;
    if (length > 0 && *name++ != '.') return NULL;
    if (strstr(name, "[].")) return NULL;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        char between[SHAPE_TEXT];
        snprintf(between, sizeof between, "%.*s", (int)(dot - row->key), row->key);
        if (find(table, between)) return NULL;
    }
    return name;
}

static bool is_type(const json_t *value, const char *type) {
    const char *other = strstr(type, " or ");
    if (other) {
        char one[SHAPE_TEXT];
        snprintf(one, sizeof one, "%.*s", (int)(other - type), type);
        return is_type(value, one) || is_type(value, other + strlen(" or "));
    }
    if (strcmp(type, "text") == 0) return json_is_string(value);
    if (strcmp(type, "integer") == 0) return json_is_integer(value);
    if (strcmp(type, "number") == 0) return json_is_number(value);
    if (strcmp(type, "boolean") == 0) return json_is_boolean(value);
    if (strncmp(type, "array of ", 9) == 0) return json_is_array(value);
    return json_is_object(value) && (strcmp(type, "object") == 0 || strcmp(type, "objects") == 0 ||
                                     strncmp(type, "as ", 3) == 0);
}

// Whether a text is one of "one of: a, b".
static bool is_one_of(const char *unit, const char *text) {
    char values[SHAPE_TEXT], *rest = values;
    snprintf(values, sizeof values, "%s", unit + strlen("one of:"));
    for (char *one = strsep(&rest, ","); one; one = strsep(&rest, ","))
        if (strcmp(trimmed(one), text) == 0) return true;
    return false;
}

typedef struct comparison {
    shape_table *table;
    const char *name;
    int faults;
} comparison;

static void fault(comparison *c, const char *key, const char *what) {
    fprintf(stderr, "%s: %s: %s\n", c->name, key, what);
    c->faults++;
}

enum { MOST_TEXT = 24 }; // of an example

static void note_example(shape_row *row, const json_t *value) {
    char *out = row->example;
    if (out[0] != '\0') return;
    if (json_is_string(value) && json_string_length(value) > 0) {
        int n = snprintf(out, sizeof row->example, "`%.*s", MOST_TEXT, json_string_value(value));
        for (int i = 1; i < n; i++)
            if (strchr("|`\n", out[i])) out[i] = ' ';
        snprintf(out + n, sizeof row->example - (size_t)n, "%s`",
                 json_string_length(value) > MOST_TEXT ? ".." : "");
    } else if (json_is_integer(value)) {
        snprintf(out, sizeof row->example, "%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        snprintf(out, sizeof row->example, "%.4g", json_real_value(value));
    } else if (json_is_boolean(value)) {
        snprintf(out, sizeof row->example, "%s", json_is_true(value) ? "true" : "false");
    }
}

static void compare_object(comparison *c, const char *described, const json_t *object);

static void compare_value(comparison *c, shape_row *row, const char *described, const char *type,
                          const json_t *value) {
    char plain[SHAPE_TEXT], below[2 * SHAPE_TEXT];
    snprintf(plain, sizeof plain, "%s", type);
    if (take_mark(plain) && json_is_null(value)) return;
    if (!is_type(value, plain)) {
        snprintf(below, sizeof below, "is not: %s", type);
        fault(c, row->key, below);
    } else if (json_is_array(value)) {
        size_t i;
        json_t *element;
        snprintf(below, sizeof below, "%s[]", described);
        json_array_foreach(value, i, element) compare_value(c, row, below, plain + 9, element);
    } else if (json_is_object(value)) {
        compare_object(c, strncmp(plain, "as ", 3) == 0 ? plain + 3 : described, value);
    } else if (json_is_string(value) && strncmp(row->unit, "one of:", 7) == 0 &&
               !is_one_of(row->unit, json_string_value(value))) {
        fault(c, row->key, json_string_value(value));
    } else {
        note_example(row, value);
    }
}

static void compare_object(comparison *c, const char *described, const json_t *object) {
    const char *member;
    json_t *value;
    json_object_foreach((json_t *)object, member, value) {
        shape_row *row = row_of(c->table, described, member);
        if (!row) {
            char key[2 * SHAPE_TEXT];
            snprintf(key, sizeof key, "%s%s%s", described, described[0] ? "." : "", member);
            fault(c, key, "is not described");
            continue;
        }
        row->seen = true;
        compare_value(c, row, row->key, row->type, value);
    }
    for (int i = 0; i < c->table->count; i++) {
        const shape_row *row = &c->table->rows[i];
        member = row->optional ? NULL : member_of(c->table, row, described);
        if (member && strcmp(member, "NAME") != 0 && !json_object_get(object, member))
            fault(c, row->key, "is missing");
    }
}

int shape_compare(shape_table *table, const char *name, const json_t *document) {
    comparison c = {.table = table, .name = name};
    compare_object(&c, "", document);
    return c.faults;
}

// Whether a key on the way to this one may be absent, and was.
static bool is_below_absent(const shape_table *table, const shape_row *row) {
    for (int i = 0; i < table->count; i++) {
        const shape_row *above = &table->rows[i];
        size_t length = strlen(above->key);
        if (above->optional && !above->seen && strncmp(row->key, above->key, length) == 0 &&
            (row->key[length] == '.' || row->key[length] == '['))
            return true;
    }
    return false;
}

int shape_unseen(const shape_table *table, const char *name) {
    int count = 0;
    for (int i = 0; i < table->count; i++) {
        const shape_row *row = &table->rows[i];
        if (row->seen || row->optional || is_below_absent(table, row)) continue;
        fprintf(stderr, "%s: %s: no document has it\n", name, row->key);
        count++;
    }
    return count;
}

// In HTML, with places at which a long key may go on in the next line.
static void print_key(const char *key) {
    fputs("<code>", stdout);
    for (; *key != '\0'; key++) {
        putchar(*key);
        if (*key == '.' || *key == '_') fputs("<wbr>", stdout);
    }
    fputs("</code>", stdout);
}

void shape_print(const shape_table *table) {
    bool examples = false;
    for (int i = 0; i < table->count; i++) examples |= table->rows[i].example[0] != '\0';
    printf("| key | meaning | type | unit or values |%s\n|---|---|---|---|%s\n",
           examples ? " for example |" : "", examples ? "---|" : "");
    for (int i = 0; i < table->count; i++) {
        const shape_row *row = &table->rows[i];
        int bytes = (int)strcspn(row->type, "?");
        fputs("| ", stdout);
        print_key(row->key);
        printf(" | %s | %.*s%s%s | %s |", row->meaning, bytes, row->type,
               row->type[bytes] == '?' ? " or null" : "", row->optional ? ", may be absent" : "",
               row->unit);
        if (examples) printf(" %s |", row->example);
        putchar('\n');
    }
}
