// Names of a kernel's parameters, as the definition in the source has them.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// The name of parameter `number` (from 1) of the function that `source` defines under its plain
// name. False when there is no such definition or the parameter has no name.
bool kl_argument_name(const char *source, const char *function, unsigned number, char *name,
                      size_t name_bytes);

// The type that its declaration there has for what it points to: "const float". False likewise, or
// where it is no pointer.
bool kl_argument_type(const char *source, const char *function, unsigned number, char *type,
                      size_t type_bytes);

// Puts the names behind the numbers in a text: "argument 1 of the kernel" becomes "argument 1 (x)
// of the kernel". source: may be NULL. function NULL: the kernel that a fault's text names.
void kl_argument_names_put(const char *source, const char *function, char *text, size_t text_bytes);
