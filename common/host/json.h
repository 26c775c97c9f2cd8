// JSON (RFC 8259): a small writer, and a reader that knows lines and columns.
#pragma once

#include "error.h"

// ---- json.c -------------------------------------------------------------------------------------
// Writer: commas, indentation, escaping. Numbers that JSON cannot hold (NaN, infinities) are
// written as null. Text that is not UTF-8 is replaced by U+FFFD.

enum { KL_JSON_DEPTH = 32, KL_JSON_WORD = 128 };

// A document that is being written; set by kl_json_begin.
typedef struct kl_json {
    FILE *out;                     // stays open, and the caller's
    int depth;                     // objects and arrays that are open, at most KL_JSON_DEPTH
    bool broken;                   // misuse or a write error; reported by kl_json_finish
    bool has_items[KL_JSON_DEPTH]; // per level: a comma is due before the next item
    bool is_object[KL_JSON_DEPTH]; // per level
    bool is_row[KL_JSON_DEPTH];    // per level: its items follow each other on one line
    bool line_due;                 // before the next item, of a row too
} kl_json;

// Begins a document; nothing is open.
void kl_json_begin(kl_json *json, FILE *out);
// Ends the text with a newline. KL_ERROR_SYSTEM when anything could not be written or did not nest.
kl_status kl_json_finish(kl_json *json, kl_error *err);

// `key` is NULL inside an array and at the top.
void kl_json_object(kl_json *json, const char *key);
void kl_json_array(kl_json *json, const char *key);
// An object (row) and an array (list) on one line, with all that is in it.
void kl_json_row(kl_json *json, const char *key);
void kl_json_list(kl_json *json, const char *key);
// The next item of a row begins a line; what it holds is laid out as if it stood in no row.
void kl_json_line(kl_json *json);
void kl_json_end(kl_json *json); // closes the innermost object or array
void kl_json_string(kl_json *json, const char *key, const char *value); // NULL gives null
void kl_json_int(kl_json *json, const char *key, int64_t value);
void kl_json_uint(kl_json *json, const char *key, uint64_t value);
void kl_json_number(kl_json *json, const char *key, double value);
void kl_json_bool(kl_json *json, const char *key, bool value);
void kl_json_null(kl_json *json, const char *key);

// Writes what a format says: members as KEY VALUE (%s is a key, too), items of arrays as VALUE,
// with blanks between them. A value is a conversion (%s, NULL gives null; %d, %u, with l or z; %g;
// %hhd, true or false), a text without blanks, or what brackets hold: { } an object, [ ] an array,
// ( ) and < > the same on one line (kl_json_row, kl_json_list). They may open in one call and close
// in another: "case {family %s sizes <%d %d>} steps [". Words: fewer than KL_JSON_WORD bytes.
void kl_json_put(kl_json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- json_read.c --------------------------------------------------------------------------------
// Reader, for files that people write: a document becomes a tree of values, each of which knows
// where it is in the text, so that every complaint about it has a line and a column. It refuses
// what RFC 8259 leaves open: a byte order mark, a name twice in an object, nesting deeper than
// KL_JSON_NESTED, more than KL_JSON_ITEMS values in an object or array, text that is not UTF-8,
// numbers beyond a double. It needs nothing but C.

enum {
    KL_JSON_NESTED = 32,        // objects and arrays inside each other
    KL_JSON_ITEMS = 4096,       // of one object or array
    KL_JSON_BYTES_MAX = 1 << 20 // of a document
};

// What a value is.
typedef enum kl_json_kind {
    KL_JSON_NULL,
    KL_JSON_BOOLEAN,
    KL_JSON_NUMBER,
    KL_JSON_TEXT,
    KL_JSON_ARRAY,
    KL_JSON_OBJECT
} kl_json_kind;

// One value of a document. Begin and end are byte offsets in the document's text.
typedef struct kl_json_value {
    kl_json_kind kind; // decides which of the members below mean something
    const char *key;   // its name, where it is a member of an object; else NULL
    const char *text;  // a text decoded to UTF-8, a number as it is written, "true"; else NULL
    double number;     // of a number, finite; 1 for true
    bool is_integer;   // a number without a point or exponent that an int64_t holds
    int64_t integer;   // that number
    size_t key_begin;  // of the name's quotation mark; without a name: as begin
    size_t begin, end; // of the value's text
    int count;         // of an object's or array's items
    struct kl_json_value *item; // the first of them, or NULL
    struct kl_json_value *next; // the item after this one, or NULL
} kl_json_value;

// A document that was read. Everything in it lives until kl_json_free.
typedef struct kl_json_document {
    const char *name;     // of the file, as errors say it; the caller's
    const char *source;   // [bytes] the caller's text
    size_t bytes;         // of source
    kl_json_value *root;  // of the document
    kl_json_value *items; // owned: all values
    char *texts;          // owned: all texts
} kl_json_document;

// Reads a document. text: [bytes], no terminator needed, stays the caller's and must live as long
// as the document. KL_ERROR_INPUT: "NAME:LINE:COLUMN: what is wrong"; then nothing is to be freed.
kl_status kl_json_read(const char *name, const char *text, size_t bytes,
                       kl_json_document *out_document, kl_error *err);
void kl_json_free(kl_json_document *document);

// The member of this name; NULL where the value is no object or has none.
const kl_json_value *kl_json_member(const kl_json_value *object, const char *key);

// Fills *err with "NAME:LINE:COLUMN: " and a message about the text at this offset. Lines and
// columns count from 1, columns in characters. Returns KL_ERROR_INPUT.
kl_status kl_json_fail(const kl_json_document *document, size_t at, kl_error *err,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

// "a number", "an object", .. for messages.
const char *kl_json_kind_name(kl_json_kind kind);
