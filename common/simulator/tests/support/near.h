// SPDX-License-Identifier: MIT
// A check for modelled figures: a value lies within `by` of the wanted one, ends included.
#ifndef SIM_TESTS_SUPPORT_NEAR_H
#define SIM_TESTS_SUPPORT_NEAR_H

#include <check.h>

#define ck_near(value, wanted, by)                                                                 \
    do {                                                                                           \
        double value_ = (value), wanted_ = (wanted);                                               \
        ck_assert_msg(value_ >= wanted_ - (by) && value_ <= wanted_ + (by), "%g, not %g", value_,  \
                      wanted_);                                                                    \
    } while (0)

#endif
