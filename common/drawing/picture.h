// SPDX-License-Identifier: MIT
// The end of every picture: was it written?
#ifndef KL_PICTURE_H
#define KL_PICTURE_H

#include <stdio.h>

#include "error.h"

// Ends the paper. KL_ERROR_SYSTEM when anything of the picture could not be written.
kl_status kl_picture_end(FILE *out, kl_error *err);

#endif
