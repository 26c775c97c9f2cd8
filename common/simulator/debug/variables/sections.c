// Reads debug sections from the text of a PTX: see internal.h. A text that nvlink's stand-in
// (ptx/link.c) made of several has several sections of one name, each file's behind its functions:
// they are joined, and what a file's section names is looked for in that file first.
#include "debug/variables/internal.h"
#include <elf.h>

enum { MAX_SYMBOLS = 1 << 20 };

// A number that stands for a symbol has the symbol's index plus one above these bits; lines and
// offsets are smaller.
enum { SYMBOL_SHIFT = 32 };

typedef struct word {
    const char *text;
    uint32_t bytes;
} word;

// Where a label of code or of a section stands, or where a file's part of a section begins.
typedef struct label {
    word name;
    uint32_t file; // of the files that were linked, from 0
    uint64_t value;
} label;

// Bytes that wait for the value of a name, or for the difference of two.
typedef struct reference {
    word name, minus; // minus.bytes 0: none
    bool is_section;
    uint32_t file, section, width;
    size_t offset;
    int64_t addend;
    ptx_place place;
} reference;

typedef struct reader {
    const char *ptx;
    size_t ptx_bytes;
    ptx_lexer lexer;
    ptx_token token;
    kl_error *err;
    var_sections *out;
    size_t capacity[VAR_MAX_SECTIONS];
    sim_arena *arena;
    uint32_t file;
    label *labels;
    uint32_t label_count, label_capacity;
    reference *references;
    uint32_t reference_count, reference_capacity;
    label *symbols; // sorted by name
    uint32_t symbol_count, symbol_capacity;
    var_unit *units;
    uint32_t unit_count, unit_capacity;
    uint32_t lowest_file; // number of a .file of the file under way; 0: none yet
} reader;

static sim_status fail(reader *r, ptx_place place, const char *what, word name) {
    return ptx_fail(r->ptx, r->ptx_bytes, place, SIM_BAD_PTX, r->err, "%s '%.*s'", what,
                    (int)(name.bytes < 80 ? name.bytes : 80), name.text);
}

static sim_status no_memory(reader *r) {
    return sim_fail(r->err, SIM_OUT_OF_MEMORY, "no memory for debug information");
}

static sim_status next(reader *r) { return ptx_lex_next(&r->lexer, &r->token); }

static word text_of(const ptx_token *token) { return (word){token->text, token->bytes}; }

static bool is(word name, const char *text) {
    return name.bytes == strlen(text) && memcmp(name.text, text, name.bytes) == 0;
}

static sim_status add_label(reader *r, word name, uint64_t value) {
    if (!sim_reserve(&r->labels, &r->label_capacity, r->label_count, sizeof *r->labels))
        return no_memory(r);
    r->labels[r->label_count++] = (label){name, r->file, value};
    return SIM_OK;
}

static sim_status put(reader *r, uint32_t section, uint64_t value, uint32_t width) {
    var_section *s = &r->out->sections[section];
    while (s->count + width > r->capacity[section]) {
        size_t wanted = r->capacity[section] ? 2 * r->capacity[section] : 4096;
        uint8_t *grown = realloc(s->bytes, wanted);
        if (!grown) return no_memory(r);
        s->bytes = grown;
        r->capacity[section] = wanted;
    }
    for (uint32_t i = 0; i < width; i++) s->bytes[s->count++] = (uint8_t)(value >> 8 * i);
    return SIM_OK;
}

// `name`, `name+8`, `name-other`, with a name of code, of data, or of a section.
static sim_status read_reference(reader *r, uint32_t section, uint32_t width) {
    if (!sim_reserve(&r->references, &r->reference_capacity, r->reference_count,
                     sizeof *r->references))
        return no_memory(r);
    reference *ref = &r->references[r->reference_count++];
    *ref = (reference){.name = text_of(&r->token),
                       .is_section = r->token.kind == PTX_TOKEN_DIRECTIVE,
                       .file = r->file,
                       .section = section,
                       .width = width,
                       .offset = r->out->sections[section].count,
                       .place = r->token.place};
    TRY(next(r));
    if (r->token.kind == PTX_TOKEN_PLUS || r->token.kind == PTX_TOKEN_MINUS) {
        bool minus = r->token.kind == PTX_TOKEN_MINUS;
        TRY(next(r));
        if (minus && r->token.kind == PTX_TOKEN_WORD) ref->minus = text_of(&r->token);
        else if (r->token.kind == PTX_TOKEN_INT)
            ref->addend = minus ? -(int64_t)r->token.value : (int64_t)r->token.value;
        else return fail(r, r->token.place, "expected an offset, found", text_of(&r->token));
        TRY(next(r));
    }
    return put(r, section, 0, width);
}

static uint32_t width_of(word name) {
    return is(name, "b8") ? 1 : is(name, "b16") ? 2 : is(name, "b32") ? 4 : is(name, "b64") ? 8 : 0;
}

// The numbers and names behind `.b8` and its like, separated by commas.
static sim_status read_values(reader *r, uint32_t section, uint32_t width) {
    for (;;) {
        bool minus = r->token.kind == PTX_TOKEN_MINUS;
        if (minus) TRY(next(r));
        bool is_name = r->token.kind == PTX_TOKEN_WORD ||
                       (r->token.kind == PTX_TOKEN_DIRECTIVE && !width_of(text_of(&r->token)));
        if (r->token.kind == PTX_TOKEN_INT) {
            TRY(put(r, section, minus ? 0 - r->token.value : r->token.value, width));
            TRY(next(r));
        } else if (is_name && !minus) {
            TRY(read_reference(r, section, width));
        } else {
            return fail(r, r->token.place, "expected a number or a name, found",
                        text_of(&r->token));
        }
        if (r->token.kind != PTX_TOKEN_COMMA) return SIM_OK;
        TRY(next(r));
    }
}

static sim_status find_section(reader *r, word name, uint32_t *out_index) {
    var_sections *out = r->out;
    for (uint32_t i = 0; i < out->section_count; i++) {
        if (!is(name, out->sections[i].name)) continue;
        *out_index = i;
        return SIM_OK;
    }
    if (out->section_count == VAR_MAX_SECTIONS)
        return fail(r, r->token.place, "too many sections before", name);
    char *copy = sim_arena_text(r->arena, name.text, name.bytes);
    if (!copy) return no_memory(r);
    *out_index = out->section_count++;
    out->sections[*out_index] = (var_section){.name = copy};
    return SIM_OK;
}

static sim_status add_unit(reader *r, size_t offset) {
    if (!sim_reserve(&r->units, &r->unit_capacity, r->unit_count, sizeof *r->units))
        return no_memory(r);
    r->units[r->unit_count++] = (var_unit){offset, r->lowest_file ? r->lowest_file - 1 : 0};
    return SIM_OK;
}

// `.section .name { ... }`, from the name on.
static sim_status read_section(reader *r) {
    uint32_t section, width = 0;
    TRY(next(r));
    word name = text_of(&r->token);
    if (r->token.kind != PTX_TOKEN_DIRECTIVE && r->token.kind != PTX_TOKEN_WORD)
        return fail(r, r->token.place, "expected the name of a section, found", name);
    TRY(find_section(r, name, &section));
    TRY(add_label(r, name, r->out->sections[section].count));
    if (is(name, "debug_info")) TRY(add_unit(r, r->out->sections[section].count));
    while (r->token.kind != PTX_TOKEN_OPEN_BRACE) {
        if (r->token.kind == PTX_TOKEN_END)
            return fail(r, r->token.place, "nothing follows section", name);
        TRY(next(r));
    }
    TRY(next(r));
    while (r->token.kind != PTX_TOKEN_CLOSE_BRACE) {
        word at = text_of(&r->token);
        if (r->token.kind == PTX_TOKEN_DIRECTIVE && (width = width_of(at)) != 0) {
            TRY(next(r));
            TRY(read_values(r, section, width));
            continue;
        }
        if (r->token.kind != PTX_TOKEN_WORD)
            return fail(r, r->token.place, "expected data or a label, found", at);
        TRY(add_label(r, at, r->out->sections[section].count));
        TRY(next(r));
        if (r->token.kind == PTX_TOKEN_COLON) TRY(next(r));
    }
    return next(r);
}

static void begin_file(reader *r) {
    r->file++;
    r->lowest_file = 0;
}

// `.file 3 "name"`: the number.
static void note_file(reader *r) {
    uint32_t number = r->token.value < UINT32_MAX ? (uint32_t)r->token.value : UINT32_MAX;
    if (!r->lowest_file || number < r->lowest_file) r->lowest_file = number;
}

// All tokens: sections, and the labels of code before them.
static sim_status read_text(reader *r) {
    word last = {"", 0};
    bool after_section = false, last_file = false;
    uint32_t last_line = 0;
    TRY(next(r));
    while (r->token.kind != PTX_TOKEN_END) {
        if (r->token.kind == PTX_TOKEN_DIRECTIVE && is(text_of(&r->token), "section")) {
            TRY(read_section(r));
            after_section = true;
            continue;
        }
        if (after_section) begin_file(r); // code again
        after_section = false;
        if (last_file && r->token.kind == PTX_TOKEN_INT) note_file(r);
        last_file = r->token.kind == PTX_TOKEN_DIRECTIVE && is(text_of(&r->token), "file");
        if (r->token.kind == PTX_TOKEN_COLON && last.bytes) TRY(add_label(r, last, last_line));
        last = r->token.kind == PTX_TOKEN_WORD ? text_of(&r->token) : (word){"", 0};
        last_line = r->token.place.line;
        TRY(next(r));
    }
    return SIM_OK;
}

// ---- names become numbers ----

static int compare_words(word a, word b) {
    int order = memcmp(a.text, b.text, a.bytes < b.bytes ? a.bytes : b.bytes);
    return order ? order : (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

static int compare_labels(const void *a, const void *b) {
    const label *left = a, *right = b;
    int order = compare_words(left->name, right->name);
    return order ? order : (left->file > right->file) - (left->file < right->file);
}

// The label of this name in this file, else in any.
static const label *find_label(const label *labels, size_t count, word name, uint32_t file) {
    size_t low = 0, high = count;
    const label wanted = {.name = name, .file = file};
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_labels(&labels[middle], &wanted) < 0) low = middle + 1;
        else high = middle;
    }
    if (low < count && compare_words(labels[low].name, name) == 0) return &labels[low];
    if (low > 0 && compare_words(labels[low - 1].name, name) == 0) return &labels[low - 1];
    return NULL;
}

// All names without a label: those of variables and parameters, each once, by name.
static sim_status collect_symbols(reader *r) {
    for (size_t i = 0; i < r->reference_count; i++) {
        const reference *ref = &r->references[i];
        if (ref->is_section || find_label(r->labels, r->label_count, ref->name, ref->file))
            continue;
        if (!sim_reserve(&r->symbols, &r->symbol_capacity, r->symbol_count, sizeof *r->symbols))
            return no_memory(r);
        r->symbols[r->symbol_count++] = (label){.name = ref->name};
    }
    if (!r->symbol_count) return SIM_OK;
    qsort(r->symbols, r->symbol_count, sizeof *r->symbols, compare_labels);
    size_t kept = 1;
    for (size_t i = 1; i < r->symbol_count; i++)
        if (compare_words(r->symbols[kept - 1].name, r->symbols[i].name) != 0)
            r->symbols[kept++] = r->symbols[i];
    r->symbol_count = kept;
    return kept < MAX_SYMBOLS ? SIM_OK : no_memory(r);
}

static sim_status value_of(reader *r, const reference *ref, uint64_t *out_value) {
    const label *found = find_label(r->labels, r->label_count, ref->name, ref->file);
    // ptxas makes .debug_line itself: nothing in the text has it
    if (!found && ref->is_section) {
        *out_value = 0;
        return SIM_OK;
    }
    if (found) {
        *out_value = found->value;
    } else if (ref->width < 8) {
        return fail(r, ref->place, "there is no label", ref->name);
    } else {
        const label *symbol = find_label(r->symbols, r->symbol_count, ref->name, 0);
        *out_value = (uint64_t)(symbol - r->symbols + 1) << SYMBOL_SHIFT;
    }
    *out_value += (uint64_t)ref->addend;
    if (!ref->minus.bytes) return SIM_OK;
    const label *minus = find_label(r->labels, r->label_count, ref->minus, ref->file);
    if (!minus || !found) return fail(r, ref->place, "there is no label", ref->minus);
    *out_value -= minus->value;
    return SIM_OK;
}

static sim_status resolve(reader *r) {
    if (r->label_count) qsort(r->labels, r->label_count, sizeof *r->labels, compare_labels);
    TRY(collect_symbols(r));
    for (size_t i = 0; i < r->reference_count; i++) {
        const reference *ref = &r->references[i];
        uint64_t value;
        TRY(value_of(r, ref, &value));
        uint8_t *to = r->out->sections[ref->section].bytes + ref->offset;
        for (uint32_t k = 0; k < ref->width; k++) to[k] = (uint8_t)(value >> 8 * k);
    }
    const char **names = sim_arena_array(r->arena, r->symbol_count + 1, sizeof *names);
    if (!names) return no_memory(r);
    for (size_t i = 0; i < r->symbol_count; i++) {
        names[i] = sim_arena_text(r->arena, r->symbols[i].name.text, r->symbols[i].name.bytes);
        if (!names[i]) return no_memory(r);
    }
    r->out->symbols = names;
    r->out->symbol_count = (uint32_t)r->symbol_count;
    r->out->units = sim_arena_copy(r->arena, r->units, r->unit_count * sizeof *r->units);
    r->out->unit_count = (uint32_t)r->unit_count;
    return r->out->units ? SIM_OK : no_memory(r);
}

// Moves the bytes into the arena, so that all has one end.
static sim_status keep_bytes(reader *r) {
    for (uint32_t i = 0; i < r->out->section_count; i++) {
        var_section *s = &r->out->sections[i];
        uint8_t *copy = sim_arena_copy(r->arena, s->bytes ? s->bytes : (uint8_t *)"", s->count);
        if (!copy) return no_memory(r);
        free(s->bytes);
        s->bytes = copy;
        r->capacity[i] = 0; // not ours any more
    }
    return SIM_OK;
}

sim_status var_sections_read(const char *ptx, size_t bytes, sim_arena *arena,
                             var_sections *out_sections, kl_error *err) {
    *out_sections = (var_sections){0};
    reader r = {.ptx = ptx, .ptx_bytes = bytes, .err = err, .out = out_sections, .arena = arena};
    ptx_lex_begin(&r.lexer, ptx, bytes, err);
    sim_status status = read_text(&r);
    if (status == SIM_OK) status = resolve(&r);
    if (status == SIM_OK) status = keep_bytes(&r);
    if (status != SIM_OK) {
        for (uint32_t i = 0; i < out_sections->section_count; i++)
            if (r.capacity[i]) free(out_sections->sections[i].bytes);
        *out_sections = (var_sections){0};
    }
    free(r.labels);
    free(r.references);
    free(r.symbols);
    free(r.units);
    return status;
}

const var_section *var_section_find(const var_sections *sections, const char *name) {
    for (uint32_t i = 0; i < sections->section_count; i++)
        if (strcmp(sections->sections[i].name, name) == 0) return &sections->sections[i];
    return NULL;
}

const char *var_symbol_of(const var_sections *sections, uint64_t address, int64_t *out_offset) {
    // An offset below the symbol borrows from its number.
    uint64_t index = (address + ((uint64_t)1 << (SYMBOL_SHIFT - 1))) >> SYMBOL_SHIFT;
    if (index == 0 || index > sections->symbol_count) return NULL;
    *out_offset = (int64_t)(address - (index << SYMBOL_SHIFT));
    return sections->symbols[index - 1];
}

// ---- elf image ----------------------------------------------------------------------------------
// Debug sections as an ELF file in memory, for a library that reads DWARF from files: a header, the
// sections one after the other, their names, the section headers (ELF-64 Object File Format 1.5).

enum { ALIGN = 8, NAME_BYTES = 64 };

static size_t aligned(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

static void put_header(uint8_t *image, size_t table, uint16_t count) {
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC, // nothing is left to relocate
        .e_machine = EM_CUDA,
        .e_version = EV_CURRENT,
        .e_shoff = table,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = count,
        .e_shstrndx = (uint16_t)(count - 1)};
    memcpy(image, &header, sizeof header);
}

// Section 0 is none; the last has the names.
void *var_elf_image(const var_sections *sections, sim_arena *arena, size_t *out_bytes) {
    Elf64_Shdr headers[VAR_MAX_SECTIONS + 2] = {{0}};
    char names[(VAR_MAX_SECTIONS + 2) * NAME_BYTES] = "";
    uint32_t count = sections->section_count, used = 1;
    size_t at = sizeof(Elf64_Ehdr);
    for (uint32_t i = 0; i <= count; i++) {
        bool is_names = i == count;
        const char *name = is_names ? "shstrtab" : sections->sections[i].name;
        size_t name_bytes = strnlen(name, NAME_BYTES - 3);
        headers[i + 1] = (Elf64_Shdr){.sh_name = used,
                                      .sh_type = is_names ? SHT_STRTAB : SHT_PROGBITS,
                                      .sh_offset = at,
                                      .sh_addralign = 1};
        names[used++] = '.';
        memcpy(names + used, name, name_bytes);
        used += (uint32_t)name_bytes + 1;
        headers[i + 1].sh_size = is_names ? used : sections->sections[i].count;
        at = aligned(at + headers[i + 1].sh_size);
    }
    *out_bytes = at + (count + 2) * sizeof headers[0];
    uint8_t *image = sim_arena_alloc(arena, *out_bytes);
    if (!image) return NULL;
    put_header(image, at, (uint16_t)(count + 2));
    for (uint32_t i = 0; i < count; i++)
        memcpy(image + headers[i + 1].sh_offset, sections->sections[i].bytes,
               sections->sections[i].count);
    memcpy(image + headers[count + 1].sh_offset, names, used);
    memcpy(image + at, headers, (count + 2) * sizeof headers[0]);
    return image;
}
