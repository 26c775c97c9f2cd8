// Linker of PTX texts (PTX ISA 9.0, sections 5.3 and 11.6, linking directives). Two passes over the
// tokens: the first lists what each file declares, the second copies the texts and changes only
// what must differ: headers, file numbers, private names, repeated definitions.
#include "ptx/ptx.h"

typedef enum linkage { LINK_PRIVATE, LINK_VISIBLE, LINK_WEAK, LINK_EXTERN } linkage;

// One declaration at module scope, or a label of .debug_str (without range).
typedef struct item {
    const char *name; // into the text; NULL: header
    uint32_t name_bytes;
    uint32_t source;
    linkage linkage;
    bool defines;
    bool renamed, cut;
    const char *from, *to; // its text
} item;

typedef struct linker {
    const ptx_source *sources;
    uint32_t count;
    item *items; // in the order of the texts
    uint32_t item_count, item_capacity;
    item **sorted; // by name, then source
    size_t sorted_count;
    uint32_t *first_file;        // by source: what to add to its file numbers
    uint32_t version[2], target; // the highest
    const char *target_text;     // "sm_90, debug"
    size_t target_bytes;
    kl_error *err;
} linker;

// The token under way of one source.
typedef struct reader {
    linker *linker;
    uint32_t source;
    ptx_lexer lexer;
    ptx_token token;
} reader;

static sim_status next(reader *r) { return ptx_lex_next(&r->lexer, &r->token); }

static bool is_directive(const reader *r, const char *name) {
    return r->token.kind == PTX_TOKEN_DIRECTIVE && r->token.bytes == strlen(name) &&
           memcmp(r->token.text, name, r->token.bytes) == 0;
}

static sim_status fail_at(const reader *r, const char *what) {
    const ptx_source *source = &r->linker->sources[r->source];
    return ptx_fail(source->text, source->bytes, r->token.place, SIM_BAD_PTX, r->linker->err,
                    "file %u of a linked program: %s", r->source + 1, what);
}

static sim_status no_memory(const linker *l) {
    return sim_fail(l->err, SIM_OUT_OF_MEMORY, "no memory to link PTX");
}

static item *add_item(linker *l) {
    if (!sim_reserve(&l->items, &l->item_capacity, l->item_count, sizeof *l->items)) return NULL;
    item *made = &l->items[l->item_count++];
    *made = (item){0};
    return made;
}

// ---- first pass: what each file declares --------------------------------------------------------

static void note_header(linker *l, const char *from, const char *to) {
    unsigned major, minor, target;
    char text[64];
    size_t bytes = (size_t)(to - from) < sizeof text - 1 ? (size_t)(to - from) : sizeof text - 1;
    memcpy(text, from, bytes);
    text[bytes] = '\0';
    if (sscanf(text, ".version %3u.%3u", &major, &minor) == 2) {
        if (major > l->version[0] || (major == l->version[0] && minor > l->version[1]))
            l->version[0] = major, l->version[1] = minor;
    } else if (sscanf(text, ".target sm_%5u", &target) == 1 && target > l->target) {
        l->target = target;
        l->target_text = from;
        l->target_bytes = (size_t)(to - from);
    }
}

// `.version 9.0`, `.target sm_90, debug`, `.address_size 64`
static sim_status scan_header(reader *r) {
    const char *from = r->token.text - 1, *to = from;
    do {
        TRY(next(r));
        if (r->token.kind == PTX_TOKEN_END) return fail_at(r, "its header is cut off");
        to = r->token.text + r->token.bytes;
        TRY(next(r));
    } while (r->token.kind == PTX_TOKEN_COMMA);
    item *made = add_item(r->linker);
    if (!made) return no_memory(r->linker);
    *made = (item){.source = r->source, .cut = true, .from = from, .to = to};
    note_header(r->linker, from, to);
    return SIM_OK;
}

// Skips to what follows `.file 1 "name", 2, 3`, `.alias a, b;`, `.pragma "x";` or `.loc 1 2 3`.
static sim_status skip_to_directive(reader *r) {
    do TRY(next(r));
    while (r->token.kind != PTX_TOKEN_DIRECTIVE && r->token.kind != PTX_TOKEN_END);
    return SIM_OK;
}

static sim_status scan_file(reader *r, uint32_t *highest) {
    TRY(next(r));
    if (r->token.kind == PTX_TOKEN_INT && r->token.value < 1 << 20 && r->token.value > *highest)
        *highest = (uint32_t)r->token.value;
    return r->token.kind == PTX_TOKEN_INT ? skip_to_directive(r) : fail_at(r, "no file number");
}

static sim_status scan_section(reader *r) {
    TRY(next(r));
    bool is_strings = is_directive(r, "debug_str");
    while (r->token.kind != PTX_TOKEN_OPEN_BRACE && r->token.kind != PTX_TOKEN_END) TRY(next(r));
    for (int depth = 1; depth;) {
        TRY(next(r));
        if (r->token.kind == PTX_TOKEN_END) return fail_at(r, "a section does not end");
        depth += r->token.kind == PTX_TOKEN_OPEN_BRACE;
        depth -= r->token.kind == PTX_TOKEN_CLOSE_BRACE;
        if (!is_strings || r->token.kind != PTX_TOKEN_WORD) continue;
        item *label = add_item(r->linker);
        if (!label) return no_memory(r->linker);
        *label = (item){.name = r->token.text, .name_bytes = r->token.bytes, .source = r->source};
        label->from = label->to = r->token.text;
    }
    return next(r);
}

// Opening brackets of any kind count 1, closing ones -1.
static int nesting(ptx_token_kind kind) {
    switch (kind) {
    case PTX_TOKEN_OPEN_BRACE:
    case PTX_TOKEN_OPEN_PAREN:
    case PTX_TOKEN_OPEN_BRACKET: return 1;
    case PTX_TOKEN_CLOSE_BRACE:
    case PTX_TOKEN_CLOSE_PAREN:
    case PTX_TOKEN_CLOSE_BRACKET: return -1;
    default: return 0;
    }
}

static sim_status read_linkage(reader *r, linkage *out_linkage) {
    *out_linkage = LINK_PRIVATE;
    for (;;) {
        if (is_directive(r, "visible")) *out_linkage = LINK_VISIBLE;
        else if (is_directive(r, "extern")) *out_linkage = LINK_EXTERN;
        else if (is_directive(r, "weak") || is_directive(r, "common")) *out_linkage = LINK_WEAK;
        else return SIM_OK;
        TRY(next(r));
    }
}

// A function, kernel or variable: from its linkage to its ';' or the '}' of its body.
static sim_status scan_named(reader *r) {
    item found = {.source = r->source, .from = r->token.text - 1};
    TRY(read_linkage(r, &found.linkage));
    bool is_function = is_directive(r, "func") || is_directive(r, "entry");
    for (int depth = 0;;) {
        TRY(next(r));
        if (r->token.kind == PTX_TOKEN_END) return fail_at(r, "a declaration does not end");
        depth += nesting(r->token.kind);
        if (depth < 0) return fail_at(r, "a bracket too many");
        if (depth > 0) continue;
        if (r->token.kind == PTX_TOKEN_WORD && !found.name) {
            found.name = r->token.text;
            found.name_bytes = r->token.bytes;
        }
        bool is_body = is_function && r->token.kind == PTX_TOKEN_CLOSE_BRACE;
        if (!is_body && r->token.kind != PTX_TOKEN_SEMICOLON) continue;
        found.defines = is_body || (!is_function && found.linkage != LINK_EXTERN);
        break;
    }
    found.to = r->token.text + 1;
    if (!found.name) return fail_at(r, "a declaration without a name");
    item *made = add_item(r->linker);
    if (!made) return no_memory(r->linker);
    *made = found;
    return next(r);
}

static reader begin(linker *l, uint32_t source) {
    reader r = {.linker = l, .source = source};
    size_t bytes = l->sources[source].bytes;
    const char *text = l->sources[source].text;
    while (bytes > 0 && text[bytes - 1] == '\0') bytes--; // fat binaries pad with NULs
    ptx_lex_begin(&r.lexer, text, bytes, l->err);
    return r;
}

static sim_status scan_source(linker *l, uint32_t source, uint32_t *highest_file) {
    reader r = begin(l, source);
    TRY(next(&r));
    while (r.token.kind != PTX_TOKEN_END)
        if (is_directive(&r, "version") || is_directive(&r, "target") ||
            is_directive(&r, "address_size"))
            TRY(scan_header(&r));
        else if (is_directive(&r, "file")) TRY(scan_file(&r, highest_file));
        else if (is_directive(&r, "section")) TRY(scan_section(&r));
        else if (is_directive(&r, "pragma") || is_directive(&r, "alias") || is_directive(&r, "loc"))
            TRY(skip_to_directive(&r));
        else if (r.token.kind == PTX_TOKEN_DIRECTIVE) TRY(scan_named(&r));
        else return fail_at(&r, "no declaration");
    return SIM_OK;
}

// ---- between the passes: what stays, and under which name ---------------------------------------

static int compare_names(const item *a, const item *b) {
    uint32_t shorter = a->name_bytes < b->name_bytes ? a->name_bytes : b->name_bytes;
    int order = memcmp(a->name, b->name, shorter);
    return order ? order : (a->name_bytes > b->name_bytes) - (a->name_bytes < b->name_bytes);
}

static int compare_items(const void *a, const void *b) {
    const item *left = *(item *const *)a, *right = *(item *const *)b;
    int order = compare_names(left, right);
    if (order) return order;
    if (left->source != right->source) return left->source < right->source ? -1 : 1;
    return (left->from > right->from) - (left->from < right->from);
}

static sim_status sort_items(linker *l) {
    l->sorted = malloc((l->item_count + 1) * sizeof *l->sorted);
    if (!l->sorted) return no_memory(l);
    for (size_t i = 0; i < l->item_count; i++)
        if (l->items[i].name) l->sorted[l->sorted_count++] = &l->items[i];
    qsort(l->sorted, l->sorted_count, sizeof *l->sorted, compare_items);
    return SIM_OK;
}

// All declarations of one name.
static sim_status resolve(linker *l, item **group, size_t count) {
    const item *kept = NULL;
    for (size_t i = 0; i < count; i++) {
        const item *at = group[i];
        if (!at->defines || at->linkage == LINK_PRIVATE) continue;
        if (kept && kept->linkage == LINK_VISIBLE && at->linkage == LINK_VISIBLE)
            return sim_fail(l->err, SIM_BAD_PTX,
                            "%.*s is defined by files %u and %u of a linked program",
                            (int)at->name_bytes, at->name, kept->source + 1, at->source + 1);
        if (!kept || at->linkage == LINK_VISIBLE) kept = at;
    }
    bool shared = group[0]->source != group[count - 1]->source;
    for (size_t i = 0; i < count; i++) {
        item *at = group[i];
        if (at->linkage == LINK_PRIVATE) at->renamed = shared;
        else at->cut = at->defines && at != kept;
    }
    return SIM_OK;
}

static sim_status resolve_all(linker *l) {
    TRY(sort_items(l));
    for (size_t first = 0, end; first < l->sorted_count; first = end) {
        for (end = first + 1; end < l->sorted_count; end++)
            if (compare_names(l->sorted[first], l->sorted[end]) != 0) break;
        TRY(resolve(l, l->sorted + first, end - first));
    }
    return SIM_OK;
}

// Whether `token` of `source` is a private name that another file has too.
static bool is_renamed(const linker *l, uint32_t source, const ptx_token *token) {
    item key = {.name = token->text, .name_bytes = token->bytes};
    size_t low = 0, high = l->sorted_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_names(l->sorted[middle], &key);
        if (order == 0 && l->sorted[middle]->source != source)
            order = l->sorted[middle]->source < source ? -1 : 1;
        if (order == 0) return l->sorted[middle]->renamed;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return false;
}

// ---- second pass: the linked text ---------------------------------------------------------------

// Copies [*copied, to) and goes on after `after`.
static void copy_until(FILE *out, const char **copied, const char *to, const char *after) {
    fwrite(*copied, 1, (size_t)(to - *copied), out);
    *copied = after;
}

// The token after .file, .loc or inlined_at: a file number.
static void write_file_number(FILE *out, const char **copied, const reader *r) {
    const ptx_token *token = &r->token;
    if (token->kind != PTX_TOKEN_INT) return;
    copy_until(out, copied, token->text, token->text + token->bytes);
    fprintf(out, "%llu", (unsigned long long)token->value + r->linker->first_file[r->source]);
}

static bool names_file(const ptx_token *token) {
    static const struct {
        ptx_token_kind kind;
        const char *text;
    } rows[] = {{PTX_TOKEN_DIRECTIVE, "file"},
                {PTX_TOKEN_DIRECTIVE, "loc"},
                {PTX_TOKEN_WORD, "inlined_at"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (token->kind == rows[i].kind && token->bytes == strlen(rows[i].text) &&
            memcmp(token->text, rows[i].text, token->bytes) == 0)
            return true;
    return false;
}

// `cut`: the source's first item; items follow in the order of the text.
static sim_status write_source(linker *l, uint32_t source, const item *cut, FILE *out) {
    reader r = begin(l, source);
    const item *end = l->items + l->item_count;
    const char *copied = l->sources[source].text;
    fprintf(out, "\n// ---- file %u of %u\n", source + 1, l->count);
    TRY(next(&r));
    while (r.token.kind != PTX_TOKEN_END) {
        const char *at = r.token.text;
        while (cut < end && cut->source == source && (!cut->cut || cut->to <= at)) cut++;
        bool inside = cut < end && cut->source == source && cut->from <= at;
        if (inside && copied < cut->to) copy_until(out, &copied, cut->from, cut->to);
        bool expect_file = !inside && names_file(&r.token);
        if (!inside && r.token.kind == PTX_TOKEN_WORD && is_renamed(l, source, &r.token)) {
            copy_until(out, &copied, at + r.token.bytes, at + r.token.bytes);
            fprintf(out, "$file%u", source + 1);
        }
        TRY(next(&r));
        if (expect_file) write_file_number(out, &copied, &r);
    }
    copy_until(out, &copied, r.lexer.end, r.lexer.end);
    return SIM_OK;
}

static sim_status write_all(linker *l, FILE *out) {
    fprintf(out, ".version %u.%u\n%.*s\n.address_size 64\n", l->version[0], l->version[1],
            (int)l->target_bytes, l->target_text);
    const item *first = l->items;
    for (uint32_t i = 0; i < l->count; i++) {
        while (first < l->items + l->item_count && first->source < i) first++;
        TRY(write_source(l, i, first, out));
    }
    return SIM_OK;
}

static sim_status link_all(linker *l, FILE *out) {
    uint32_t files = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t highest = 0;
        TRY(scan_source(l, i, &highest));
        l->first_file[i] = files;
        files += highest;
    }
    if (!l->target_text || !l->version[0])
        return sim_fail(l->err, SIM_BAD_PTX, "a file of a linked program has no header");
    TRY(resolve_all(l));
    return write_all(l, out);
}

sim_status ptx_link(const ptx_source *sources, uint32_t count, char **out_text, size_t *out_bytes,
                    kl_error *err) {
    linker l = {.sources = sources, .count = count, .err = err};
    *out_text = NULL;
    *out_bytes = 0;
    if (count == 0) return sim_fail(err, SIM_INVALID_VALUE, "nothing to link");
    l.first_file = calloc(count, sizeof *l.first_file);
    FILE *out = l.first_file ? open_memstream(out_text, out_bytes) : NULL;
    sim_status status = out ? link_all(&l, out) : no_memory(&l);
    if (out && fclose(out) != 0 && status == SIM_OK) status = no_memory(&l);
    free(l.first_file);
    free(l.items);
    free(l.sorted);
    if (status == SIM_OK) return SIM_OK;
    free(*out_text);
    *out_text = NULL;
    return status;
}
