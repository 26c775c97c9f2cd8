// Results to export, of lab 02, made by hand, and a reader of XML for what is written.
#pragma once

#include "course/export/export.h"

typedef enum sample_kind {
    SAMPLE_SOLUTION,  // all points
    SAMPLE_MIXED,     // some steps wrong, shares of points, one criterion not counted
    SAMPLE_EMPTY,     // nothing handed in
    SAMPLE_HOSTILE,   // every text as long and as hostile as it can be
    SAMPLE_UNGRADABLE // the machine failed in one step
} sample_kind;

// Caller frees.
ladder_result *sample_result(sample_kind kind);
ladder_report sample_report(const ladder_result *result);
// What the format writes; caller frees. The status is checked.
char *sample_export(ladder_export_format format, const ladder_result *result);

// ---- a reader of XML ----
// A strict reader of the XML that the kit writes (XML 1.0, fifth edition: characters, tags,
// attributes, the five entities and numeric references). It knows no DTD, comment, CDATA section or
// processing instruction.

typedef struct xml_attribute {
    char name[32], value[2048]; // of the value the beginning
} xml_attribute;

typedef struct xml_element {
    char name[32];
    int depth, attribute_count;
    xml_attribute attributes[12];
} xml_element;

// Calls `seen` with each element as it opens. Returns NULL, or what is not well-formed.
const char *xml_read(const char *text, void (*seen)(void *context, const xml_element *element),
                     void *context);
// NULL when the element has no such attribute.
const char *xml_value(const xml_element *element, const char *name);
