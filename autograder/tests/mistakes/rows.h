// The typical mistakes as data: sections of a file of edits (support/edit.h) whose heading says
// which commands are typed and what they must say (README.md). Reading only; nothing here runs
// anything.
#ifndef MISTAKES_ROWS_H
#define MISTAKES_ROWS_H

#include "edit.h"

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

#endif
