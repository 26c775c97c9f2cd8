// The small kit: see mistakes.h. Its build folder is configured by CMake, so that `ladder` builds
// there as it does in a student's kit; configuring takes a moment, as it asks for no compiler.
#include "mistakes.h"

#include <dirent.h>

#include "ladder_config.h"
#include "sandbox/process/process.h"

static kl_status link_to(const char *target, const char *name, kl_error *err) {
    if (symlink(target, name) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", name, strerror(errno));
}

// A program finds what belongs to it by its own path, so it is copied.
static kl_status copy_program(const char *from, const char *to, kl_error *err) {
    enum { MOST_BYTES = 1 << 28 };
    char *data = NULL;
    size_t bytes = 0;
    TRY(ladder_file_read(AT_FDCWD, from, MOST_BYTES, &data, &bytes, err));
    kl_status status = ladder_file_write(to, data, bytes, err);
    free(data);
    if (status == KL_OK && chmod(to, 0755) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", to, strerror(errno));
    return status;
}

kl_status mistakes_step_file(const char *folder, int step, char *out, kl_error *err) {
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    kl_status status =
        kl_fail(err, KL_ERROR_INPUT, "%s: no file of a step with number %d", folder, step);
    while (dir && (entry = readdir(dir))) {
        char *end = NULL;
        long number = strtol(entry->d_name, &end, 10);
        if (end != entry->d_name && *end == '_' && number == step && strstr(end, ".cu"))
            status = ladder_path(out, err, "%s/%s", folder, entry->d_name);
    }
    if (dir) closedir(dir);
    return status;
}

// Everything of the lab but its steps by links, and the steps' originals as copies.
static kl_status make_lab(const ladder_kit *real, const char *top, const mistakes_lab *lab,
                          FILE *cmake, kl_error *err) {
    char from[LADDER_PATH], to[LADDER_PATH], name[64];
    snprintf(name, sizeof name, "%s", strchr(lab->folder, '_') + 1);
    TRY(ladder_path(from, err, "%s/labs/%s", real->source, lab->folder));
    TRY(ladder_path(to, err, "%s/labs/%s/steps", top, lab->folder));
    TRY(ladder_folder_make(to, err));
    DIR *dir = opendir(from);
    const struct dirent *entry;
    kl_status status = dir ? KL_OK : kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", from, strerror(errno));
    while (status == KL_OK && dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "steps") == 0) continue;
        char target[LADDER_PATH];
        status = ladder_path(target, err, "%s/%s", from, entry->d_name);
        if (status == KL_OK)
            status = ladder_path(to, err, "%s/labs/%s/%s", top, lab->folder, entry->d_name);
        if (status == KL_OK) status = link_to(target, to, err);
    }
    if (dir) closedir(dir);
    TRY(status);
    TRY(ladder_path(to, err, "%s/build/labs/%s/skeleton", top, lab->folder));
    TRY(ladder_folder_make(to, err));
    TRY(ladder_path(from, err, "%s/labs/%s/%s", real->build, lab->folder, name));
    TRY(ladder_path(to, err, "%s/build/labs/%s/%s", top, lab->folder, name));
    TRY(copy_program(from, to, err));

    fprintf(cmake, "add_custom_target(%s)\nadd_custom_target(%s_skeleton)\n", name, name);
    TRY(ladder_path(to, err, "%s/build/labs/%s/skeleton/sources.txt", top, lab->folder));
    FILE *sources = fopen(to, "w");
    if (!sources) return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", to, strerror(errno));
    for (int i = 0; status == KL_OK && i < (int)(sizeof lab->steps / sizeof *lab->steps); i++) {
        char steps[LADDER_PATH], *text = NULL;
        size_t bytes = 0;
        if (!lab->steps[i]) continue;
        status = ladder_path(steps, err, "%s/labs/%s/steps", real->source, lab->folder);
        if (status == KL_OK) status = mistakes_step_file(steps, i, from, err);
        if (status == KL_OK)
            status = ladder_path(to, err, "%s/labs/%s/steps/%s", top, lab->folder,
                                 strrchr(from, '/') + 1);
        if (status == KL_OK) status = ladder_file_read(AT_FDCWD, from, 1 << 20, &text, &bytes, err);
        if (status == KL_OK) status = ladder_file_write(to, text, bytes, err);
        free(text);
        fprintf(sources, "%d %s\n", i, to);
        fprintf(cmake, "step(%s %s %d \"%s\")\n", lab->folder, name, i, to);
    }
    fclose(sources);
    return status;
}

// The commands that common/cmake/lab.cmake has CMake make for a step of the skeleton.
static void write_rules(const ladder_kit *real, FILE *out) {
    const char *argv[LADDER_NVCC_ARGUMENTS];
    int count = ladder_nvcc_begin(0, false, argv);
    fprintf(out,
            "# Written by mistakes/kit.c.\ncmake_minimum_required(VERSION 3.22)\n"
            "project(mistakes LANGUAGES NONE)\nset(compile sh "
            "%s/common/cmake/nvcc/compile.sh",
            real->source);
    for (int i = 0; i < count; i++) fprintf(out, " \"%s\"", argv[i]);
    fprintf(out,
            " -Xcompiler=-g1 -x cu -c)\n"
            "set(link \"%s\" -fPIC -shared -Wl,--enable-new-dtags \"-Wl,-rpath,%s\" \"-L%s\")\n"
            "function(step lab name number file)\n"
            "  set(out ${CMAKE_BINARY_DIR}/labs/${lab}/skeleton/step_${number})\n"
            "  add_custom_command(OUTPUT ${out}.so DEPENDS ${file}\n"
            "    COMMAND ${compile} ${file} -I%s/labs/${lab} -o ${out}.o\n"
            "    COMMAND ${link} -o ${out}.so ${out}.o -lcudart)\n"
            "  add_custom_target(${name}_skeleton_step_${number} DEPENDS ${out}.so)\n"
            "  add_dependencies(${name}_skeleton ${name}_skeleton_step_${number})\n"
            "endfunction()\n",
            LADDER_HOST_COMPILER, LADDER_CUDA_LIBRARY_DIR, LADDER_CUDA_LIBRARY_DIR, real->source);
}

static kl_status configure(const char *top, kl_error *err) {
    char build[LADDER_PATH];
    TRY(ladder_path(build, err, "%s/build", top));
    const char *const argv[] = {LADDER_CMAKE, "-S", top, "-B", build, "-G", LADDER_GENERATOR, NULL};
    ladder_process process;
    const ladder_process_spec spec = {.argv = argv,
                                      .environment = (const char *const *)environ,
                                      .limits = {.output_bytes = 1 << 16}};
    TRY(ladder_process_run(&spec, &process, err));
    kl_status status = KL_OK;
    if (process.end != LADDER_END_EXITED || process.code != 0)
        status = kl_fail(err, KL_ERROR_SYSTEM, "cmake -S %s: %.400s", top, process.output);
    ladder_process_free(&process);
    return status;
}

kl_status mistakes_kit_make(const ladder_kit *real, const char *top, const mistakes_lab *labs,
                            int count, kl_error *err) {
    char from[LADDER_PATH], to[LADDER_PATH];
    ladder_folder_remove(top);
    TRY(ladder_path(to, err, "%s/build/common", top));
    TRY(ladder_folder_make(to, err));
    TRY(ladder_path(from, err, "%s/common/simulator", real->build));
    TRY(ladder_path(to, err, "%s/build/common/simulator", top));
    TRY(link_to(from, to, err));
    TRY(ladder_path(from, err, "%s/solutions", real->source));
    TRY(ladder_path(to, err, "%s/solutions", top));
    TRY(link_to(from, to, err));
    TRY(ladder_path(to, err, "%s/CMakeLists.txt", top));
    FILE *cmake = fopen(to, "w");
    if (!cmake) return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", to, strerror(errno));
    write_rules(real, cmake);
    kl_status status = KL_OK;
    for (int i = 0; i < count && status == KL_OK; i++)
        status = make_lab(real, top, &labs[i], cmake, err);
    fclose(cmake);
    TRY(status);
    return configure(top, err);
}
