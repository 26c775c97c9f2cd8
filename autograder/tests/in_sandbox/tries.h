// What a hostile program can try in the sandbox, one function each: true when it got through. The
// program is made of these alone; the attacks of tests/attacks start it and say what must stop it.
#pragma once

#include <stdbool.h>

// What the attack says beside the name of the try: a path, a number.
extern const char *try_argument;

#define TRY_ROW(name) bool try_##name(void);
#include "tries.def"
#undef TRY_ROW
