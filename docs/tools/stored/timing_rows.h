// SPDX-License-Identifier: MIT
// CSV files of common/validation/timing, a folder of them for each set of times ("kernels",
// "labs"): SET/NAME_CARD.csv, whose first line `# DEVICE` names the card where it was measured.
#ifndef LADDER_TOOLS_STORED_TIMING_ROWS_H
#define LADDER_TOOLS_STORED_TIMING_ROWS_H

#include <stdbool.h>
#include <stdio.h>

enum { TIMING_ROWS_DEVICE = 128 };

// root: of the kit. NULL after a message.
FILE *timing_rows_open(const char *root, const char *set, const char *name, const char *card);

// Takes the device's name from a line that has it; leaves `device` as it is otherwise.
void timing_rows_take_device(const char *line, char device[TIMING_ROWS_DEVICE]);

// Whether SET_CARD.csv had `count` > 0 times and names its card. False after a message.
bool timing_rows_are_there(const char *set, const char *card, int count, const char *device);

#endif
