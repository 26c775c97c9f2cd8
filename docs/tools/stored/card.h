// SPDX-License-Identifier: MIT
// The card of this course: docs/card.txt names it, and times and rates of pages, figures,
// walkthroughs and decks are measured on it. Marks and lists of figures have CARD for its name.
#ifndef LADDER_TOOLS_STORED_CARD_H
#define LADDER_TOOLS_STORED_CARD_H

#include <stdbool.h>
#include <stddef.h>

// As in a row of devices.def: "h200".
extern const char card_id[];

// "H200", as text has it.
void card_name(char *out, size_t bytes);

// The file that `written` means: every CARD in it is the card's id. Times that are modelled for the
// simulator's default card are in simulator.json, so that is meant where no file has the card's
// name. False when `out` is too small.
bool card_path(const char *written, char *out, size_t bytes);

#endif
