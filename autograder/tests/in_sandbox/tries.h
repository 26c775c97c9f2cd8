// What a hostile program can try in the sandbox, a function `bool try_NAME(void)` each: true when
// it got through. The program is made of these alone; the attacks of tests/attacks start it and say
// what must stop it.
#pragma once

#include <stdbool.h>

// What the attack says beside the name of the try: a path, a number.
extern const char *try_argument;
