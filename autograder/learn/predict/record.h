// SPDX-License-Identifier: MIT
// The student's predictions (grade/rubric/predictions.h) as the commands keep and show them: the
// first run of a step, and a table of what was predicted beside what the student's own step counts.
#ifndef LADDER_PREDICT_RECORD_H
#define LADDER_PREDICT_RECORD_H

#include "grade/rubric/predictions.h"
#include "table.h"

// Keeps one answer, with the hash of the step's file as it is now.
kl_status ladder_predict_keep(const ladder_kit *kit, const ladder_lab *lab, int step,
                              const char *name, double value, kl_error *err);

// The step that a number is compared with and that is not written yet, so that nothing can be
// counted; -1: there is none.
int ladder_predict_waits_for(const ladder_kit *kit, const ladder_lab *lab,
                             const ladder_asked *asked, const ladder_question *question);

// Whether a number of this step can be predicted now and is not, and the step has not run.
bool ladder_predict_is_open(const ladder_kit *kit, const ladder_lab *lab, int step);

// Keeps the first run (how: "run") or profile of each of these steps ([count]; 0: all). Given steps
// and files as they were handed out are no student's step and do not count.
kl_status ladder_predict_note_run(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                                  int count, const char *how, kl_error *err);

// The same for a command that goes on in any case: what keeps it from that is said.
void ladder_predict_note(const ladder_kit *kit, const ladder_lab *lab, const int *steps, int count,
                         const char *how);

// Takes the counts of these steps, as far as they have predictions and their files have changed
// since they were last counted: one call each on the simulator.
kl_status ladder_predict_count(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                               int count, kl_error *err);

// What is known of these steps: predictions, and counts that belong to the files as they are now.
// *out_predictions has the steps that are selected only.
kl_status ladder_predict_load(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                              int count, ladder_predictions *out_predictions, kl_error *err);

// The table of it; nothing when there is no prediction. False then.
bool ladder_predict_print(const ladder_lab *lab, const ladder_predictions *predictions,
                          const kl_style *style, FILE *out);

#endif
