// SPDX-License-Identifier: MIT
// A gradebook for people and programs: a table for a terminal, CSV, JSON.
#ifndef LADDER_GRADEBOOK_TABLES_H
#define LADDER_GRADEBOOK_TABLES_H

#include "course/gradebook/book.h"

// All labs: a column of final scores each.
kl_status ladder_book_show(ladder_book *book, const kl_style *style, FILE *out, kl_error *err);
// One lab: attempts, points as graded, what being late costs, override, final points.
kl_status ladder_book_show_lab(ladder_book *book, const ladder_lab *lab, const kl_style *style,
                               FILE *out, kl_error *err);
// The same with what each grade can be traced to, as CSV and as JSON (ladder.gradebook/1).
kl_status ladder_book_csv(ladder_book *book, const ladder_lab *lab, FILE *out, kl_error *err);
kl_status ladder_book_json(ladder_book *book, const ladder_lab *lab, FILE *out, kl_error *err);

#endif
