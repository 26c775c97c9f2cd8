// SPDX-License-Identifier: MIT
// What of a build's output a student needs: the compiler's words on their own files.
#ifndef LADDER_PROCESS_BUILD_MESSAGES_H
#define LADDER_PROCESS_BUILD_MESSAGES_H

#include <stdio.h>

// Prints it, with paths below the kit's folder `source`. Left out: the build tool's own lines;
// warnings on the kit's files and on steps as they were handed out; what is behind the first 40
// lines, counted. Where a message does not say what is wrong, a hint follows. Takes `output` apart.
void ladder_build_messages(const char *source, char *output, FILE *out);

#endif
