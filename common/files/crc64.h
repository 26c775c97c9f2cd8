// SPDX-License-Identifier: MIT
// CRC-64/XZ: a check sum that notices damage, every burst of up to 64 bits among it. No protection
// against intent. Source: ECMA-182, annex B; the XZ file format, section 6.
#ifndef KL_CRC64_H
#define KL_CRC64_H

#include <stddef.h>
#include <stdint.h>

// Of bytes that follow others whose check sum is `before`; 0 when none do.
uint64_t kl_crc64(uint64_t before, const void *data, size_t bytes);

#endif
