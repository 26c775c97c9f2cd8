// Comments count, too: lanes at work. Read by language.sh, never compiled.
#include "reckon.h"
static const char *const texts[] = {"two sectors", "a load is not one text",
                                    "4 sectors per "
                                    "request are right; 8 sectors a "
                                    "request are found here", // in turn 2
                                    "a second thing", "an\nelement"};
