// The code of kernels for reports (device/counters.h): the text of a module's PTX and the machine
// code beside it are kept where somebody asked for them, and a launch's counts put to them.
#include "engine/internal.h"

typedef struct code_machine {
    uint64_t words[2];
    uint32_t ptx_line;
} code_machine;

struct inprocess_code {
    char *text;
    size_t bytes;
    uint32_t *starts; // [lines + 2]: where each line of the text begins, from line 1
    uint32_t lines;
    struct code_kernel {
        code_machine *machine; // NULL: none that belongs to this PTX
        uint32_t count, architecture;
    } * kernels; // of each function of the program
    uint32_t kernel_count;
};

void inprocess_code_free(inprocess_code *code) {
    if (!code) return;
    for (uint32_t i = 0; i < code->kernel_count; i++) free(code->kernels[i].machine);
    free(code->kernels);
    free(code->starts);
    free(code->text);
    free(code);
}

inprocess_code *inprocess_code_new(const char *text, size_t bytes, uint32_t function_count) {
    inprocess_code *code = calloc(1, sizeof *code);
    if (!code) return NULL;
    for (size_t i = 0; i < bytes; i++) code->lines += text[i] == '\n';
    code->lines++;
    code->text = malloc(bytes + 1);
    code->starts = calloc((size_t)code->lines + 2, sizeof *code->starts);
    code->kernels = calloc((size_t)function_count + 1, sizeof *code->kernels);
    if (!code->text || !code->starts || !code->kernels || bytes >= UINT32_MAX) {
        inprocess_code_free(code);
        return NULL;
    }
    code->kernel_count = function_count;
    memcpy(code->text, text, bytes);
    code->text[bytes] = '\0';
    code->bytes = bytes;
    uint32_t line = 1;
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == '\n') code->starts[++line] = (uint32_t)i + 1;
    return code;
}

void inprocess_code_take(inprocess_code *code, uint32_t function, sim_cubin *cubin,
                         const sim_cubin_kernel *kernel) {
    const sim_cubin_line *lines;
    uint32_t line_count;
    if (!code || code->kernels[function].machine ||
        sim_cubin_ptx_lines(cubin, kernel->name, &lines, &line_count, NULL) != SIM_OK ||
        !line_count)
        return;
    uint32_t count = (uint32_t)(kernel->code_bytes / SIM_MACHINE_BYTES);
    code_machine *machine = calloc((size_t)count + 1, sizeof *machine);
    if (!machine) return;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(machine[i].words, kernel->code + (size_t)i * SIM_MACHINE_BYTES, SIM_MACHINE_BYTES);
        const sim_cubin_line *line = sim_cubin_line_at(lines, line_count, i * SIM_MACHINE_BYTES);
        machine[i].ptx_line = line ? line->line : 0;
    }
    code->kernels[function].machine = machine;
    code->kernels[function].count = count;
    code->kernels[function].architecture = sim_cubin_arch(cubin);
}

// ---- One launch ----

enum { TEXT_MOST = 160 }; // of an instruction; what is longer, lists of a call, say, is cut

// Appends the instruction that begins at a line of the text, its blanks folded.
static void put_text(const inprocess_code *code, uint32_t line, sim_code *out) {
    uint32_t first = out->text_bytes;
    const char *end = code->text + code->bytes;
    const char *at = line >= 1 && line <= code->lines ? code->text + code->starts[line] : end;
    bool blank = false;
    for (; at < end && *at && *at != ';' && out->text_bytes - first < TEXT_MOST; at++) {
        if (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') {
            blank = true;
            continue;
        }
        if (blank && out->text_bytes > first) out->text[out->text_bytes++] = ' ';
        blank = false;
        out->text[out->text_bytes++] = *at;
    }
    out->text[out->text_bytes++] = '\0';
}

// The instructions of a function, one for each that the text has: the decoder may make several of
// it.
static void put_function(const inprocess_code *code, const sim_function *function,
                         const sim_raw_counts *counts, int32_t *at_line, sim_code *out) {
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        uint32_t line = instr->ptx_line <= code->lines ? instr->ptx_line : 0;
        if (!line) continue;
        if (at_line[line] == SIM_CODE_NONE) {
            at_line[line] = (int32_t)out->instr_count++;
            sim_location place = {0};
            if (instr->location < function->location_count)
                place = function->locations[instr->location];
            out->instrs[at_line[line]] =
                (sim_code_instr){.file = place.file,
                                 .line = place.line,
                                 .text = out->text_bytes,
                                 .untimed = sim_cost_of(instr) == SIM_COST_UNTIMED};
            put_text(code, line, out);
        }
        sim_code_instr *to = &out->instrs[at_line[line]];
        if (!counts || counts[pc].executed <= to->executed) continue;
        to->executed = counts[pc].executed;
        to->on = counts[pc].on;
    }
}

static bool make_space(const inprocess_code *code, const sim_program *program,
                       const sim_recorded *result, const struct code_kernel *kernel,
                       sim_code *out) {
    uint64_t most = 0;
    for (uint32_t f = 0; f < program->function_count; f++)
        if (f < result->function_count && result->counts[f].by_pc)
            most += program->functions[f].code_count;
    if (most > code->lines) most = code->lines;
    out->instrs = calloc(most + 1, sizeof *out->instrs);
    out->text = malloc((most + 1) * (TEXT_MOST + 3));
    out->machine = calloc((size_t)kernel->count + 1, sizeof *out->machine);
    return out->instrs && out->text && out->machine;
}

sim_code *inprocess_code_of(const inprocess_engine *engine, const inprocess_function *function,
                            const sim_recorded *result) {
    const inprocess_module *module = &engine->modules[function->module];
    const sim_program *program = module->program;
    const inprocess_code *code = module->code;
    if (!code) return NULL;
    const struct code_kernel *kernel = &code->kernels[function->function - program->functions];
    sim_code *out = calloc(1, sizeof *out);
    int32_t *at_line = malloc(((size_t)code->lines + 1) * sizeof *at_line);
    if (!out || !at_line || !make_space(code, program, result, kernel, out)) {
        free(at_line);
        sim_code_free(out);
        return NULL;
    }
    for (uint32_t i = 0; i <= code->lines; i++) at_line[i] = SIM_CODE_NONE;
    for (uint32_t f = 0; f < result->function_count; f++)
        if (result->counts[f].by_pc)
            put_function(code, &program->functions[f], result->counts[f].by_pc, at_line, out);
    out->architecture = kernel->machine ? kernel->architecture : 0;
    out->machine_count = kernel->machine ? kernel->count : 0;
    for (uint32_t i = 0; i < out->machine_count; i++) {
        uint32_t line = kernel->machine[i].ptx_line;
        memcpy(out->machine[i].words, kernel->machine[i].words, sizeof out->machine[i].words);
        out->machine[i].instr = line <= code->lines ? at_line[line] : SIM_CODE_NONE;
    }
    free(at_line);
    char *shrunk = realloc(out->text, out->text_bytes + 1);
    if (shrunk) out->text = shrunk;
    return out;
}
