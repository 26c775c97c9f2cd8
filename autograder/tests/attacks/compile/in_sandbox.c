// Sources that make the compiler read or write what is not theirs. The host compiler behind nvcc
// takes the text.
#include "../in_sandbox.h"
#include "ladder_config.h"

static kl_error err;

// Compiles a C++ source as a step is compiled; out: path of the object in the program's real
// folder. True when it lies there.
static bool compile(const attack_setup *setup, const char *source, char out[LADDER_PATH]) {
    static const char *const outputs[] = {"step.o", NULL};
    const char *argv[] = {LADDER_HOST_COMPILER, "-c", "step.cc", "-o", "step.o", NULL};
    char folder[LADDER_PATH], path[LADDER_PATH], temporary[LADDER_PATH + 16];
    if (ladder_sandbox_find() != LADDER_SANDBOX_ISOLATED)
        ATTACK_SKIP("no sandbox is here: %s", ladder_sandbox_problem());
    in_sandbox_folder(setup, folder);
    ladder_path(path, NULL, "%s/step.cc", folder);
    ATTACK_MUST(ladder_file_write(path, source, strlen(source), &err) == KL_OK, "%s", err.text);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
    const char *environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", temporary, NULL};
    ladder_process_spec spec = {
        .argv = argv, .environment = environment, .folder = folder, .limits = {.processes = 32}};
    ladder_sandbox_view view = {
        .folder = folder, .outputs = outputs, .compiler = true, .folder_bytes = IN_SANDBOX_BYTES};
    ladder_process process;
    ATTACK_MUST(ladder_sandbox_run(&spec, &view, &process, &err) == KL_OK, "%s", err.text);
    ladder_process_free(&process);
    ladder_path(out, NULL, "%s/step.o", folder);
    return ladder_file_exists(out);
}

// True when the object that is made of the source holds the text.
static bool object_holds(const attack_setup *setup, const char *source, const char *text) {
    char path[LADDER_PATH], *object = NULL;
    size_t bytes = 0;
    if (!compile(setup, source, path)) return false;
    ATTACK_MUST(ladder_file_read(AT_FDCWD, path, 64 << 20, &object, &bytes, &err) == KL_OK, "%s",
                err.text);
    bool holds = memmem(object, bytes, text, strlen(text));
    free(object);
    return holds;
}

static bool takes_secret(const attack_setup *setup, const char *format) {
    char secret[LADDER_PATH], *source = NULL;
    in_sandbox_secret(setup, 0644, secret);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    ATTACK_MUST(asprintf(&source, format, secret) > 0, "no memory");
#pragma GCC diagnostic pop
    bool taken = object_holds(setup, source, attack_secret);
    free(source);
    return taken;
}

// attack: Lets the assembler put a secret file into the object, past every list of headers.
// stopped by: SANDBOX_ROOT, SANDBOX_OWN_USER
// expect: there is no such file
// gains: the object holds the secret
ATTACK(assembles_secret) { return takes_secret(setup, "asm(\".data\\n.incbin \\\"%s\\\"\");\n"); }

// attack: Includes a secret file between quotes that a macro makes.
// stopped by: SANDBOX_ROOT, SANDBOX_OWN_USER
// expect: there is no such file
// gains: the object holds the secret
ATTACK(includes_secret_as_text) {
    char secret[LADDER_PATH], source[LADDER_PATH + 128], *text = NULL;
    in_sandbox_secret(setup, 0644, secret);
    ATTACK_MUST(asprintf(&text, "R\"x(%s)x\"", attack_secret) > 0 &&
                    ladder_file_write(secret, text, strlen(text), &err) == KL_OK,
                "no secret");
    chmod(secret, 0644);
    free(text);
    snprintf(source, sizeof source,
             "extern const char taken[];\nconst char taken[] =\n#include \"%s\"\n;\n", secret);
    return object_holds(setup, source, attack_secret);
}

// attack: Asks the preprocessor which files this machine has, and notes the answer in the object.
// stopped by: SANDBOX_ROOT, SANDBOX_OWN_USER
// expect: there is no such file
// gains: the object tells that the file exists
ATTACK(asks_which_files_exist) {
    char secret[LADDER_PATH], source[LADDER_PATH + 200];
    in_sandbox_secret(setup, 0644, secret);
    snprintf(
        source, sizeof source,
        "#if __has_include(\"%s\")\nextern const char seen[];\nconst char seen[] = \"it-exists\";\n"
        "#else\nint nothing;\n#endif\n",
        secret);
    return object_holds(setup, source, "it-exists");
}

// attack: Reads the solution in the kit's folder by the assembler.
// stopped by: SANDBOX_ROOT, SANDBOX_OWN_USER
// expect: there is no such file
// gains: the object holds the solution
ATTACK(assembles_solution) {
    char source[LADDER_PATH + 200];
    snprintf(source, sizeof source,
             "asm(\".data\\n.incbin \\\"%s/solutions/02_reduction/steps/3_sequential.cu\\\"\");\n",
             setup->kit->source);
    return object_holds(setup, source, "reduction_step3");
}

// attack: Has the assembler fill the disk.
// stopped by: SANDBOX_FILES, SANDBOX_OWN_USER
// expect: its folder is full at the limit
// gains: an object of sixteen times the limit lies on the disk
ATTACK(assembles_much) {
    char path[LADDER_PATH];
    struct stat info;
    return compile(setup, "asm(\".data\\n.fill 0x8000000,1,1\");\n", path) &&
           stat(path, &info) == 0 && info.st_size > IN_SANDBOX_BYTES;
}
