// SPDX-License-Identifier: MIT
// The import audit: which symbols a step's object file may ask the linker for (imports.def), and
// which header files its compilation may have read. It stops honest shortcuts (a vendor library)
// and the plain forms of dishonest ones; system calls written in assembler are the sandbox's
// business, not this file's.
#ifndef LADDER_SUBMISSION_IMPORTS_H
#define LADDER_SUBMISSION_IMPORTS_H

#include <stdbool.h>
#include <stddef.h>

#include "utilities/elf_file.h"

// Whether `symbol` may be imported. *out_reason says what it is. `extra`: the lab's own patterns,
// allowed besides, [extra_count].
bool ladder_import_allowed(const char *symbol, const char *const *extra, size_t extra_count,
                           const char **out_reason);

// KL_OK, or KL_ERROR_INPUT with a sentence that names the first few forbidden symbols.
kl_status ladder_import_audit(const ladder_elf *object, const char *const *extra,
                              size_t extra_count, kl_error *err);

// `dependencies`: the text of a make rule as nvcc -MD writes it in `folder`, an absolute path.
// Allowed are files in that folder and under one of `roots` ([root_count] absolute folders), but
// not the vendor's algorithm libraries (CUB, Thrust, CUTLASS), and none that is not there any more.
// KL_ERROR_INPUT names the header.
kl_status ladder_include_audit(char *dependencies, const char *folder, const char *const *roots,
                               size_t root_count, kl_error *err);

// The same for a compiler's messages: they quote lines of the file that they are about.
// KL_ERROR_INPUT when that is a file which a step may not include.
kl_status ladder_message_audit(const char *log, const char *folder, const char *const *roots,
                               size_t root_count, kl_error *err);

#endif
