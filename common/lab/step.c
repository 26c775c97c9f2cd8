// Loading of steps: see ladder.h. Loading runs the object's constructors, so isolate it where that
// matters.
#include "ladder.h"
#include "advice.h"
#include "device.h"
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, SYMBOL_BYTES = 128 };

// In sources.txt: lines "<number> <path>", written by the build.
bool kl_step_source(const char *folder, int number, char *path, size_t path_bytes) {
    char file[PATH_BYTES];
    snprintf(file, sizeof file, "%s/sources.txt", folder);
    FILE *in = fopen(file, "r");
    if (!in) return false;
    bool found = false;
    char line[PATH_BYTES + 16];
    while (!found && fgets(line, sizeof line, in)) {
        char *rest = NULL;
        long listed = strtol(line, &rest, 10);
        if (rest != line && *rest == ' ' && listed == number) {
            rest[strcspn(rest, "\n")] = '\0';
            snprintf(path, path_bytes, "%s", rest + 1);
            found = true;
        }
    }
    fclose(in);
    return found;
}

uint64_t kl_step_source_hash(const char *folder, int number) {
    char path[PATH_BYTES];
    return kl_step_source(folder, number, path, sizeof path) ? kl_step_file_hash(path) : 0;
}

static bool newer(const struct stat *a, const struct stat *b) {
    if (a->st_mtim.tv_sec != b->st_mtim.tv_sec) return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
    return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

static kl_status check_fresh(const char *folder, const char *file, int number,
                             ladder_outcome *out_lacks, kl_error *err) {
    char source[PATH_BYTES], list[PATH_BYTES + 16];
    struct stat built, written;
    *out_lacks = LADDER_COMPILE_ERROR;
    if (stat(file, &built) != 0)
        return kl_fail(err, KL_ERROR_INPUT, "not built: the compiler's messages say why");
    bool named = kl_step_source(folder, number, source, sizeof source);
    snprintf(list, sizeof list, "%s/sources.txt", folder);
    if (!named && access(list, R_OK) == 0) {
        *out_lacks = LADDER_NOT_SUBMITTED;
        return kl_fail(err, KL_ERROR_INPUT, "its file is not there: what was built of it is old");
    }
    if (named && stat(source, &written) == 0 && newer(&written, &built)) {
        const char *name = strrchr(source, '/');
        return kl_fail(
            err, KL_ERROR_INPUT,
            "%s changed since it was built: the compiler's messages say why it was not built again",
            name ? name + 1 : source);
    }
    return KL_OK;
}

// Nothing but blanks in a file that can be read.
static bool is_blank(const char *path) {
    FILE *in = fopen(path, "r");
    int c = ' ';
    if (!in) return false;
    while (c == ' ' || c == '\t' || c == '\r' || c == '\n') c = fgetc(in);
    fclose(in);
    return c == EOF;
}

// An object was made, and the step's function is not in it.
static kl_status tell_no_function(const char *folder, int number, const char *symbol,
                                  ladder_outcome *out_lacks, kl_error *err) {
    char source[PATH_BYTES];
    bool known = kl_step_source(folder, number, source, sizeof source);
    const char *slash = known ? strrchr(source, '/') : NULL;
    const char *name = slash ? slash + 1 : "its file";
    if (known && is_blank(source)) {
        *out_lacks = LADDER_EMPTY_FILE;
        return kl_fail(err, KL_ERROR_CUDA,
                       "%s is empty: undo that in your editor, or copy the file again from the kit "
                       "that you were given",
                       name);
    }
    return kl_fail(err, KL_ERROR_CUDA, "%s has no function '%s'; hint: %s", name, symbol,
                   kl_advice_text(KL_ADVICE_KEEP_NAME));
}

// Of an object without the function, out_step->function is NULL.
static kl_status load(const char *file, const char *symbol, kl_step *out_step, kl_error *err) {
    memset(out_step, 0, sizeof *out_step);
    out_step->lacks = LADDER_COMPILE_ERROR;
    if (access(file, R_OK) != 0) return kl_fail(err, KL_ERROR_INPUT, "not built: %s", file);
    out_step->lacks = LADDER_NO_FUNCTION;
    out_step->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!out_step->handle) {
        const char *why = dlerror(), *undefined = why ? strstr(why, "undefined symbol: ") : NULL;
        return kl_fail(err, KL_ERROR_CUDA, "cannot be loaded: %s", undefined ? undefined : why);
    }
    out_step->function = dlsym(out_step->handle, symbol);
    return KL_OK;
}

kl_status kl_step_open_file(const char *file, const char *symbol, kl_step *out_step,
                            kl_error *err) {
    TRY(load(file, symbol, out_step, err));
    if (out_step->function) return KL_OK;
    kl_step_close(out_step);
    out_step->lacks = LADDER_NO_FUNCTION;
    return kl_fail(err, KL_ERROR_CUDA, "has no function '%s'", symbol);
}

// The formats come from the lab's adapter, with one %d (call.h).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void symbol_name(const char *format, int number, char *symbol) {
    snprintf(symbol, SYMBOL_BYTES, format, number);
}
#pragma GCC diagnostic pop

void kl_step_find_prepare(kl_step *step, const char *symbol) {
    step->prepare = dlsym(step->handle, symbol);
}

kl_status kl_step_open(const char *folder, int number, const kl_adapter *adapter, kl_step *out_step,
                       kl_error *err) {
    memset(out_step, 0, sizeof *out_step);
    char file[PATH_BYTES];
    char symbol[SYMBOL_BYTES];
    snprintf(file, sizeof file, "%s/step_%d.so", folder, number);
    TRY(check_fresh(folder, file, number, &out_step->lacks, err));
    symbol_name(adapter->step_symbol, number, symbol);
    TRY(load(file, symbol, out_step, err));
    if (!out_step->function) {
        kl_step_close(out_step);
        out_step->lacks = LADDER_NO_FUNCTION;
        return tell_no_function(folder, number, symbol, &out_step->lacks, err);
    }
    if (adapter->prepare_symbol) {
        symbol_name(adapter->prepare_symbol, number, symbol);
        kl_step_find_prepare(out_step, symbol);
    }
    return KL_OK;
}

kl_status kl_step_check(const char *of, int number, int code, kl_error *err) {
    if (code == 0) return KL_OK;
    const char *fault = kl_device_sim_fault();
    return kl_fail(err, KL_ERROR_CUDA, "%sstep %d: %s%s%s", of, number,
                   code == KL_NOT_IMPLEMENTED ? ladder_outcome_word(LADDER_NOT_IMPLEMENTED)
                                              : cudaGetErrorString((cudaError_t)code),
                   fault[0] != '\0' ? ": " : "", fault);
}

kl_status kl_step_open_last(const char *folder, int chosen, const kl_step_search *search,
                            kl_step *out_step, int *out_number, kl_error *err) {
    const int first = chosen >= 0 ? chosen : 0, last = chosen >= 0 ? chosen : search->last;
    *out_number = -1;
    for (int s = last; s >= first; s--) {
        kl_error why = {KL_OK, ""};
        int code = 0;
        kl_status status = kl_step_open(folder, s, search->adapter, out_step, &why);
        if (status != KL_OK && chosen >= 0)
            return kl_fail(err, status, "%sstep %d: %s", search->of, s, why.text);
        if (status != KL_OK) continue;
        status = search->attempt(search->context, out_step, &code, err);
        if (status == KL_OK && code == 0) {
            *out_number = s;
            return KL_OK;
        }
        kl_step_close(out_step);
        cudaGetLastError(); // the next step must not return it
        if (status != KL_OK) return status;
        if (chosen >= 0) return kl_step_check(search->of, s, code, err);
    }
    return kl_fail(err, KL_ERROR_INPUT, "%s: %sno step is written that runs here", folder,
                   search->of);
}

void kl_step_close(kl_step *step) {
    if (step->handle) dlclose(step->handle);
    memset(step, 0, sizeof *step);
}
