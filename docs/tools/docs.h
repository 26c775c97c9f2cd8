// SPDX-License-Identifier: MIT
// The verbs of ladder-docs (main.c). Each gets its words as a program does, its own name first, and
// returns an exit status; what it reads and writes stands at the head of its file.
#ifndef LADDER_DOCS_H
#define LADDER_DOCS_H

int docs_tables(int argc, char **argv);   // tables/main.c
int docs_figure(int argc, char **argv);   // figures/main.c
int docs_numbers(int argc, char **argv);  // numbers.c
int docs_measured(int argc, char **argv); // measured.c
int docs_modelled(int argc, char **argv); // modelled.c
int docs_schema(int argc, char **argv);   // schemas/main.c
int docs_shot(int argc, char **argv);     // shot.c
int docs_watch(int argc, char **argv);    // checks/watch.c

#endif
