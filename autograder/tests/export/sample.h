// Results to export: of lab 02, made by hand.
#pragma once

#include "course/export/export.h"

typedef enum sample_kind {
    SAMPLE_SOLUTION,  // all points
    SAMPLE_MIXED,     // some steps wrong, shares of points, one criterion not counted
    SAMPLE_EMPTY,     // nothing handed in
    SAMPLE_HOSTILE,   // every text as long and as hostile as it can be
    SAMPLE_UNGRADABLE // the machine failed in one step
} sample_kind;

// Caller frees.
ladder_result *sample_result(sample_kind kind);
ladder_report sample_report(const ladder_result *result);
// What the format writes; caller frees. The status is checked.
char *sample_export(ladder_export_format format, const ladder_result *result);
