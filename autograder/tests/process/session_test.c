// How long the judge waits for the engine: a stopped one gains no time and is given up, one that
// the machine keeps from running gets the time that it waited, up to a cap. What /proc would say of
// such a wait is made up here: no test may depend on a busy machine.
// needs: ladder_programs
#include "sandbox/process/session.h"

#include <sys/socket.h>

#include "suite.h"

static kl_error err;
static ladder_session session;
static int looks; // since the last answer
static int wakes; // the look at which the engine may go on; 0: never

// A job that never waits for a processor.
static void look_idle(ladder_run_queue *queue, const char *proc, const ladder_run_queue_root *roots,
                      int count) {
    (void)queue;
    ck_assert_str_eq(proc, "/proc");
    ck_assert_int_eq(count, 1); // there is no program here
    ck_assert_int_eq(roots[0].pid, session.engine.pid);
}

// One that has waited ever since, for longer than any limit.
static void look_starved(ladder_run_queue *queue, const char *proc,
                         const ladder_run_queue_root *roots, int count) {
    look_idle(queue, proc, roots, count);
    queue->waited_s += 1e6;
    if (++looks == wakes) ck_assert_int_eq(kill(session.engine.pid, SIGCONT), 0);
}

static void start(void) {
    static ladder_kit kit;
    const ladder_engine_options options = {.answer_s = 60, .threads = 1};
    snprintf(kit.source, sizeof kit.source, "%s", TEST_SOURCE_DIR);
    snprintf(kit.build, sizeof kit.build, "%s", TEST_BUILD_DIR);
    OK_OR_SAY(ladder_session_start_engine(&session, &kit, &options, &err), err);
    looks = wakes = 0;
}

static void stop_engine(double answer_s) {
    session.answer_s = answer_s;
    ck_assert_int_eq(kill(session.engine.pid, SIGSTOP), 0);
}

static sim_status ask(void) {
    uint32_t count = 7;
    sim_status status = sim_launch_count(session.control, &count, &err);
    if (status == SIM_OK) ck_assert_uint_eq(count, 0);
    return status;
}

KL_TEST(an_engine_that_gets_no_processor_is_waited_for) {
    start();
    session.look = look_starved;
    stop_engine(4);
    wakes = 6; // beyond the limit, as there is one look per second at most, and long before its cap
    ck_assert_msg(ask() == SIM_OK, "%s", err.text);
    ck_assert_int_ge(looks, 6);
    ck_assert(session.late.took_s > 4);
    ck_assert(!ladder_session_engine_starved(&session, NULL, 0));
    ladder_session_close(&session);
}

KL_TEST(an_engine_that_does_nothing_is_given_up) {
    char text[160];
    start();
    session.look = look_idle;
    stop_engine(0.5);
    ck_assert_int_eq(ask(), SIM_CONNECTION);
    ck_assert(session.late.took_s >= 0.5);
    ck_assert(!ladder_session_engine_starved(&session, text, sizeof text));
    ladder_session_close(&session);
}

KL_TEST(the_machine_is_to_blame_at_the_cap) {
    char text[160];
    start();
    session.look = look_starved;
    stop_engine(0.2);
    ck_assert_int_eq(ask(), SIM_CONNECTION);
    ck_assert(session.late.took_s >= LADDER_RUN_QUEUE_EXTENSION * 0.2);
    ck_assert(ladder_session_engine_starved(&session, text, sizeof text));
    KL_HAS(text, "within 0.2 s: the machine was too busy");
    ladder_session_close(&session);
    ck_assert(!ladder_session_engine_starved(&session, text, sizeof text)); // of a new session
}

static void reply(int socket) {
    const ladder_runner_reply reply = {.state = LADDER_RUNNER_OK};
    ck_assert_int_eq(send(socket, &reply, sizeof reply, 0), (int)sizeof reply);
}

static void look_program(ladder_run_queue *queue, const char *proc,
                         const ladder_run_queue_root *roots, int count) {
    (void)queue, (void)proc, (void)roots, (void)count;
}

// Who sleeps in each answer of a case, for less than its limit, is late all the same.
KL_TEST(answers_of_a_case_have_one_limit) {
    static const char *const environment[] = {NULL}, *const argv[] = {"/bin/sleep", "600", NULL};
    const ladder_process_spec sleeps = {.argv = argv, .environment = environment};
    ladder_runner_reply got;
    int pair[2];
    ladder_session_init(&session);
    session.look = look_program;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    OK(ladder_process_start(&sleeps, &session.program, &err));
    session.has_program = true;
    session.socket = pair[0];
    session.answers = (ladder_answers){.one_limit = true};
    for (int i = 0; i < 2; i++) {
        reply(pair[1]);
        ck_assert_int_eq(ladder_session_wait(&session, 1000, &got), LADDER_ANSWERED);
    }
    ck_assert(session.answers.took_s > 0);
    session.answers.took_s += 1500; // as if both had slept
    ck_assert_int_eq(ladder_session_wait(&session, 1000, &got), LADDER_LATE);
    ck_assert(session.late.limit_s == 1000 && session.late.took_s > 1500);
    session.answers = (ladder_answers){.one_limit = false}; // the next case
    reply(pair[1]);
    ck_assert_int_eq(ladder_session_wait(&session, 1000, &got), LADDER_ANSWERED);
    ck_assert(session.answers.took_s <= 0);
    ladder_session_close(&session);
    close(pair[1]);
}

// A program that closes its socket because it crashes is not late where a busy machine takes its
// time to show the end.
KL_TEST(an_end_that_shows_late_is_an_end) {
    const char *argv[] = {"/bin/sh", "-c", "exec 3>&-; sleep 2; kill -SEGV $$", NULL};
    const char *environment[] = {"PATH=/usr/bin:/bin", NULL};
    ladder_runner_reply reply;
    int pair[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    const ladder_process_spec spec = {
        .argv = argv, .environment = environment, .descriptors = &pair[1], .descriptor_count = 1};
    ladder_session_init(&session);
    OK(ladder_process_start(&spec, &session.program, &err));
    close(pair[1]);
    session.has_program = true;
    session.socket = pair[0];
    ck_assert_int_eq(ladder_session_wait(&session, KL_PATIENCE_S, &reply), LADDER_ENDED);
    ck_assert_int_eq(session.program.end, LADDER_END_SIGNALLED);
    ladder_session_close(&session);
}

KL_TEST_MAIN("session")
