// Evidence of instructions, see ir.h. evidence.def is made of coverage.md by evidence.cmake.
#include "program/ir.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define T(type) (UINT64_C(1) << PTX_##type)

static const struct {
    const char *name;
    uint64_t exact, programs; // sets of types: the first type word of the opcode
} evidence_rows[] = {
#define EVIDENCE(name, exact, programs) {name, exact, programs},
#include "evidence.def"
#undef EVIDENCE
};
#undef T

static const struct {
    const char *name, *words, *why;
} inexact[] = {
#define INEXACT(name, words, why) {name, words, why},
#define INEXACT_SPECIAL(id, name, why)
#include "program/inexact.def"
#undef INEXACT
#undef INEXACT_SPECIAL
};

static const struct {
    sim_special_id id;
    const char *name, *why;
} inexact_specials[] = {
#define INEXACT(name, words, why)
#define INEXACT_SPECIAL(id, name, why) {SIM_SPECIAL_##id, name, why},
#include "program/inexact.def"
#undef INEXACT
#undef INEXACT_SPECIAL
};

enum { INEXACT_COUNT = sizeof inexact / sizeof *inexact };
enum { SPECIAL_COUNT = sizeof inexact_specials / sizeof *inexact_specials };

static bool begins_with(const char *opcode, const char *name) {
    size_t bytes = strlen(name);
    return strncmp(opcode, name, bytes) == 0 && (opcode[bytes] == '.' || opcode[bytes] == '\0');
}

// The first word of `words`, ".f32.s32", that is a type; NONE: there is none.
static ptx_type first_type(const char *words) {
    char word[SIM_EVIDENCE_NAME];
    while (*words == '.') {
        size_t bytes = strcspn(++words, ".");
        snprintf(word, sizeof word, "%.*s", (int)bytes, words);
        ptx_type type = ptx_type_find(word);
        if (type != PTX_TYPE_NONE) return type;
        words += bytes;
    }
    return PTX_TYPE_NONE;
}

sim_evidence sim_evidence_of(const char *opcode, char out_name[SIM_EVIDENCE_NAME]) {
    size_t longest = 0, row = 0;
    for (size_t i = 0; i < sizeof evidence_rows / sizeof *evidence_rows; i++) {
        if (!begins_with(opcode, evidence_rows[i].name) || strlen(evidence_rows[i].name) <= longest)
            continue;
        longest = strlen(evidence_rows[i].name);
        row = i;
    }
    if (longest == 0) {
        if (out_name) snprintf(out_name, SIM_EVIDENCE_NAME, "%s", opcode);
        return SIM_EVIDENCE_MANUAL;
    }
    ptx_type type = first_type(opcode + longest);
    if (out_name)
        snprintf(out_name, SIM_EVIDENCE_NAME, "%s%s%s", evidence_rows[row].name,
                 type == PTX_TYPE_NONE ? "" : ".",
                 type == PTX_TYPE_NONE ? "" : ptx_type_name(type));
    if (evidence_rows[row].exact >> type & 1) return SIM_EVIDENCE_CARD;
    return evidence_rows[row].programs >> type & 1 ? SIM_EVIDENCE_PROGRAMS : SIM_EVIDENCE_MANUAL;
}

static bool has_word(const char *opcode, const char *word, size_t bytes) {
    for (const char *at = opcode; (at = strchr(at, '.'));) {
        at++;
        if (strcspn(at, ".") == bytes && strncmp(at, word, bytes) == 0) return true;
    }
    return false;
}

const char *sim_inexact_of(const char *opcode) {
    for (size_t i = 0; i < INEXACT_COUNT; i++) {
        bool found = begins_with(opcode, inexact[i].name);
        for (const char *word = inexact[i].words; found && *word != '\0';) {
            size_t bytes = strcspn(word, " ");
            found = has_word(opcode, word, bytes);
            word += bytes + strspn(word + bytes, " ");
        }
        if (found) return inexact[i].why;
    }
    return NULL;
}

const char *sim_inexact_special(sim_special_id id) {
    for (size_t i = 0; i < SPECIAL_COUNT; i++)
        if (inexact_specials[i].id == id) return inexact_specials[i].why;
    return NULL;
}

static bool reads_special(const char *text, const char *name) {
    for (const char *at = text; (at = strstr(at, name)); at++) {
        char next = at[strlen(name)];
        if (!isalnum((unsigned char)next) && next != '_') return true;
    }
    return false;
}

const char *sim_inexact_text(const char *text) {
    char opcode[256];
    text += *text == '@' ? strcspn(text, " ") + 1 : 0;
    snprintf(opcode, sizeof opcode, "%.*s", (int)strcspn(text, " "), text);
    const char *why = sim_inexact_of(opcode);
    for (size_t i = 0; i < SPECIAL_COUNT && !why; i++)
        if (reads_special(text, inexact_specials[i].name)) why = inexact_specials[i].why;
    return why;
}
