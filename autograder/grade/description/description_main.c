// ladder-lab: reads the description of a lab and writes what the build needs of it. CMake compiles
// it when it configures (common/cmake/describe.cmake), before anything else is built, so it needs
// nothing but C.
//
//   ladder-lab LAB INTO   of the folder LAB, such as labs/02_reduction, and of what modelled.json
//                         and warp_instructions.csv beside it have of the lab: rubric.c,
//                         questions.c, steps.h, description.cmake and figures.txt in the folder
//                         INTO, each only if it changes
//   ladder-lab --schema   the fields, as a section of docs/schemas.txt
// Exit status: 0; 1 with "FILE:LINE:COLUMN: .." on standard error; 2 for a wrong command line.
#include "grade/description/description.h"

enum { PATH = 4096 };

typedef struct lab {
    const char *folder; // as it was given
    ladder_description description;
    ladder_modelled_file modelled;
    char *executed; // text of warp_instructions.csv; NULL: there is none
} lab;

static kl_status path_of(char out[PATH], const char *folder, const char *file, kl_error *err) {
    int length = snprintf(out, PATH, "%s/%s", folder, file);
    if (length > 0 && length < PATH) return KL_OK;
    return kl_fail(err, KL_ERROR_USAGE, "%.100s..: the path is too long", folder);
}

// "02_reduction" of "labs/02_reduction/".
static void name_of(const char *folder, char out[PATH]) {
    size_t end = strlen(folder);
    while (end > 1 && folder[end - 1] == '/') end--;
    size_t begin = end;
    while (begin > 0 && folder[begin - 1] != '/') begin--;
    snprintf(out, PATH, "%.*s", (int)(end - begin), folder + begin);
}

// A file that all labs have together, in the folder that the lab's is in.
static kl_status path_beside(char out[PATH], const char *folder, const char *file, kl_error *err) {
    size_t end = strlen(folder);
    while (end > 1 && folder[end - 1] == '/') end--;
    while (end > 0 && folder[end - 1] != '/') end--;
    int length = snprintf(out, PATH, "%.*s%s", (int)end, folder, file);
    if (length > 0 && length < PATH) return KL_OK;
    return kl_fail(err, KL_ERROR_USAGE, "%.100s..: the path is too long", folder);
}

static kl_status load(const char *folder, lab *out_lab, kl_error *err) {
    char path[PATH], name[PATH];
    name_of(folder, name);
    TRY(path_of(path, folder, "lab.json", err));
    return ladder_description_load(path, name, &out_lab->description, err);
}

static void unload(lab *l) {
    ladder_description_free(&l->description);
    ladder_modelled_free(&l->modelled);
    free(l->executed);
}

static kl_status write_rubric(FILE *out, const lab *l, kl_error *err) {
    return ladder_write_rubric(out, &l->description, &l->modelled, err);
}

static kl_status write_questions(FILE *out, const lab *l, kl_error *err) {
    (void)err;
    ladder_write_questions(out, &l->description);
    return KL_OK;
}

static kl_status write_steps(FILE *out, const lab *l, kl_error *err) {
    return ladder_write_steps(out, &l->description, l->executed, err);
}

static kl_status write_cmake(FILE *out, const lab *l, kl_error *err) {
    (void)err;
    ladder_write_cmake(out, &l->description);
    return KL_OK;
}

static kl_status write_figures(FILE *out, const lab *l, kl_error *err) {
    (void)err;
    ladder_write_figures(out, &l->description);
    return KL_OK;
}

static const struct {
    const char *file;
    kl_status (*write)(FILE *out, const lab *l, kl_error *err);
} outputs[] = {{"rubric.c", write_rubric},
               {"questions.c", write_questions},
               {"steps.h", write_steps},
               {"description.cmake", write_cmake},
               {"figures.txt", write_figures}};

// What has not changed keeps its time, so that nothing is built again because of it.
static kl_status put(const char *path, const char *text, size_t bytes, kl_error *err) {
    char *old = NULL, fresh[PATH];
    size_t old_bytes = 0;
    bool same = ladder_description_file(path, &old, &old_bytes, NULL) == KL_OK &&
                old_bytes == bytes && memcmp(old, text, bytes) == 0;
    free(old);
    if (same) return KL_OK;
    snprintf(fresh, sizeof fresh, "%.4000s.new", path);
    FILE *file = fopen(fresh, "wb");
    bool whole = file && fwrite(text, 1, bytes, file) == bytes;
    if (file && fclose(file) != 0) whole = false;
    if (whole && rename(fresh, path) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM, "%s cannot be written: %s", path, strerror(errno));
}

static kl_status make(const lab *l, const char *into, size_t i, kl_error *err) {
    char path[PATH], *text = NULL;
    size_t bytes = 0;
    TRY(path_of(path, into, outputs[i].file, err));
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return kl_fail(err, KL_ERROR_MEMORY, "no memory for %s", path);
    kl_status status = outputs[i].write(out, l, err);
    if (fclose(out) != 0 && status == KL_OK)
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for %s", path);
    if (status == KL_OK) status = put(path, text, bytes, err);
    free(text);
    return status;
}

static kl_status make_all(const char *folder, const char *into, lab *l, kl_error *err) {
    char path[PATH];
    size_t bytes;
    TRY(load(folder, l, err));
    TRY(path_beside(path, folder, "modelled.json", err));
    TRY(ladder_modelled_load(path, l->description.lab, &l->modelled, err));
    TRY(path_beside(path, folder, "warp_instructions.csv", err));
    if (ladder_description_file(path, &l->executed, &bytes, NULL) != KL_OK) l->executed = NULL;
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) TRY(make(l, into, i, err));
    return KL_OK;
}

int main(int argc, char **argv) {
    kl_error err;
    lab l = {.folder = argc > 1 ? argv[1] : ""};
    kl_status status;
    if (argc == 2 && strcmp(argv[1], "--schema") == 0) {
        ladder_write_schema(stdout);
        status = KL_OK;
    } else if (argc == 3 && argv[1][0] != '-') {
        status = make_all(argv[1], argv[2], &l, &err);
    } else {
        fputs("usage: ladder-lab LAB INTO | --schema\n", stderr);
        return 2;
    }
    unload(&l);
    if (status != KL_OK) fprintf(stderr, "%s\n", err.text);
    return status == KL_OK ? 0 : 1;
}
