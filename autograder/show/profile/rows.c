// SPDX-License-Identifier: MIT
// The quantities of rows.def: see rows.h.
#include "show/profile/rows.h"

#include <math.h>
#include <stdio.h>

#include "table.h"

const ladder_profile_row ladder_profile_rows[] = {
#define LADDER_PROFILE_ROW(counter, divisor, label, decimals, term)                                \
    {SIM_COUNTER_##counter, SIM_COUNTER_##divisor, label, decimals, term},
#include "show/profile/rows.def"
#undef LADDER_PROFILE_ROW
};
const int ladder_profile_row_count = sizeof ladder_profile_rows / sizeof ladder_profile_rows[0];

const ladder_hit_rate ladder_hit_rates[LADDER_HIT_RATES] = {
    {"L1 sectors that hit, %", "L1 cache", sim_l1_hit_percent},
    {"L2 sectors read that hit, %", "L2 cache", sim_l2_hit_percent},
};

double ladder_profile_row_value(const ladder_profile_row *row, const sim_counters *counters) {
    double value = (double)counters->value[row->counter];
    if (row->divisor == SIM_COUNTER_COUNT) return value;
    double divisor = (double)counters->value[row->divisor];
    return divisor > 0 ? value / divisor : NAN;
}

bool ladder_profile_row_applies(const ladder_profile_row *row, const sim_counters *counters) {
    return counters->value[row->counter] != 0 && !isnan(ladder_profile_row_value(row, counters));
}

const char *ladder_profile_row_text(const ladder_profile_row *row, double value, char *text,
                                    size_t text_bytes) {
    if (isnan(value))
        snprintf(text, text_bytes, "-");
    else if (row->decimals > 0)
        snprintf(text, text_bytes, "%.*f", row->decimals, value);
    else
        kl_format_count(value, text, text_bytes);
    return text;
}
