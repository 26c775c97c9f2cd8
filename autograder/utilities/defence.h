// The grader's defences by name (defence.def), so that a test can switch one off and show that an
// attack then gets through. In `ladder` all are on and nothing can change that: defence_on.c says
// yes. Test programs link tests/support/defence_switch.c in its place. What another process does
// (engine, runner, sandbox) is switched by what the judge passes to it.
#pragma once

#include <stdbool.h>

// A row of defence.def.
typedef enum ladder_defence {
#define LADDER_DEFENCE(id, text) LADDER_DEFENCE_##id,
#include "utilities/defence.def"
#undef LADDER_DEFENCE
    LADDER_DEFENCES
} ladder_defence;

// Always true but in tests that switch it.
bool ladder_defence_on(ladder_defence defence);
