// What the kit's JSON documents consist of, for the site's page of schemas and for its test.
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
#pragma once

#include <jansson.h>
#include <stdbool.h>

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

// Complains on standard error about a line that is none: a key without a meaning is refused.
// described: a file, or "FILE:SCHEMA" for the section "## SCHEMA | .." of a file.
bool shape_read(const char *described, shape_table *out_table);

// The SCHEMA of "FILE:SCHEMA"; NULL of a file.
const char *shape_schema(const char *described);

// Prints what differs: keys that are not described, that are missing, of another type. Returns how
// much that is. name: of the document, for the messages.
int shape_compare(shape_table *table, const char *name, const json_t *document);

// Prints the keys that no document had, those with '?' and what is below them left out. Returns how
// many.
int shape_unseen(const shape_table *table, const char *name);

// The table in Markdown.
void shape_print(const shape_table *table);
