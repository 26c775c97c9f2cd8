// SPDX-License-Identifier: MIT
// The card of this course: see card.h. LADDER_CARD is the line of docs/card.txt.
#include "stored/card.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char mark[] = "CARD", modelled[] = "simulator_" LADDER_CARD ".json";
const char card_id[] = LADDER_CARD;

void card_name(char *out, size_t bytes) {
    snprintf(out, bytes, "%s", card_id);
    for (char *at = out; *at; at++) *at = (char)toupper((unsigned char)*at);
}

bool card_path(const char *written, char *out, size_t bytes) {
    FILE *file = NULL;
    size_t length = 0;
    for (const char *at = written; *at;) {
        bool marked = strncmp(at, mark, sizeof mark - 1) == 0;
        const char *piece = marked ? card_id : at;
        size_t piece_bytes = marked ? sizeof card_id - 1 : 1;
        if (length + piece_bytes >= bytes) return false;
        memcpy(out + length, piece, piece_bytes);
        length += piece_bytes;
        at += marked ? sizeof mark - 1 : 1;
    }
    out[length] = '\0';
    char *name = strstr(out, modelled);
    if (name && (file = fopen(out, "r")))
        fclose(file);
    else if (name)
        strcpy(name, "simulator.json");
    return true;
}
