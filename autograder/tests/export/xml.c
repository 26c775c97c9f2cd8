// A strict reader of XML: see sample.h.
#include "sample.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 16 };

// One character of UTF-8 that XML allows; returns its bytes, 0 for one that it does not.
static size_t character(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80 ? 1 : s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : s[0] >= 0xC2 ? 2 : 0;
    uint32_t point = length == 1 ? s[0] : length == 0 ? 0 : s[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        point = point << 6 | (s[i] & 0x3Fu);
    }
    bool allowed = point == '\t' || point == '\n' || point == '\r' ||
                   (point >= 0x20 && point <= 0xD7FF) || (point >= 0xE000 && point <= 0xFFFD) ||
                   (point >= 0x10000 && point <= 0x10FFFF);
    return allowed ? length : 0;
}

static size_t reference(const char *text) {
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(text, known[i], strlen(known[i])) == 0) return strlen(known[i]);
    return 0;
}

// Character data up to `end`; NULL: something in it is not allowed.
static const char *data(const char *at, char end, char *out, size_t out_bytes) {
    size_t used = 0;
    while (*at != end) {
        if (*at == '\0' || *at == '<' || strncmp(at, "]]>", 3) == 0) return NULL;
        size_t length = *at == '&' ? reference(at) : character(at);
        if (length == 0) return NULL;
        for (size_t i = 0; i < length && used + 1 < out_bytes; i++) out[used++] = at[i];
        at += length;
    }
    out[used] = '\0';
    return at;
}

static const char *name(const char *at, char *out, size_t out_bytes) {
    size_t used = 0;
    if (!isalpha((unsigned char)*at)) return NULL;
    while ((isalnum((unsigned char)*at) || *at == '_' || *at == '-') && used + 1 < out_bytes)
        out[used++] = *at++;
    out[used] = '\0';
    return at;
}

static const char *attributes(const char *at, xml_element *element) {
    while (*at == ' ') {
        if (element->attribute_count == 12) return NULL;
        xml_attribute *a = &element->attributes[element->attribute_count++];
        at = name(at + 1, a->name, sizeof a->name);
        if (!at || at[0] != '=' || at[1] != '"') return NULL;
        at = data(at + 2, '"', a->value, sizeof a->value);
        if (!at) return NULL;
        at++;
        for (int i = 0; i + 1 < element->attribute_count; i++)
            if (strcmp(element->attributes[i].name, a->name) == 0) return NULL;
    }
    return at;
}

const char *xml_read(const char *text, void (*seen)(void *context, const xml_element *element),
                     void *context) {
    static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    char open[DEPTH][32], ignored[8];
    int depth = 0, roots = 0;
    if (strncmp(text, head, strlen(head)) != 0) return "no XML declaration";
    for (const char *at = text + strlen(head); *at != '\0';) {
        if (*at != '<') {
            const char *next = depth > 0 ? data(at, '<', ignored, sizeof ignored) : NULL;
            if (depth == 0 && *at == '\n') next = at + 1;
            if (!next) return "bad character data";
            at = next;
        } else if (at[1] == '/') {
            char closed[32];
            at = name(at + 2, closed, sizeof closed);
            if (!at || *at != '>' || depth == 0 || strcmp(closed, open[--depth]) != 0)
                return "an end tag that fits no element";
            at++;
        } else {
            static xml_element element;
            memset(&element, 0, sizeof element);
            element.depth = depth;
            at = name(at + 1, element.name, sizeof element.name);
            at = at ? attributes(at, &element) : NULL;
            if (!at || depth == DEPTH) return "a bad tag";
            roots += depth == 0;
            seen(context, &element);
            if (strncmp(at, "/>", 2) == 0) {
                at += 2;
            } else if (*at == '>') {
                snprintf(open[depth++], sizeof open[0], "%s", element.name);
                at++;
            } else {
                return "a tag that does not end";
            }
        }
    }
    return depth != 0 ? "an element that does not end" : roots != 1 ? "not one root" : NULL;
}

const char *xml_value(const xml_element *element, const char *name_wanted) {
    for (int i = 0; i < element->attribute_count; i++)
        if (strcmp(element->attributes[i].name, name_wanted) == 0)
            return element->attributes[i].value;
    return NULL;
}
