// The typical mistakes of students: as data (rows.c), and a kit in which they are made (kit.c).
#pragma once

#include "edit.h"
#include "utilities/kit.h"

// ---- rows.c -------------------------------------------------------------------------------------
// Sections of a file of edits (support/edit.h) whose heading says which commands are typed and what
// they must say (../README.md). Reading only; nothing here runs anything.

enum { MISTAKE_TEXT = 400, MISTAKE_SENTENCES = 12, MISTAKE_COMMANDS = 4 };

// A command that the student types, and what it must do.
typedef struct mistake_command {
    char arguments[MISTAKE_TEXT];                // of ladder: "run reduction 1"
    char says[MISTAKE_SENTENCES][MISTAKE_TEXT];  // sentences of its output, in any order
    char never[MISTAKE_SENTENCES][MISTAKE_TEXT]; // sentences that are not in it
    int says_count, never_count;                 // of the two lists
    int status;                                  // its exit status: 1 where none is given
    int64_t most_instructions; // warp instructions that it may simulate: a million where not given
} mistake_command;

// One mistake.
typedef struct mistake {
    const edit *edit;                           // its name and the change
    char lab[64];                               // folder: "02_reduction"
    int step;                                   // the step that has it
    bool full;                                  // not part of the default tier
    bool advised;                               // NAME_followed does what is advised
    mistake_command commands[MISTAKE_COMMANDS]; // [count], in the order in which they are typed
    int count;                                  // of commands
} mistake;

// Reads the heading of a section. KL_ERROR_INPUT with file and line when it is malformed: an
// unknown key, no command, or a command without a sentence.
kl_status mistake_read(const edit *edit, mistake *out_mistake, kl_error *err);

// ---- kit.c --------------------------------------------------------------------------------------
// A small kit: the labs of the real one by links, steps of its own, a build that knows nothing but
// these steps, and the programs that the real build has made.

// What is done with the steps of one lab.
typedef struct mistakes_lab {
    char folder[64]; // "02_reduction"
    bool steps[32];  // that may be changed and built
} mistakes_lab;

// Makes the kit in the folder `top`, from nothing, with the labs [count]. `real`: this build's.
kl_status mistakes_kit_make(const ladder_kit *real, const char *top, const mistakes_lab *labs,
                            int count, kl_error *err);
// The step's file below a kit's folder of labs or solutions: "4_first_add.cu". out: [LADDER_PATH].
kl_status mistakes_step_file(const char *folder, int step, char *out, kl_error *err);
