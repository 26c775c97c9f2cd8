// SPDX-License-Identifier: MIT
// The end of every picture: see picture.h.
#include "picture.h"

#include <errno.h>
#include <string.h>

#include "paper.h"

kl_status kl_picture_end(FILE *out, kl_error *err) {
    kl_paper_end(out);
    if (fflush(out) != 0 || ferror(out))
        return kl_fail(err, KL_ERROR_SYSTEM, "writing the picture failed: %s", strerror(errno));
    return KL_OK;
}
