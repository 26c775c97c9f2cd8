// A small kit for students' mistakes: the labs of the real one by links, steps of its own, a build
// that knows nothing but these steps, and the programs that the real build has made.
#ifndef MISTAKES_KIT_H
#define MISTAKES_KIT_H

#include "utilities/kit.h"

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

#endif
