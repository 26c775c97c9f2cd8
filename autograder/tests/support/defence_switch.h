// Switches defences off, in test programs only (utilities/defence.h).
#pragma once

#include "utilities/defence.h"

// Of this process and those that it forks from now on.
void defence_switch(ladder_defence defence, bool on);
