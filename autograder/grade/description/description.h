// The description of a lab, labs/*/lab.json (ladder.lab/1): steps, criteria, numbers to watch,
// questions and figures. Read once, checked against fields.def, and turned into what others need: C
// tables, steps.h, lists for CMake, a handout's copy. Nothing else reads the file.
#pragma once

#include "json.h"

// A description that was found sound.
typedef struct ladder_description {
    char *text;                // owned: the file
    kl_json_document document; // of it
    const kl_json_value *root; // of the document
    const char *lab;           // the lab's folder, "02_reduction"
} ladder_description;

// Reads a lab's description from a file or from text, of which it keeps a copy. folder: what "lab"
// must say; NULL: anything. KL_ERROR_INPUT: "FILE:LINE:COLUMN: what is wrong, and what is known".
kl_status ladder_description_load(const char *path, const char *folder,
                                  ladder_description *out_description, kl_error *err);
kl_status ladder_description_read(const char *name, const char *text, size_t bytes,
                                  const char *folder, ladder_description *out_description,
                                  kl_error *err);
void ladder_description_free(ladder_description *description);

// A file's content with a terminator; caller frees. KL_ERROR_INPUT names the file.
kl_status ladder_description_file(const char *path, char **out_text, size_t *out_bytes,
                                  kl_error *err);

// Values of a sound description, with what stands for an absent field. `object` may be NULL.
const char *ladder_field_text(const kl_json_value *object, const char *key, const char *absent);
double ladder_field_number(const kl_json_value *object, const char *key, double absent);
long long ladder_field_integer(const kl_json_value *object, const char *key, long long absent);
bool ladder_field_true(const kl_json_value *object, const char *key);
// First item of an array, or NULL.
const kl_json_value *ladder_field_items(const kl_json_value *object, const char *key);
// How many items an array has; 0 when it is absent.
int ladder_field_count(const kl_json_value *object, const char *key);
// Whether an item of "ask" has its name alone (and a size), and the item that says what is asked:
// itself, or the last one before that has this name and is complete. NULL: none.
bool ladder_is_asked_again(const kl_json_value *ask);
const kl_json_value *ladder_asked_as(const kl_json_value *root, const kl_json_value *ask);
// When students see a criterion, "after_published" and the like; NULL: at once.
const char *ladder_field_hidden(const kl_json_value *criterion);
// Whether no handout has it: it is hidden, or has hidden cases.
bool ladder_field_left_out(const kl_json_value *criterion);

// How speed is graded where times are modelled: what labs/modelled.json, which
// docs/tools/modelled.c writes, has of one lab. Read here alone.
typedef struct ladder_modelled_file {
    char *text;                  // owned
    kl_json_document document;   // of `text`
    const kl_json_value *of_lab; // of the document; NULL: the lab need not be in it
} ladder_modelled_file;
// A file that is not there has no lab. KL_ERROR_INPUT: "FILE:LINE:COLUMN: ..".
kl_status ladder_modelled_load(const char *path, const char *lab, ladder_modelled_file *out_file,
                               kl_error *err);
// The same of text, which must outlive *out_file and is not freed with it.
kl_status ladder_modelled_read(const char *name, const char *text, size_t bytes, const char *lab,
                               ladder_modelled_file *out_file, kl_error *err);
void ladder_modelled_free(ladder_modelled_file *file);
// What it says of a speed criterion; NULL: nothing.
const kl_json_value *ladder_modelled_find(const ladder_modelled_file *file, int step,
                                          const kl_json_value *criterion);

// What is made of a description. Each writes C text, or CMake's, to `out`.
// The table for grade/rubric/rubric.h.
kl_status ladder_write_rubric(FILE *out, const ladder_description *d,
                              const ladder_modelled_file *modelled, kl_error *err);
// That for grade/rubric/rubric.h.
void ladder_write_questions(FILE *out, const ladder_description *d);
// steps.h, the tables of kl_step_info, kl_watch and kl_executed for a lab's problem.c. executed:
// text of labs/warp_instructions.csv, or NULL: lines LAB,FAMILY,NUMBER,.. with a number for each
// step, as common/lab/warp_instructions.awk writes them, of which those of the lab are taken.
kl_status ladder_write_steps(FILE *out, const ladder_description *d, const char *executed,
                             kl_error *err);
// Variables for CMake: lab_steps, lab_given (files), lab_numbers, needs_sm_N, needs_cuda_N,
// needs_exact_N, needs_devices_N, lab_figures.
void ladder_write_cmake(FILE *out, const ladder_description *d);
// A line PICTURE ARGUMENTS for each figure.
void ladder_write_figures(FILE *out, const ladder_description *d);
// The rows of fields.def as a description of the schema (docs/tools/schemas/schema.c).
void ladder_write_schema(FILE *out);

// The file as others get it, with the layout that it has. hidden: with the criteria that students
// do not see yet; answers: with "selfcheck". *out_removed: criteria that were taken out. Caller
// frees.
kl_status ladder_description_copy(const ladder_description *d, bool hidden, bool answers,
                                  char **out_text, int *out_removed, kl_error *err);
