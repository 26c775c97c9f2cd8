// The command line from outside: help, errors, suggestions, exit statuses, and what `profile`,
// `diff`, `list`, `hint` and `doctor` say. Runs the built programs.
// needs: ladder ladder-run-reduction
// labels: grade
// defines: TEST_SHARED_PROGRAM=@ladder_any_program_shared@
// defines: TEST_STATIC_PROGRAM=@ladder_any_program_static@
#include "sandbox/process/process.h"
#include "suite.h"
#include "table.h"

enum { ARGUMENTS = 10 };

typedef struct run {
    const char *arguments[ARGUMENTS]; // of ladder
    int code;
    const char *says[4]; // parts of what is printed; "!part" must not be
} run;

static char state[64];

static void expect(const run *r) {
    const char *argv[ARGUMENTS + 2] = {TEST_LADDER};
    char said[256] = "";
    for (int i = 0; i < ARGUMENTS && r->arguments[i]; i++) {
        argv[i + 1] = r->arguments[i];
        strncat(said, " ", sizeof said - strlen(said) - 1);
        strncat(said, r->arguments[i], sizeof said - strlen(said) - 1);
    }
    const char *environment[] = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", "COLUMNS=80", state,
                                 NULL};
    ladder_process_spec spec = {
        .argv = argv, .environment = environment, .limits = {.output_bytes = 8 << 20}};
    ladder_process p;
    kl_error err = {KL_OK, ""};
    ck_assert_msg(ladder_process_run(&spec, &p, &err) == KL_OK, "%s", err.text);
    ck_assert_msg(p.end == LADDER_END_EXITED && p.code == r->code, "ladder%s: status %d\n%.3000s",
                  said, p.code, p.output);
    for (int i = 0; i < 4 && r->says[i]; i++) {
        bool never = r->says[i][0] == '!';
        bool is_said = strstr(p.output, r->says[i] + never);
        ck_assert_msg(is_said != never, "ladder%s %s '%s':\n%.3000s", said,
                      never ? "says" : "does not say", r->says[i] + never, p.output);
    }
    bool json = strstr(p.output, "\"schema\"");
    for (char *line = strtok(p.output, "\n"); line && !json; line = strtok(NULL, "\n")) {
        bool path = strchr(line, '/'); // a path may be long
        ck_assert_msg(path || kl_text_width(line) <= 80, "ladder%s: %s", said, line);
    }
    ladder_process_free(&p);
}

KL_TEST(help_and_errors) {
    static const run runs[] = {
        {{"--help"}, 0, {"Example:", "LADDER_SIM_DEVICE", "work on a lab:\n  next  "}},
        {{NULL}, 0, {"steps   ", "read    labs/", "open    labs/", "type    ./ladder "}},
        {{"next", "reduction"}, 0, {"Lab 02, Parallel reduction: ", "steps   given 0"}},
        {{"next", "2", "--json", "-"}, 0, {"ladder.next/2", "\"next_step\": "}},
        {{"next", "2", "3"}, 2, {"expected one lab or none"}},
        {{"nxt"}, 2, {"did you mean 'next'?"}},
        {{"garde"}, 2, {"did you mean 'grade'?"}},
        {{"test"}, 2, {"./ladder test"}},
        {{"nothing"}, 2, {"unknown command 'nothing'"}},
        {{"run"}, 2, {"which lab?", "ladder run --help"}},
        {{"run", "gem"}, 2, {"there is no lab 'gem'"}},
        {{"run", "labs/07_gemm/steps/2_tiled.cu"}, 2, {"is a file; a lab and a step", "gemm 2"}},
        {{"check", "1_doubling.cu"}, 2, {"scan 1"}},
        {{"check", "2_tiled.cu"}, 2, {"there is no lab '2_tiled.cu'"}}, // of two labs
        {{"profile", "/etc/passwd"}, 2, {"is no lab", "ladder check -- ./a.out"}},
        {{"check", "--", "/etc/passwd"}, 1, {"no program; of a .cu file nvcc -cudart shared"}},
        {{"run", "reduction", "42"}, 2, {"no step '42'"}},
        {{"run", "reduction", "--divice", "sim"}, 2, {"did you mean --device?"}},
        {{"devices"}, 0, {"GeForce 8800 GTX", "Tesla K40m", "rtx4060", "read GB/s"}},
        {{"devices", "k40"}, 0, {"sm_count = 15", "Source: Tesla K40 board specification"}},
        {{"devices", "k50"}, 2, {"there is no device \"k50\"", "gtx8800"}},
        {{"devices", "./no such file"}, 2, {"cannot read the device ./no such file"}},
        {{"run", "reduction", "--device", "./no such file"}, 2, {"cannot read the device"}},
        {{"run", "reduction", "--device", "FILE"}, 2, {"|FILE,", "not 'FILE'"}},
        {{"run", "reduction", "--device", "h300"}, 2, {"auto|sim|gpu|h100|h200|", "not 'h300'"}},
        {{"grade", "reduction", "--device", "h300"}, 2, {"auto|sim|gpu|h100|h200|", "not 'h300'"}},
        {{"profile", "2", "1", "--device", "gpu"}, 2, {"sim|h100|h200|", "|FILE"}},
        {{"check", "2", "--device", "h300"}, 2, {"sim|h100|h200|", "'h300'"}},
        {{"grade", "reduction", "--unsafe", "--submissions", "/no/such/folder"},
         1,
         {"/no/such/folder"}},
        {{"grade", "reduction", "--jobs", "many"}, 2, {"whole number"}},
        {{"profile", "--", "/no/such/program"}, 1, {"/no/such/program"}},
        {{"profile", "reduction"}, 2, {"which step of reduction? 0_one_block,"}},
        {{"hint"}, 2, {"expected a lab and a step, for example: ./ladder hint reduction 3"}},
        {{"hint", "reduction", "99"}, 2, {"no step '99'"}},
        {{"diff", "reduction", "1"}, 2, {"which two steps of reduction? 0_one_block"}},
        {{"check"}, 2, {"expected a lab, or -- and a program"}},
        {{"check", "reduction", "--", "a.out"}, 2, {"expected a lab, or -- and a program"}},
        {{"check", "nothing"}, 2, {"no lab 'nothing'"}},
        {{"check", "reduction", "42"},
         2,
         {"lab reduction has no step '42'; its steps: 0_one_block", "ladder check --help"}},
        {{"check", "--", "/no/such/program"}, 1, {"/no/such/program"}},
        {{"check", "2", "--order", "sideways"}, 2, {"alternating or random:SEED", "sideways"}},
        {{"check", "2", "--order", "random:"}, 2, {"hurried, alternating or random:SEED"}},
        {{"check", "2", "--order", "random:18446744073709551616"}, 2, {"or random:SEED"}},
        {{"check", "2", "--max-instructions", "0"}, 2, {"at least 1"}},
        {{"check", "2", "--max-instructions", "many"}, 2, {"many"}},
        {{"check", "2", "--size", "-3", "0"}, 2, {"--size takes a whole number"}},
        {{"check", "2", "1", "--steps"}, 2, {"--steps"}},
        {{"bench", "nothing"}, 2, {"no lab 'nothing'"}},
        {{"run", "reduction", "--matrix", "any.mtx"}, 2, {"lab 02_reduction takes no matrix"}},
        {{"run", "spmv", "--plots"}, 2, {"--plots"}},
        {{"run", "reduction", "--app"}, 2, {"02_reduction has no application; labs with --app: "}},
        {{"run", "reduction", "--micro"}, 2, {"has no micro-ladders", "first_kernel, transpose"}},
        {{"run", "gemv_row", "--app", "--sweep"}, 2, {"--sweep and --app are different programs"}},
        {{"run", "gemv_row", "--sweep", "--size", "64"}, 2, {"--size has no meaning with --sweep"}},
        {{"run", "gemv_col", "3", "--grid"}, 2, {"--grid takes no step"}},
        {{"run", "gemv_row", "--sweep", "--", "--alpha"}, 2, {"--sweep takes nothing after --"}},
        {{"run", "gemv_row", "--", "--alpha", "2"}, 2, {"what follows -- is for the lab's app"}},
        {{"new-lab"}, 2, {"expected one name"}},
        {{"new-lab", "4_x"}, 2, {"'4_x' is no name of a lab"}},
        {{"new-lab", "42_Scan"}, 2, {"'42_Scan' is no name of a lab"}},
        {{"new-lab", "../42_stencil"}, 2, {"is no name of a lab"}},
        {{"new-lab", "42_test"}, 2, {"'test' is a word of the build"}},
        {{"new-lab", "02_other"}, 2, {"there is a lab 02_reduction"}},
        {{"new-lab", "42_gemm"}, 2, {"there is a lab 07_gemm"}},
        {{"tune", "nothing"}, 2, {"no lab 'nothing'"}},
        {{"tune", "softmax"}, 2, {"has no kernel to tune"}},
        {{"calibrate"}, 2, {"expected one lab, for example: ./ladder calibrate reduction"}},
        {{"calibrate", "nothing"}, 2, {"no lab 'nothing'"}},
        {{"calibrate", "reduction", "--device", "sim"}, 1, {"no usable GPU here"}},
        {{"calibrate", "reduction", "--device", "h200"}, 1, {"no usable GPU here"}},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) expect(&runs[i]);
    static const char *const commands[] = {"list",  "run",     "profile",   "diff",     "hint",
                                           "grade", "doctor",  "bench",     "skeleton", "check",
                                           "tune",  "new-lab", "calibrate", "trace"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        run r = {{commands[i], "--help"}, 0, {"usage: ladder", "Example:", "--json FILE"}};
        expect(&r);
    }
}

KL_TEST(lists_and_hints) {
    static const run runs[] = {
        {{"list"}, 0, {"02_reduction", "Parallel reduction", "0 of 8", "!interleaved"}},
        {{"list", "reduction"}, 0, {"02_reduction", "interleaved", "!03_occupancy"}},
        {{"tune", "gemm", "--list"}, 0, {"STAGES", "tiles", "(default)"}},
        {{"list", "0"}, 0, {"bug hunts: election, forward, twice, others, plus_two"}},
        {{"list", "0", "--json", "-"}, 0, {"\"bug_hunts\"", "\"forward\""}},
        {{"list", "02", "--json", "-"}, 0, {"ladder.list/2", "\"step\": 8"}},
        {{"hint", "2", "1"}, 0, {"Hint 1 of"}},
        {{"hint", "2", "1"}, 0, {"Hint 2 of"}},
        {{"hint", "2", "1", "--again"}, 0, {"Hint 2 of"}},
        {{"hint", "2", "--reset"}, 0, {"start again"}},
        {{"hint", "2", "1", "--json", "-"}, 0, {"ladder.hint/1", "\"hint\": 1"}},
        {{"hint", "2", "1", "--all"}, 0, {"Hint 1 of", "Hint 2 of"}},
        {{"doctor", TEST_LADDER},
         0,
         {"CUDA compiler", "simulator", "sandbox", "loads no CUDA runtime"}},
        {{"doctor", "--json", "-"}, 0, {"ladder.doctor/1", "Fashion-MNIST"}},
        {{"skeleton", "--check", "--json", "-"}, 0, {"ladder.skeleton/1"}},
    };
    char folder[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    snprintf(state, sizeof state, "XDG_STATE_HOME=%.40s", folder);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) expect(&runs[i]);
    ladder_folder_remove(folder);
}

KL_TEST(the_profile_names_the_line) {
    static const run runs[] = {
        {{"profile", "reduction", "1", "--solution", "--size", "2^20"},
         0,
         {"1_interleaved.cu:", "% of lanes work", "while the rest of the warp"}},
        {{"profile", "reduction", "strided", "--solution", "--size", "2^20"},
         0,
         {"2_strided.cu:", "-way bank conflicted", "wavefronts"}},
        {{"profile", "2", "3", "--solution", "--size", "2^20"},
         0,
         {"first: a warp waits at 8 barriers, one every 11 instructions", "!bank conflicted"}},
        // A guard that no thread fails is no divergence; nor is one that the last block needs.
        {{"profile", "0", "2", "--solution", "--size", "2^22"},
         0,
         {"dram bound, then latency", "100%                    if (i < n)", "!divergence"}},
        {{"profile", "0", "0", "--solution", "--size", "1000"},
         0,
         {"first: a block has 1 thread: 31 of the 32 lanes", "!divergence"}},
        {{"profile", "1", "3", "--solution", "--size", "2048"},
         0,
         {"warps wait for", "!divergence"}},
        {{"profile", "gemm", "1", "--solution", "--size", "512"},
         0,
         {"1_coalesced.cu:25: each byte is loaded from the L2", "!used well"}},
        {{"profile", "gemm", "2", "--solution", "--size", "512"},
         0,
         {"2_tiled.cu:34: 5", "per multiply-add, and the", "unroll this", "!used well"}},
        {{"profile", "gemm", "3", "--solution", "--size", "512"},
         0,
         {"1.25 shared loads per", "compute", "!used well"}},
        {{"profile", "2", "1", "--solution", "--size", "1000", "--json", "-"},
         0,
         {"ladder.profile/1", "\"mode\": \"count\"", "\"line\": ", "worst_line"}},
        {{"profile", "3", "3", "--solution", "--case", "occupancy-12", "--timeline"},
         0,
         {"timeline of one SM, modelled: its first 5000 cycles", "waiting for memory",
          "8 warps at once"}},
        {{"profile", "3", "7", "--solution"}, 0, {"132 blocks of 1024 threads, 64 registers"}},
        {{"profile", "2", "3", "--solution", "--size", "100000", "--timeline", "--json", "-"},
         0,
         {"\"timeline\": {", "\"requests_in_flight\": ", "\"barrier\""}},
        {{"profile", "2", "3", "--solution", "--size", "1000", "--timeline", "--device", "a100"},
         0,
         {"no timeline: this time is that of the analytical model"}},
        {{"diff", "2", "2", "3", "--solution", "--size", "2^20"},
         0,
         {"2_strided.cu -> 3_sequential.cu", "bank conflicts of shared loads", "why:"}},
        {{"diff", "2", "2", "3", "--solution", "--size", "1000", "--json", "-"},
         0,
         {"ladder.diff/1", "profile_b", "\"case\": \"sum-exact\"", "\"size\": 1000"}},
        // The course's first improvement: on one case, and told in seven lines.
        {{"diff", "0", "0", "1", "--solution"},
         0,
         {"2 lines removed, 3 added", "both steps on the case scale, 2^16 elements, the largest",
          "!IMPLEMENTED", "28.6 us   0.0079x"}},
        {{"diff", "0", "0", "1", "--source-only"}, 0, {"!TODO", "!ladder-skeleton"}},
        {{"diff", "1", "0", "1", "--solution", "--size", "1024"},
         0,
         {"step 0 on the case copy, step 1 on square", "no case in"}},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) expect(&runs[i]);
}

KL_TEST(any_program_is_profiled_and_a_static_one_refused) {
    static const run runs[] = {
        {{"profile", "--", TEST_SHARED_PROGRAM},
         3,
         {"1 kernel launch", "sectors per global store"}},
        {{"profile", "--", TEST_STATIC_PROGRAM}, 1, {"static CUDA runtime", "-cudart shared"}},
        {{"doctor", TEST_STATIC_PROGRAM}, 1, {"FAIL", "static CUDA runtime"}},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) expect(&runs[i]);
}

KL_TEST(a_lab_runs) {
    static const run runs[] = {
        {{"run", "reduction", "1", "3", "--solution", "--quick", "--device", "sim"},
         0,
         {"interleaved", "sequential", "correct"}},
        {{"run", "2", "3", "--solution", "--quick", "--device", "sim", "--json", "-"},
         0,
         {"ladder.run/2"}},
        {{"run", "2", "3", "--solution", "--quick", "--device", "h200", "--tables"},
         0,
         {"NVIDIA H200 (simulated), 132 SMs", "read 4545 GB/s"}},
        {{"profile", "2", "5", "--solution", "--size", "4096", "--device", "gtx8800"},
         0,
         {"GeForce 8800 GTX (simulated)", "the card has 1.0", "warp shuffles (since 3.0)"}},
        {{"profile", "2", "3", "--solution", "--size", "4096", "--device", "h200"},
         0,
         {"NVIDIA H200 (simulated)"}},
        {{"check", "2", "3", "--solution", "--device", "h200"}, 0, {"no findings"}},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) expect(&runs[i]);
}

KL_TEST_MAIN("cli")
