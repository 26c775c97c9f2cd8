// What to change, said to a person: all advice of the kit is rows of advice.def, chosen by a cause
// that is certain. What is not certain is no advice: then the cause alone is said.
#pragma once

#include <stddef.h>

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
