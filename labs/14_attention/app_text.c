// The text of lab 14's application: see app.h. The one that comes with the lab is "As You Like It"
// by William Shakespeare (died 1616; first printed in 1623), without notes of an editor: the acts
// of asyoulik.txt of the Canterbury corpus (Arnold and Bell 1997), with a speaker's name in a line
// of its own, and one blank line where there were several.
#include "app.h"
#include "random.h"

enum { MOST_CHARACTERS = 1 << 24, LEAST_CHARACTERS = 1000 };

// Numbers symbols in the order of their codes. -1: there are too many.
static int number_symbols(const uint8_t *letters, int64_t count, int *of_code, char *out_letter) {
    bool used[256] = {false};
    int symbols = 0;
    for (int64_t i = 0; i < count; i++) used[letters[i]] = true;
    for (int code = 0; code < 256; code++) {
        if (!used[code]) continue;
        if (symbols == LM_MOST_SYMBOLS) return -1;
        out_letter[symbols] = (char)code;
        of_code[code] = symbols++;
    }
    return symbols;
}

static kl_status read_all(FILE *file, const char *path, lm_text *out, kl_error *err) {
    int of_code[256] = {0};
    out->codes = malloc(MOST_CHARACTERS);
    if (!out->codes) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a text");
    out->count = (int64_t)fread(out->codes, 1, MOST_CHARACTERS, file);
    if (ferror(file)) return kl_fail(err, KL_ERROR_SYSTEM, "cannot read %s", path);
    if (out->count < LEAST_CHARACTERS)
        return kl_fail(err, KL_ERROR_INPUT, "%s has %lld characters; a text has %d at least", path,
                       (long long)out->count, LEAST_CHARACTERS);
    out->symbols = number_symbols(out->codes, out->count, of_code, out->letter);
    if (out->symbols < 0)
        return kl_fail(err, KL_ERROR_INPUT, "%s has more than %d different characters", path,
                       LM_MOST_SYMBOLS);
    for (int64_t i = 0; i < out->count; i++) out->codes[i] = (uint8_t)of_code[out->codes[i]];
    out->train = out->count - out->count / 10;
    return KL_OK;
}

kl_status lm_text_read(const char *path, lm_text *out, kl_error *err) {
    *out = (lm_text){.count = 0};
    FILE *file = fopen(path, "rb");
    if (!file) return kl_fail(err, KL_ERROR_INPUT, "cannot open %s", path);
    kl_status status = read_all(file, path, out, err);
    fclose(file);
    return status;
}

void lm_text_free(lm_text *text) {
    free(text->codes);
    text->codes = NULL;
}

void lm_text_batch(const lm_text *text, bool held_out, uint64_t seed, int64_t batch,
                   int64_t context, int32_t *out_inputs, int32_t *out_targets) {
    const uint8_t *from = text->codes + (held_out ? text->train : 0);
    const int64_t count = held_out ? text->count - text->train : text->train;
    for (int64_t b = 0; b < batch; b++) {
        int64_t at = kl_random_below(seed, (uint64_t)b, (uint64_t)(count - context));
        for (int64_t t = 0; t < context; t++) {
            out_inputs[b * context + t] = from[at + t];
            out_targets[b * context + t] = from[at + t + 1];
        }
    }
}
