// Fuzz target: a lab's description. What is accepted is turned into everything that is made of one,
// and its copy for students is sound again. Must never crash, hang, leak or read outside the text.
#include "grade/description/description.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void make_all(const ladder_description *d, kl_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    const ladder_modelled_file none = {0};
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return;
    if (ladder_write_rubric(out, d, &none, err) != KL_OK) abort();
    ladder_write_questions(out, d);
    if (ladder_write_steps(out, d, NULL, err) != KL_OK) abort();
    ladder_write_cmake(out, d);
    ladder_write_figures(out, d);
    fclose(out);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    kl_error err = {.status = KL_OK};
    ladder_description d, again;
    if (ladder_description_read("lab.json", (const char *)data, bytes, NULL, &d, &err) != KL_OK) {
        if (strncmp(err.text, "lab.json:", strlen("lab.json:")) != 0) abort();
        return 0;
    }
    make_all(&d, &err);
    for (int kept = 0; kept < 4; kept++) {
        char *copy = NULL;
        int removed = 0;
        if (ladder_description_copy(&d, kept & 1, kept & 2, &copy, &removed, &err) != KL_OK)
            abort();
        // Of a step whose criteria are all hidden none is left, which is refused.
        bool sound =
            ladder_description_read("copy", copy, strlen(copy), NULL, &again, &err) == KL_OK;
        if (sound) ladder_description_free(&again);
        if (!sound && removed == 0) abort();
        free(copy);
    }
    ladder_description_free(&d);
    return 0;
}
