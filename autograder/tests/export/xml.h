// A strict reader of the XML that the kit writes (XML 1.0, fifth edition: characters, tags,
// attributes, the five entities and numeric references). It knows no DTD, comment, CDATA section or
// processing instruction.
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
