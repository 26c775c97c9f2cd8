// SPDX-License-Identifier: MIT
// The readable answer of lab 08 and how far a step may be from it. Host only.
#ifndef SPMV_REFERENCE_H
#define SPMV_REFERENCE_H

#include "sparse.h"
#include "spmv.h"

// y: [rows], exact products added in double from left to right; bound: [rows], the largest error
// that an allowed order of additions in `type` can have, 0 where no addition rounds.
// x: [cols], values that both types hold.
void spmv_reference(const kl_csr *a, const double *x, spmv_type type, double *y, double *bound);

#endif
