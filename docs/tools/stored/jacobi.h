// SPDX-License-Identifier: MIT
// The results of lab 04's application as its JSON holds them (ladder.jacobi/1), for figures and
// tables.
#ifndef LADDER_TOOLS_STORED_JACOBI_H
#define LADDER_TOOLS_STORED_JACOBI_H

#include <jansson.h>

#include "app.h"

// Times, iterations, residuals and names; no counts of transfers. False when the file is not as
// gemv_row_app writes it.
bool stored_jacobi_load(const json_t *run, jacobi_run *out);

#endif
