// ladder-docs measured: takes the JSON that programs write into the tables of results,
// labs/measured (measured.h describes their form), and gives it back.
//   ladder-docs measured add LABS LAB/DOCUMENT FILE.json..   of a card into its CARD.csv, of the
//                                                            simulator into simulator.csv
//   ladder-docs measured show DOCUMENT                       FILE.csv:LAB/DOCUMENT as JSON
//   ladder-docs measured same DOCUMENT DOCUMENT              whether both say the same
//   ladder-docs measured check FILE.csv..                    whether each is as `add` writes it
// A document that is there already is replaced. Of a run's cases those are kept that were timed:
// the steps say which others were right ("checked").
#include <sys/stat.h>

#include "docs.h"
#include "device/device.h"
#include "atomic_file.h"
#include "measured.h"

enum { PATH_BYTES = 4096, NAME_BYTES = 256, TEXT = 4096 };

static const char notice[] =
    "# Results of the labs, one row per result (form: common/lab/measured.h). "
    "./ladder tables --add writes this file.\n";

// What is to be written: headings[LIST] are the members of its rows, in order.
typedef struct table {
    FILE *out;
    const char *lab, *document;
    json_t *headings; // LIST: {member: true}; of the documents before
    json_t *wanted;   // the same of this document alone
    json_t *joined;   // {LIST: list}: lists whose elements stand in rows of "cases"
    bool writes;      // false: only `wanted` is gathered
} table;

// ---- One row -----------------------------------------------------------------------------------

static bool is_list_of_objects(const json_t *value) {
    return json_is_array(value) && json_is_object(json_array_get(value, 0));
}

// Text that is read as such between blanks.
static bool is_word(const json_t *value) {
    const char *text = json_string_value(value);
    json_t *other = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
    json_decref(other);
    return text && *text && !other && !strpbrk(text, " ,;\"\n#[]{}");
}

static bool is_list_of_numbers(const json_t *value) {
    size_t i;
    json_t *one;
    json_array_foreach((json_t *)value, i, one) if (!json_is_number(one)) return false;
    return json_array_size(value) > 0;
}

// Whether all elements of the list have the same members and these are numbers, words, or lists of
// numbers: then it is part of its row, as one list for each member. Not what is said of cases,
// which has rows of its own.
static bool is_packed(const json_t *list) {
    const json_t *first = json_array_get(list, 0);
    if (json_object_get(first, MEASURED_CASE)) return false;
    size_t i;
    json_t *one, *value;
    const char *key;
    json_array_foreach((json_t *)list, i, one) {
        if (json_object_size(one) != json_object_size(first)) return false;
        json_object_foreach(one, key, value) {
            const json_t *of_first = json_object_get(first, key);
            if (!of_first || json_is_array(value) != json_is_array(of_first)) return false;
            if (!json_is_number(value) && !json_is_boolean(value) && !json_is_null(value) &&
                !is_word(value) && !is_list_of_numbers(value))
                return false;
        }
    }
    return true;
}

enum { FEW = 8 }; // elements of a list that is part of a row

// Whether the list is part of the row of the element that has it: few elements, without lists of
// objects of their own.
static bool is_leaf(const json_t *list) {
    size_t i;
    json_t *one, *value;
    const char *key;
    json_array_foreach((json_t *)list, i, one) {
        json_object_foreach(one, key, value) if (is_list_of_objects(value)) return false;
    }
    return json_array_size(list) <= FEW;
}

// As in JSON; the numbers with the digits that the kit's programs write.
static void put_scalar(FILE *out, const json_t *value) {
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(10));
    fputs(text ? text : "?", out);
    free(text);
}

static void put_text(FILE *out, const char *text) {
    json_t *word = json_loads(text, JSON_DECODE_ANY, NULL); // such as 12 or null
    bool quoted = word || !*text || strpbrk(text, ",\"\n") || text[0] == '#';
    json_decref(word);
    if (!quoted) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_list(FILE *out, const json_t *list, const char *between) {
    size_t i;
    json_t *value;
    json_array_foreach((json_t *)list, i, value) {
        if (i > 0) fputs(between, out);
        if (json_is_array(value)) put_list(out, value, " ");
        else if (is_word(value)) fputs(json_string_value(value), out);
        else put_scalar(out, value);
    }
}

static char *cell_of(const json_t *value) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return NULL;
    if (json_is_string(value)) put_text(out, json_string_value(value));
    else if (json_is_array(value) && json_array_size(value) > 0)
        put_list(out, value, json_is_array(json_array_get(value, 0)) ? ";" : " ");
    else put_scalar(out, value);
    fclose(out);
    return text;
}

static void set_cell(json_t *cells, const char *prefix, const char *key, const char *behind,
                     const json_t *value) {
    char name[NAME_BYTES], *text = cell_of(value);
    snprintf(name, sizeof name, "%s%s%s", prefix, key, behind);
    json_object_set_new(cells, name, json_string(text ? text : ""));
    free(text);
}

static void set_packed(json_t *cells, const char *prefix, const char *key, const json_t *list) {
    const char *member;
    json_t *value;
    json_object_foreach(json_array_get(list, 0), member, value) {
        json_t *values = json_array(), *one;
        char behind[NAME_BYTES];
        size_t i;
        json_array_foreach((json_t *)list, i, one) {
            json_array_append(values, json_object_get(one, member));
        }
        snprintf(behind, sizeof behind, "[]/%s%s", member, json_is_array(value) ? "[]" : "");
        set_cell(cells, prefix, key, behind, values);
        json_decref(values);
    }
}

// The cells of an object's row, by the names of their columns. is_inner: of an element of a list
// in a list, whose own short lists are part of its row.
static void flatten(json_t *cells, const char *prefix, const json_t *object, bool is_inner) {
    const char *key;
    json_t *value, *one;
    size_t i;
    json_object_foreach((json_t *)object, key, value) {
        char inner[NAME_BYTES];
        snprintf(inner, sizeof inner, "%s%s/", prefix, key);
        if (json_is_object(value) && json_object_size(value) > 0)
            flatten(cells, inner, value, is_inner);
        else if (is_list_of_objects(value) && is_packed(value))
            set_packed(cells, prefix, key, value);
        else if (is_list_of_objects(value) && is_inner && is_leaf(value))
            json_array_foreach(value, i, one) {
                snprintf(inner, sizeof inner, "%s%s/%zu/", prefix, key, i);
                flatten(cells, inner, one, true);
            }
        else if (!json_is_array(value)) set_cell(cells, prefix, key, "", value);
        else if (!is_list_of_objects(value))
            set_cell(cells, prefix, key, json_is_array(json_array_get(value, 0)) ? "[][]" : "[]",
                     value);
    }
}

// ---- What steps took in a case, as cells of its row --------------------------------------------

static const char JOINED_TO[] = "cases";

static bool is_of_case(const json_t *element, const json_t *one) {
    return json_is_object(element) &&
           json_equal(json_object_get(element, MEASURED_CASE),
                      json_object_get(one, MEASURED_CASE)) &&
           json_equal(json_object_get(element, MEASURED_SIZE), json_object_get(one, MEASURED_SIZE));
}

// Whether each element of the list is of a case, in the order of the cases, and says more of it.
static bool can_join(const json_t *list, const json_t *cases) {
    size_t i = 0, next = 0;
    json_t *element;
    json_array_foreach((json_t *)list, i, element) {
        while (next < json_array_size(cases) && !is_of_case(element, json_array_get(cases, next)))
            next++;
        if (next++ == json_array_size(cases) || json_object_size(element) < 3) return false;
        const char *key;
        json_t *value;
        json_object_foreach(element, key, value) {
            if (is_list_of_objects(value) && !is_packed(value)) return false;
        }
    }
    return json_array_size(list) > 0;
}

// Puts the lists below `object` that can be joined into `joined`, by their names.
static void find_joined(json_t *joined, const char *prefix, const json_t *object,
                        const json_t *cases) {
    const char *key;
    json_t *value, *one;
    size_t i;
    json_object_foreach((json_t *)object, key, value) {
        char name[NAME_BYTES], inner[2 * NAME_BYTES];
        snprintf(name, sizeof name, "%s%s", prefix, key);
        snprintf(inner, sizeof inner, "%s/", name);
        if (value == cases) continue;
        if (json_is_object(value)) find_joined(joined, inner, value, cases);
        if (!is_list_of_objects(value)) continue;
        if (can_join(value, cases)) json_object_set(joined, name, value);
        else json_array_foreach(value, i, one) {
                snprintf(inner, sizeof inner, "%s/%zu/", name, i);
                find_joined(joined, inner, one, cases);
            }
    }
}

static bool is_joined(const json_t *joined, const json_t *list) {
    const char *name;
    json_t *one;
    json_object_foreach((json_t *)joined, name, one) if (one == list) return true;
    return false;
}

// The cells of an element of a joined list.
static void flatten_joined(json_t *cells, const char *list, const json_t *element) {
    char prefix[NAME_BYTES];
    json_t *more = json_copy((json_t *)element);
    json_object_del(more, MEASURED_CASE);
    json_object_del(more, MEASURED_SIZE);
    snprintf(prefix, sizeof prefix, "%s:", list);
    flatten(cells, prefix, more, false);
    json_decref(more);
}

// ---- A document --------------------------------------------------------------------------------

static void put_row(table *t, const char *list, json_t *cells) {
    const char *name;
    json_t *value;
    if (!t->writes) {
        json_t *wanted = json_object_get(t->wanted, list);
        if (!wanted) json_object_set_new(t->wanted, list, wanted = json_object());
        json_object_foreach(cells, name, value) json_object_set_new(wanted, name, json_true());
        return;
    }
    fprintf(t->out, "%s,%s,", t->lab, t->document);
    put_text(t->out, list);
    json_object_foreach(json_object_get(t->headings, list), name, value) {
        const char *cell = json_string_value(json_object_get(cells, name));
        fprintf(t->out, ",%s", cell ? cell : "");
    }
    fputc('\n', t->out);
}

static void put_lists(table *t, const char *prefix, const json_t *object, bool is_inner);

static bool has_joined(const table *t, const char *list) {
    return json_object_size(t->joined) > 0 && strcmp(list, JOINED_TO) == 0;
}

static void put_object(table *t, const char *list, const json_t *object) {
    json_t *cells = json_object();
    char inner[NAME_BYTES];
    bool is_inner = strchr(list, '/');
    flatten(cells, "", object, is_inner);
    put_row(t, list, cells);
    json_decref(cells);
    snprintf(inner, sizeof inner, "%s/", list);
    put_lists(t, strcmp(list, "-") == 0 ? "" : inner, object, is_inner);
}

// The rows of lists in an object.
static void put_lists(table *t, const char *prefix, const json_t *object, bool is_inner) {
    const char *key;
    json_t *value, *one;
    size_t i;
    json_object_foreach((json_t *)object, key, value) {
        char inner[NAME_BYTES];
        snprintf(inner, sizeof inner, "%s%s%s", prefix, key, json_is_object(value) ? "/" : "");
        if (json_is_object(value)) put_lists(t, inner, value, is_inner);
        else if (is_list_of_objects(value) && !is_packed(value) && !is_joined(t->joined, value) &&
                 !has_joined(t, inner) && !(is_inner && is_leaf(value)))
            json_array_foreach(value, i, one) put_object(t, inner, one);
    }
}

// The rows of cases, with the elements of joined lists; behind all others, as these lists must be
// there when they are read.
static void put_cases(table *t, const json_t *cases) {
    const char *list;
    json_t *one, *elements, *element;
    size_t i, j;
    json_array_foreach((json_t *)cases, i, one) {
        json_t *row = json_object();
        flatten(row, "", one, false);
        json_object_foreach(t->joined, list, elements) {
            json_array_foreach(elements, j, element) {
                if (is_of_case(element, one)) flatten_joined(row, list, element);
            }
        }
        put_row(t, JOINED_TO, row);
        json_decref(row);
    }
}

// Names the columns that put_cases fills: those of a case, then those of each list.
static void want_cases(table *t, const json_t *cases) {
    const char *list;
    json_t *one, *elements, *row = json_object();
    size_t i;
    json_array_foreach((json_t *)cases, i, one) flatten(row, "", one, false);
    json_object_foreach(t->joined, list, elements) {
        json_array_foreach(elements, i, one) flatten_joined(row, list, one);
    }
    put_row(t, JOINED_TO, row);
    json_decref(row);
}

// A heading is written where the one before of the same list lacks a member, or has one of a step
// that this run has not.
static void put_headings(table *t) {
    const char *list, *name;
    json_t *wanted, *value;
    json_object_foreach(t->wanted, list, wanted) {
        json_t *current = json_object_get(t->headings, list);
        bool lacks = !current;
        json_object_foreach(wanted, name, value) lacks = lacks || !json_object_get(current, name);
        lacks =
            lacks || (has_joined(t, list) && json_object_size(current) != json_object_size(wanted));
        if (!lacks) continue;
        json_object_set(t->headings, list, wanted);
        fputs("lab,document,", t->out);
        put_text(t->out, list);
        json_object_foreach(wanted, name, value) {
            fputc(',', t->out);
            put_text(t->out, name);
        }
        fputc('\n', t->out);
    }
}

static void put_document(table *t, const char *name, const json_t *document) {
    char lab[NAME_BYTES];
    snprintf(lab, sizeof lab, "%.*s", (int)strcspn(name, "/"), name);
    t->lab = lab;
    t->document = name + strcspn(name, "/") + 1;
    const json_t *cases = json_object_get(document, JOINED_TO);
    t->wanted = json_object();
    t->joined = json_object();
    t->writes = false;
    find_joined(t->joined, "", document, cases);
    put_object(t, "-", document);
    if (has_joined(t, JOINED_TO)) want_cases(t, cases);
    put_headings(t);
    json_decref(t->wanted);
    t->writes = true;
    put_object(t, "-", document);
    if (has_joined(t, JOINED_TO)) put_cases(t, cases);
    json_decref(t->joined);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// documents: {"LAB/DOCUMENT": ..}, written by name. NULL without memory.
static char *text_of(const json_t *documents) {
    size_t count = json_object_size(documents), i = 0, bytes = 0;
    const char **names = calloc(count + 1, sizeof *names);
    char *text = NULL;
    table t = {.out = open_memstream(&text, &bytes), .headings = json_object()};
    json_t *value;
    const char *name;
    if (!names || !t.out) return NULL;
    json_object_foreach((json_t *)documents, name, value) names[i++] = name;
    qsort(names, count, sizeof *names, by_name);
    fputs(notice, t.out);
    for (i = 0; i < count; i++) put_document(&t, names[i], json_object_get(documents, names[i]));
    fclose(t.out);
    free(names);
    json_decref(t.headings);
    return text;
}

// ---- Commands ----------------------------------------------------------------------------------

static int fail(const char *name, const char *what) {
    fprintf(stderr, "ladder-docs measured: %s: %s\n", name, what);
    return 1;
}

static void drop_untimed(json_t *document) {
    json_t *cases = json_object_get(document, "cases");
    for (size_t i = json_array_size(cases); i-- > 0;)
        if (json_is_false(json_object_get(json_array_get(cases, i), "timed")))
            json_array_remove(cases, i);
}

// The file of results of the device that the document names; false when no row of devices.def has
// its name.
static bool file_of(const char *labs, const json_t *document, char out[PATH_BYTES]) {
    const json_t *device = json_object_get(document, "device");
    const json_t *kind = json_object_get(json_is_object(device) ? device : document, "kind");
    const char *id = "simulator", *what = json_string_value(kind);
    if (device && what && strcmp(what, "sim") != 0) {
        char names[TEXT], *rest = NULL;
        snprintf(names, sizeof names, "%s", sim_device_names());
        id = strtok_r(names, ", ", &rest);
        while (id && strcmp(sim_device_find(id)->name, measured_device(document)) != 0)
            id = strtok_r(NULL, ", ", &rest);
        snprintf(out, PATH_BYTES, "%s/measured/%s.csv", labs, id ? id : "");
        return id;
    }
    snprintf(out, PATH_BYTES, "%s/measured/%s.csv", labs, id);
    return true;
}

static json_t *read_table(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 ? measured_documents(path, NULL) : json_object();
}

static kl_status put_content(void *text, FILE *out, kl_error *err) {
    (void)err;
    return fputs(text, out) < 0 ? KL_ERROR_SYSTEM : KL_OK;
}

// Whether both say the same to the digits that rows have.
static bool is_same(const json_t *a, const json_t *b) {
    const size_t form = JSON_SORT_KEYS | JSON_REAL_PRECISION(10);
    char *first = json_dumps(a, form), *second = json_dumps(b, form);
    bool same = first && second && strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

static kl_status write_table(const char *path, const json_t *documents, kl_error *err) {
    char *text = text_of(documents);
    kl_status status = text ? kl_file_replace(path, put_content, text, err) : KL_ERROR_MEMORY;
    free(text);
    return status;
}

static int add(const char *labs, const char *name, const char *file) {
    char path[PATH_BYTES], full[NAME_BYTES];
    const char *slash = strchr(name, '/');
    if (strspn(name, "0123456789") != 2 || name[2] != '_' || (slash && strchr(slash + 1, '/')))
        return fail(name, "is not the folder of a lab, or LAB/DOCUMENT");
    json_t *document = measured_document(file);
    if (!document) return 1;
    snprintf(full, sizeof full, "%s%s", name, slash ? "" : "/run");
    if (!file_of(labs, document, path))
        return fail(measured_device(document), "no row of devices.def has this name");
    drop_untimed(document);
    json_t *documents = read_table(path);
    if (!documents) return 1;
    json_t *before = json_incref(json_object_get(documents, full));
    json_object_set(documents, full, document);
    kl_error err = {0};
    kl_status status = write_table(path, documents, &err);
    json_t *back = status == KL_OK ? measured_documents(path, NULL) : NULL;
    // Once more, as it is read: the order of rows is not that of the members in the file.
    if (back) status = write_table(path, back, &err);
    bool same = back && is_same(json_object_get(back, full), document);
    if (status == KL_OK && !same) { // the file stays as it was
        if (before) json_object_set(documents, full, before);
        else json_object_del(documents, full);
        status = write_table(path, documents, &err);
    }
    json_decref(before);
    json_decref(back);
    json_decref(documents);
    json_decref(document);
    if (status != KL_OK) return fail(path, err.text);
    return same ? 0 : fail(file, "has something that a row cannot hold");
}

static int show(const char *name) {
    json_t *document = measured_document(name);
    if (!document) return 1;
    int status = json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
    putchar('\n');
    json_decref(document);
    return status != 0;
}

static int compare(const char *first, const char *second) {
    json_t *a = measured_document(first), *b = measured_document(second);
    int failed = 1;
    if (a && b) failed = is_same(a, b) ? 0 : fail(first, "is another document than the one kept");
    json_decref(a);
    json_decref(b);
    return failed;
}

static int check(const char *path) {
    json_t *documents = measured_documents(path, NULL);
    char *wanted = documents ? text_of(documents) : NULL, *text = NULL;
    size_t bytes = 0;
    FILE *file = fopen(path, "r");
    bool same =
        wanted && file && getdelim(&text, &bytes, '\0', file) > 0 && strcmp(text, wanted) == 0;
    if (file) fclose(file);
    free(text);
    free(wanted);
    json_decref(documents);
    return same ? 0 : fail(path, "is not as ./ladder tables --add writes it");
}

int docs_measured(int argc, char **argv) {
    int failed = 0;
    if (argc > 4 && argc % 2 == 1 && strcmp(argv[1], "add") == 0) {
        for (int i = 3; i < argc && !failed; i += 2) failed = add(argv[2], argv[i], argv[i + 1]);
    } else if (argc == 3 && strcmp(argv[1], "show") == 0) {
        failed = show(argv[2]);
    } else if (argc == 4 && strcmp(argv[1], "same") == 0) {
        failed = compare(argv[2], argv[3]);
    } else if (argc > 2 && strcmp(argv[1], "check") == 0) {
        for (int i = 2; i < argc; i++) failed += check(argv[i]);
    } else {
        fputs("usage: ladder-docs measured add LABS LAB[/DOCUMENT] FILE.json.. | show DOCUMENT | "
              "same DOCUMENT DOCUMENT | check FILE.csv..\n",
              stderr);
        return 2;
    }
    return failed != 0;
}
