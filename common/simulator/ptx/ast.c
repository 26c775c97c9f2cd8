// Helpers of the syntax tree: the table of types, source positions in error messages, small
// look-ups. Must not know the grammar.
#include "ptx/internal.h"

static const struct {
    const char *text;
    uint32_t bytes;
} type_table[PTX_TYPE_COUNT] = {
    {"?", 0},
#define PTX_TYPE(id, text, bytes, kind) {text, bytes},
#include "ptx/types.def"
#undef PTX_TYPE
};

uint32_t ptx_type_bytes(ptx_type type) {
    return (unsigned)type < PTX_TYPE_COUNT ? type_table[type].bytes : 0;
}

const char *ptx_type_name(ptx_type type) {
    return (unsigned)type < PTX_TYPE_COUNT ? type_table[type].text : "?";
}

ptx_type ptx_type_find(const char *word) {
    for (int type = 1; type < PTX_TYPE_COUNT; type++)
        if (strcmp(type_table[type].text, word) == 0) return (ptx_type)type;
    return PTX_TYPE_NONE;
}

void ptx_module_free(ptx_module *module) {
    if (module) sim_arena_free(module->arena); // the module itself lives in its arena
}

const char *ptx_file_name(const ptx_module *module, uint32_t index) {
    // Files are mostly numbered 1, 2, ... in their order.
    if (index >= 1 && index <= module->file_count && module->files[index - 1].index == index)
        return module->files[index - 1].name;
    for (uint32_t i = 0; i < module->file_count; i++)
        if (module->files[i].index == index) return module->files[i].name;
    return NULL;
}

const char *ptx_location_function(const ptx_module *module, const ptx_location *location) {
    const ptx_debug_strings *strings = module->debug_strings;
    if (!strings || !location->function_label) return NULL;
    uint32_t low = 0, high = strings->label_count; // labels are sorted by address, being interned
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)strings->labels[middle].name < (uintptr_t)location->function_label)
            low = middle + 1;
        else high = middle;
    }
    if (low == strings->label_count || strings->labels[low].name != location->function_label)
        return NULL;
    uint64_t offset = (uint64_t)strings->labels[low].offset + location->function_offset;
    if (offset >= strings->byte_count) return NULL;
    return (const char *)strings->bytes + offset;
}

// Appends the source line of `place` and a caret under its column; of a long line, a window around
// the column.
static void append_source(const char *text, size_t bytes, ptx_place place, kl_error *err) {
    enum { WINDOW = 160, BEFORE = 100 };
    const char *at = text, *end = text + bytes;
    for (uint32_t line = 1; line < place.line; line++) {
        const char *line_end = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        if (!line_end) return;
        at = line_end + 1;
    }
    const char *line_end = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    if (!line_end) line_end = end;
    if (line_end > at && line_end[-1] == '\r') line_end--;

    size_t column = place.column ? place.column - 1 : 0;
    if (column > (size_t)(line_end - at)) column = (size_t)(line_end - at);
    size_t first = column > WINDOW - 1 ? column - BEFORE : 0;
    size_t count = (size_t)(line_end - at) - first;
    if (count > WINDOW) count = WINDOW;

    char shown[WINDOW + 1], caret[WINDOW + 2];
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)at[first + i];
        shown[i] = c == '\t' || (c >= 0x20 && c < 0x7f) ? (char)c : '?';
    }
    shown[count] = '\0';
    size_t caret_at = column - first;
    for (size_t i = 0; i < caret_at; i++) caret[i] = shown[i] == '\t' ? '\t' : ' ';
    caret[caret_at] = '^';
    caret[caret_at + 1] = '\0';
    kl_error_append(err, "\n%s\n%s", shown, caret);
}

sim_status ptx_fail(const char *text, size_t bytes, ptx_place place, sim_status status,
                    kl_error *err, const char *format, ...) {
    if (!err) return status;
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    sim_fail(err, status, "line %u, column %u: %s", place.line, place.column, message);
    append_source(text, bytes, place, err);
    return status;
}
