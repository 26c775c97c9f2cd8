// SPDX-License-Identifier: MIT
// The text of a step's file, made the same whatever editor and system it was written with.
#ifndef LADDER_SUBMISSION_SOURCE_TEXT_H
#define LADDER_SUBMISSION_SOURCE_TEXT_H

#include <stddef.h>

#include "error.h"

// In place: a UTF-8 byte order mark goes, and line ends become '\n' ("\r\n" of Windows, '\r' of old
// systems), so that lines keep their numbers. All other bytes stay, also those that are no UTF-8,
// such as a Latin-1 comment's: the compiler takes them, and reports print '?'. KL_ERROR_INPUT: it
// is no such text (UTF-16, UTF-32, NUL bytes), with what to do.
kl_status ladder_source_text(char *text, size_t *bytes, kl_error *err);

#endif
