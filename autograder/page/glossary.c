// SPDX-License-Identifier: MIT
// The glossary: see glossary.h. A term is a heading "### Name" and what follows up to the next
// heading.
#include "page/glossary.h"

#include <string.h>

#include "kit/text.h"
#include "page/text.h"

void ladder_glossary_read(ladder_glossary *out_glossary) {
    static const char mark[] = "\n### ";
    ladder_glossary *g = out_glossary;
    g->count = 0;
    for (const char *at = strstr(ladder_page_glossary, mark);
         at != NULL && g->count < LADDER_GLOSSARY_MAX; at = strstr(at, mark)) {
        struct ladder_term *t = &g->terms[g->count++];
        t->used = false;
        t->name = at + sizeof mark - 1;
        t->name_bytes = (int)strcspn(t->name, "\n");
        t->text = t->name + t->name_bytes;
        const char *end = strstr(t->text, "\n#");
        t->text_bytes = (int)(end != NULL ? (size_t)(end - t->text) : strlen(t->text));
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
    if (found < 0) {
        fputs("<span class=\"noterm\">", out);
        ladder_put_html(out, label);
        fputs("</span>", out);
        return;
    }
    glossary->terms[found].used = true;
    fprintf(out, "<button type=\"button\" class=\"what\" popovertarget=\"term-%d\">", found);
    ladder_put_html(out, label);
    fputs("</button>", out);
}

const char *ladder_counter_term(sim_counter counter) {
    static const char *const terms[SIM_COUNTER_COUNT] = {
#define PAGE_COUNTER(id, heading) [SIM_COUNTER_##id] = heading,
#define PAGE_BOUND(id, heading)
#define PAGE_PHASE(id, heading)
#include "page/terms.def"
#undef PAGE_COUNTER
#undef PAGE_BOUND
#undef PAGE_PHASE
    };
    return terms[counter] != NULL ? terms[counter] : "";
}

const char *ladder_bound_term(sim_bound_kind bound) {
    static const char *const terms[SIM_BOUND_COUNT] = {
#define PAGE_COUNTER(id, heading)
#define PAGE_BOUND(id, heading) [SIM_BOUND_##id] = heading,
#define PAGE_PHASE(id, heading)
#include "page/terms.def"
#undef PAGE_COUNTER
#undef PAGE_BOUND
#undef PAGE_PHASE
    };
    return terms[bound] != NULL ? terms[bound] : "";
}

const char *ladder_phase_term(sim_warp_phase phase) {
    static const char *const terms[SIM_PHASE_COUNT] = {
#define PAGE_COUNTER(id, heading)
#define PAGE_BOUND(id, heading)
#define PAGE_PHASE(id, heading) [SIM_PHASE_##id] = heading,
#include "page/terms.def"
#undef PAGE_COUNTER
#undef PAGE_BOUND
#undef PAGE_PHASE
    };
    return terms[phase] != NULL ? terms[phase] : "Stall";
}
