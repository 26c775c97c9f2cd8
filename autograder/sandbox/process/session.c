// Sessions of engine and program: see session.h.
#include "sandbox/process/session.h"
#include "ladder_config.h"
#include "records.h"
#include "remote/remote.h"
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>

enum { ENGINE_TASKS = 1024 };

static const double end_shows_s = 10; // once the socket of a process is closed

// From one look at the run queues to the next while an answer is waited for. What comes sooner, as
// timed calls do, is not disturbed by any.
static const double look_s = 1.0, first_look_share = 0.1; // of the limit, when that is sooner

void ladder_session_init(ladder_session *session) {
    *session = (ladder_session){
        .program_fd = -1, .socket = -1, .records = -1, .look = ladder_run_queue_look};
}

static kl_status make_pair(int type, int pair[2], kl_error *err) {
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM, "no socket pair: %s", strerror(errno));
}

// After how long a wait the first look at the run queues is taken.
static double first_look_s(double limit_s) { return fmin(look_s, first_look_share * limit_s); }

// Waits at most `seconds` in each read and write, so that a stuck peer cannot hold the judge up.
static void set_waits(int fd, double seconds) {
    struct timeval limit = {.tv_sec = (time_t)seconds};
    limit.tv_usec = (suseconds_t)(1e6 * (seconds - (double)limit.tv_sec));
    if (limit.tv_sec == 0 && limit.tv_usec == 0) limit.tv_usec = 1; // 0 is no limit
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

// Looks at the run queues of both processes. True: an answer that has been waited for `took_s` has
// had its time, limit_s and what the machine kept from it. *out_until_s: when it will have.
static bool is_late(ladder_session *session, ladder_run_queue *queue, double limit_s, double took_s,
                    double *out_until_s) {
    const ladder_process *both[] = {&session->program, &session->engine};
    const bool started[] = {session->has_program, session->has_engine};
    ladder_run_queue_root roots[2];
    int count = 0;
    for (int i = 0; i < 2; i++)
        if (started[i]) roots[count++] = (ladder_run_queue_root){both[i]->pid, both[i]->inside};
    session->look(queue, "/proc", roots, count);
    *out_until_s = ladder_run_queue_limit_s(queue, limit_s, took_s, kl_processors());
    session->late = (ladder_wait){limit_s, took_s, queue->ran_s, queue->waited_s};
    return took_s >= *out_until_s;
}

// While the engine owes the judge an answer (sim_remote_patience).
static bool waits_for_engine(void *context, unsigned asked, double waited_s) {
    ladder_session *session = context;
    ladder_process *engine[] = {&session->engine};
    double until_s;
    if (asked == 0) session->queue = (ladder_run_queue){.count = 0};
    bool late = is_late(session, &session->queue, session->answer_s, waited_s, &until_s);
    session->engine_starved =
        late && ladder_run_queue_starved(&session->queue, session->answer_s, waited_s);
    ladder_process_wait_readable(engine, 1, -1, kl_now_s() + 1e-3); // its output, its limits
    return !late; // that it has ended its socket tells
}

bool ladder_session_engine_starved(const ladder_session *session, char *text, size_t bytes) {
    if (session->engine_starved)
        snprintf(text, bytes, "the simulator did not answer within %g s: the machine was too busy",
                 session->answer_s);
    return session->engine_starved;
}

// Memory in which the engine tells how far it is, of LADDER_SIM_PROGRESS if that is given; -1:
// there is none, and nothing is told.
static int share_progress(ladder_session *session) {
    const char *given = getenv("LADDER_SIM_PROGRESS");
    int fd = given ? open(given, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (fd < 0) fd = memfd_create("progress", MFD_CLOEXEC);
    void *at = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, sizeof *session->progress) == 0)
        at = mmap(NULL, sizeof *session->progress, PROT_READ, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED) {
        session->progress = at;
        return fd;
    }
    if (fd >= 0) close(fd);
    return -1;
}

static kl_status spawn_engine(ladder_session *session, const ladder_kit *kit,
                              const ladder_engine_options *options, const int *descriptors,
                              int descriptor_count, kl_error *err) {
    char path[LADDER_PATH], instructions[32], memory[32], threads[32], timelines[32], block[32],
        codes[32], maps[32], elements[32], devices[16];
    TRY(ladder_kit_engine(kit, path, err));
    const char *given = getenv("LADDER_SIM_MAX_INSTRUCTIONS"); // as of a program by itself
    uint64_t most = given && !options->instructions ? strtoull(given, NULL, 10) : 0;
    snprintf(instructions, sizeof instructions, "%" PRIu64,
             options->instructions ? options->instructions : most);
    snprintf(devices, sizeof devices, "%d", options->devices > 0 ? options->devices : 1);
    snprintf(memory, sizeof memory, "%" PRIu64, options->memory_bytes);
    snprintf(threads, sizeof threads, "%u", options->threads);
    snprintf(timelines, sizeof timelines, "%u", options->timelines);
    snprintf(codes, sizeof codes, "%u", options->codes);
    snprintf(maps, sizeof maps, "%u", options->maps);
    snprintf(block, sizeof block, "%" PRIu64, options->block_instructions);
    snprintf(elements, sizeof elements, "%" PRIu64, options->most_elements);
    bool debugs = options->debug_fd > 0, has_both = debugs && descriptor_count > 3;
    const char *first_name = debugs && !has_both ? "--debug-fd" : "--progress-fd";
    if (descriptor_count < 3) first_name = NULL;
    // clang-format off
    const char *argv[] = {
        path,
        "--mode", options->mode ? options->mode : "count",
        "--order", options->order ? options->order : "forward",
        "--runner-fd", "3",
        "--control-fd", "4",
        "--resident", options->resident ? options->resident : ladder_resident(),
        "--device", ladder_device_simulated()->id,
        "--devices", options->devices > 0 || options->judged ? devices : ladder_devices(),
        "--memory", memory,
        "--threads", threads,
        "--timelines", timelines,
        "--codes", codes,
        "--maps", maps,
        "--max-instructions", instructions,
        "--max-block-instructions", block,
        "--most-elements", elements,
        "--judged", options->judged ? "yes" : "no",
        "--caches", options->uncached ? "no" : "yes",
        first_name, "5",
        has_both ? "--debug-fd" : NULL, "6",
        NULL
    };
    // clang-format on
    const char *environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL};
    ladder_process_spec spec = {
        .argv = argv,
        .environment = environment,
        .descriptors = descriptors,
        .descriptor_count = descriptor_count,
        .within = session->group.count > 0 ? &session->group : NULL,
        .limits = {.output_bytes = 64 << 10, .processes = ENGINE_TASKS},
    };
    const char *const shown[] = {path, NULL};
    const ladder_sandbox_view view = {.shown = shown, .memory_files = true};
    return ladder_sandbox_start(&spec, options->sandboxed ? &view : NULL, &session->engine, err);
}

kl_status ladder_session_start_engine(ladder_session *session, const ladder_kit *kit,
                                      const ladder_engine_options *options, kl_error *err) {
    int program[2], control[2];
    ladder_session_init(session);
    if (options->records) session->records = kl_records_new();
    TRY(make_pair(SOCK_STREAM, program, err));
    kl_status status = make_pair(SOCK_STREAM, control, err);
    if (status != KL_OK) {
        close(program[0]);
        close(program[1]);
        return status;
    }
    if (options->sandboxed && options->together_bytes > 0)
        ladder_sandbox_group(options->together_bytes, &session->group);
    int shared = options->progress || getenv("LADDER_SIM_PROGRESS") ? share_progress(session) : -1;
    int descriptors[4] = {program[1], control[1]}, count = 2;
    if (shared >= 0) descriptors[count++] = shared;
    if (options->debug_fd > 0) descriptors[count++] = options->debug_fd;
    status = spawn_engine(session, kit, options, descriptors, count, err);
    session->debugged = options->debug_fd > 0;
    if (shared >= 0) close(shared);
    session->has_engine = status == KL_OK;
    session->program_fd = program[0];
    close(program[1]);
    close(control[1]);
    if (status != KL_OK) {
        close(control[0]);
        return status;
    }
    session->answer_s = options->answer_s;
    set_waits(control[0], first_look_s(options->answer_s));
    if (sim_remote_open(control[0], waits_for_engine, session, &session->control, err) == SIM_OK)
        return KL_OK;
    session->control = NULL;
    return kl_fail_from(err, KL_ERROR_SYSTEM, "no connection to the simulator's engine");
}

static kl_status start_runner(ladder_session *session, const ladder_runner_spec *spec,
                              kl_error *err) {
    char runner[LADDER_PATH], adapter[LADDER_PATH], number[16];
    char simulator[LADDER_PATH], library[LADDER_PATH + 32], engine[32];
    char home[LADDER_PATH + 16], temporary[LADDER_PATH + 16], visible[256], runtime[LADDER_PATH],
        devices[40];
    TRY(ladder_kit_runner(spec->kit, runner, err));
    TRY(ladder_kit_adapter(spec->kit, spec->lab, adapter, err));
    snprintf(number, sizeof number, "%d", spec->step);
    snprintf(home, sizeof home, "HOME=%s", spec->folder);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", spec->folder);
    const char *environment[10] = {"PATH=/usr/bin:/bin", "LC_ALL=C", home, temporary};
    int used = 4;
    if (session->has_engine) {
        TRY(ladder_kit_simulator(spec->kit, simulator, err));
        TRY(ladder_path(runtime, err, "%s/" LADDER_CUDART, simulator));
        snprintf(library, sizeof library, "LD_LIBRARY_PATH=%s", simulator);
        snprintf(engine, sizeof engine, "LADDER_ENGINE_FD=%d", LADDER_RUNNER_ENGINE);
        snprintf(devices, sizeof devices, "LADDER_SIM_DEVICES=%d",
                 spec->devices > 0 ? spec->devices : 1);
        environment[used++] = "LADDER_SIM_SPANS=1";
        environment[used++] = devices;
        if (spec->tells_order) environment[used++] = "LADDER_SIM_MODE=check";
        environment[used++] = library;
        environment[used++] = engine;
    } else if (getenv("CUDA_VISIBLE_DEVICES")) {
        snprintf(visible, sizeof visible, "CUDA_VISIBLE_DEVICES=%s",
                 getenv("CUDA_VISIBLE_DEVICES"));
        environment[used++] = visible;
    }
    int pair[2];
    TRY(make_pair(SOCK_SEQPACKET, pair, err));
    const char *argv[] = {runner, adapter, spec->object, number, NULL};
    const int descriptors[] = {pair[1], session->program_fd};
    ladder_process_spec process = {
        .argv = argv,
        .environment = environment,
        .folder = spec->folder,
        .descriptors = descriptors,
        .descriptor_count = session->has_engine ? 2 : 1,
        .within = session->group.count > 0 ? &session->group : NULL,
        .limits = spec->limits,
    };
    const char *shown[5] = {runner, adapter, spec->object};
    if (session->has_engine) shown[3] = runtime;
    const ladder_sandbox_view view = {
        .shown = shown, .folder = spec->folder, .gpu = !session->has_engine};
    kl_status status = ladder_sandbox_start(&process, &view, &session->program, err);
    close(pair[1]);
    if (session->program_fd >= 0) close(session->program_fd);
    session->program_fd = -1;
    session->socket = pair[0];
    session->has_program = status == KL_OK;
    return status;
}

kl_status ladder_session_open(ladder_session *session, const ladder_engine_options *engine,
                              const ladder_runner_spec *runner, kl_error *err) {
    if (engine) TRY(ladder_session_start_engine(session, runner->kit, engine, err));
    else ladder_session_init(session);
    return start_runner(session, runner, err);
}

// Puts the folder before what the loader searches, unless it is there from the program before: a
// command may start hundreds.
static kl_status search_first(const char *folder, kl_error *err) {
    const char *old = getenv("LD_LIBRARY_PATH");
    char path[2 * LADDER_PATH];
    size_t bytes = strlen(folder);
    if (old && strncmp(old, folder, bytes) == 0 && (old[bytes] == ':' || old[bytes] == '\0'))
        return KL_OK;
    int length = snprintf(path, sizeof path, "%s%s%s", folder, old ? ":" : "", old ? old : "");
    if (length < 0 || (size_t)length >= sizeof path)
        return kl_fail(err, KL_ERROR_LIMIT, "LD_LIBRARY_PATH is too long");
    setenv("LD_LIBRARY_PATH", path, 1);
    return KL_OK;
}

kl_status ladder_session_start_program(ladder_session *session, const ladder_kit *kit,
                                       char *const *argv, bool foreground, kl_error *err) {
    char simulator[LADDER_PATH];
    const int descriptors[] = {session->program_fd, session->records};
    TRY(ladder_kit_simulator(kit, simulator, err));
    setenv("LADDER_ENGINE_FD", "3", 1);
    if (session->records >= 0) setenv(KL_RECORDS_VARIABLE, "4", 1);
    setenv("LADDER_SIMULATOR_DIR", simulator, 1);
    bool has_devices = getenv("LADDER_SIM_DEVICES"); // else a lab says how many
    setenv("LADDER_SIM_DEVICES", ladder_devices(), 0);
    TRY(search_first(simulator, err));
    ladder_process_spec process = {
        .argv = (const char *const *)argv,
        .environment = (const char *const *)environ,
        .descriptors = descriptors,
        .descriptor_count = session->records >= 0 ? 2 : 1,
        .foreground = foreground,
        .apart = session->debugged,
    };
    kl_status status = ladder_process_start(&process, &session->program, err);
    unsetenv(KL_RECORDS_VARIABLE); // of this program alone
    if (!has_devices) unsetenv("LADDER_SIM_DEVICES");
    unsetenv("LADDER_ENGINE_FD");
    close(session->program_fd);
    session->program_fd = -1;
    session->has_program = status == KL_OK;
    return status;
}

bool ladder_session_send(const ladder_session *session, const ladder_runner_request *request,
                         const int *files, int file_count) {
    union {
        char bytes[CMSG_SPACE((LADDER_RUNNER_SETS + 1) * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = {.iov_base = (void *)request, .iov_len = sizeof *request};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (file_count > 0) {
        size_t bytes = (size_t)file_count * sizeof(int);
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(bytes);
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(bytes);
        memcpy(CMSG_DATA(head), files, bytes);
    }
    ssize_t sent = sendmsg(session->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent == (ssize_t)sizeof *request;
}

static long long ticks_of(pid_t pid);

// Processor time of the program so far.
static double own_so_far_s(const ladder_session *session) {
    const ladder_process *program = &session->program;
    if (program->inside) return program->inside->report.cpu_s;
    long long ticks = program->pid > 0 ? ticks_of(program->pid) : 0;
    return ticks > 0 ? (double)ticks / (double)sysconf(_SC_CLK_TCK) : 0;
}

// What waits for its engine uses no processor itself.
static bool computes_too_long(ladder_session *session, double before_s) {
    if (!(session->own_s > 0) || !session->has_engine) return false;
    bool is = own_so_far_s(session) - before_s > session->own_s;
    if (is) session->late.limit_s = session->own_s;
    return is;
}

// Waits until the socket can be read; false when the runner has ended or its time is up, which the
// session's `late` then tells.
static bool await_answer(ladder_session *session, ladder_process *const *both, int count,
                         double limit_s, ladder_run_queue *queue, bool *out_late) {
    ladder_answers *answers = &session->answers;
    double start = kl_now_s() - answers->took_s, until_s;
    double next_s = fmax(first_look_s(limit_s), answers->took_s);
    double before_s = session->own_s > 0 ? own_so_far_s(session) : 0;
    for (;;) {
        bool readable = ladder_process_wait_readable(both, count, session->socket, start + next_s);
        double took_s = kl_now_s() - start;
        if (answers->one_limit) answers->took_s = took_s;
        if (readable) return true;
        if (session->program.end != LADDER_END_RUNNING) return false;
        *out_late = is_late(session, queue, limit_s, took_s, &until_s) ||
                    computes_too_long(session, before_s);
        if (*out_late) return false;
        next_s = fmin(took_s + look_s, until_s);
    }
}

ladder_answer ladder_session_wait(ladder_session *session, double limit_s,
                                  ladder_runner_reply *out_reply) {
    memset(out_reply, 0, sizeof *out_reply);
    ladder_process *both[] = {&session->program, &session->engine};
    int count = session->has_engine ? 2 : 1;
    ladder_run_queue own = {.count = 0};
    ladder_run_queue *queue = session->answers.one_limit ? &session->answers.queue : &own;
    bool late = false;
    session->late = (ladder_wait){.limit_s = limit_s};
    if (await_answer(session, both, count, limit_s, queue, &late)) {
        ssize_t got = recv(session->socket, out_reply, sizeof *out_reply, MSG_DONTWAIT);
        out_reply->text[sizeof out_reply->text - 1] = '\0';
        if (got == (ssize_t)sizeof *out_reply) return LADDER_ANSWERED;
    }
    // It ended, closed its socket, or is late. An end shows within moments, on a busy machine in
    // seconds; what closes the socket and goes on is late then.
    if (session->program.end == LADDER_END_RUNNING && !late)
        ladder_process_wait_readable(both, count, -1, kl_now_s() + end_shows_s);
    if (session->program.end != LADDER_END_RUNNING) return LADDER_ENDED;
    bool starved = late && ladder_run_queue_starved(queue, limit_s, session->late.took_s);
    return starved ? LADDER_STARVED : LADDER_LATE;
}

ladder_answer ladder_session_ask(ladder_session *session, const ladder_runner_request *request,
                                 const int *files, int file_count, double limit_s,
                                 ladder_runner_reply *out_reply) {
    bool sent = !request || ladder_session_send(session, request, files, file_count);
    return ladder_session_wait(session, sent ? limit_s : 0, out_reply);
}

// Processor time of a process so far, in clock ticks; -1 when it is gone.
static long long ticks_of(pid_t pid) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!ladder_proc_read(AT_FDCWD, path, text, sizeof text)) return -1;
    const char *bracket = strrchr(text, ')');
    unsigned long long user = 0, system = 0; // fields 14 and 15 of proc(5)
    if (!bracket || sscanf(bracket + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
                           &user, &system) != 2)
        return -1;
    return (long long)(user + system);
}

bool ladder_session_engine_busy(const ladder_session *session) {
    if (!session->has_engine || session->engine.pid <= 0) return false;
    const ladder_inside_shared *inside = session->engine.inside;
    if (inside) { // the child is bubblewrap: the engine's own time is in the report
        double so_far_s = inside->report.cpu_s;
        nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
        return inside->report.cpu_s > so_far_s + 0.03;
    }
    long long before = ticks_of(session->engine.pid);
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    long long after = ticks_of(session->engine.pid);
    return before >= 0 && after > before + 3; // ticks are 10 ms: more than a tenth of a core
}

void ladder_session_end_program(ladder_session *session) {
    if (session->socket >= 0) close(session->socket);
    session->socket = -1;
    if (session->has_program)
        ladder_process_end(&session->program, session->has_engine ? &session->engine : NULL);
}

void ladder_session_close(ladder_session *session) {
    ladder_session_end_program(session);
    if (session->program_fd >= 0) close(session->program_fd);
    if (session->records >= 0) close(session->records);
    if (session->control) sim_engine_close(session->control);
    if (session->has_engine) ladder_process_finish(&session->engine);
    ladder_process_free(&session->engine);
    ladder_process_free(&session->program);
    ladder_group_remove(&session->group);
    if (session->progress) munmap((void *)session->progress, sizeof *session->progress);
    ladder_session_init(session);
}
