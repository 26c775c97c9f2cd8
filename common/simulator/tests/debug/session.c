#include "debug/session.h"

#include <sys/prctl.h>
#include <sys/socket.h>

#include "engine/engine.h"

const char debug_kernel[] =
    ".version 9.0\n"
    ".target sm_90\n"
    ".address_size 64\n"
    ".file 1 \"debug.cu\"\n"
    ".visible .entry _Z4workPjjj(.param .u64 p_out, .param .u32 p_iterations, .param .u32 p_bad)\n"
    "{\n"
    "  .reg .pred %p<3>;\n"
    "  .reg .b32 %r<16>;\n"
    "  .reg .b64 %rd<6>;\n"
    "  .shared .align 4 .b8 tile[256];\n"
    "  .loc 1 10 0\n"
    "  ld.param.u64 %rd1, [p_out];\n"
    "  ld.param.u32 %r10, [p_iterations];\n"
    "  ld.param.u32 %r11, [p_bad];\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  mov.u32 %r1, %tid.x;\n"
    "  mov.u32 %r2, %ctaid.x;\n"
    "  mov.u32 %r3, %ntid.x;\n"
    "  mad.lo.s32 %r4, %r2, %r3, %r1;\n"
    "  .loc 1 11 0\n"
    "  shl.b32 %r5, %r1, 2;\n"
    "  mov.u32 %r6, tile;\n"
    "  add.s32 %r7, %r6, %r5;\n"
    "  st.shared.u32 [%r7], %r4;\n"
    "  .loc 1 12 0\n"
    "  bar.sync 0;\n"
    "  .loc 1 13 0\n"
    "  and.b32 %r12, %r1, 1;\n"
    "  setp.ne.u32 %p1, %r12, 0;\n"
    "  @%p1 bra $odd;\n"
    "  .loc 1 14 0\n"
    "  mul.lo.s32 %r8, %r4, 3;\n"
    "  bra.uni $join;\n"
    "$odd:\n"
    "  .loc 1 16 0\n"
    "  add.s32 %r8, %r4, 7;\n"
    "$join:\n"
    "  .loc 1 18 0\n"
    "  mov.u32 %r9, 0;\n"
    "$loop:\n"
    "  .loc 1 19 0\n"
    "  add.s32 %r8, %r8, %r9;\n"
    "  .loc 1 20 0\n"
    "  add.s32 %r9, %r9, 1;\n"
    "  setp.lt.u32 %p2, %r9, %r10;\n"
    "  @%p2 bra $loop;\n"
    "  .loc 1 22 0\n"
    "  st.global.u32 [%rd2], %r8;\n"
    "  .loc 1 23 0\n"
    "  mul.lo.s32 %r13, %r4, %r11;\n"
    "  mul.wide.u32 %rd3, %r13, 4;\n"
    "  add.s64 %rd4, %rd2, %rd3;\n"
    "  st.global.u32 [%rd4+4], %r8;\n"
    "  .loc 1 24 0\n"
    "  ret;\n"
    "}\n";

enum { OUT_BYTES = 4 * (1 + DEBUG_GRID * DEBUG_BLOCK) };

// The engine's process.
static _Noreturn void serve(int descriptor, sim_mode mode, uint32_t iterations, uint32_t bad) {
    sim_engine *engine;
    sim_module_handle module;
    sim_function_handle kernel;
    kl_error err;
    sim_launch_result result;
    struct {
        uint64_t out;
        uint32_t iterations, bad;
    } params = {0, iterations, bad};
    sim_options options = {.mode = mode, .memory_bytes = 64 << 20};
    const sim_launch_config config = {.grid = {DEBUG_GRID, 1, 1}, .block = {DEBUG_BLOCK, 1, 1}};
    if (sim_debugger_new(descriptor, &options.debugger, &err) != SIM_OK) _exit(3);
    bool ready =
        sim_engine_open_local(&options, &engine, &err) == SIM_OK &&
        sim_module_load(engine, debug_kernel, strlen(debug_kernel), &module, &err) == SIM_OK &&
        sim_function_find(engine, module, "_Z4workPjjj", &kernel, &err) == SIM_OK &&
        sim_memory_alloc(engine, OUT_BYTES, &params.out, &err) == SIM_OK &&
        sim_memory_fill(engine, params.out, 0, 4, OUT_BYTES / 4, &err) == SIM_OK;
    if (!ready) sim_debugger_exit(options.debugger, 4);
    send(descriptor, &params.out, sizeof params.out, MSG_NOSIGNAL);
    sim_status status =
        sim_launch_kernel(engine, kernel, &config, &params, sizeof params, &result, &err);
    sim_engine_close(engine);
    sim_debugger_exit(options.debugger, status == SIM_OK ? 0 : 5);
}

debug_session debug_begin(sim_mode mode, uint32_t iterations, uint32_t bad) {
    debug_session session = {.out = 0};
    int pair[2];
    kl_error err;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    session.engine = fork();
    ck_assert_int_ge(session.engine, 0);
    if (session.engine == 0) {
        close(pair[0]);
        serve(pair[1], mode, iterations, bad);
    }
    close(pair[1]);
    session.client.descriptor = pair[0];
    ck_assert_int_eq(recv(pair[0], &session.out, sizeof session.out, 0), sizeof session.out);
    ck_assert_int_eq(sim_debug_wait(&session.client, &err), SIM_OK);
    ck_assert_uint_eq(session.client.stop.reason, SIM_DEBUG_LAUNCH);
    return session;
}

const sim_debug_stop *debug_go(debug_session *session, sim_debug_way way, sim_debug_step step,
                               uint64_t time) {
    sim_debug_client *client = &session->client;
    kl_error err;
    const sim_debug_plan plan = {
        .way = way, .step = step, .thread = client->stop.thread, .time = time};
    ck_assert_int_eq(sim_debug_go(client, &plan, &err), SIM_OK);
    ck_assert_int_eq(sim_debug_wait(client, &err), SIM_OK);
    return &client->stop;
}

int debug_end(debug_session *session) {
    kl_error err;
    int status = 0;
    const sim_debug_plan plan = {.way = SIM_DEBUG_FORWARDS};
    debug_points(session, NULL, 0);
    do sim_debug_go(&session->client, &plan, &err); // past what it finds
    while (sim_debug_wait(&session->client, &err) == SIM_OK);
    ck_assert_int_eq(waitpid(session->engine, &status, 0), session->engine);
    close(session->client.descriptor);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void debug_points(debug_session *session, const sim_debug_point *points, uint32_t count) {
    kl_error err;
    ck_assert_int_eq(sim_debug_set_points(&session->client, points, count, &err), SIM_OK);
}

sim_debug_point debug_at_line(uint32_t number, uint32_t line) {
    sim_debug_point point = {.number = number, .kind = SIM_DEBUG_AT_LINE, .line = line};
    snprintf(point.name, sizeof point.name, "debug.cu");
    return point;
}

uint32_t debug_line(debug_session *session, sim_debug_thread thread) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    uint32_t count;
    kl_error err;
    OK_OR_SAY(sim_debug_frames(&session->client, &thread, frames, &count, &err), err);
    ck_assert_uint_ge(count, 1);
    return frames[0].line;
}
