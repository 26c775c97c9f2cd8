// Compilation of configurations: see internal.h.
#include "learn/tune/internal.h"
#include "ladder_config.h"

enum {
    SOURCE_MAX = 4 << 20,
    COMPILER_OUTPUT = 32 << 10, // bytes of messages kept; fits a pipe, so that none blocks
    JOBS_MAX = 64,
    ARGUMENTS = LADDER_NVCC_ARGUMENTS + 8, // beside the configuration's
    DEFINE = 64                            // "-DTUNE_NAME=value"
};

static void add_text(ladder_sha256 *hash, const char *text) {
    ladder_sha256_add(hash, text, strlen(text) + 1);
}

// Its length comes first, so that what moves from one file to the next is a change.
static kl_status add_file(ladder_sha256 *hash, const char *path, bool needed, kl_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    if (needed || ladder_file_exists(path))
        TRY(ladder_file_read(AT_FDCWD, path, SOURCE_MAX, &text, &bytes, err));
    ladder_sha256_add(hash, &bytes, sizeof bytes);
    ladder_sha256_add(hash, text ? text : "", bytes);
    free(text);
    return KL_OK;
}

// What is tuned is the step that the lab's ladder leads to.
static const kl_step_info *tuned(const ladder_tune_kernel *k) {
    return kl_problem_last(k->lab->problem);
}

// Hash of all that the configurations have in common.
static kl_status hash_kernel(ladder_tune_kernel *k, kl_error *err) {
    char path[LADDER_PATH];
    ladder_sha256 hash;
    ladder_sha256_begin(&hash);
    add_text(&hash, LADDER_CUDA_VERSION);
    add_text(&hash, ladder_nvcc_architecture(tuned(k)->needs_sm, tuned(k)->needs_exact));
    for (int i = 0; ladder_nvcc_flags[i]; i++) add_text(&hash, ladder_nvcc_flags[i]);
    TRY(add_file(&hash, k->source, true, err));
    const char *lab = k->lab->folder, *name = k->lab->problem->name;
    TRY(ladder_path(path, err, "%s/labs/%s/%s.h", k->kit->source, lab, name));
    TRY(add_file(&hash, path, true, err));
    TRY(ladder_path(path, err, "%s/labs/%s/%s.cuh", k->kit->source, lab, name));
    TRY(add_file(&hash, path, false, err));
    TRY(ladder_path(path, err, "%stune.cuh", k->folder));
    TRY(add_file(&hash, path, false, err));
    ladder_sha256_end(&hash, k->hash);
    return KL_OK;
}

kl_status ladder_tune_kernel_open(const ladder_kit *kit, const ladder_lab *lab,
                                  const ladder_tune_space *space, const char *source,
                                  ladder_tune_kernel *out_kernel, kl_error *err) {
    ladder_tune_kernel *k = out_kernel;
    memset(k, 0, sizeof *k);
    k->kit = kit;
    k->lab = lab;
    k->space = space;
    if (source) {
        char absolute[LADDER_PATH];
        if (strlen(source) >= sizeof absolute || !realpath(source, absolute))
            return kl_fail(err, KL_ERROR_USAGE, "--kernel %s: there is no such file", source);
        TRY(ladder_path(k->source, err, "%s", absolute));
    } else {
        TRY(ladder_path(k->source, err, "%s/solutions/%s/tune.cu", kit->source, lab->folder));
        kl_error why;
        if (ladder_kit_require_solution_file(kit, lab, "tune.cu", &why) != KL_OK)
            return kl_fail(err, KL_ERROR_INPUT, "%s; --kernel FILE takes your own", why.text);
    }
    TRY(ladder_path(k->folder, err, "%.*s", (int)(strrchr(k->source, '/') + 1 - k->source),
                    k->source));
    TRY(ladder_path(k->cache, err, "%s/tune/%s/objects", kit->build, lab->folder));
    TRY(ladder_folder_make(k->cache, err));
    return hash_kernel(k, err);
}

kl_status ladder_tune_object_path(const ladder_tune_kernel *kernel,
                                  const ladder_tune_object *object, char *out, kl_error *err) {
    return ladder_path(out, err, "%s/%s.so", kernel->cache, object->key);
}

static void name_object(const ladder_tune_kernel *kernel, const ladder_tune_config *config,
                        ladder_tune_object *out_object) {
    char text[LADDER_TUNE_TEXT], digits[LADDER_SHA256_TEXT];
    ladder_sha256 hash;
    ladder_sha256_begin(&hash);
    add_text(&hash, kernel->hash);
    add_text(&hash, ladder_tune_config_text(kernel->space, config, UINT32_MAX, text, sizeof text));
    ladder_sha256_end(&hash, digits);
    snprintf(out_object->key, sizeof out_object->key, "%.24s", digits);
}

// ---- one compilation ---------------------------------------------------------------------------

typedef struct compilation {
    ladder_process process;
    size_t index; // of the configuration
    char temporary[LADDER_PATH];
} compilation;

// nvcc with the flags of the kit's own builds, the configuration as macros, straight to a shared
// object.
static kl_status start(const ladder_tune_kernel *k, const ladder_tune_config *config,
                       const char *key, double limit_s, compilation *c, kl_error *err) {
    char defines[LADDER_TUNE_PARAMETERS][DEFINE], include[LADDER_PATH + 2];
    const char *argv[LADDER_TUNE_PARAMETERS + ARGUMENTS];
    int count = ladder_nvcc_begin(tuned(k)->needs_sm, tuned(k)->needs_exact, argv);
    snprintf(include, sizeof include, "-I%.*s/labs/%s", LADDER_PATH - 64, k->kit->source,
             k->lab->folder);
    TRY(ladder_path(c->temporary, err, "%s/%s.%d.part.so", k->cache, key, (int)getpid()));
    const char *const object[] = {include, "-shared", "-cudart", "shared"};
    for (size_t i = 0; i < sizeof object / sizeof object[0]; i++) argv[count++] = object[i];
    for (int p = 0; p < k->space->parameter_count; p++) {
        snprintf(defines[p], DEFINE, "-DTUNE_%s=%d", k->space->parameters[p].name,
                 config->values[p]);
        argv[count++] = defines[p];
    }
    argv[count++] = "-o";
    argv[count++] = c->temporary;
    argv[count++] = k->source;
    argv[count] = NULL;
    ladder_process_spec spec = {.argv = argv,
                                .environment = (const char *const *)environ,
                                .limits = {.wall_s = limit_s, .output_bytes = COMPILER_OUTPUT}};
    kl_status status = ladder_process_start(&spec, &c->process, err);
    if (status != KL_OK) {
        ladder_process_finish(&c->process);
        ladder_process_free(&c->process);
    }
    return status;
}

// A failure that would come again is kept beside the objects.
static kl_status keep_failure(const ladder_tune_kernel *k, const ladder_tune_object *object,
                              kl_error *err) {
    char path[LADDER_PATH];
    TRY(ladder_path(path, err, "%s/%s.failed", k->cache, object->key));
    return ladder_file_write(path, object->reason, strlen(object->reason), err);
}

static void look_at(const ladder_tune_kernel *k, ladder_tune_object *object) {
    char path[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    object->built = ladder_tune_object_path(k, object, path, &err) == KL_OK &&
                    ladder_machine_code_read(path, (uint32_t)atoi(LADDER_CUDA_ARCHITECTURE),
                                             &object->code, &err) == KL_OK;
    if (!object->built) ladder_plain(err.text, false, object->reason, sizeof object->reason);
}

static kl_status finish(const ladder_tune_kernel *k, compilation *c, ladder_tune_object *object,
                        kl_error *err) {
    char path[LADDER_PATH], how[128], line[LADDER_TUNE_REASON];
    ladder_process_finish(&c->process);
    bool well = c->process.end == LADDER_END_EXITED && c->process.code == 0;
    kl_status status = ladder_tune_object_path(k, object, path, err);
    if (status == KL_OK && well && rename(c->temporary, path) == 0) {
        look_at(k, object);
    } else if (status == KL_OK) {
        unlink(c->temporary);
        ladder_first_error(c->process.output, line, sizeof line);
        ladder_remove_text(line, k->folder);
        ladder_process_describe(&c->process, how, sizeof how);
        if (line[0] == '\0') snprintf(line, sizeof line, "the compiler %s", how);
        ladder_plain(line, false, object->reason, sizeof object->reason);
        if (c->process.end == LADDER_END_EXITED) status = keep_failure(k, object, err);
    }
    ladder_process_free(&c->process);
    return status;
}

// True when the object, or its failure, is there from before.
static bool is_cached(const ladder_tune_kernel *k, ladder_tune_object *object) {
    char path[LADDER_PATH], *text = NULL;
    kl_error err = {KL_OK, ""};
    if (ladder_tune_object_path(k, object, path, &err) != KL_OK) return false;
    if (ladder_file_exists(path)) {
        look_at(k, object);
        return object->built;
    }
    if (ladder_path(path, &err, "%s/%s.failed", k->cache, object->key) != KL_OK ||
        !ladder_file_exists(path) ||
        ladder_file_read(AT_FDCWD, path, SOURCE_MAX, &text, NULL, &err) != KL_OK)
        return false;
    snprintf(object->reason, sizeof object->reason, "%s", text);
    free(text);
    return true;
}

// ---- many --------------------------------------------------------------------------------------

// Waits a moment for each; the index of one that has ended, or -1.
static int ended(compilation *running, int count) {
    for (int i = 0; i < count; i++) {
        ladder_process *one[] = {&running[i].process};
        ladder_process_wait_readable(one, 1, -1, kl_now_s() + 0.002);
        if (running[i].process.end != LADDER_END_RUNNING) return i;
    }
    return -1;
}

kl_status ladder_tune_build(const ladder_tune_kernel *kernel, const ladder_tune_config *items,
                            size_t count, int jobs, double limit_s, ladder_tune_built *progress,
                            void *context, ladder_tune_object *out_objects, kl_error *err) {
    jobs = jobs < 1 ? 1 : jobs > JOBS_MAX ? JOBS_MAX : jobs;
    compilation *running = calloc((size_t)jobs, sizeof *running);
    if (!running) return kl_fail(err, KL_ERROR_MEMORY, "no memory for compilations");
    kl_status status = KL_OK;
    size_t next = 0, done = 0, failed = 0;
    int active = 0;
    while (status == KL_OK && done < count) {
        while (status == KL_OK && active < jobs && next < count) {
            ladder_tune_object *object = &out_objects[next];
            memset(object, 0, sizeof *object);
            name_object(kernel, &items[next], object);
            if (is_cached(kernel, object)) {
                done++;
                failed += !object->built;
            } else {
                running[active].index = next;
                status = start(kernel, &items[next], object->key, limit_s, &running[active], err);
                active += status == KL_OK;
            }
            next++;
        }
        int end = status == KL_OK ? ended(running, active) : -1;
        if (end >= 0) {
            ladder_tune_object *object = &out_objects[running[end].index];
            status = finish(kernel, &running[end], object, err);
            running[end] = running[--active];
            done++;
            failed += !object->built;
        }
        progress(context, done, failed);
    }
    for (int i = 0; i < active; i++) {
        ladder_process_finish(&running[i].process);
        ladder_process_free(&running[i].process);
        unlink(running[i].temporary);
    }
    free(running);
    return status;
}
