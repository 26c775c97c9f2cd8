// SPDX-License-Identifier: MIT
// What the files of a grade's page share: html.c (the page), html_step.c (one step),
// html_manual.c (what persons gave), html_parts.c (what all need).
#ifndef LADDER_REPORT_HTML_H
#define LADDER_REPORT_HTML_H

#include "show/report/report.h"

// Head and beginning of a page that loads nothing and runs nothing, up to <body>.
void ladder_page_begin(FILE *out, const char *title);

// A bar of `share` of its width. label: for those who cannot see it.
void ladder_put_share(FILE *out, double share, const char *label);

// One step, by its index in the rubric.
void ladder_put_step(FILE *out, const ladder_report *report, int index);

// What persons gave; nothing where there is nothing of it.
void ladder_put_given(FILE *out, const ladder_report *report);

#endif
