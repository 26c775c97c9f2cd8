// Defences that can be switched off: see defence_switch.h. Takes the place of
// utilities/defence_on.c in the test programs that link it.
#include "defence_switch.h"

static bool is_off[LADDER_DEFENCES];

bool ladder_defence_on(ladder_defence defence) { return !is_off[defence]; }

void defence_switch(ladder_defence defence, bool on) { is_off[defence] = !on; }
