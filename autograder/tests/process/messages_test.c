// What a compiler said, and time without a processor.
#include <time.h>

#include "sandbox/process/kit_build.h"
#include "outcome.h"
#include "suite.h"
#include "sandbox/process/machine.h"

static kl_error err;

// ---- build_messages ----
// What of a build's output is shown, from outputs as Ninja and nvcc write them.

static char folder[LADDER_PATH]; // of a kit

static void set_up(void) {
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    const char *steps = kl_own_text("%s/labs/00_a/steps", folder);
    ck_assert_int_eq(ladder_folder_make(steps, &err), KL_OK);
}

// A step, as it was handed out if `stamped`.
static void put_step(const char *name, bool stamped) {
    static const char code[] = "#define IMPLEMENTED 0\n";
    char text[256];
    int bytes = snprintf(text, sizeof text, "%s", code);
    if (stamped)
        bytes = snprintf(text, sizeof text, "%s" KL_STAMP_START "%016llx" KL_STAMP_END, code,
                         (unsigned long long)kl_step_text_hash(code, strlen(code)));
    const char *path = kl_own_text("%s/labs/00_a/steps/%s", folder, name);
    ck_assert_int_eq(ladder_file_write(path, text, (size_t)bytes, &err), KL_OK);
}

// What is shown of a build's output; each @ in it stands for the kit's folder.
static char *shown(const char *output) {
    char *said = NULL;
    size_t bytes = 0;
    FILE *in = open_memstream(&said, &bytes);
    for (const char *c = output; *c; c++)
        if (*c == '@') fputs(folder, in);
        else fputc(*c, in);
    fclose(in);
    char *text = KL_PRINTED(out, ladder_build_messages(folder, said, out));
    free(said);
    return text;
}

static void expect(const char *output, const char *wanted) {
    ck_assert_str_eq(shown(output), wanted);
}

static void tear_down(void) { ladder_folder_remove(folder); }

KL_FIXTURE(set_up, tear_down)

KL_TEST(warnings_of_what_nobody_wrote_are_left_out) {
    put_step("4_a.cu", true);
    put_step("5_b.cu", false);
    expect("[1/3] Building CUDA object common/gpu/CMakeFiles/probe.dir/probe.cu.o\n"
           "ptxas info    : (C7519) warpgroup.arrive is injected in around line 155\n"
           "[2/3] Building CUDA object CMakeFiles/a.dir/labs/00_a/steps/4_a.cu.o\n"
           "@/labs/00_a/steps/4_a.cu(16): warning #177-D: variable \"i\" was declared\n"
           "      int i;\n"
           "          ^\n"
           "[3/3] Building CUDA object CMakeFiles/a.dir/labs/00_a/steps/5_b.cu.o\n"
           "@/labs/00_a/steps/5_b.cu(7): warning #177-D: variable \"k\" was declared\n"
           "      int k;\n"
           "          ^\n",
           "labs/00_a/steps/5_b.cu(7): warning #177-D: variable \"k\" was declared\n"
           "      int k;\n"
           "          ^\n");
}

KL_TEST(a_build_that_fails_says_why) {
    expect("ninja: error: unknown target 'a_skeleton_step_4'\n",
           "ninja: error: unknown target 'a_skeleton_step_4'\n"
           "  hint: CMake has not listed this file yet: touch CMakeLists.txt, then the same "
           "command\n");
    expect("make: *** [Makefile:9: a] Error 2\n", "make: *** [Makefile:9: a] Error 2\n");
}

KL_TEST(errors_are_kept_and_get_hints) {
    put_step("4_a.cu", true);
    expect("[1/2] Building CUDA object CMakeFiles/a.dir/labs/00_a/steps/4_a.cu.o\n"
           "FAILED: CMakeFiles/a.dir/labs/00_a/steps/4_a.cu.o\n"
           "@/labs/00_a/steps/4_a.cu(27): error: expected a \";\"\n"
           "      }\n"
           "      ^\n"
           "1 error detected in the compilation of \"4_a.cu\".\n"
           "ninja: build stopped: subcommand failed.\n",
           "labs/00_a/steps/4_a.cu(27): error: expected a \";\"\n"
           "      }\n"
           "      ^\n"
           "  hint: a semicolon is missing at the end of the line above\n");
    expect("@/labs/00_a/steps/4_a.cu(27): error: expected a \";\"\n" // an operator, perhaps
           "      y[i] = a x[i];\n"
           "               ^\n",
           "labs/00_a/steps/4_a.cu(27): error: expected a \";\"\n"
           "      y[i] = a x[i];\n"
           "               ^\n");
    expect("[1/2] Building C object common/base/CMakeFiles/base.dir/a.c.o\n"
           "@/common/base/a.c:3:1: error: no such thing\n",
           "common/base/a.c:3:1: error: no such thing\n");
}

KL_TEST(versions_in_the_toolkit_and_other_instances_are_left_out) {
    static const char first[] = "(9): error: no function \"g\" fits\n"
                                "            argument types are: (float)\n";
    put_step("4_a.cu", true);
    expect(kl_own_text("@/labs/00_a/steps/4_a.cu%s"
                       "            function \"g(int)\" (declared at line 3 of /usr/g.hpp)\n"
                       "/usr/g.hpp(3): note #3326-D: function \"g(int)\" does not match\n"
                       "  int g(int x);\n"
                       "          detected during \"k\"\n"
                       "@/labs/00_a/steps/4_a.cu%s"
                       "@/labs/00_a/steps/4_a.cu(4): note #3326-D: it does not match\n",
                       first, first),
           kl_own_text("labs/00_a/steps/4_a.cu%s          detected during \"k\"\n", first));
}

// The first error of a file as nvcc says it, what follows from it, and what is meant.
static const struct {
    const char *error, *hint; // hint "": nothing is certain
} meant[] = {
    {"error: identifier \"threadldx\" is undefined", "did you mean threadIdx?"},
    {"error: identifier \"blockidx\" is undefined", "did you mean blockIdx?"},
    {"error: identifier \"__syncthread\" is undefined", "did you mean __syncthreads?"},
    {"error: identifier \"__shared\" is undefined", "did you mean __shared__?"},
    {"error: identifier \"atomicadd\" is undefined", "did you mean atomicAdd?"},
    {"error: identifier \"threads\" is undefined", ""},
    {"error: identifier \"j\" is undefined", ""},
    {"error: identifier \"__shfl_down\" is undefined",
     "since CUDA 9 it has a mask of lanes: __shfl_down_sync(0xffffffff, ..)"},
    {"error: identifier \"__ballot\" is undefined",
     "since CUDA 9 it has a mask of lanes: __ballot_sync(0xffffffff, ..)"},
    {"error: a __global__ function call must be configured",
     "a kernel is launched with its grid and its block: name<<<blocks, threads>>>(arguments)"},
    {"error: expression must be a modifiable lvalue",
     "what is left of the assignment cannot be written: const, as inputs are, or no variable"},
    {"error: more than one instance of overloaded function \"a\" has \"C\" linkage",
     "the lab's header declares this function: keep its parameters as they are there"},
    {"error: more than one instance of overloaded function \"max\" matches the argument list:",
     "two versions of it fit as well: give both arguments one type (0.0f is float, 0 is int)"},
    {"error: no instance of overloaded function \"atomicAdd\" matches the argument list",
     "it takes the address of the element, &x[i], and a value of its type: int, unsigned, unsigned "
     "long long, float or double"},
    {"error: linkage specification is not allowed", ""}, // said of the end of the source
    {"error: expected a declaration", ""},               // the line is no brace
    {"error: calling a __host__ function(\"f(float)\") from a __global__ function(\"k\") is not "
     "allowed",
     "what a kernel calls is a function with __device__ before it"},
};

KL_TEST(the_first_error_of_a_file_has_the_hint) {
    for (size_t i = 0; i < sizeof meant / sizeof meant[0]; i++) {
        char output[1024], wanted[1024];
        snprintf(output, sizeof output,
                 "[1/2] Building CUDA object CMakeFiles/a.dir/labs/00_a/steps/4_a.cu.o\n"
                 "@/labs/00_a/steps/4_a.cu(27): %s\n      x\n"
                 "@/labs/00_a/steps/4_a.cu(28): error: expected a \";\"\n      y\n",
                 meant[i].error);
        snprintf(wanted, sizeof wanted,
                 "labs/00_a/steps/4_a.cu(27): %s\n      x\n%s%s%s"
                 "labs/00_a/steps/4_a.cu(28): error: expected a \";\"\n      y\n",
                 meant[i].error, meant[i].hint[0] ? "  hint: " : "", meant[i].hint,
                 meant[i].hint[0] ? "\n" : "");
        expect(output, wanted);
    }
}

KL_TEST(messages_are_wrapped_at_words) {
    const kl_style style = {.width = 40}, whole = {.width = 40, .uncut = true};
    static const char said[] = "labs/00_a/steps/4_a.cu(27): error: identifier \"a\" is undefined\n"
                               "      a = 1; // a line of source in rows, and its caret\n"
                               "                                      ^\n"
                               "          detected during instantiation of \"f\"\n"
                               "  hint: what is meant is one of two names of CUDA\n";
    char text[512] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    ladder_put_messages(said, &style, out);
    fclose(out);
    ck_assert_str_eq(text, "labs/00_a/steps/4_a.cu(27): error:\n"
                           "    identifier \"a\" is undefined\n"
                           "      a = 1; // a line of source in\n"
                           "          rows, and its caret\n"
                           "            ^\n"
                           "          detected during\n"
                           "              instantiation of \"f\"\n"
                           "  hint: what is meant is one of\n"
                           "        two names of CUDA\n");
    memset(text, 0, sizeof text);
    out = fmemopen(text, sizeof text, "w");
    ladder_put_messages(said, &whole, out);
    fclose(out);
    ck_assert_str_eq(text, said);
}

KL_TEST(long_outputs_end) {
    char output[8192] = "FAILED: labs/00_a\n";
    for (int i = 0; i < 25; i++)
        strcat(output,
               "@/labs/00_a/steps/6_c.cu(1): error: a\n@/labs/00_a/steps/6_c.cu(1): error: b\n");
    char *text = shown(output);
    KL_HAS(text, "(and 10 lines more: the first error first)\n");
    expect("@/labs/00_a/steps/6_c.cu:1:4: warning: null character(s) ignored\n"
           "    1 | <ff><fe>/<U+0000>/\n"
           "@/labs/00_a/steps/6_c.cu:1:6: warning: null character(s) ignored\n",
           "labs/00_a/steps/6_c.cu: error: this file is UTF-16 or no text: save it as UTF-8\n");
}

// ---- run_queue ----
// Time without a processor: files that look like those of /proc, the limits that follow from it,
// and processes that wait for no processor.

static char proc[LADDER_PATH];
static ladder_run_queue queue;

static void begin(void) {
    snprintf(proc, sizeof proc, "/tmp/run_queue-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(proc));
    queue = (ladder_run_queue){.count = 0};
}

static void end(void) { ladder_folder_remove(proc); }

static void put(const char *folder, const char *file, const char *text) {
    char path[2 * LADDER_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    ck_assert_int_ge(fputs(text, out), 0);
    ck_assert_int_eq(fclose(out), 0);
}

// A thread with these seconds on a processor and without one.
static void thread(int pid, int id, unsigned ran_s, unsigned waited_s, const char *children) {
    char folder[LADDER_PATH + 64], text[64];
    snprintf(folder, sizeof folder, "%.1000s/%d/task/%d", proc, pid, id);
    snprintf(text, sizeof text, "%u000000000 %u000000000 7\n", ran_s, waited_s);
    ck_assert_int_eq(ladder_folder_make(folder, &err), KL_OK);
    put(folder, "schedstat", text);
    put(folder, "children", children);
}

static void look(int pid, bool sandboxed) {
    const ladder_run_queue_root root = {pid, sandboxed};
    ladder_run_queue_look(&queue, proc, &root, 1);
}

KL_TEST(only_a_schedstat_is_read) {
    uint64_t ran = 0, waited = 0;
    ck_assert(ladder_run_queue_parse("480871 13756295 2\n", &ran, &waited));
    ck_assert_uint_eq(ran, 480871);
    ck_assert_uint_eq(waited, 13756295);
    ck_assert(!ladder_run_queue_parse("", &ran, &waited));
    ck_assert(!ladder_run_queue_parse("12\n", &ran, &waited));
    ck_assert(!ladder_run_queue_parse("0 none 0\n", &ran, &waited));
}

KL_TEST(the_longest_wait_between_two_looks_counts) {
    begin();
    thread(10, 10, 5, 100, "");
    thread(10, 11, 5, 200, "12 ");
    thread(12, 12, 0, 50, "");
    look(10, false); // what was before the answer was asked for does not count
    ck_assert_double_eq(queue.waited_s, 0);
    ck_assert_int_eq(queue.count, 3);
    thread(10, 10, 6, 103, "");
    thread(10, 11, 7, 201, "12 ");
    thread(12, 12, 3, 57, ""); // a child: the longest
    look(10, false);
    ck_assert_double_eq_tol(queue.waited_s, 7, 1e-9);
    ck_assert_double_eq_tol(queue.ran_s, 6, 1e-9);
    thread(10, 10, 6, 105, "");
    thread(10, 13, 1, 4, ""); // new
    look(10, false);
    ck_assert_double_eq_tol(queue.waited_s, 11, 1e-9);
    ck_assert_double_eq_tol(queue.ran_s, 7, 1e-9);
    end();
}

KL_TEST(the_sandbox_is_not_the_job) {
    begin();
    thread(20, 20, 0, 0, "21 ");
    thread(21, 21, 0, 0, "22 ");
    thread(22, 22, 0, 0, "");
    look(20, true);
    ck_assert_int_eq(queue.count, 1);
    thread(20, 20, 1, 90, "21 ");
    thread(21, 21, 1, 80, "22 ");
    thread(22, 22, 1, 3, "");
    look(20, true);
    ck_assert_double_eq_tol(queue.waited_s, 3, 1e-9);
    end();
}

KL_TEST(what_cannot_be_read_extends_nothing) {
    begin();
    look(30, false); // there is no such process
    thread(30, 30, 0, 0, "");
    put(proc, "30/task/30/schedstat", "unknown\n");
    look(30, false);
    look(0, false);
    ck_assert_double_eq(queue.waited_s, 0);
    ck_assert_double_eq(ladder_run_queue_limit_s(&queue, 30, 30, 2), 30);
    ck_assert(!ladder_run_queue_starved(&queue, 30, 300));
    end();
}

KL_TEST(the_limit_grows_by_the_wait_up_to_its_cap) {
    ladder_run_queue q = {.ran_s = 25, .waited_s = 12, .all_waited_s = 15};
    ck_assert_double_eq(ladder_run_queue_limit_s(&q, 30, 40, 2), 42);
    ck_assert(!ladder_run_queue_starved(&q, 30, 42));
    q.ran_s = 3;
    ck_assert_double_eq(ladder_run_queue_limit_s(&q, 30, 5, 2), 35); // no more than has passed
    q.waited_s = q.all_waited_s = 297;
    ck_assert_double_eq(ladder_run_queue_limit_s(&q, 30, 300, 2), 300);
    ck_assert(ladder_run_queue_starved(&q, 30, 300)); // 3 s of processor time in 300 s
    ck_assert(!ladder_run_queue_starved(&q, 30, 299));
    q.ran_s = 31; // it has had its 30 s: its own fault
    ck_assert(!ladder_run_queue_starved(&q, 30, 300));
}

// A loop of naps waits for a processor at each awakening: 12 s of a limit became 17.
KL_TEST(naps_gain_nothing_on_a_busy_machine) {
    ladder_run_queue q = {.ran_s = 0.1, .waited_s = 5, .all_waited_s = 5};
    ck_assert_double_eq(ladder_run_queue_limit_s(&q, 12, 12, 2), 12);
    q = (ladder_run_queue){.ran_s = 6, .waited_s = 5, .all_waited_s = 5}; // sleeps for 1 s of 12
    ck_assert_double_eq(ladder_run_queue_limit_s(&q, 12, 12, 2), 16);
    q = (ladder_run_queue){.ran_s = 1, .waited_s = 5.5, .all_waited_s = 5.5}; // and for 5.5 s
    ck_assert_double_eq(ladder_run_queue_limit_s(&q, 12, 12, 2), 12);
    ck_assert_double_eq(ladder_run_queue_limit_s(&q, 12, 13, 2), 12);     // the longer, the worse
    q = (ladder_run_queue){.ran_s = 7, .waited_s = 3, .all_waited_s = 5}; // two alternate
    ck_assert_double_eq(ladder_run_queue_limit_s(&q, 12, 12, 2), 15);
    q = (ladder_run_queue){.ran_s = 0.1, .waited_s = 11.9, .all_waited_s = 11.9}; // cannot run
    ck_assert_double_eq_tol(ladder_run_queue_limit_s(&q, 12, 12, 2), 23.9, 1e-9);
}

// More threads than processors wait for each other also on a quiet machine.
KL_TEST(threads_that_wait_for_each_other_gain_nothing) {
    ladder_run_queue q = {.ran_s = 58, .waited_s = 28};
    ck_assert_double_eq(ladder_run_queue_limit_s(&q, 30, 30, 2), 30);
    ck_assert_double_eq(ladder_run_queue_limit_s(&q, 30, 30, 4), 58);
}

// Looks at a child that does nothing more until two looks see no change, and says what it gained.
static void expect_no_extension(pid_t pid) {
    const ladder_run_queue_root root = {pid, false};
    bool still = false;
    for (int i = 0; i < 2000 && !still; i++) {
        queue = (ladder_run_queue){.count = 0};
        ladder_run_queue_look(&queue, "/proc", &root, 1);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        ladder_run_queue_look(&queue, "/proc", &root, 1);
        still = queue.waited_s <= 0 && queue.ran_s <= 0;
    }
    ck_assert(still);
    ck_assert_double_eq(ladder_run_queue_limit_s(&queue, 30, 30, 2), 30);
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

KL_TEST(a_sleeping_process_gains_nothing) {
    pid_t pid = fork();
    if (pid == 0)
        for (;;) pause();
    ck_assert_int_gt(pid, 0);
    expect_no_extension(pid);
}

KL_TEST(a_stopped_process_gains_nothing) {
    pid_t pid = fork();
    if (pid == 0)
        for (;;) raise(SIGSTOP);
    ck_assert_int_gt(pid, 0);
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
    ck_assert(WIFSTOPPED(status));
    expect_no_extension(pid);
}

KL_TEST_MAIN("messages")
