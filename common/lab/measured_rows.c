// Documents that are kept as rows of a table: see measured.h for the form of labs/measured/*.csv.
#include "measured.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 512, MOST_LISTS = 64, FIRST_MEMBER = 3 }; // lab, document, list, members..

typedef struct cells {
    int count;
    char *text[MOST_CELLS];
    bool quoted[MOST_CELLS];
} cells;

typedef struct reader {
    const char *path;
    int line, heading_count;
    struct {
        char *text; // that the cells lie in
        cells names;
    } headings[MOST_LISTS]; // one for each list
} reader;

static bool fail(const reader *r, const char *what, const char *about) {
    fprintf(stderr, "%s, line %d: %s%s%s\n", r->path, r->line, what, *about ? ": " : "", about);
    return false;
}

// Cuts a line into cells, in place; a quote inside a quoted cell is written twice.
static bool cut(const reader *r, char *line, cells *out) {
    out->count = 0;
    for (char *at = line;; at++) {
        if (out->count == MOST_CELLS) return fail(r, "too many cells", "");
        char *to = at;
        bool quoted = *at == '"';
        out->text[out->count] = to;
        out->quoted[out->count++] = quoted;
        if (quoted) {
            for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
                at += *at == '"';
                *to++ = *at;
            }
            if (*at++ != '"') return fail(r, "a quote is not closed", "");
        } else {
            at += strcspn(at, ",\n");
            to = at;
        }
        bool last = *at == '\n' || !*at;
        if (!last && *at != ',') return fail(r, "no comma behind a quoted cell", at);
        *to = '\0';
        if (last) return true;
    }
}

// A word that is not quoted: a number, true, false, null, [] or {}; anything else is text.
static json_t *scalar(const char *word) {
    json_t *value = json_loads(word, JSON_DECODE_ANY, NULL);
    return value ? value : json_string(word);
}

static json_t *numbers(char *text) {
    json_t *list = json_array();
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        json_array_append_new(list, scalar(word));
    return list;
}

// "1 2;3 4": a list of lists.
static json_t *lists_of_numbers(char *text) {
    json_t *list = json_array();
    char *rest = NULL;
    for (char *one = strtok_r(text, ";", &rest); one; one = strtok_r(NULL, ";", &rest))
        json_array_append_new(list, numbers(one));
    return list;
}

// A member of each object of the list `name` in `object`: "1 2" of two objects; of a member[], a
// list of numbers, "1 2;3 4".
static void set_packed(json_t *object, const char *name, char *member, char *text) {
    json_t *list = json_object_get(object, name), *value;
    if (!list) json_object_set_new(object, name, list = json_array());
    char *inner = strstr(member, "[]");
    json_t *values = inner ? lists_of_numbers(text) : numbers(text);
    if (inner) *inner = '\0';
    size_t i;
    json_array_foreach(values, i, value) {
        if (i == json_array_size(list)) json_array_append_new(list, json_object());
        json_object_set(json_array_get(list, i), member, value);
    }
    json_decref(values);
}

static bool is_number(const char *name) { return *name >= '0' && *name <= '9'; }

// What NAME is in a list, where it is a number, or in an object, in which it is made if it is not
// there: a list, if a number follows. makes: elements of lists, too.
static json_t *inside(json_t *at, const char *name, const char *next, bool makes) {
    size_t number = strtoul(name, NULL, 10);
    if (json_is_array(at)) {
        if (makes && number == json_array_size(at)) json_array_append_new(at, json_object());
        return json_array_get(at, number);
    }
    json_t *inner = json_object_get(at, name);
    if (!inner)
        json_object_set_new(at, name, inner = is_number(next) ? json_array() : json_object());
    return inner;
}

// Puts a cell where its heading says: "size", "device/name", "ci_us[]", "shapes[][]", "steps[]/us",
// "solutions/0/us".
static void set_member(json_t *object, const char *heading, char *text, bool quoted) {
    char copy[256];
    snprintf(copy, sizeof copy, "%s", heading);
    char *name = copy, *slash;
    for (; (slash = strchr(name, '/')) && (slash == name || slash[-1] != ']'); name = slash + 1) {
        *slash = '\0';
        object = inside(object, name, slash + 1, true);
    }
    char *list = strstr(name, "[]");
    if (list) *list = '\0';
    if (!list || strcmp(text, "[]") == 0)
        json_object_set_new(object, name, quoted ? json_string(text) : scalar(text));
    else if (list[2] == '/') set_packed(object, name, list + 3, text);
    else json_object_set_new(object, name, list[2] ? lists_of_numbers(text) : numbers(text));
}

// A new last element of this list; NULL when there is no such list. Of a list on the way to it,
// without a number, the last element.
static json_t *element(json_t *document, const char *list) {
    char copy[256], *name = copy;
    snprintf(copy, sizeof copy, "%s", list);
    json_t *at = document;
    for (char *slash; (slash = strchr(name, '/')); name = slash + 1) {
        *slash = '\0';
        at = inside(at, name, slash + 1, false);
        if (json_is_array(at) && !is_number(slash + 1))
            at = json_array_get(at, json_array_size(at) - 1);
    }
    if (!json_is_object(at)) return NULL;
    json_t *elements = json_object_get(at, name), *added = json_object();
    if (!elements) json_object_set_new(at, name, elements = json_array());
    return json_array_append_new(elements, added) == 0 ? added : NULL;
}

// The object that column `i` describes, and its member: that of the row, or what a column
// `LIST:member` adds to a list, at the first of its columns that has a cell in this row.
static json_t *object_of(json_t *document, json_t *row, const char *column, json_t *added,
                         const char **out_member) {
    const char *colon = strchr(column, ':');
    char list[256];
    *out_member = colon ? colon + 1 : column;
    if (!colon) return row;
    snprintf(list, sizeof list, "%.*s", (int)(colon - column), column);
    json_t *object = json_object_get(added, list);
    if (object) return object;
    if (!(object = element(document, list))) return NULL;
    json_object_set(object, MEASURED_CASE, json_object_get(row, MEASURED_CASE));
    json_object_set(object, MEASURED_SIZE, json_object_get(row, MEASURED_SIZE));
    json_object_set(added, list, object);
    return object;
}

static bool take_cells(const reader *r, const cells *names, const cells *row, json_t *document,
                       json_t *object) {
    json_t *added = json_object();
    bool good = true;
    for (int i = FIRST_MEMBER; i < row->count && good; i++) {
        if (!*row->text[i] && !row->quoted[i]) continue;
        const char *member;
        json_t *of = object_of(document, object, names->text[i], added, &member);
        if (of) set_member(of, member, row->text[i], row->quoted[i]);
        else good = fail(r, "no such list", names->text[i]);
    }
    json_decref(added);
    return good;
}

static int heading_of(const reader *r, const char *list) {
    for (int i = 0; i < r->heading_count; i++)
        if (strcmp(r->headings[i].names.text[2], list) == 0) return i;
    return -1;
}

// "lab,document,LIST,member,..": names the members of the list's rows from here on.
static bool take_heading(reader *r, const char *line, const char *list) {
    int i = heading_of(r, list);
    if (i < 0 && r->heading_count == MOST_LISTS) return fail(r, "too many lists", "");
    if (i < 0) i = r->heading_count++;
    free(r->headings[i].text);
    r->headings[i].text = strdup(line);
    return r->headings[i].text && cut(r, r->headings[i].text, &r->headings[i].names);
}

static bool take_row(reader *r, const cells *row, const char *lab, json_t *out) {
    int heading = heading_of(r, row->text[2]);
    if (heading < 0) return fail(r, "no heading for a row of this list", row->text[2]);
    const cells *names = &r->headings[heading].names;
    if (row->count != names->count) return fail(r, "not as many cells as in its heading", "");
    char name[256];
    if (lab && strcmp(lab, row->text[0]) != 0) return true;
    snprintf(name, sizeof name, "%s/%s", row->text[0], row->text[1]);
    json_t *document = json_object_get(out, name);
    if (!document) json_object_set_new(out, name, document = json_object());
    json_t *object = strcmp(row->text[2], "-") == 0 ? document : element(document, row->text[2]);
    if (!object) return fail(r, "no such list", row->text[2]);
    return take_cells(r, names, row, document, object);
}

static bool take_line(reader *r, char *line, const char *lab, json_t *out) {
    static cells row; // large
    char *copy = strdup(line);
    bool good = copy && cut(r, line, &row);
    if (good && row.count < FIRST_MEMBER) good = fail(r, "no LAB,DOCUMENT,LIST", "");
    if (good && strcmp(row.text[0], "lab") == 0 && strcmp(row.text[1], "document") == 0)
        good = take_heading(r, copy, row.text[2]);
    else if (good) good = take_row(r, &row, lab, out);
    free(copy);
    return good;
}

// A row: a line, or, where a quoted cell has several, all of them. NULL at the end; to be freed.
static char *next_row(reader *r, FILE *file) {
    char *row = NULL, *line = NULL, *longer;
    size_t bytes = 0, used = 0;
    bool open = true;
    for (ssize_t got; open && (got = getline(&line, &bytes, file)) > 0; used += (size_t)got) {
        if (!(longer = realloc(row, used + (size_t)got + 1))) break;
        row = longer;
        memcpy(row + used, line, (size_t)got + 1);
        r->line++;
        open = false;
        for (const char *at = *row == '#' ? "" : row; *at; at++) open ^= *at == '"';
    }
    free(line);
    return row;
}

json_t *measured_documents(const char *path, const char *lab) {
    reader *r = calloc(1, sizeof *r); // too large for a stack
    FILE *file = fopen(path, "r");
    json_t *out = file && r ? json_object() : NULL;
    if (!file) fprintf(stderr, "%s: %s\n", path, strerror(errno));
    bool good = out;
    if (r) r->path = path;
    for (char *row; good && (row = next_row(r, file)); free(row))
        if (*row != '#' && *row != '\n') good = take_line(r, row, lab, out);
    for (int i = 0; r && i < r->heading_count; i++) free(r->headings[i].text);
    free(r);
    if (file) fclose(file);
    if (good) return out;
    json_decref(out);
    return NULL;
}

// NULL with *out_read when the file has no such document.
static json_t *find(const char *name, const char *colon, bool *out_read) {
    char path[4096], which[256], lab[256];
    snprintf(path, sizeof path, "%.*s", (int)(colon + 4 - name), name);
    snprintf(which, sizeof which, "%s%s", colon + 5, strchr(colon, '/') ? "" : "/run");
    snprintf(lab, sizeof lab, "%.*s", (int)strcspn(which, "/"), which);
    json_t *documents = measured_documents(path, lab);
    json_t *document = json_incref(json_object_get(documents, which));
    *out_read = documents;
    json_decref(documents);
    return document;
}

json_t *measured_document(const char *name) {
    const char *colon = strstr(name, ".csv:");
    bool read = false;
    json_error_t error;
    json_t *document = colon ? find(name, colon, &read) : json_load_file(name, 0, &error);
    if (!document && !colon) fprintf(stderr, "%s, line %d: %s\n", name, error.line, error.text);
    else if (!document && read)
        fprintf(stderr, "%s: there is no such document in this file\n", name);
    return document;
}

bool measured_has(const char *name) {
    const char *colon = strstr(name, ".csv:");
    bool read = false;
    json_t *document = colon ? find(name, colon, &read) : NULL;
    json_decref(document);
    return document;
}

void measured_place(const char *file, char *out_labs, char *out_lab, size_t bytes) {
    const char *slash = strrchr(file, '/'), *before = slash;
    while (before && before > file && before[-1] != '/') before--;
    bool named = before && before > file;
    snprintf(out_labs, bytes, "%.*s", named ? (int)(before - 1 - file) : 2, named ? file : "..");
    snprintf(out_lab, bytes, "%.*s", before ? (int)(slash - before) : 0, before ? before : "");
}
