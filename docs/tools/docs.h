// The verbs of ladder-docs (main.c). Each gets its words as a program does, its own name first, and
// returns an exit status; what it reads and writes stands at the head of its file.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int docs_tables(int argc, char **argv);   // tables/main.c
int docs_figure(int argc, char **argv);   // figures/main.c
int docs_numbers(int argc, char **argv);  // numbers.c
int docs_measured(int argc, char **argv); // measured.c
int docs_modelled(int argc, char **argv); // modelled.c
int docs_schema(int argc, char **argv);   // schemas/schema.c
int docs_shot(int argc, char **argv);     // shot.c
int docs_watch(int argc, char **argv);    // checks/watch.c
int docs_check(int argc, char **argv);    // main.c

// ---- checks: each gets the words behind its name; what they are stands above the function ----

// pages.c
int check_links(int count, char **words);
int check_quotes(int count, char **words);
int check_rates(int count, char **words);
int check_front_page(int count, char **words);
// pictures.c
int check_palettes(int count, char **words);
int check_titles(int count, char **words);
int check_sizes(int count, char **words);
// decks.c
int check_shape(int count, char **words);
int check_numbers(int count, char **words);
int check_code(int count, char **words);
int check_answers(int count, char **words);
int check_titled(int count, char **words);

// ---- checks/text.c: text by regular expressions (POSIX, extended) ----

// Where the pattern is found first, and how long that is (out_length may be NULL); NULL: nowhere.
const char *text_find(const char *text, const char *pattern, size_t *out_length);
bool text_has(const char *text, const char *pattern);
void text_remove(char *text, const char *pattern); // every place, in the text itself

// A whole file, for the caller to free; NULL when it cannot be opened.
char *text_read(const char *path);
// The next line of *rest, without its end; NULL after the last one. *rest may be NULL.
char *text_line(char **rest);
const char *text_base(const char *path); // after the last '/'
char *text_folder(const char *path);     // before it, for the caller to free; "." without one
// The file of the picture "![..](file)": figures/.. lies in `drawn`, others in `folder`. False when
// the line has none.
bool text_picture(const char *line, const char *folder, const char *drawn, char *out, size_t bytes);
