// All defences are on: see defence.h. Alone in its file, so that a test program that defines this
// function does not link it.
#include "utilities/defence.h"

bool ladder_defence_on(ladder_defence defence) {
    (void)defence;
    return true;
}
