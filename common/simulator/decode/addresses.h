// SPDX-License-Identifier: MIT
// Which memory operations of a block use the same address register, and which ones have addresses
// of the same shape. Private to the decoder.
#ifndef SIM_DECODE_ADDRESSES_H
#define SIM_DECODE_ADDRESSES_H

#include "decode/liveness.h"

// Sets `base` and `shape` of all instructions with an address. intervals: [value_count], of
// decode_live_intervals.
sim_status decode_number_addresses(decode_function *function, const decode_interval *intervals);

#endif
