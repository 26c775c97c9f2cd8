// Reads C and CUDA texts, as far as attacks need it that are made of them. For tests only.
#pragma once

#include "error.h"

// Whether a name or number goes on with this.
bool scan_is_word(char c);
const char *scan_blanks(const char *at);
// Behind the bracket that closes the one at `at`.
const char *scan_bracket(const char *at);
// The text without comments; caller frees.
char *scan_without_comments(const char *text);
// The text with given device code of the lab in the place of #include "NAME.cuh". folder: the
// lab's. Caller frees.
kl_status scan_with_headers(const char *text, const char *folder, char **out_text, kl_error *err);
