// See exec_support.h.
#include "support/run.h"

#include "suite.h"

#include "decode/decode.h"
#include "ops/ops.h"

enum { MEMORY_BYTES = 512 << 20, PARAM_MAX = 4096 };

static sim_status place(void *context, const ptx_variable *variable, uint64_t *out_address,
                        kl_error *err) {
    exec_rig *rig = context;
    uint64_t bytes = variable->size_bytes ? variable->size_bytes : 1;
    TRY(sim_mem_alloc(rig->memory, bytes, out_address, err));
    sim_mem_label(rig->memory, *out_address, variable->name);
    return SIM_OK;
}

static sim_status write_bytes(void *context, uint64_t address, const void *source, uint64_t bytes,
                              kl_error *err) {
    exec_rig *rig = context;
    return sim_mem_write(rig->memory, address, source, bytes, err);
}

static void close_rig(void *opened) {
    exec_rig *rig = opened;
    sim_grid_result_free(&rig->result);
    sim_executor_free(rig->executor);
    sim_program_free(rig->program);
    sim_mem_delete(rig->memory);
    free(rig->output.text);
    free(rig);
}

exec_rig *exec_open(const char *ptx, uint32_t threads) {
    kl_error err = {0};
    exec_rig *rig = calloc(1, sizeof *rig);
    ck_assert_ptr_nonnull(rig);
    ptx_module *module;
    OK_OR_SAY(sim_mem_new(MEMORY_BYTES, &rig->memory, &err), err);
    sim_mem_guard(rig->memory, SIM_GUARD_UNIT);
    OK_OR_SAY(sim_executor_new(threads, &rig->executor, &err), err);
    OK_OR_SAY(ptx_parse(ptx, strlen(ptx), &module, &err), err);
    OK_OR_SAY(sim_decode(NULL, module, ptx, strlen(ptx), place, rig, &rig->program, &err), err);
    OK_OR_SAY(sim_program_bind(rig->program, &err), err);
    OK_OR_SAY(sim_program_initialise(rig->program, write_bytes, rig, &err), err);
    rig->launch.program = rig->program;
    rig->launch.device = sim_device_find(NULL);
    rig->grid.launch = &rig->launch;
    rig->grid.memory = rig->memory;
    rig->grid.output = &rig->output;
    rig->grid.mode = SIM_MODE_COUNT;
    kl_close_later(close_rig, rig);
    return rig;
}

exec_rig *exec_open_file(const char *name, uint32_t threads) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.ptx", TEST_PTX, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "cannot open %s", path);
    fseek(file, 0, SEEK_END);
    long bytes = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)bytes + 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, (size_t)bytes, file), (size_t)bytes);
    fclose(file);
    exec_rig *rig = exec_open(text, threads);
    free(text);
    return rig;
}

void exec_close(exec_rig *rig) {
    kl_is_closed(rig);
    close_rig(rig);
}

uint64_t exec_alloc(exec_rig *rig, uint64_t bytes, const void *data) {
    kl_error err = {0};
    uint64_t address;
    OK_OR_SAY(sim_mem_alloc(rig->memory, bytes, &address, &err), err);
    if (data) OK_OR_SAY(sim_mem_write(rig->memory, address, data, bytes, &err), err);
    return address;
}

void exec_read(exec_rig *rig, uint64_t address, void *data, uint64_t bytes) {
    kl_error err = {0};
    OK_OR_SAY(sim_mem_read(rig->memory, data, address, bytes, &err), err);
}

sim_status exec_launch(exec_rig *rig, const char *kernel, sim_dim3 grid, sim_dim3 block,
                       uint32_t dynamic_shared_bytes, ...) {
    const sim_function *function = sim_program_find(rig->program, kernel);
    ck_assert_msg(function, "no kernel %s", kernel);
    uint8_t params[PARAM_MAX] = {0};
    va_list arguments;
    va_start(arguments, dynamic_shared_bytes);
    for (uint32_t i = 0; i < function->entry_param_count; i++) {
        const void *value = va_arg(arguments, const void *);
        ck_assert_msg(value, "%s takes %u parameters", kernel, function->entry_param_count);
        memcpy(params + function->entry_params[i].offset, value,
               function->entry_params[i].size_bytes);
    }
    va_end(arguments);
    sim_grid_result_free(&rig->result);
    rig->launch.function = function;
    rig->launch.params = params;
    rig->launch.param_bytes = function->entry_param_bytes;
    rig->launch.config.grid = grid;
    rig->launch.config.block = block;
    rig->launch.config.dynamic_shared_bytes = dynamic_shared_bytes;
    rig->grid.index++;
    return sim_grid_run(rig->executor, &rig->grid, &rig->result);
}

void exec_expect_ok(exec_rig *rig, sim_status status) {
    ck_assert_msg(status == SIM_OK, "%s: %s", sim_status_text(status), rig->result.fault.text);
}

const sim_raw_counts *exec_counts(const exec_rig *rig, sim_op op, ptx_space space) {
    const sim_function *function = rig->launch.function;
    const sim_raw_counts *counts =
        rig->result.recorded.counts[function - rig->program->functions].by_pc;
    ck_assert_ptr_nonnull(counts);
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (instr->op == op && (space == PTX_SPACE_NONE || instr->space == space))
            return &counts[pc];
    }
    ck_abort_msg("%s has no %s", function->name, sim_op_name(op));
}

uint64_t exec_executed(const exec_rig *rig) {
    uint64_t sum = 0;
    for (uint32_t f = 0; f < rig->result.recorded.function_count; f++)
        for (uint32_t pc = 0;
             rig->result.recorded.counts[f].by_pc && pc < rig->program->functions[f].code_count;
             pc++)
            sum += rig->result.recorded.counts[f].by_pc[pc].executed;
    return sum;
}

// ---- launches on an engine ----

static void close_engine(void *engine) { sim_engine_close(engine); }
static void free_report(void *report) { sim_launch_report_free(report); }

test_engine engine_open(sim_options options, const char *ptx, uint64_t bytes) {
    test_engine opened;
    kl_error err = {0};
    OK_OR_SAY(sim_engine_open_local(&options, &opened.engine, &err), err);
    kl_close_later(close_engine, opened.engine);
    OK_OR_SAY(sim_module_load(opened.engine, ptx, strlen(ptx) + 1, &opened.module, &err), err);
    OK(sim_memory_alloc(opened.engine, bytes, &opened.x, &err));
    OK(sim_memory_fill(opened.engine, opened.x, 0, 4, bytes / 4, &err));
    return opened;
}

sim_launch_result engine_launch(const test_engine *opened, const char *kernel, uint32_t blocks,
                                uint32_t threads) {
    sim_function_handle function;
    sim_launch_config config = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
    sim_launch_result result;
    kl_error err = {0};
    OK_OR_SAY(sim_function_find(opened->engine, opened->module, kernel, &function, &err), err);
    OK_OR_SAY(sim_launch_kernel(opened->engine, function, &config, &opened->x, sizeof opened->x,
                                &result, &err),
              err);
    return result;
}

sim_launch_report *engine_report(const test_engine *opened, const char *kernel, uint32_t blocks,
                                 uint32_t threads) {
    sim_launch_report *report = NULL;
    uint32_t index = engine_launch(opened, kernel, blocks, threads).index;
    OK(sim_launch_report_get(opened->engine, index, &report, NULL));
    kl_close_later(free_report, report);
    return report;
}
