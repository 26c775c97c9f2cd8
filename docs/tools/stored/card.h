// SPDX-License-Identifier: MIT
// The card of this course: docs/card.txt names it, and times and rates of pages, figures,
// walkthroughs and decks are measured on it. Marks and lists of figures have CARD for its name, and
// OTHER for that of the second card on which all labs were measured.
#ifndef LADDER_TOOLS_STORED_CARD_H
#define LADDER_TOOLS_STORED_CARD_H

#include <stdbool.h>
#include <stddef.h>

// As in a row of devices.def: "h200".
extern const char card_id[];

// The second card: of h200 and h100 the one that the course's card is not.
const char *card_other_id(void);

// An id as text has it: "H200".
void card_name(const char *id, char *out, size_t bytes);

// The file that `written` means: every CARD and OTHER in it is that card's id. Times that are
// modelled for the simulator's default card are in simulator.json, so that is meant where no file
// has the card's name. False when `out` is too small.
bool card_path(const char *written, char *out, size_t bytes);

#endif
