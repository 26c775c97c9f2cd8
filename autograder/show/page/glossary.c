// The glossary: see internal.h. A term is a heading "### Name" and what follows up to the next
// heading.
#include "show/page/internal.h"

void ladder_glossary_read(ladder_glossary *out_glossary) {
    static const char mark[] = "\n### ";
    ladder_glossary *g = out_glossary;
    g->count = 0;
    for (const char *at = strstr(ladder_page_glossary, mark); at && g->count < LADDER_GLOSSARY_MAX;
         at = strstr(at, mark)) {
        struct ladder_term *t = &g->terms[g->count++];
        t->used = false;
        t->name = at + sizeof mark - 1;
        t->name_bytes = (int)strcspn(t->name, "\n");
        t->text = t->name + t->name_bytes;
        const char *end = strstr(t->text, "\n#");
        t->text_bytes = (int)(end ? (size_t)(end - t->text) : strlen(t->text));
        at = t->text;
    }
}

int ladder_glossary_find(const ladder_glossary *glossary, const char *heading) {
    for (int i = 0; i < glossary->count; i++)
        if ((size_t)glossary->terms[i].name_bytes == strlen(heading) &&
            strncmp(glossary->terms[i].name, heading, strlen(heading)) == 0)
            return i;
    return -1;
}

void ladder_glossary_put(const ladder_glossary *glossary, int term, FILE *out) {
    const struct ladder_term *t = &glossary->terms[term];
    bool code = false;
    for (const char *c = t->text, *end = t->text + t->text_bytes; c < end; c++) {
        char one[2] = {*c == '\n' ? ' ' : *c, '\0'};
        if (*c == '`') {
            code = !code;
            fputs(code ? "<code>" : "</code>", out);
        } else if (!code && *c == '[') {
            continue; // of a link only its text
        } else if (!code && c[0] == ']' && c[1] == '(') {
            c += strcspn(c, ")");
        } else if ((unsigned char)*c >= 0x80) { // a part of a character
            fputc(*c, out);
        } else {
            ladder_put_html(out, one);
        }
    }
}

void ladder_glossary_ask(FILE *out, ladder_glossary *glossary, const char *term,
                         const char *label) {
    int found = ladder_glossary_find(glossary, term);
    if (found >= 0) glossary->terms[found].used = true;
    if (found < 0) ladder_html(out, "<span class=\"noterm\">%s</span>", label);
    else
        ladder_html(out,
                    "<button type=\"button\" class=\"what\" popovertarget=\"term-%d\">%s</button>",
                    found, label);
}

// The text up to `end`; of "%s" the next argument.
static const char *word_of(const char *from, const char *end, char text[64], va_list *args) {
    if (strncmp(from, "%s", 2) == 0) return va_arg(*args, const char *);
    snprintf(text, 64, "%.*s", (int)(end - from), from);
    return text;
}

void page_html(FILE *out, ladder_glossary *glossary, const char *format, ...) {
    va_list args;
    va_start(args, format);
    for (const char *at = format, *name; *at != '\0'; at = name) {
        char words[2][64];
        name = strstr(at, "[[");
        ladder_html_list(out, at, name ? name : at + strlen(at), &args);
        if (!name) break;
        const char *bar = strchr(name, '|'), *end = strstr(name, "]]");
        const char *term = word_of(name + 2, bar, words[0], &args);
        ladder_glossary_ask(out, glossary, term, word_of(bar + 1, end, words[1], &args));
        name = end + 2;
    }
    va_end(args);
}

// ---- Words of a sentence ----

// Whether the character belongs to a name of a program: there are no words in it.
static bool is_of_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '/'; }

static bool ends_word(const char *at) {
    return !is_of_name(*at) && !((*at == '.' || *at == ':') && is_of_name(at[1]));
}

// Bytes of the heading at `at`, with the ending of a plural; 0: it is not there. Capitals of
// abbreviations ("SM") count.
static size_t match(const struct ladder_term *term, const char *at) {
    size_t bytes = (size_t)term->name_bytes;
    bool abbreviation = bytes > 1 && isupper((unsigned char)term->name[1]);
    char first = abbreviation ? *at : (char)toupper((unsigned char)*at);
    if (first != term->name[0] || strncmp(at + 1, term->name + 1, bytes - 1) != 0) return 0;
    if (ends_word(at + bytes)) return bytes;
    if (at[bytes] == 's' && ends_word(at + bytes + 1)) return bytes + 1;
    bool es = at[bytes] == 'e' && at[bytes + 1] == 's';
    return es && ends_word(at + bytes + 2) ? bytes + 2 : 0;
}

// The longest heading at `at`; -1: none.
static int longest(const ladder_glossary *g, const char *at, size_t *out_bytes) {
    int found = -1;
    *out_bytes = 0;
    for (int i = 0; i < g->count; i++) {
        size_t bytes = match(&g->terms[i], at);
        if (bytes <= *out_bytes) continue;
        *out_bytes = bytes;
        found = i;
    }
    return found;
}

void ladder_glossary_ask_words(FILE *out, ladder_glossary *g, const char *text) {
    bool asked[LADDER_GLOSSARY_MAX] = {false}, at_word = true;
    for (const char *at = text; *at != '\0';) {
        size_t bytes = 0;
        int term = at_word ? longest(g, at, &bytes) : -1;
        at_word = false;
        if (term >= 0 && !asked[term]) {
            char label[128], name[128];
            snprintf(label, sizeof label, "%.*s", (int)bytes, at);
            snprintf(name, sizeof name, "%.*s", g->terms[term].name_bytes, g->terms[term].name);
            ladder_glossary_ask(out, g, name, label);
            asked[term] = true;
            at += bytes;
            continue;
        }
        at_word = !is_of_name(*at) && *at != '.' && *at != ':';
        char one[2] = {*at++, '\0'};
        if ((unsigned char)one[0] >= 0x80) // a part of a character
            fputc(one[0], out);
        else ladder_put_html(out, one);
    }
}

// Of switches without a default: what has no row in terms.def does not compile.
#define TERM(value, heading)                                                                       \
    case value: return heading;

const char *ladder_counter_term(sim_counter counter) {
    switch (counter) {
#define PAGE_COUNTER(id, heading) TERM(SIM_COUNTER_##id, heading)
#include "show/page/terms.def"
    case SIM_COUNTER_COUNT: break;
    }
    return "";
}

const char *ladder_bound_term(sim_bound_kind bound) {
    switch (bound) {
#define PAGE_BOUND(id, heading) TERM(SIM_BOUND_##id, heading)
#include "show/page/terms.def"
    case SIM_BOUND_NONE:
    case SIM_BOUND_COUNT: break;
    }
    return "";
}

const char *ladder_phase_term(sim_warp_phase phase) {
    switch (phase) {
#define PAGE_PHASE(id, heading) TERM(SIM_PHASE_##id, heading)
#include "show/page/terms.def"
    case SIM_PHASE_COUNT: break;
    }
    return "Stall";
}
