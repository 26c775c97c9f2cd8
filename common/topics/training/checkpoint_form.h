// SPDX-License-Identifier: MIT
// What the writer and the reader of checkpoints share. Private to common/topics/training.
#ifndef KL_CHECKPOINT_FORM_H
#define KL_CHECKPOINT_FORM_H

#include <stdbool.h>

// Its line end is there to notice a file that was sent as text.
enum { KL_CHECKPOINT_MAGIC = 8 };
#define kl_checkpoint_magic "KLCKPT\r\n"

// Numbers of the host are written as they lie.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "checkpoints hold the lowest byte first");

// name: [KL_TENSOR_NAME], perhaps without an end.
bool kl_tensor_name_is_right(const char *name);

#endif
