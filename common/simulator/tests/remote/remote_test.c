// Protects the engine behind a socket: everything a local engine does works through it, the runner
// reaches no report, the judge reaches nothing else and outlives the runner, and a peer that breaks
// the protocol loses its connection and nothing more.
// links: ../support/fake_engine.c
#include <pthread.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "support/fake_engine.h"
#include "suite.h"
#include "remote/internal.h"

typedef struct session {
    pthread_t thread;
    sim_engine *served;
    int server_ends[2];
    int runner_end, control_end; // raw client ends
    sim_status result;
} session;

static session running;

static void *serve(void *context) {
    session *s = context;
    s->result = sim_server_run(s->served, s->server_ends[0], s->server_ends[1], NULL);
    return NULL;
}

static void start(void) {
    int runner[2], control[2];
    memset(&fake, 0, sizeof fake);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, runner), 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, control), 0);
    running = (session){
        .server_ends = {runner[1], control[1]}, .runner_end = runner[0], .control_end = control[0]};
    OK(fake_engine_open(&running.served));
    ck_assert_int_eq(pthread_create(&running.thread, NULL, serve, &running), 0);
}

static sim_engine *open_client(int descriptor) {
    sim_engine *engine = NULL;
    kl_error err = {0};
    OK_OR_SAY(sim_engine_open_remote(descriptor, &engine, &err), err);
    return engine;
}

static void end(sim_engine *runner, sim_engine *judge) {
    sim_engine_close(runner);
    sim_engine_close(judge);
    pthread_join(running.thread, NULL);
    OK(running.result);
    sim_engine_close(running.served);
}

static sim_function_handle load_kernel(sim_engine *engine) {
    sim_module_handle module = 0;
    sim_function_handle function = 0;
    OK(sim_module_load(engine, "image", 5, &module, NULL));
    OK(sim_function_find(engine, module, "kernel", &function, NULL));
    return function;
}

KL_TEST(everything_works_through_a_socket) {
    start();
    sim_engine *runner = open_client(running.runner_end), *judge = open_client(running.control_end);
    ck_assert_str_eq(sim_engine_device(runner)->id, "h100");
    sim_module_handle module = 0;
    kl_error err;
    OK(sim_module_load(runner, "image", 5, &module, NULL));
    sim_function_handle function;
    ck_assert_int_eq(sim_function_find(runner, module, "none", &function, &err), SIM_NOT_FOUND);
    ck_assert_str_eq(err.text, "no kernel none");
    OK(sim_function_find(runner, module, "kernel", &function, NULL));
    sim_function_info info;
    OK(sim_function_query(runner, function, &info, NULL));
    ck_assert_uint_eq(info.registers, 32);
    ck_assert_uint_eq(info.params[1].offset, 8);
    OK(sim_function_set_max_dynamic_shared(runner, function, 65536, NULL));
    uint64_t address, bytes, total;
    OK(sim_symbol_find(runner, module, "symbol", &address, &bytes, NULL));
    ck_assert_uint_eq(bytes, 64);
    OK(sim_memory_info(runner, &bytes, &total, NULL));
    ck_assert_uint_eq(total, 2000);
    OK(sim_limit_set(runner, SIM_LIMIT_HEAP, UINT64_C(1) << 33, NULL));
    ck_assert_uint_eq(fake.limits[SIM_LIMIT_HEAP], UINT64_C(1) << 33);
    ck_assert_int_eq(sim_limit_set(runner, SIM_LIMIT_COUNT, 1, NULL), SIM_INVALID_VALUE);
    fake.time_us = 5;
    sim_launch_config config = {.grid = {2, 1, 1}, .block = {64, 1, 1}, .dynamic_shared_bytes = 16};
    sim_launch_result result;
    OK(sim_launch_kernel(runner, function, &config, "parametersss", 12, &result, NULL));
    ck_assert_double_eq(result.time_us, 5);
    ck_assert_mem_eq(fake.params, "parametersss", 12);
    ck_assert_uint_eq(fake.config.block.x, 64);
    fake.output = "hello from the device\n";
    char *text;
    OK(sim_take_output(runner, &text, NULL));
    ck_assert_str_eq(text, "hello from the device\n");
    free(text);
    uint32_t count;
    OK(sim_launch_count(judge, &count, NULL));
    ck_assert_uint_eq(count, 1);
    sim_launch_report *report;
    OK(sim_launch_report_get(judge, 0, &report, NULL));
    ck_assert_str_eq(report->files[0], "k.cu");
    sim_launch_report_free(report);
    ck_assert_int_eq(sim_launch_report_get(judge, 1, &report, NULL), SIM_INVALID_VALUE);
    OK(sim_module_unload(runner, module, NULL));
    end(runner, judge);
}

// Sizes around the chunk in which copies travel.
KL_TEST(large_copies_travel_in_chunks) {
    start();
    sim_engine *runner = open_client(running.runner_end), *judge = open_client(running.control_end);
    const uint64_t sizes[] = {1, WIRE_CHUNK_BYTES - 1, WIRE_CHUNK_BYTES, WIRE_CHUNK_BYTES + 1,
                              3 * WIRE_CHUNK_BYTES + 17};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t bytes = sizes[i], address;
        uint8_t *sent = malloc(bytes), *got = calloc(1, bytes);
        for (uint64_t k = 0; k < bytes; k++) sent[k] = (uint8_t)(k * 131 + k / 4096);
        OK(sim_memory_alloc(runner, 2 * bytes, &address, NULL));
        OK(sim_memory_write(runner, address, sent, bytes, NULL));
        OK(sim_memory_copy_rows(runner, address + bytes, bytes, address, bytes, bytes, 1, NULL));
        OK(sim_memory_read(runner, got, address + bytes, bytes, NULL));
        ck_assert_mem_eq(sent, got, bytes);
        OK(sim_memory_fill(runner, address, 0xAB, 1, bytes, NULL));
        OK(sim_memory_read(runner, got, address, bytes, NULL));
        ck_assert_uint_eq(got[bytes - 1], 0xAB);
        uint64_t base, size;
        OK(sim_memory_find(runner, address + 1, &base, &size, NULL));
        ck_assert_uint_eq(size, 2 * bytes);
        ck_assert_int_eq(sim_memory_read(runner, got, address + 2 * bytes, bytes, NULL),
                         SIM_INVALID_VALUE);
        OK(sim_memory_free(runner, address, NULL));
        free(sent);
        free(got);
    }
    end(runner, judge);
}

// A copy that leaves its allocation only in its last chunk changes nothing.
KL_TEST(copies_are_all_or_nothing) {
    start();
    sim_engine *runner = open_client(running.runner_end), *judge = open_client(running.control_end);
    uint64_t address, bytes = 2 * WIRE_CHUNK_BYTES;
    uint8_t *data = calloc(1, bytes + 1);
    OK(sim_memory_alloc(runner, bytes, &address, NULL));
    ck_assert_int_eq(sim_memory_write(runner, address, data, bytes + 1, NULL), SIM_INVALID_VALUE);
    ck_assert_uint_eq(fake.writes, 0);
    free(data);
    end(runner, judge);
}

KL_TEST(faults_are_carried) {
    start();
    sim_engine *runner = open_client(running.runner_end), *judge = open_client(running.control_end);
    sim_function_handle function = load_kernel(runner);
    fake.fault = (sim_fault){.kind = SIM_MISALIGNED_ADDRESS, .kernel = "k", .line = 5};
    strcpy(fake.fault.text, "k.cu:5: misaligned");
    sim_launch_config config = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    sim_launch_result result;
    kl_error err;
    ck_assert_int_eq(
        sim_launch_kernel(runner, function, &config, "parametersss", 12, &result, &err),
        SIM_MISALIGNED_ADDRESS);
    ck_assert_str_eq(err.text, "k.cu:5: misaligned");
    ck_assert_int_eq(result.fault.kind, SIM_MISALIGNED_ADDRESS);
    ck_assert_uint_eq(result.fault.line, 5);
    end(runner, judge);
}

KL_TEST(each_side_may_do_only_its_own) {
    start();
    sim_engine *runner = open_client(running.runner_end), *judge = open_client(running.control_end);
    sim_function_handle function = load_kernel(runner);
    sim_launch_report *report;
    uint64_t address;
    sim_launch_config config = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    sim_launch_result result;
    OK(sim_launch_kernel(runner, function, &config, NULL, 0, &result, NULL));
    ck_assert_int_eq(sim_launch_report_get(runner, 0, &report, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_memory_alloc(judge, 4, &address, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_launch_kernel(judge, function, &config, NULL, 0, &result, NULL),
                     SIM_INVALID_VALUE);
    OK(sim_launch_report_get(judge, 0, &report, NULL)); // still connected
    sim_launch_report_free(report);
    end(runner, judge);
}

typedef struct late_request {
    sim_engine *runner;
    uint64_t address;
    int done;
} late_request;

static void *allocate_late(void *context) {
    late_request *late = context;
    sim_memory_alloc(late->runner, 4, &late->address, NULL);
    __atomic_store_n(&late->done, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

// Between two calls of the program the judge alone is answered.
KL_TEST(a_held_runner_waits) {
    start();
    sim_engine *runner = open_client(running.runner_end), *judge = open_client(running.control_end);
    late_request late = {.runner = runner};
    uint64_t address, sent, moves, moved, nobody, fill, host, earlier, kernel;
    pthread_t thread;
    ck_assert_int_eq(sim_call_begin(runner, 0, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_given_alloc(runner, 8, &address, NULL), SIM_INVALID_VALUE);
    OK(sim_call_begin(judge, 0, NULL));
    ck_assert_int_eq(sim_caches_forget(runner, NULL), SIM_INVALID_VALUE);
    OK(sim_call_end(judge, &sent, &moves, &moved, NULL));
    ck_assert_uint_eq(sent, 77);
    ck_assert_uint_eq(moves, 2);
    ck_assert_uint_eq(moved, 640);
    fake.output = "for the judge";
    char *text;
    OK(sim_call_begin(judge, 0, NULL));
    OK(sim_take_output(runner, &text, NULL));
    ck_assert_str_eq(text, "");
    free(text);
    OK(sim_call_end(judge, &sent, &moves, &moved, NULL));
    OK(sim_take_output(judge, &text, NULL));
    ck_assert_str_eq(text, "for the judge");
    free(text);
    ck_assert_int_eq(pthread_create(&thread, NULL, allocate_late, &late), 0);
    OK(sim_given_alloc(judge, 8, &address, NULL));
    OK(sim_memory_write(judge, address, "judged!", 8, NULL));
    OK(sim_writers_get(judge, address, 8, &nobody, &fill, &host, &earlier, &kernel, NULL));
    ck_assert_uint_eq(nobody, 8);
    ck_assert_uint_eq(kernel, 4);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    ck_assert_int_eq(__atomic_load_n(&late.done, __ATOMIC_SEQ_CST), 0);
    OK(sim_call_begin(judge, 0, NULL));
    pthread_join(thread, NULL);
    ck_assert_uint_ne(late.address, 0);
    OK(sim_given_free(judge, address, NULL));
    end(runner, judge);
}

// Small moves in the program's own memory: `count` of each kind, the last byte of which tells.
static void move_much(sim_engine *runner, uint64_t address, uint64_t symbol, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        OK(sim_memory_write(runner, address + 8, &i, 4, NULL));
        OK(sim_memory_write(runner, symbol + 60, &i, 4, NULL));
        OK(sim_check_order(runner, SIM_STEP_WORK, SIM_LEGACY_QUEUE, 0, "f\nx+1", NULL));
        OK(sim_check_uses(runner, address, 64, 1, NULL));
        OK(sim_memory_copy_rows(runner, address + 32, 0, address + 8, 0, 4, 1, NULL));
        OK(sim_memory_fill(runner, address, i, 4, 1, NULL));
        OK(sim_memory_fill_rows(runner, address + 48, 8, i, 1, 4, 2, NULL));
    }
}

// While the runner is held nothing that waits for an answer would return.
KL_TEST(small_moves_wait_for_no_answer) {
    enum { COUNT = 200 };
    start();
    sim_engine *runner = open_client(running.runner_end), *judge = open_client(running.control_end);
    uint64_t address, other, symbol, bytes, sent, moves, moved;
    sim_module_handle module;
    OK(sim_module_load(runner, "image", 5, &module, NULL));
    OK(sim_symbol_find(runner, module, "symbol", &symbol, &bytes, NULL));
    OK(sim_memory_alloc(runner, 64, &address, NULL));
    OK(sim_memory_alloc(runner, 64, &other, NULL));
    move_much(runner, address, symbol, 1);
    OK(sim_call_begin(judge, 0, NULL));
    OK(sim_call_end(judge, &sent, &moves, &moved, NULL));
    ck_assert_uint_eq(fake.writes, 2);
    move_much(runner, address, symbol, COUNT);
    OK(sim_memory_free(runner, other, NULL));
    OK(sim_launch_count(judge, &(uint32_t){0}, NULL));
    ck_assert_uint_eq(fake.writes, 2); // held
    OK(sim_call_begin(judge, 0, NULL));
    OK(sim_call_end(judge, &sent, &moves, &moved, NULL));
    ck_assert_uint_eq(fake.writes, 2 * (COUNT + 1)); // what a call has posted is the call's
    OK(sim_call_begin(judge, 0, NULL));
    uint32_t got[16];
    OK(sim_memory_read(runner, got, address, 64, NULL));
    ck_assert_uint_eq(got[0], COUNT - 1);
    ck_assert_uint_eq(got[8], COUNT - 1);
    ck_assert_uint_eq(got[12], (COUNT - 1) * UINT32_C(0x01010101));
    ck_assert_int_eq(sim_memory_find(runner, other, &address, &bytes, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_memory_free(runner, other, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_memory_write(runner, other, got, 4, NULL), SIM_INVALID_VALUE);
    end(runner, judge);
}

// More than there is room for, and sizes on both sides of what is posted.
KL_TEST(posted_moves_keep_their_order) {
    start();
    sim_engine *runner = open_client(running.runner_end), *judge = open_client(running.control_end);
    static uint8_t data[WIRE_POSTED_MOVE + 1], got[WIRE_POSTED_MOVE + 1];
    const uint64_t sizes[] = {1, WIRE_POSTED_PAYLOAD / 2, WIRE_POSTED_PAYLOAD / 2 + 1,
                              WIRE_POSTED_MOVE, WIRE_POSTED_MOVE + 1};
    uint64_t address;
    OK(sim_memory_alloc(runner, sizeof data, &address, NULL));
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t bytes = sizes[i % 5];
        memset(data, (int)i, bytes);
        if (i % 3 == 0) OK(sim_memory_fill(runner, address, i & 0xFF, 1, bytes, NULL));
        else OK(sim_memory_write(runner, address, data, bytes, NULL));
    }
    OK(sim_memory_read(runner, got, address, sizeof got, NULL));
    ck_assert_mem_eq(got, data, sizeof got);
    ck_assert_int_eq(sim_memory_write(runner, address + sizeof data - 3, data, 4, NULL),
                     SIM_INVALID_VALUE); // at once, as it leaves its allocation
    end(runner, judge);
}

// Small reads in a row are read ahead until something may change memory, and the engine hears of
// each; a judged program is served none of it.
KL_TEST(small_reads_in_a_row_are_read_ahead) {
    start();
    sim_engine *runner = open_client(running.runner_end), *judge = open_client(running.control_end);
    enum { BYTES = 6000, MORE = 100 };
    uint64_t address, unset, first;
    uint8_t got = 0;
    OK(sim_memory_alloc(runner, BYTES, &address, NULL));
    OK(sim_memory_fill(runner, address, 5, 1, BYTES, NULL));
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < BYTES; i++) {
            OK(sim_check_unset(runner, address + i, 1, 0, &unset, &first, NULL));
            ck_assert_uint_eq(unset, 0);
            OK(sim_memory_read(runner, &got, address + i, 1, NULL));
            ck_assert_uint_eq(got, 5 + round);
        }
        uint32_t peeks = fake.peeks;
        ck_assert_uint_le(peeks, (round + 1) * (BYTES / WIRE_PEEK_BYTES + 2));
        ck_assert_uint_gt(peeks, 0);
        OK(sim_launch_count(judge, &(uint32_t){0}, NULL));
        ck_assert_uint_eq(fake.reads, (round + 1) * BYTES);
        OK(sim_memory_fill(runner, address, 6, 1, BYTES, NULL));
    }
    for (uint32_t i = 0; i < MORE; i++) { // what is written between two reads is read
        const uint8_t put = (uint8_t)(i + 40);
        OK(sim_memory_write(runner, address, &put, 1, NULL));
        for (int k = 0; k < 4; k++) {
            OK(sim_memory_read(runner, &got, address, 1, NULL));
            ck_assert_uint_eq(got, put);
        }
    }
    uint32_t peeks = fake.peeks;
    OK(sim_call_begin(judge, 0, NULL));
    OK(sim_memory_fill(runner, address, 7, 1, BYTES, NULL));
    for (uint32_t i = 0; i < MORE; i++) {
        OK(sim_memory_read(runner, &got, address + i, 1, NULL));
        ck_assert_uint_eq(got, 7);
    }
    ck_assert_uint_eq(fake.peeks, peeks);
    ck_assert_uint_eq(fake.reads, 2 * BYTES + 4 * MORE + MORE);
    end(runner, judge);
}

// What a program did before it was killed is not lost.
KL_TEST(posted_moves_outlive_the_runner) {
    enum { COUNT = 50 };
    start();
    pid_t child = fork();
    if (child == 0) {
        uint64_t address;
        sim_engine *runner = NULL;
        if (sim_engine_open_remote(running.runner_end, &runner, NULL) == SIM_OK &&
            sim_memory_alloc(runner, 64, &address, NULL) == SIM_OK)
            for (int i = 0; i < COUNT; i++) sim_memory_write(runner, address, "gone", 4, NULL);
        kill(getpid(), SIGKILL);
    }
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    close(running.runner_end);
    sim_engine *judge = open_client(running.control_end);
    OK(sim_launch_count(judge, &(uint32_t){0}, NULL));
    ck_assert_uint_eq(fake.writes, COUNT);
    end(NULL, judge);
}

// The status of the answer to a request without a payload.
static int ask_status(wire_kind kind, int *out_passed) {
    wire_header header = {(uint16_t)kind, 0, 2, 0};
    wire_writer answer = {0};
    OK(wire_send(running.runner_end, &header, NULL, NULL, NULL));
    OK(wire_receive(running.runner_end, &header, &answer, out_passed, NULL, NULL));
    wire_writer_free(&answer);
    return header.status;
}

// A hostile runner's own: frames in the shared memory as it likes them.
static wire_posted *open_posted(void) {
    int passed;
    OK(ask_status(WIRE_POSTED, &passed));
    ck_assert_int_ge(passed, 0);
    ck_assert_int_ne(ftruncate(passed, 0), 0); // the engine's pages stay
    wire_posted *posted = mmap(NULL, sizeof *posted, PROT_READ | PROT_WRITE, MAP_SHARED, passed, 0);
    ck_assert_ptr_ne(posted, MAP_FAILED);
    close(passed);
    return posted;
}

static void put_posted(wire_posted *posted, wire_kind kind, const wire_writer *payload) {
    wire_header header = {(uint16_t)kind, 0, 0, (uint32_t)payload->bytes};
    wire_header_write(posted->frames + posted->bytes, &header);
    memcpy(posted->frames + posted->bytes + WIRE_HEADER_BYTES, payload->data, payload->bytes);
    __atomic_fetch_add(&posted->bytes, WIRE_HEADER_BYTES + header.payload_bytes, __ATOMIC_RELEASE);
}

// A move that fails is told once, with the next answer that is not the memory's; one without a
// place among the posted requests ends the connection.
KL_TEST(wrong_posts_are_told_or_end_the_connection) {
    for (int wrong = 0; wrong < 8; wrong++) {
        start();
        sim_engine *judge = open_client(running.control_end);
        wire_posted *posted = open_posted();
        wire_writer payload = {0};
        wire_put_u64(&payload, 1); // nobody's address
        wire_put_u32(&payload, 0);
        if (wrong == 1) { // large, and would fail for that alone
            wire_put_u32(&payload, 1);
            wire_put_u64(&payload, WIRE_POSTED_MOVE + 1);
        }
        if (wrong < 4)
            put_posted(posted,
                       (wire_kind[]){WIRE_MEMORY_WRITE, WIRE_MEMORY_FILL, WIRE_MEMORY_FREE,
                                     WIRE_CHECK_USES}[wrong],
                       &payload);
        else if (wrong == 4) put_posted(posted, WIRE_LAUNCH_KERNEL, &payload);
        else if (wrong == 5) memset(posted->frames, 0x5A, posted->bytes = 64);
        else posted->bytes = wrong == 6 ? WIRE_HEADER_BYTES - 1 : WIRE_POSTED_BYTES + 1;
        if (wrong >= 4) {
            uint8_t byte;
            OK(sim_launch_count(judge, &(uint32_t){0}, NULL));
            ck_assert_int_le(recv(running.runner_end, &byte, 1, 0), 0);
        } else {
            OK(ask_status(WIRE_POSTED, &(int){0}));
            ck_assert_int_eq(ask_status(WIRE_LAUNCH_COUNT, &(int){0}),
                             wrong < 3 ? SIM_INVALID_VALUE : SIM_OK);
            OK(ask_status(WIRE_LAUNCH_COUNT, &(int){0}));
        }
        munmap(posted, sizeof *posted);
        wire_writer_free(&payload);
        close(running.runner_end);
        end(NULL, judge);
    }
}

KL_TEST(judge_outlives_the_runner) {
    start();
    sim_engine *runner = open_client(running.runner_end), *judge = open_client(running.control_end);
    sim_function_handle function = load_kernel(runner);
    sim_launch_config config = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    sim_launch_result result;
    OK(sim_launch_kernel(runner, function, &config, NULL, 0, &result, NULL));
    sim_engine_close(runner);
    for (int i = 0; i < 3; i++) {
        sim_launch_report *report;
        OK(sim_launch_report_get(judge, 0, &report, NULL));
        sim_launch_report_free(report);
    }
    end(NULL, judge);
}

// Sends raw bytes as the runner; the server must live on and serve the judge.
static void attack(const void *bytes, size_t count, bool expect_dropped) {
    start();
    sim_engine *judge = open_client(running.control_end);
    ck_assert_int_eq(send(running.runner_end, bytes, count, MSG_NOSIGNAL), (ssize_t)count);
    if (expect_dropped) {
        char byte;
        ck_assert_int_le(recv(running.runner_end, &byte, 1, 0), 0);
    }
    uint32_t launches;
    OK(sim_launch_count(judge, &launches, NULL));
    close(running.runner_end);
    OK(sim_launch_count(judge, &launches, NULL));
    end(NULL, judge);
}

KL_TEST(broken_frames_are_dropped) {
    uint8_t garbage[64];
    memset(garbage, 0x5A, sizeof garbage);
    attack(garbage, sizeof garbage, true);
    uint8_t head[WIRE_HEADER_BYTES];
    wire_header_write(head, &(wire_header){WIRE_KIND_COUNT, 0, 0, 0});
    attack(head, sizeof head, true);
    wire_header_write(head, &(wire_header){WIRE_MODULE_LOAD, 0, 0, 0xFFFFFFFF});
    attack(head, sizeof head, true);
    wire_header_write(head, &(wire_header){WIRE_MODULE_LOAD, 0, 0, WIRE_MAX_PAYLOAD});
    attack(head, sizeof head, false); // announces much, brings nothing
    attack(head, 5, false);           // half a header
}

// Well-framed requests with every kind and random payloads: an answer or a refusal, never a crash.
// Both processes map one file, so that what one writes the other reads.
KL_TEST(memory_is_shared_by_descriptor) {
    start();
    sim_engine *judge = open_client(running.control_end);
    sim_engine *engine = open_client(running.runner_end);
    enum { BYTES = 10000 };
    uint64_t address, offset;
    int file;
    OK(sim_memory_alloc_shared(engine, BYTES, &address, NULL));
    OK(sim_memory_shared_file(engine, address, &file, &offset, NULL));
    char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    strcpy(pages, "from here");
    ck_assert_str_eq(fake_pointer(address), "from here");
    strcpy(fake_pointer(address), "from there");
    ck_assert_str_eq(pages, "from there");
    munmap(pages, BYTES);
    close(file);
    bool direct = true;
    fake.copies_attached = true;
    int here[2] = {1, 2}, back = 0;
    uint64_t place = (uint64_t)(uintptr_t)here;
    OK(sim_memory_attach(engine, place, sizeof here, &direct, NULL));
    ck_assert(!direct);
    OK(sim_memory_write(engine, place, here, sizeof here, NULL));
    OK(sim_memory_read(engine, &back, place + 4, 4, NULL));
    ck_assert_int_eq(back, 2);
    OK(sim_memory_detach(engine, place, NULL));
    ck_assert_int_eq(sim_memory_detach(engine, place, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_memory_alloc_shared(judge, 1, &address, NULL), SIM_INVALID_VALUE);
    end(engine, judge);
}

KL_TEST(random_payloads_are_answered) {
    start();
    fake.copies_attached = true; // the addresses are nobody's
    sim_engine *judge = open_client(running.control_end);
    uint32_t seed = 12345;
    int passed;
    wire_writer answer = {0};
    for (uint32_t round = 0; round < 2000; round++) {
        uint8_t payload[96];
        for (size_t i = 0; i < sizeof payload; i++) {
            seed = seed * 1664525 + 1013904223;
            payload[i] = round % 3 ? (uint8_t)(seed >> 24) : (uint8_t)((seed >> 24) & 1);
        }
        seed = seed * 1664525 + 1013904223;
        wire_header header = {(uint16_t)(round % WIRE_KIND_COUNT), 0, round, (seed >> 20) % 97};
        OK(wire_send(running.runner_end, &header, payload, NULL, NULL));
        OK(wire_receive(running.runner_end, &header, &answer, &passed, NULL, NULL));
        ck_assert_uint_eq(header.sequence, round);
        if (passed >= 0) close(passed);
    }
    wire_writer_free(&answer);
    close(running.runner_end);
    end(NULL, judge);
}

KL_TEST_MAIN("remote")
