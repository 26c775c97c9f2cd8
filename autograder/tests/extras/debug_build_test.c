// Protects builds for the debugger: what is compiled and when again, that the PTX in it tells the
// step's variables, and the message where it does not compile. Runs nvcc, in a made kit.
// links: sim_debug_variables
#include "debug/variables/variables.h"
#include "ladder_config.h"
#include "learn/extras/extras.h"
#include "suite.h"

static kl_error err;

static const char step_text[] = "#include \"tile.h\"\n"
                                "__global__ void sum(const float *in, float *out) {\n"
                                "    __shared__ float tile[TILE];\n"
                                "    int i = threadIdx.x;\n"
                                "    tile[i] = in[i];\n"
                                "    __syncthreads();\n"
                                "    float pair = tile[i] + tile[i ^ 1];\n"
                                "    out[i] = pair;\n"
                                "}\n";

static ladder_kit kit;
static const ladder_lab *lab;
static const kl_step_info *step;
static char step_file[LADDER_PATH], header[LADDER_PATH];

static void must(kl_status status, const kl_error *err) {
    ck_assert_msg(status == KL_OK, "%s", err->text);
}

static void write_text(const char *path, const char *text) {
    must(ladder_file_write(path, text, strlen(text), &err), &err);
}

static void set_up(void) {
    char folder[LADDER_PATH], path[LADDER_PATH];
    must(ladder_folder_temporary(folder, &err), &err);
    must(ladder_path(kit.source, &err, "%s/the kit", folder), &err); // a blank in its path
    must(ladder_path(kit.build, &err, "%s/build", kit.source), &err);
    must(ladder_lab_require("reduction", &lab, &err), &err);
    must(ladder_lab_require_step(lab, "1", &step, &err), &err);
    must(ladder_path(path, &err, "%s/labs/%s/steps", kit.source, lab->folder), &err);
    must(ladder_folder_make(path, &err), &err);
    must(ladder_path(path, &err, "%s/common", kit.source), &err);
    ck_assert_int_eq(symlink(TEST_SOURCE_DIR "/common", path), 0);
    must(ladder_kit_step_file(&kit, lab, step, false, step_file, &err), &err);
    must(ladder_path(header, &err, "%s/labs/%s/tile.h", kit.source, lab->folder), &err);
    write_text(step_file, step_text);
    write_text(header, "#define TILE 32\n");
}

static void tear_down(void) {
    char folder[LADDER_PATH];
    snprintf(folder, sizeof folder, "%s", kit.source);
    *strrchr(folder, '/') = '\0';
    ladder_folder_remove(folder);
}

static kl_status build(char *object, kl_error *err) {
    char folder[LADDER_PATH];
    TRY(ladder_debug_build_step(&kit, lab, step, false, folder, err));
    return ladder_path(object, err, "%s/step_1.so", folder);
}

// The PTX among the bytes of an object, which is not compressed; to be freed.
static char *ptx_of(const char *object) {
    char *bytes;
    size_t count;
    must(ladder_file_read(AT_FDCWD, object, 16 << 20, &bytes, &count, &err), &err);
    static const char version[] = "\n.version ";
    char *found = memmem(bytes, count, version, sizeof version - 1);
    ck_assert_ptr_nonnull(found);
    char *text = strdup(found);
    free(bytes);
    return kl_own(text);
}

static bool collect(void *context, const sim_variable_row *row) {
    char *names = context;
    if (strlen(names) + strlen(row->name) + 2 < 256) strcat(strcat(names, " "), row->name);
    return true;
}

// The names that are visible at the last line of the PTX that lies in a function.
static void names_in(const char *ptx, char names[256]) {
    sim_variables *variables;
    sim_variables_frame frames[SIM_VARIABLES_MAX_FRAMES];
    ck_assert_int_eq(sim_variables_open(ptx, strlen(ptx), &variables, &err), SIM_OK);
    const char *missing = sim_variables_missing(variables);
    ck_assert_msg(!missing, "%s", missing);
    uint32_t last = 0;
    for (uint32_t line = 1; line < 1000; line++)
        if (sim_variables_frames(variables, line, frames)) last = line;
    ck_assert_uint_gt(last, 0);
    ck_assert_uint_eq(sim_variables_frames(variables, last, frames), 1);
    ck_assert_str_eq(frames[0].name, "sum");
    names[0] = '\0';
    sim_variables_list(variables, last - 1, 0, collect, names);
    sim_variables_close(variables);
}

static struct timespec built_at(const char *object) {
    struct stat state;
    ck_assert_int_eq(stat(object, &state), 0);
    return state.st_mtim;
}

KL_FIXTURE(set_up, tear_down)

KL_TEST(step_is_built) {
    char object[LADDER_PATH], names[256];
    kl_error err = {0};
    must(build(object, &err), &err);
    char *ptx = ptx_of(object);
#if LADDER_HAVE_LIBDW
    names_in(ptx, names);
    ck_assert_str_eq(names, " tile i pair in out");
#else
    (void)names_in, (void)names;
#endif

    // not again, unless a file that it read has changed
    struct timespec first = built_at(object);
    must(build(object, &err), &err);
    ck_assert_int_eq(built_at(object).tv_nsec, first.tv_nsec);
    write_text(header, "#define TILE 64 +\n");
    ck_assert_int_eq(build(object, &err), KL_ERROR_INPUT);
    ck_assert_msg(strstr(err.text, "1_interleaved.cu does not compile: ") == err.text, "%s",
                  err.text);
    ck_assert_msg(strstr(err.text, "error: expected an expression") != NULL, "%s", err.text);
    ck_assert_int_eq(built_at(object).tv_nsec, first.tv_nsec); // the old one is not taken away
    ck_assert_int_eq(build(object, &err), KL_ERROR_INPUT);     // nor taken for the new one
}

KL_TEST_MAIN("debug_build")
