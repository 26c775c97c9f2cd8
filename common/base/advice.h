// What to change, said to a person: all advice of the kit is rows of advice.def, chosen by a cause
// that is certain. What is not certain is no advice: then the cause alone is said.
#pragma once

#include <stddef.h>
#include <stdbool.h>

// The rows, by name.
typedef enum kl_advice {
#define KL_ADVICE(name, text) KL_ADVICE_##name,
#include "advice.def"
#undef KL_ADVICE
    KL_ADVICE_COUNT
} kl_advice;

// Writes the row to text, [text_bytes], with `words`, which end with NULL, for its {0}, {1}, ..: at
// most 10. What does not fit is cut off.
void kl_advise(kl_advice row, const char *const *words, char *text, size_t text_bytes);

// A row without words.
const char *kl_advice_text(kl_advice row);

// The words of a row. Without any: KL_WORDS(NULL).
#define KL_WORDS(...)                                                                              \
    (const char *const[]) { __VA_ARGS__, NULL }

// ---- advice.c: arguments ------------------------------------------------------------------------
// Names of a kernel's parameters, as the definition in the source has them.

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
