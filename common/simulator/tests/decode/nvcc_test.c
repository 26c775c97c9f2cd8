// Protects against toolkits: what the installed nvcc makes of sources/ decodes, optimised
// and for debugging; all that the executor relies on holds in it; static shared memory is laid out
// as large as ptxas says.
// where: SIM_PTXAS
#include "decode/support.h"
#include "suite.h"

static const char *const names[] = {"blocks",       "calls",        "features_line",  "flow",
                                    "halves",       "spaces",       "warps",          "shared",
                                    "blocks_debug", "calls_debug",  "features_debug", "flow_debug",
                                    "halves_debug", "spaces_debug", "warps_debug",    "calls_rdc"};
enum { NAME_COUNT = sizeof names / sizeof names[0], PATH_BYTES = 1024 };

static char *read_ptx(const char *name) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s.ptx", TEST_PTX, name);
    return decode_read_file(path);
}

static void check_slot(const sim_function *function, uint32_t slot, uint32_t pc) {
    if (slot != SIM_NO_SLOT && (slot >= function->frame_bytes || slot % 4))
        ck_abort_msg("%s: %s: slot %u of %u", function->name, decode_print(function, pc), slot,
                     function->frame_bytes);
}

static void check_instr(const sim_program *program, const sim_function *function, uint32_t pc) {
    const sim_instr *instr = &function->code[pc];
    check_slot(function, instr->guard, pc);
    check_slot(function, instr->dst, pc);
    check_slot(function, instr->dst2, pc);
    for (int i = 0; i < 4; i++) check_slot(function, instr->src[i], pc);
    for (uint32_t i = 0; instr->list != SIM_NO_SLOT && i < instr->vector; i++)
        check_slot(function, function->slots[instr->list + i], pc);
    bool branches = instr->op == SIM_OP_BRA || instr->op == SIM_OP_BRX;
    if (instr->op == SIM_OP_BRA && instr->target >= function->code_count) ck_abort_msg("target");
    if (branches && instr->reconverge != SIM_PC_EXIT && instr->reconverge >= function->code_count)
        ck_abort_msg("reconvergence");
    for (uint32_t i = 0; i < instr->target_count; i++)
        if (function->slots[instr->target + i] >= function->code_count) ck_abort_msg("table");
    if (instr->location >= function->location_count) ck_abort_msg("location");
    if (function->locations[instr->location].line &&
        function->locations[instr->location].file >= program->file_count)
        ck_abort_msg("file");
    if (instr->op != SIM_OP_CALL) return;
    const sim_call *call = instr->extra;
    bool is_direct = !(instr->mods & SIM_MOD_INDIRECT) && !call->is_builtin;
    if (is_direct && instr->target >= program->function_count) ck_abort_msg("callee");
    for (uint32_t i = 0; i < call->argument_count; i++)
        check_slot(function, call->arguments[i].slot, pc);
    for (uint32_t i = 0; i < call->return_count; i++)
        check_slot(function, call->returns[i].slot, pc);
}

KL_TEST_ROWS(everything_decodes, NAME_COUNT) {
    char *text = read_ptx(names[_i]);
    sim_program *program = decode_text(text), *kept = decode_kept(text);
    ck_assert_uint_gt(program->function_count, 0);
    for (uint32_t f = 0; f < program->function_count; f++) {
        const sim_function *function = &program->functions[f];
        ck_assert_uint_gt(function->code_count, 0);
        ck_assert_uint_eq(function->code_count, kept->functions[f].code_count);
        ck_assert_uint_le(function->frame_bytes, kept->functions[f].frame_bytes);
        ck_assert_msg(function->frame_bytes <= 32 * 1024, "%s: %u bytes", function->name,
                      function->frame_bytes); // so that it stays in the cache
        for (uint32_t pc = 0; pc < function->code_count; pc++) check_instr(program, function, pc);
    }
    free(text);
}

// Lines of the user's file only, although half of this code comes from headers.
KL_TEST(lines_are_the_users) {
    char *text = read_ptx("halves");
    sim_program *program = decode_text(text);
    uint32_t with_line = 0;
    for (uint32_t f = 0; f < program->function_count; f++)
        for (uint32_t pc = 0; pc < program->functions[f].code_count; pc++) {
            const sim_function *function = &program->functions[f];
            const sim_location *at = &function->locations[function->code[pc].location];
            if (at->line == 0) continue;
            with_line++;
            if (!strstr(program->files[at->file], "halves.cu"))
                ck_abort_msg("%s: %s", program->files[at->file], decode_print(function, pc));
        }
    ck_assert_uint_gt(with_line, 100);
    free(text);
}

// ptxas -v writes "Compiling entry function 'k'" and, below, "N bytes smem" unless N is 0.
KL_TEST(shared_memory_is_what_ptxas_says) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/shared.log", TEST_PTX);
    char *log = decode_read_file(path), *text = read_ptx("shared");
    sim_program *program = decode_text(text);
    uint32_t compared = 0;
    static const char head[] = "Compiling entry function '";
    for (const char *at = strstr(log, head); at; compared++) {
        char name[64];
        at += sizeof head - 1;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "'"), at);
        const char *next = strstr(at, head), *size = strstr(at, " bytes smem");
        uint32_t wanted = 0;
        if (size && (!next || size < next)) {
            while (size[-1] >= '0' && size[-1] <= '9') size--;
            wanted = (uint32_t)atoi(size);
        }
        const sim_function *function = sim_program_find(program, name);
        ck_assert_ptr_nonnull(function);
        ck_assert_msg(function->shared_bytes == wanted, "%s: %u bytes, ptxas says %u", name,
                      function->shared_bytes, wanted);
        ck_assert_uint_ge(function->dynamic_shared_offset, function->shared_bytes);
        at = next;
    }
    ck_assert_uint_eq(compared, 8);
    free(text);
    free(log);
}

KL_TEST_MAIN("decode_nvcc")
