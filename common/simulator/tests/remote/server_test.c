// Protects the client from the server of an engine: one that lies, is dead, or answers late.
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "remote/internal.h"
#include "suite.h"

// A server that lies must not harm its client.
static void *lie(void *context) {
    int descriptor = *(int *)context, passed;
    wire_writer request = {0};
    wire_header header;
    wire_greeting greeting = {WIRE_VERSION, SIM_COUNTER_COUNT, 1, "h100"};
    wire_writer out = {0};
    wire_put_greeting(&out, &greeting);
    for (int i = 0; wire_receive(descriptor, &header, &request, &passed, NULL, NULL) == SIM_OK;
         i++) {
        header.payload_bytes = i == 0 ? (uint32_t)out.bytes : 7; // a greeting, then nonsense
        wire_send(descriptor, &header, out.data, NULL, NULL);
    }
    wire_writer_free(&request);
    wire_writer_free(&out);
    close(descriptor);
    return NULL;
}

KL_TEST(lying_servers_break_the_connection) {
    int pair[2];
    pthread_t liar;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert_int_eq(pthread_create(&liar, NULL, lie, &pair[1]), 0);
    sim_engine *engine = NULL;
    OK(sim_engine_open_remote(pair[0], &engine, NULL));
    sim_launch_report *report = NULL;
    ck_assert_int_eq(sim_launch_report_get(engine, 0, &report, NULL), SIM_CONNECTION);
    ck_assert_ptr_null(report);
    char *text = NULL;
    ck_assert_int_eq(sim_take_output(engine, &text, NULL), SIM_CONNECTION);
    sim_engine_close(engine);
    pthread_join(liar, NULL);
}

KL_TEST(dead_servers_are_reported) {
    int pair[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    close(pair[1]);
    sim_engine *engine = NULL;
    kl_error err = {0};
    ck_assert_int_eq(sim_engine_open_remote(pair[0], &engine, &err), SIM_CONNECTION);
    ck_assert_ptr_null(engine);
    ck_assert_int_eq(sim_engine_open_remote(9999, &engine, &err), SIM_CONNECTION);
}

// A server whose first answer waits for `released`.
typedef struct slow_server {
    int descriptor;
    sem_t released;
    unsigned asked; // of the client: the last it was told
} slow_server;

static void *answer_late(void *context) {
    slow_server *slow = context;
    wire_header header;
    wire_writer request = {0}, out = {0};
    wire_greeting greeting = {WIRE_VERSION, SIM_COUNTER_COUNT, 1, "h100"};
    int passed;
    wire_put_greeting(&out, &greeting);
    if (wire_receive(slow->descriptor, &header, &request, &passed, NULL, NULL) == SIM_OK) {
        while (sem_wait(&slow->released) != 0) {}
        header.payload_bytes = (uint32_t)out.bytes;
        wire_send(slow->descriptor, &header, out.data, NULL, NULL);
    }
    wire_writer_free(&request);
    wire_writer_free(&out);
    close(slow->descriptor);
    return NULL;
}

static bool until_the_third(void *context, unsigned asked, double waited_s) {
    slow_server *slow = context;
    ck_assert(asked == 0 ? slow->asked == 0 : asked == slow->asked + 1);
    ck_assert(waited_s > 0);
    slow->asked = asked;
    if (asked == 2) sem_post(&slow->released);
    return true;
}

static bool give_up_at_the_second(void *context, unsigned asked, double waited_s) {
    (void)waited_s;
    if (asked == 1) sem_post(&((slow_server *)context)->released);
    return asked < 1;
}

static sim_status open_slow(sim_remote_patience *patience, slow_server *slow) {
    const struct timeval soon = {.tv_usec = 10000};
    int pair[2];
    pthread_t thread;
    sim_engine *engine = NULL;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert_int_eq(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon), 0);
    *slow = (slow_server){.descriptor = pair[1]};
    ck_assert_int_eq(sem_init(&slow->released, 0, 0), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, answer_late, slow), 0);
    sim_status status = sim_remote_open(pair[0], patience, slow, &engine, NULL);
    if (!patience) sem_post(&slow->released);
    pthread_join(thread, NULL);
    if (status == SIM_OK) sim_engine_close(engine);
    sem_destroy(&slow->released);
    return status;
}

KL_TEST(patience_decides_how_long_an_answer_may_take) {
    slow_server slow;
    ck_assert_int_eq(open_slow(NULL, &slow), SIM_CONNECTION); // the socket's own limit
    OK(open_slow(until_the_third, &slow));
    ck_assert_uint_ge(slow.asked, 2);
    ck_assert_int_eq(open_slow(give_up_at_the_second, &slow), SIM_CONNECTION);
}

KL_TEST_MAIN("server")
