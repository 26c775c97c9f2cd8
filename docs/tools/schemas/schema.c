// ladder-docs schema: what a JSON document of the kit consists of.
//   ladder-docs schema --described TEXT [DOCUMENT..]  a table in Markdown: keys, meanings, values
//   ladder-docs schema --check TEXT DOCUMENT..        whether documents and TEXT say the same
// TEXT: FILE, or FILE:SCHEMA for a section of docs/schemas.txt. DOCUMENT: FILE.json, or FILE.csv of
// labs/measured, of which all of the schema are meant.
//
// A description is a text file, or a section of docs/schemas.txt: lines that begin with '#' are
// notes; then a line for each key,
//   KEY | TYPE | UNIT OR VALUES | MEANING
// KEY: the keys on the way to it, joined by '.', "[]" for the elements of an array, as in
//   steps[].results[].size; with '?' behind it, some documents leave it out. NAME stands for keys
//   that are data, such as names of counters.
// TYPE: text, integer, number, boolean, "integer or text" and the like, object, array of TYPE or of
//   objects; with '?' behind it, it may be null. "as KEY": it holds what KEY holds.
// UNIT OR VALUES: "one of: a, b" is checked.
// "@RESULT_CALL steps[].calls[]" stands for the members of that list of show/report/result.def,
// from which they are written: a key has one place.
#include "docs.h"
#include "measured.h"
#include "show/report/result.def"

enum { SHAPE_ROWS = 200, SHAPE_TEXT = 512 };

// A line of a description.
typedef struct shape_row {
    char key[SHAPE_TEXT], type[SHAPE_TEXT], unit[SHAPE_TEXT], meaning[SHAPE_TEXT];
    bool optional;    // the key had a '?'
    bool seen;        // a document has it
    char example[64]; // a value that occurred, in Markdown; ""
} shape_row;

// A description, and what documents had of it.
typedef struct shape_table {
    shape_row rows[SHAPE_ROWS];
    int count;
} shape_table;

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

// ---- Members that the code's own lists name ----

typedef struct member {
    const char *type, *key, *unit, *meaning;
} member;

#define TYPE_TEXT                              "text"
#define TYPE_WORDS                             "text?"
#define TYPE_NUMBER                            "number"
#define TYPE_MAYBE                             "number?"
#define TYPE_COUNT                             "integer"
#define TYPE_LONG                              "integer"
#define TYPE_INDEX                             "integer"
#define TYPE_YES                               "boolean"
#define TYPE_OUTCOME                           "text"
#define MEMBER(kind, name, key, unit, meaning) {TYPE_##kind, key, unit, meaning},
#define LISTS(F)                                                                                   \
    F(WRONG)                                                                                       \
    F(FAILURE)                                                                                     \
    F(CHECK)                                                                                       \
    F(TIMING)                                                                                      \
    F(MODELLED)                                                                                    \
    F(CRITERION) F(CALL) F(PREDICTION) F(CASES) F(STEP) F(STEP_END) F(COMMENT) F(TOP) F(RUN)
#define LIST(name)     static const member list_##name[] = {RESULT_##name(MEMBER)};
#define LIST_ROW(name) {"@RESULT_" #name, list_##name, sizeof list_##name / sizeof(member)},
LISTS(LIST)

// Takes a line "@LIST KEY": the members of the list, of the objects at KEY. False: there is no such
// list.
static bool read_list(char *line, shape_table *table) {
    static const struct {
        const char *name;
        const member *members;
        size_t count;
    } lists[] = {LISTS(LIST_ROW)};
    const char *name = strsep(&line, " ");
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(lists[i].name, name) != 0) continue;
        for (size_t k = 0; k < lists[i].count && table->count < SHAPE_ROWS - 1; k++) {
            const member *m = &lists[i].members[k];
            shape_row *row = &table->rows[table->count++];
            *row = (shape_row){0};
            snprintf(row->key, SHAPE_TEXT, "%s%s%s", line ? line : "", line ? "." : "", m->key);
            snprintf(row->type, SHAPE_TEXT, "%s", m->type);
            snprintf(row->unit, SHAPE_TEXT, "%s", m->unit);
            snprintf(row->meaning, SHAPE_TEXT, "%s", m->meaning);
        }
        return true;
    }
    return false;
}

// The SCHEMA of "FILE:SCHEMA"; NULL of a file.
static const char *shape_schema(const char *described) {
    const char *colon = strrchr(described, ':');
    return colon ? colon + 1 : NULL;
}

// Whether the line begins the section of the schema.
static bool begins(const char *line, const char *schema) {
    size_t length = strlen(schema);
    return strncmp(line + 3, schema, length) == 0 && line[3 + length] == ' ';
}

// Complains on standard error about a line that is none: a key without a meaning is refused.
// described: a file, or "FILE:SCHEMA" for the section "## SCHEMA | .." of a file.
static bool shape_read(const char *described, shape_table *out_table) {
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
        if (*text == '@' ? read_list(text, out_table) : read_row(text, out_table)) continue;
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

// Prints what differs: keys that are not described, that are missing, of another type. Returns how
// much that is. name: of the document, for the messages.
static int shape_compare(shape_table *table, const char *name, const json_t *document) {
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

// Prints the keys that no document had, those with '?' and what is below them left out. Returns how
// many.
static int shape_unseen(const shape_table *table, const char *name) {
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

// The table in Markdown.
static void shape_print(const shape_table *table) {
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

// ---- The command ----

// How many faults; -1 when there is no such document.
static int compare(shape_table *table, const char *schema, const char *path) {
    size_t length = strlen(path);
    if (schema && length > 4 && strcmp(path + length - 4, ".csv") == 0) {
        json_t *documents = measured_documents(path, NULL), *document;
        int faults = documents ? 0 : -1;
        const char *name;
        json_object_foreach(documents, name, document) {
            if (strcmp(measured_text(document, "schema"), schema) == 0)
                faults += shape_compare(table, name, document);
        }
        json_decref(documents);
        return faults;
    }
    json_t *document = measured_document(path);
    int faults = document ? shape_compare(table, path, document) : -1;
    json_decref(document);
    return faults;
}

int docs_schema(int argc, char **argv) {
    static shape_table table;
    bool check = argc > 3 && strcmp(argv[1], "--check") == 0;
    bool described = argc > 2 && strcmp(argv[1], "--described") == 0;
    if (!check && !described) {
        fputs("usage: ladder-docs schema --described TEXT [DOCUMENT..] | --check TEXT DOCUMENT..\n",
              stderr);
        return 2;
    }
    if (!shape_read(argv[2], &table)) return 1;
    int faults = 0;
    for (int i = 3; i < argc; i++) {
        int more = compare(&table, shape_schema(argv[2]), argv[i]);
        if (more < 0) return 1;
        faults += more;
    }
    if (check) return faults + shape_unseen(&table, argv[2]) > 0;
    shape_print(&table);
    return faults > 0;
}
