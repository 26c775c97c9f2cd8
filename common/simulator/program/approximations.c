// SPDX-License-Identifier: MIT
// The rows of approximations.h.
#include "program/approximations.h"

#define APPROXIMATION(c0, c1, c2) {c0, c1, c2},

const sim_quadratic sim_rcp_rows[128] = {
#define APPROXIMATE_RCP
#include "program/approximations.def"
#undef APPROXIMATE_RCP
};
const sim_quadratic sim_rsqrt_rows[128] = {
#define APPROXIMATE_RSQRT
#include "program/approximations.def"
#undef APPROXIMATE_RSQRT
};
const sim_quadratic sim_sqrt_rows[128] = {
#define APPROXIMATE_SQRT
#include "program/approximations.def"
#undef APPROXIMATE_SQRT
};
const sim_quadratic sim_ex2_rows[64] = {
#define APPROXIMATE_EX2
#include "program/approximations.def"
#undef APPROXIMATE_EX2
};
const sim_quadratic sim_lg2_rows[64] = {
#define APPROXIMATE_LG2
#include "program/approximations.def"
#undef APPROXIMATE_LG2
};
const sim_quadratic sim_sin_rows[64] = {
#define APPROXIMATE_SIN
#include "program/approximations.def"
#undef APPROXIMATE_SIN
};
