// What an attack says of itself in the comment before it (../README.md): read by the test and by
// the table of attacks in the documents.
#pragma once

#include "error.h"
#include "utilities/defence.h"

enum { ATTACK_LINE = 480, ATTACK_DEFENCES = 6 };

typedef enum attack_gain {
#define ATTACK_GAIN(id, word, text) ATTACK_GAIN_##id,
#include "gains.def"
#undef ATTACK_GAIN
    ATTACK_GAINS
} attack_gain;

typedef struct attack {
    char class_name[64], name[96];
    char path[4096]; // of its file
    bool is_program; // a function of a .c file; else a section of a file of edits
    char text[ATTACK_LINE];
    char lab[64]; // of a step's source
    int step;
    ladder_defence defences[ATTACK_DEFENCES];
    int defence_count; // 0: no single check stops it but the way the grader is built
    char expect[ATTACK_LINE];
    attack_gain gain;
    char gain_text[ATTACK_LINE];
    double limit_s; // of compilers where BUILD_LIMIT is expected, else of answers; 0: as usual
    bool full_only; // too slow for the default tier
} attack;

// All attacks below a folder, by class and name. Caller frees *out_list.
kl_status attack_find(const char *folder, attack **out_list, size_t *out_count, kl_error *err);

// The names of all classes: sub-folders, sorted. Returns how many.
enum { ATTACK_CLASSES = 32 };
int attack_classes(const char *folder, char out_names[ATTACK_CLASSES][64]);

const char *attack_defence_name(ladder_defence defence); // "IMPORT_AUDIT"
const char *attack_defence_text(ladder_defence defence);
