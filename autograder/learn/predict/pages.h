// SPDX-License-Identifier: MIT
// What a lab's page shows of its questions, between pairs of lines: a box for each step's
// predictions (<!-- predict:3 --> .. <!-- /predict:3 -->) and the self-check questions with folded
// answers (<!-- selfcheck --> .. <!-- /selfcheck -->). Their numbers are counted anew each time.
#ifndef LADDER_PREDICT_PAGES_H
#define LADDER_PREDICT_PAGES_H

#include "grade/rubric/lab_files.h"

// The page's text with all that is between the markers written anew; caller frees. Questions
// without their markers, and markers without questions, are errors that say which.
kl_status ladder_page_renew(const ladder_kit *kit, const ladder_lab *lab, const char *page,
                            char **out_page, kl_error *err);

// What is asked, as a sentence without its end: with the size where that is the number's own.
// Returns `text`.
char *ladder_page_question(const ladder_lab *lab, const ladder_asked *asked,
                           const ladder_question *question, char *text, size_t text_bytes);

// A counted number as answers show it: "32,897", "0.0482"; with `decimals` >= 0 that many of them.
char *ladder_page_number(double value, int decimals, char *text, size_t text_bytes);

#endif
