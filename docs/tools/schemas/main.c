// ladder-docs schema: what a JSON document of the kit consists of. See shape.h.
//   ladder-docs schema --described TEXT [DOCUMENT..]  a table in Markdown: keys, meanings, values
//   ladder-docs schema --check TEXT DOCUMENT..        whether documents and TEXT say the same
// TEXT: FILE, or FILE:SCHEMA for a section of docs/schemas.txt. DOCUMENT: FILE.json, or FILE.csv of
// labs/measured, of which all of the schema are meant.
#include "docs.h"
#include "measured.h"
#include "shape.h"

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
