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
const sim_quadratic sim_tanh_rows[SIM_TANH_ROWS] = {
#define APPROXIMATE_TANH
#include "program/approximations.def"
#undef APPROXIMATE_TANH
};
const sim_tanh_binade sim_tanh_binades[SIM_TANH_BINADES] = {
    {0, 0}, {1, 0}, {2, 0}, {3, 1}, {5, 1}, {7, 2}, {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}};
