// SPDX-License-Identifier: MIT
// The keys of a JSON document that nobody described: each with its type and the first value that
// occurs. All elements of an array are one; what is deeper than MOST_DEEP is left out, and keys
// that are themselves data (names of counters) are one, `NAME`. See shape.h.
#include <stdio.h>
#include <string.h>

#include "shape.h"

enum { MOST_DEEP = 6, MOST_TEXT = 40, PATH = 512, MOST_KEYS = 400 };

typedef struct shape {
    char paths[MOST_KEYS][PATH]; // that have a row already
    int count;
} shape;

static const char *type_name(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "object";
    case JSON_ARRAY: return "array";
    case JSON_STRING: return "text";
    case JSON_INTEGER: return "integer";
    case JSON_REAL: return "number";
    case JSON_TRUE:
    case JSON_FALSE: return "boolean";
    default: return "null";
    }
}

static void print_value(const json_t *value) {
    if (json_is_string(value)) {
        const char *text = json_string_value(value);
        putchar('`');
        for (int i = 0; text[i] != '\0' && i < MOST_TEXT; i++)
            putchar(strchr("|`\n", text[i]) ? ' ' : text[i]);
        printf("%s`", strlen(text) > MOST_TEXT ? ".." : "");
    } else if (json_is_integer(value)) {
        printf("%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        printf("%.4g", json_real_value(value));
    } else if (json_is_boolean(value)) {
        fputs(json_is_true(value) ? "true" : "false", stdout);
    }
}

// Whether the row is new.
static bool add_row(shape *known, const char *path, const json_t *value) {
    for (int i = 0; i < known->count; i++)
        if (strcmp(known->paths[i], path) == 0) return false;
    if (known->count == MOST_KEYS) return false;
    snprintf(known->paths[known->count++], PATH, "%s", path);
    printf("| `%s` | %s | ", path, type_name(value));
    print_value(value);
    puts(" |");
    return true;
}

// A key such as "sim__barriers.sum" is data, as are all keys beside it.
static bool keys_are_data(const json_t *object) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) if (strstr(key, "__") != NULL) return true;
    return false;
}

static void walk(shape *known, const char *path, const json_t *value, int depth) {
    char inner[PATH];
    if (depth > MOST_DEEP) return;
    if (json_is_object(value)) {
        bool data = keys_are_data(value);
        const char *key;
        json_t *member;
        json_object_foreach((json_t *)value, key, member) {
            snprintf(inner, sizeof inner, "%.400s%s%.100s", path, path[0] ? "." : "",
                     data ? "NAME" : key);
            add_row(known, inner, member);
            walk(known, inner, member, depth + 1);
        }
    } else if (json_is_array(value)) {
        size_t i;
        json_t *element;
        snprintf(inner, sizeof inner, "%.500s[]", path);
        json_array_foreach(value, i, element) {
            if (!json_is_object(element)) add_row(known, inner, element);
            walk(known, inner, element, depth + 1);
        }
    }
}

void shape_print_found(const json_t *document) {
    static shape known;
    puts("| key | type | for example |\n|---|---|---|");
    walk(&known, "", document, 0);
}
