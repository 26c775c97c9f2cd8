// Protects against toolkits: what the installed nvcc, ptxas and fatbinary write must parse, and the
// cubin reader must agree with what ptxas -v prints. Inputs are built from ptx_sources/ into
// TEST_PTX.
// where: SIM_PTXAS SIM_FATBINARY
#include "image/image.h"
#include "support/bytes.h"
#include "ptx/ptx.h"
#include "suite.h"

static ptx_module *parse(const char *name, test_bytes *text) {
    ptx_module *module;
    kl_error err = {0};
    *text = read_file(test_path(TEST_PTX, name));
    sim_status status = ptx_parse((const char *)text->data, text->count, &module, &err);
    ck_assert_msg(status == SIM_OK, "%s: %s", name, err.text);
    return module;
}

static const char *const ptx_names[] = {"features_line.ptx", "features_debug.ptx",
                                        "features_rdc.ptx", "resources.ptx"};

KL_TEST_ROWS(ptx_parses, 4) {
    test_bytes text;
    ptx_module *module = parse(ptx_names[_i], &text);
    uint32_t kernels = 0;
    for (uint32_t i = 0; i < module->function_count; i++)
        kernels += module->functions[i].is_entry && module->functions[i].statement_count > 0;
    ck_assert_uint_ge(kernels, 6);
    ck_assert_uint_eq(module->target, 90);
    ptx_module_free(module);
    bytes_free(&text);
}

static bool ends_with(const char *text, const char *end) {
    size_t length = text ? strlen(text) : 0;
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

// Every inlined line of the kernels leads back to the user's file.
KL_TEST(inlined_lines_lead_to_the_user) {
    test_bytes text;
    ptx_module *module = parse("features_line.ptx", &text);
    uint32_t inlined = 0;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const ptx_function *function = &module->functions[f];
        for (uint32_t i = 0; i < function->statement_count && function->is_entry; i++) {
            const ptx_location *at = function->statements[i].location;
            if (!at || !at->has_inlined_at) continue;
            inlined++;
            ck_assert_ptr_nonnull(ptx_location_function(module, at));
            while (at->outer) at = at->outer;
            ck_assert(!at->has_inlined_at);
            ck_assert_msg(ends_with(ptx_file_name(module, at->file), "features.cu"), "%s",
                          ptx_file_name(module, at->file));
        }
    }
    ck_assert_uint_gt(inlined, 20);
    ptx_module_free(module);
    bytes_free(&text);
}

static const char *const fatbin_names[] = {"none.fatbin", "default.fatbin", "size.fatbin",
                                           "speed.fatbin"};

// The PTX in a fat binary is the text that went in but for comments, however it was compressed.
KL_TEST_ROWS(fatbin_modes, 4) {
    test_bytes image = read_file(test_path(TEST_PTX, fatbin_names[_i]));
    sim_fatbin *fatbin;
    kl_error err = {0};
    uint32_t index;
    const uint8_t *data;
    size_t bytes;
    sim_status status = sim_fatbin_open(image.data, image.count, &fatbin, &err);
    ck_assert_msg(status == SIM_OK, "%s", err.text);
    ck_assert_uint_eq(sim_fatbin_count(fatbin), 2);
    ck_assert(sim_fatbin_best_ptx(fatbin, SIM_FATBIN_ANY, 90, &index));
    status = sim_fatbin_payload(fatbin, index, &data, &bytes, &err);
    if (status != SIM_UNSUPPORTED) {
        ptx_module *module;
        ck_assert_msg(status == SIM_OK, "%s", err.text);
        status = ptx_parse((const char *)data, bytes, &module, &err);
        ck_assert_msg(status == SIM_OK, "%s", err.text);
        ck_assert_uint_ge(module->function_count, 10);
        ptx_module_free(module);
    }
    ck_assert(sim_fatbin_best_cubin(fatbin, SIM_FATBIN_ANY, 90, &index));
    status = sim_fatbin_payload(fatbin, index, &data, &bytes, &err);
    if (status != SIM_UNSUPPORTED) {
        sim_cubin *cubin;
        ck_assert_msg(status == SIM_OK, "%s", err.text);
        ck_assert_int_eq(sim_cubin_open(data, bytes, &cubin, &err), SIM_OK);
        ck_assert_ptr_nonnull(sim_cubin_find(cubin, "spilling"));
        sim_cubin_close(cubin);
    }
    sim_fatbin_close(fatbin);
    bytes_free(&image);
}

// The number in front of `unit` in a line such as "Used 28 registers, used 1 barriers, 48 bytes
// smem"; 0 without it.
static uint32_t number_before(const char *line, const char *unit) {
    const char *found = strstr(line, unit), *end = strchr(line, '\n');
    if (!found || (end && found > end)) return 0;
    while (found > line && found[-1] == ' ') found--;
    while (found > line && found[-1] >= '0' && found[-1] <= '9') found--;
    return (uint32_t)strtoul(found, NULL, 10);
}

static void compare_kernel(const sim_cubin_kernel *kernel, const char *properties,
                           const char *used) {
    ck_assert_uint_eq(kernel->registers, number_before(used, "registers"));
    ck_assert_uint_eq(kernel->barriers, number_before(used, "barriers"));
    ck_assert_uint_eq(kernel->shared_bytes, number_before(used, "bytes smem"));
    ck_assert_uint_eq(kernel->stack_bytes, number_before(used, "bytes cumulative stack"));
    ck_assert_uint_eq(kernel->frame_bytes, number_before(properties, "bytes stack frame"));
    uint32_t stores = number_before(properties, "bytes spill stores");
    if (kernel->marks_spills || stores) { // else it may have local memory of its own
        ck_assert_uint_eq(kernel->spill_store_bytes, stores);
        ck_assert_uint_eq(kernel->spill_load_bytes, number_before(properties, "bytes spill loads"));
    }
    ck_assert_uint_eq(kernel->code_bytes % 16, 0);
}

KL_TEST(cubin_agrees_with_ptxas) {
    test_bytes image = read_file(test_path(TEST_PTX, "resources.cubin"));
    test_bytes log = read_file(test_path(TEST_PTX, "resources.log"));
    sim_cubin *cubin;
    kl_error err = {0};
    ck_assert_int_eq(sim_cubin_open(image.data, image.count, &cubin, &err), SIM_OK);
    static const char marker[] = "Compiling entry function '";
    const char *at = (const char *)log.data;
    uint32_t compared = 0, spilled = 0;
    while ((at = strstr(at, marker))) {
        char name[128] = {0};
        at += sizeof marker - 1;
        sscanf(at, "%127[^']", name);
        const char *properties = strstr(at, "bytes stack frame"), *used = strstr(at, "Used ");
        const sim_cubin_kernel *kernel = sim_cubin_find(cubin, name);
        ck_assert_msg(kernel && properties && used, "%s", name);
        while (properties[-1] != '\n') properties--;
        compare_kernel(kernel, properties, used);
        compared++;
        spilled += kernel->marks_spills ? kernel->spill_count > 0
                                        : number_before(properties, "bytes spill stores") > 0;
    }
    ck_assert_uint_ge(compared, 11);
    ck_assert_uint_eq(compared, sim_cubin_kernel_count(cubin));
    ck_assert_uint_ge(spilled, 1);
    const sim_cubin_kernel *large = sim_cubin_find(cubin, "large_parameter");
    ck_assert_uint_eq(large->param_count, 3);
    ck_assert_uint_eq(large->params[1].offset, 4000);
    ck_assert_uint_eq(large->params[2].size_bytes, 2);
    ck_assert_uint_eq(sim_cubin_find(cubin, "printing")->max_threads[0], 128);
    sim_cubin_close(cubin);
    bytes_free(&image);
    bytes_free(&log);
}

// Which lines of a module have an instruction; indexed by line.
static bool *instruction_lines(const ptx_module *module, uint32_t line_count) {
    bool *table = calloc(line_count + 1, sizeof *table);
    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t i = 0; i < module->functions[f].statement_count; i++) {
            const ptx_statement *statement = &module->functions[f].statements[i];
            if (statement->kind == PTX_STATEMENT_INSTRUCTION && statement->place.line <= line_count)
                table[statement->place.line] = true;
        }
    return table;
}

// The lines of PTX that machine code has are those of instructions.
KL_TEST(ptx_lines_are_of_instructions) {
    test_bytes image = read_file(test_path(TEST_PTX, "features.cubin")), text;
    ptx_module *module = parse("features_line.ptx", &text);
    uint32_t line_count = 1, of_instructions = 0, rows = 0;
    for (size_t i = 0; i < text.count; i++) line_count += text.data[i] == '\n';
    bool *is_instruction = instruction_lines(module, line_count);
    sim_cubin *cubin;
    kl_error err = {0};
    ck_assert_int_eq(sim_cubin_open(image.data, image.count, &cubin, &err), SIM_OK);
    for (uint32_t k = 0; k < sim_cubin_kernel_count(cubin); k++) {
        const sim_cubin_line *lines;
        uint32_t count;
        OK_OR_SAY(
            sim_cubin_ptx_lines(cubin, sim_cubin_kernel_get(cubin, k)->name, &lines, &count, &err),
            err);
        for (uint32_t i = 0; i < count; i++)
            of_instructions += lines[i].line <= line_count && is_instruction[lines[i].line];
        rows += count;
    }
    ck_assert_uint_gt(rows, 100);
    ck_assert_msg(of_instructions >= rows * 0.95, "only %u of %u", of_instructions, rows);
    free(is_instruction);
    sim_cubin_close(cubin);
    ptx_module_free(module);
    bytes_free(&text);
    bytes_free(&image);
}

KL_TEST_MAIN("frontend_nvcc")
