// SPDX-License-Identifier: MIT
// ladder-shape: what a JSON document of the kit consists of. See shape.h.
//   ladder-shape --described TEXT [FILE.json..]  a table in Markdown: keys, meanings, values
//   ladder-shape --check TEXT FILE.json..        whether documents and TEXT say the same
#include <stdio.h>
#include <string.h>

#include "shape.h"

static json_t *load(const char *path) {
    json_error_t error;
    json_t *document = json_load_file(path, 0, &error);
    if (!document) fprintf(stderr, "ladder-shape: %s, line %d: %s\n", path, error.line, error.text);
    return document;
}

int main(int argc, char **argv) {
    static shape_table table;
    bool check = argc > 3 && strcmp(argv[1], "--check") == 0;
    bool described = argc > 2 && strcmp(argv[1], "--described") == 0;
    if (!check && !described) {
        fputs("usage: ladder-shape --described TEXT [FILE.json..] | --check TEXT FILE.json..\n",
              stderr);
        return 2;
    }
    if (!shape_read(argv[2], &table)) return 1;
    int faults = 0;
    for (int i = 3; i < argc; i++) {
        json_t *document = load(argv[i]);
        if (!document) return 1;
        faults += shape_compare(&table, argv[i], document);
        json_decref(document);
    }
    if (check) return faults + shape_unseen(&table, argv[2]) > 0;
    shape_print(&table);
    return faults > 0;
}
