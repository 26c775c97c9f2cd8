// The sandbox of untrusted processes: see process.h. In the sandbox the child is bubblewrap, which
// starts `ladder-sandbox`, which starts the program; the three share a memory file
// (sandbox/isolation/protocol.h).
#include "sandbox/process/process.h"
#include "sandbox/process/machine.h"
#include "utilities/defence.h"
#include <sys/mman.h>

enum { DESCRIPTORS_MAX = 16, FIRST_FD = 3 };

static const double begin_s = 30; // for a sandbox to stand on a busy machine

// What the trial found.
static struct {
    bool done, trying;
    bool no_groups; // control groups can be made but not joined
    ladder_sandbox_level level;
    uint32_t layers;
    char problem[400];
    char text[600];
} found;

// A start in the sandbox: the descriptors that go to the child.
typedef struct sandbox_start {
    ladder_inside_shared *shared;
    int plan_fd, life[2];
    int outputs[LADDER_INSIDE_OUTPUTS];
    int output_count;
    int descriptors[DESCRIPTORS_MAX];
    int descriptor_count;
} sandbox_start;

static void close_start(sandbox_start *w) {
    if (w->plan_fd >= 0) close(w->plan_fd);
    if (w->life[1] >= 0) close(w->life[1]);
    for (int i = 0; i < w->output_count; i++) close(w->outputs[i]);
    w->plan_fd = w->life[1] = -1;
    w->output_count = 0;
}

static kl_status open_shared(sandbox_start *w, kl_error *err) {
    w->plan_fd = memfd_create("plan", MFD_CLOEXEC);
    void *at = MAP_FAILED;
    if (w->plan_fd >= 0 && ftruncate(w->plan_fd, sizeof *w->shared) == 0)
        at = mmap(NULL, sizeof *w->shared, PROT_READ | PROT_WRITE, MAP_SHARED, w->plan_fd, 0);
    if (at != MAP_FAILED && pipe2(w->life, O_CLOEXEC) == 0) {
        w->shared = at;
        return KL_OK;
    }
    if (at != MAP_FAILED) munmap(at, sizeof *w->shared);
    return kl_fail(err, KL_ERROR_SYSTEM, "no memory file for the sandbox: %s", strerror(errno));
}

// Files for what comes back: made here, so that the program cannot choose where they lie.
static kl_status open_outputs(sandbox_start *w, const ladder_sandbox_view *view, kl_error *err) {
    for (int i = 0; view->outputs && view->outputs[i]; i++) {
        char path[LADDER_PATH];
        if (i == LADDER_INSIDE_OUTPUTS)
            return kl_fail(err, KL_ERROR_LIMIT, "too many files are to come back");
        TRY(ladder_path(path, err, "%s/%s", view->folder, view->outputs[i]));
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (fd < 0)
            return kl_fail(err, KL_ERROR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
        w->outputs[w->output_count++] = fd;
    }
    return KL_OK;
}

// All, but for tests, which leave some out when it is known that the sandbox stands.
static uint32_t wanted_layers(void) {
    uint32_t layers = 0;
    if (found.trying) return (UINT32_C(1) << LADDER_LAYERS) - 1;
#define LADDER_LAYER(id, needed, name, advice)                                                     \
    if (ladder_defence_on(LADDER_DEFENCE_SANDBOX_##id))                                            \
        layers |= ladder_layer_bit(LADDER_LAYER_##id);
#include "sandbox/isolation/layers.def"
#undef LADDER_LAYER
    return layers;
}

// The program's own descriptors, then plan, pipe and outputs.
static kl_status number_descriptors(sandbox_start *w, const ladder_process_spec *spec,
                                    kl_error *err) {
    ladder_inside_plan *plan = &w->shared->plan;
    int count = spec->descriptor_count;
    if (count + 2 + w->output_count > DESCRIPTORS_MAX)
        return kl_fail(err, KL_ERROR_LIMIT, "too many descriptors for a program");
    for (int i = 0; i < count; i++) w->descriptors[i] = spec->descriptors[i];
    plan->own_fd = FIRST_FD + count;
    w->descriptors[count++] = w->plan_fd;
    plan->life_fd = FIRST_FD + count;
    w->descriptors[count++] = w->life[1];
    for (int i = 0; i < w->output_count; i++) {
        plan->outputs[i].fd = FIRST_FD + count;
        w->descriptors[count++] = w->outputs[i];
    }
    w->descriptor_count = count;
    return KL_OK;
}

static void plan_limits(ladder_inside_plan *plan, const ladder_limits *limits) {
    plan->cpu_s = limits->cpu_s;
    plan->data_bytes = limits->data_bytes;
    plan->file_bytes = limits->file_bytes;
    plan->processes = limits->processes;
    plan->memory_bytes = limits->memory_bytes;
    plan->wall_s = limits->wall_s;
}

// Waits until the program runs in the sandbox.
static kl_status await_begin(sandbox_start *w, ladder_process *p, kl_error *err) {
    ladder_process *one[] = {p};
    char word = 0;
    double wall_s = p->limits.wall_s;
    p->limits.wall_s = 0; // its time begins when it does
    bool readable = ladder_process_wait_readable(one, 1, w->life[0], kl_now_s() + begin_s);
    p->limits.wall_s = wall_s;
    p->started_s = kl_now_s();
    if (readable && read(w->life[0], &word, 1) == 1) return KL_OK;
    ladder_process_finish(p);
    const char *said = w->shared->report.problem[0] != '\0' ? w->shared->report.problem : p->output;
    return kl_fail(err, KL_ERROR_SYSTEM, "no start in the sandbox: %.300s", said);
}

bool ladder_sandbox_group(uint64_t memory_bytes, ladder_group *out_group) {
    out_group->count = 0;
    if (!ladder_defence_on(LADDER_DEFENCE_SANDBOX) ||
        !ladder_defence_on(LADDER_DEFENCE_SANDBOX_CGROUP) ||
        ladder_sandbox_find() != LADDER_SANDBOX_ISOLATED || found.no_groups)
        return false;
    bool made = ladder_group_make(NULL, memory_bytes, 0, out_group);
    ladder_group_close_join(out_group); // only groups within it are joined
    return made;
}

static kl_status start_in_sandbox(const ladder_process_spec *spec, const ladder_sandbox_view *view,
                                  sandbox_start *w, ladder_process *out_process, kl_error *err) {
    ladder_sandbox_command command;
    TRY(open_shared(w, err));
    TRY(open_outputs(w, view, err));
    TRY(number_descriptors(w, spec, err));
    ladder_inside_plan *plan = &w->shared->plan;
    plan->layers = wanted_layers();
    plan_limits(plan, &spec->limits);
    TRY(ladder_sandbox_command_make(view, spec->argv, plan->own_fd, plan, &command, err));
    ladder_process_spec outside = *spec;
    // bubblewrap killed while it sets up would leave its child waiting for it for ever. It asks for
    // the signal itself just before it lets the child go; ladder-sandbox notices a caller that died
    // before.
    outside.sees_to_end = true;
    outside.argv = command.argv;
    outside.folder = NULL;
    outside.descriptors = w->descriptors;
    outside.descriptor_count = w->descriptor_count;
    outside.limits.cpu_s = outside.limits.data_bytes = outside.limits.file_bytes = 0;
    outside.limits.processes = 0; // all these are the program's, not bubblewrap's
    ladder_group group = {.count = 0};
    if ((plan->layers & ladder_layer_bit(LADDER_LAYER_CGROUP)) != 0 && !found.no_groups)
        ladder_group_make(spec->within, spec->within ? 0 : plan->memory_bytes, plan->processes,
                          &group);
    outside.join = group.join;
    outside.join_count = group.count;
    kl_status status = ladder_process_start(&outside, out_process, err);
    ladder_group_close_join(&group);
    out_process->group = group;
    ladder_sandbox_command_free(&command);
    close_start(w);
    if (status == KL_OK) status = await_begin(w, out_process, err);
    if (status != KL_OK) return status;
    if (group.count > 0) w->shared->report.layers |= ladder_layer_bit(LADDER_LAYER_CGROUP);
    uint64_t output_bytes = out_process->limits.output_bytes; // which has a default
    out_process->limits = spec->limits;
    out_process->limits.output_bytes = output_bytes;
    out_process->inside = w->shared;
    out_process->life_fd = w->life[0];
    return KL_OK;
}

// Where there is no sandbox, or nothing is to be seen through it.
static bool is_sandboxed(const ladder_sandbox_view *view) {
    return view && ladder_defence_on(LADDER_DEFENCE_SANDBOX) &&
           ladder_sandbox_find() == LADDER_SANDBOX_ISOLATED;
}

// A limit of processes would there count all that the user runs.
static ladder_process_spec without_sandbox(const ladder_process_spec *spec) {
    ladder_process_spec outside = *spec;
    outside.limits.processes = 0;
    return outside;
}

static kl_status start(const ladder_process_spec *spec, const ladder_sandbox_view *view,
                       ladder_process *out_process, kl_error *err) {
    sandbox_start w = {.plan_fd = -1, .life = {-1, -1}};
    *out_process = (ladder_process){.pid = -1, .exit_handle = -1, .output_fd = -1, .life_fd = -1};
    kl_status status = start_in_sandbox(spec, view, &w, out_process, err);
    close_start(&w);
    if (status == KL_OK) return KL_OK;
    if (w.life[0] >= 0) close(w.life[0]);
    if (w.shared) munmap(w.shared, sizeof *w.shared);
    ladder_process_free(out_process);
    return status;
}

kl_status ladder_sandbox_start(const ladder_process_spec *spec, const ladder_sandbox_view *view,
                               ladder_process *out_process, kl_error *err) {
    if (is_sandboxed(view)) return start(spec, view, out_process, err);
    const ladder_process_spec outside = without_sandbox(spec);
    return ladder_process_start(&outside, out_process, err);
}

// What did not come back as a regular file is not there.
static void remove_missing(const ladder_sandbox_view *view, uint32_t returned) {
    for (int i = 0; view->outputs && view->outputs[i]; i++) {
        char path[LADDER_PATH];
        if ((returned & UINT32_C(1) << i) == 0 &&
            ladder_path(path, NULL, "%s/%s", view->folder, view->outputs[i]) == KL_OK)
            unlink(path);
    }
}

kl_status ladder_sandbox_run(const ladder_process_spec *spec, const ladder_sandbox_view *view,
                             ladder_process *out_process, kl_error *err) {
    const ladder_process_spec outside = without_sandbox(spec);
    if (!is_sandboxed(view)) return ladder_process_run(&outside, out_process, err);
    TRY(start(spec, view, out_process, err));
    ladder_process *one[] = {out_process};
    ladder_process_wait(one, 1);
    ladder_process_end(out_process, NULL);
    remove_missing(view, out_process->inside->report.returned);
    return KL_OK;
}

// Layers without which there is no sandbox.
static uint32_t needed_layers(void) {
    return 0
#define LADDER_LAYER(id, needed, name, advice) | ((needed) ? UINT32_C(1) << LADDER_LAYER_##id : 0)
#include "sandbox/isolation/layers.def"
#undef LADDER_LAYER
        ;
}

// Starts a program that does nothing.
static void try_sandbox(void) {
    const char *bwrap, *inside;
    kl_error err = {KL_OK, ""};
    ladder_process process;
    ladder_sandbox_view view = {.folder = NULL};
    const char *environment[] = {"LC_ALL=C", NULL};
    found.level = LADDER_SANDBOX_LIMITS;
    found.layers = 0;
    kl_status status = ladder_sandbox_programs(&bwrap, &inside, &err);
    if (status == KL_OK) {
        const char *argv[] = {inside, "--probe", NULL};
        ladder_process_spec spec = {
            .argv = argv, .environment = environment, .limits = {.wall_s = 30, .processes = 16}};
        status = start(&spec, &view, &process, &err);
        found.no_groups = status != KL_OK;
        if (status != KL_OK) status = start(&spec, &view, &process, &err);
    }
    if (status != KL_OK) {
        snprintf(found.problem, sizeof found.problem, "%.390s", err.text);
        return;
    }
    ladder_process *one[] = {&process};
    ladder_process_wait(one, 1);
    ladder_process_finish(&process);
    found.layers = process.inside->report.layers;
    bool well = process.end == LADDER_END_EXITED && process.code == 0;
    ladder_process_free(&process);
    uint32_t missing = needed_layers() & ~found.layers;
    found.problem[0] = '\0';
    if (well && missing == 0) found.level = LADDER_SANDBOX_ISOLATED;
    else snprintf(found.problem, sizeof found.problem, "some of its layers are missing");
}

void ladder_sandbox_give_up(const char *problem) {
    ladder_sandbox_find();
    found.level = LADDER_SANDBOX_LIMITS;
    snprintf(found.problem, sizeof found.problem, "%.390s", problem);
}

void ladder_sandbox_try_gpu(void) {
    enum { DRIVER_TASKS = 512 };
    static const char *const environment[] = {"LC_ALL=C", NULL};
    const char *bwrap, *inside;
    kl_error err = {KL_OK, ""};
    ladder_process process;
    if (ladder_sandbox_find() != LADDER_SANDBOX_ISOLATED ||
        ladder_sandbox_programs(&bwrap, &inside, &err) != KL_OK)
        return;
    const char *argv[] = {inside, "--probe-gpu", NULL};
    const ladder_process_spec spec = {.argv = argv,
                                      .environment = environment,
                                      .limits = {.wall_s = 60, .processes = DRIVER_TASKS}};
    const ladder_sandbox_view view = {.gpu = true};
    bool well = ladder_sandbox_run(&spec, &view, &process, &err) == KL_OK;
    if (well) {
        well = process.end == LADDER_END_EXITED && process.code == 0;
        ladder_process_free(&process);
    }
    if (!well) ladder_sandbox_give_up("the GPU's driver does not start in it");
}

void ladder_sandbox_describe(uint64_t memory_bytes, bool gpu, ladder_sandbox_words *out_words) {
    bool stands = ladder_sandbox_find() == LADDER_SANDBOX_ISOLATED;
    bool group = stands && (found.layers & ladder_layer_bit(LADDER_LAYER_CGROUP)) != 0;
    const double gib = 1073741824.0;
    char memory[120] = "on a GPU memory has no limit but the machine's";
    if (!gpu)
        snprintf(memory, sizeof memory,
                 "memory of all processes together: %.3g of this machine's %.3g GiB, %s",
                 (double)memory_bytes / gib, (double)ladder_memory_of_machine() / gib,
                 group ? "kept by a control group" : "which the grader adds up");
    out_words->name = stands ? "isolated" : "limits (NO SANDBOX)";
    snprintf(out_words->text, sizeof out_words->text, "%s; %s",
             stands ? found.text
                    : "time, memory and output limits, separate processes, whole process tree "
                      "ended; files, network and other users' processes are NOT isolated: grade "
                      "only people you trust with these",
             memory);
}

static void list_layers(void) {
    static const char *const names[] = {
#define LADDER_LAYER(id, needed, name, advice) name,
#include "sandbox/isolation/layers.def"
#undef LADDER_LAYER
    };
    char *at = found.text, *end = found.text + sizeof found.text;
    for (int stands = 1; stands >= 0; stands--) {
        int listed = 0;
        for (int i = 0; i < LADDER_LAYERS && at < end; i++) {
            if ((found.layers >> i & 1) != (unsigned)stands) continue;
            const char *before = listed++ > 0 ? ", " : stands ? "" : "; missing: ";
            at += snprintf(at, (size_t)(end - at), "%s%s", before, names[i]);
        }
    }
}

ladder_sandbox_level ladder_sandbox_find(void) {
    if (!found.done) {
        found.done = found.trying = true; // the trial itself starts a program
        try_sandbox();
        found.trying = false;
        list_layers();
    }
    return found.level;
}

uint32_t ladder_sandbox_layers(void) {
    ladder_sandbox_find();
    return found.layers;
}

const char *ladder_sandbox_problem(void) {
    ladder_sandbox_find();
    return found.problem;
}
