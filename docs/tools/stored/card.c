// The card of this course: see stored.h. LADDER_CARD is the line of docs/card.txt.
#include "stored/stored.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "measured.h"

const char *card_id = LADDER_CARD;

const char *card_other_id(void) { return strcmp(card_id, "h200") == 0 ? "h100" : "h200"; }

void card_name(const char *id, char *out, size_t bytes) {
    snprintf(out, bytes, "%s", id);
    for (char *at = out; *at; at++) *at = (char)toupper((unsigned char)*at);
}

// The id that `at` begins with a word for, and the word's length; NULL when it does not.
static const char *marked_id(const char *at, size_t *out_length) {
    static const char card[] = "CARD", other[] = "OTHER";
    bool is_card = strncmp(at, card, sizeof card - 1) == 0;
    *out_length = is_card ? sizeof card - 1 : sizeof other - 1;
    if (is_card) return card_id;
    return strncmp(at, other, sizeof other - 1) == 0 ? card_other_id() : NULL;
}

bool card_path(const char *written, char *out, size_t bytes) {
    size_t length = 0;
    for (const char *at = written; *at;) {
        size_t marked_bytes = 1;
        const char *id = marked_id(at, &marked_bytes), *piece = id ? id : at;
        size_t piece_bytes = id ? strlen(id) : 1;
        if (length + piece_bytes >= bytes) return false;
        memcpy(out + length, piece, piece_bytes);
        length += piece_bytes;
        at += id ? marked_bytes : 1;
    }
    out[length] = '\0';
    char modelled[32]; // behind the lab's name
    snprintf(modelled, sizeof modelled, "/run_%s", card_id);
    char *name = strstr(out, modelled);
    if (name && !measured_has(out)) *name = '\0';
    return true;
}
