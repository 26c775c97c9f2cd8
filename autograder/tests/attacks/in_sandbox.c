// Attacks by a program in the sandbox: see in_sandbox.h.
#include "in_sandbox.h"

#include <poll.h>

#include "tests/support/await.h"

static kl_error err;

static void must(kl_status status) { ATTACK_MUST(status == KL_OK, "%s", err.text); }

void in_sandbox_folder(const attack_setup *setup, char *out) {
    must(ladder_path(out, &err, "%s/job", setup->work));
    must(ladder_folder_make(out, &err));
    chmod(out, 0777); // the job's user may write there when it is the folder itself
}

void in_sandbox_secret(const attack_setup *setup, mode_t rights, char *out) {
    must(ladder_path(out, &err, "%s/secret-file", setup->work));
    must(ladder_file_write(out, attack_secret, strlen(attack_secret), &err));
    chmod(out, rights);
}

void in_sandbox_needs_root(void) {
    if (geteuid() != 0) ATTACK_SKIP("only root starts jobs as another user");
}

// What both ways of starting share. view, spec and what they point to are the caller's.
typedef struct start {
    const char *argv[4], *shown[4], *outputs[2];
    char folder[LADDER_PATH];
    int descriptors[1];
    ladder_process_spec spec;
    ladder_sandbox_view view;
} start;

static void make_start(const attack_setup *setup, const char *try, const in_sandbox *how,
                       start *s) {
    static const char *const environment[] = {"LC_ALL=C", NULL};
    if (ladder_sandbox_find() != LADDER_SANDBOX_ISOLATED)
        ATTACK_SKIP("no sandbox is here: %s", ladder_sandbox_problem());
    *s = (start){.argv = {TEST_IN_SANDBOX, try, how->argument},
                 .shown = {TEST_IN_SANDBOX, how->also[0], how->also[1]},
                 .outputs = {how->output},
                 .descriptors = {how->fd}};
    in_sandbox_folder(setup, s->folder);
    s->spec = (ladder_process_spec){
        .argv = s->argv,
        .environment = environment,
        .folder = s->folder,
        .descriptors = s->descriptors,
        .descriptor_count = how->fd > 0,
        .limits = {.wall_s = how->wall_s,
                   .processes = IN_SANDBOX_TASKS,
                   .memory_bytes = how->memory_bytes > 0 ? how->memory_bytes : 192 << 20}};
    s->view = (ladder_sandbox_view){.shown = s->shown,
                                    .folder = s->folder,
                                    .outputs = how->output ? s->outputs : NULL,
                                    .folder_bytes = IN_SANDBOX_BYTES,
                                    .folder_files = IN_SANDBOX_FILES};
}

bool in_sandbox_run(const attack_setup *setup, const char *try, const in_sandbox *how) {
    start s;
    ladder_process process;
    make_start(setup, try, how, &s);
    must(ladder_sandbox_run(&s.spec, &s.view, &process, &err));
    bool through = strstr(process.output, "got through");
    bool answered = through || strstr(process.output, "was held") ||
                    process.end != LADDER_END_EXITED; // stopped by the sandbox
    ATTACK_MUST(answered, "the program said: %s", process.output);
    char how_it_ended[160];
    if (getenv("IN_SANDBOX_SAYS"))
        printf("    %s: %s%s\n", try, process.output,
               ladder_process_describe(&process, how_it_ended, sizeof how_it_ended));
    ladder_process_free(&process);
    return through;
}

void in_sandbox_start(const attack_setup *setup, const char *try, const in_sandbox *how,
                      ladder_process *out_process) {
    start s;
    make_start(setup, try, how, &s);
    must(ladder_sandbox_start(&s.spec, &s.view, out_process, &err));
}

static bool has_hung_up(void *read_end) {
    struct pollfd end = {*(int *)read_end, POLLIN, 0};
    return poll(&end, 1, 0) == 1 && (end.revents & POLLHUP) != 0;
}

bool in_sandbox_is_held(const attack_setup *setup, int read_end) {
    return !await(has_hung_up, &read_end, setup->gone_s);
}
