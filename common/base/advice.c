// Advice: see advice.h.
#include "advice.h"
#include <stdio.h>

static const char *const rows[] = {
#define KL_ADVICE(name, text) text,
#include "advice.def"
#undef KL_ADVICE
};

const char *kl_advice_text(kl_advice row) { return rows[row]; }

void kl_advise(kl_advice row, const char *const *words, char *text, size_t text_bytes) {
    FILE *out = fmemopen(text, text_bytes, "w");
    if (!out) return;
    for (const char *at = rows[row]; *at != '\0'; at++)
        if (at[0] == '{' && at[1] != '\0' && at[2] == '}') fputs(words[at[1] - '0'], out), at += 2;
        else fputc(*at, out);
    fclose(out);
    text[text_bytes - 1] = '\0';
}
