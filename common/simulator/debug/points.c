// Where breakpoints lie in the code. A line begins where the code comes to it from another one: at
// the first instruction of each stretch of it, and where branches lead into it.
#include "debug/internal.h"

static bool is_same(sim_location a, sim_location b) { return a.file == b.file && a.line == b.line; }

// "src/a.cu" and "a.cu" name /home/x/src/a.cu.
static bool file_matches(const char *path, const char *name) {
    size_t bytes = strlen(path), end = strlen(name);
    if (end == 0) return true;
    if (end > bytes || strcmp(path + bytes - end, name) != 0) return false;
    return end == bytes || path[bytes - end - 1] == '/' || name[0] == '/';
}

static bool has_name(const sim_function *function, const char *name) {
    int length;
    const char *base = sim_kernel_name(function->name, &length);
    return strcmp(function->name, name) == 0 ||
           ((int)strlen(name) == length && strncmp(base, name, (size_t)length) == 0);
}

static bool begins_line(const sim_function *function, uint32_t pc) {
    return pc == 0 || !is_same(debug_location(function, pc), debug_location(function, pc - 1));
}

// Behind the line on which the function begins, where it has its arguments; in a function of one
// line at its beginning.
static uint32_t first_pc(const sim_function *function) {
    uint32_t first = 0;
    while (first < function->code_count && debug_location(function, first).line == 0) first++;
    if (first == function->code_count) return 0;
    for (uint32_t pc = first; pc < function->code_count; pc++) {
        sim_location at = debug_location(function, pc);
        if (at.line && !is_same(at, debug_location(function, first))) return pc;
    }
    return first;
}

// The line at which a breakpoint stops: its own, or the next one of the file that has code. 0:
// none.
static uint32_t line_with_code(const sim_debugger *debugger, const sim_debug_point *point) {
    const sim_program *program = debugger->grid->launch->program;
    uint32_t best = 0;
    for (uint32_t f = 0; f < program->function_count; f++) {
        const sim_function *function = &program->functions[f];
        for (uint32_t i = 0; i < function->location_count; i++) {
            sim_location at = function->locations[i];
            if (at.line < point->line || at.line == 0 || at.file >= program->file_count) continue;
            if (best && at.line >= best) continue;
            if (file_matches(program->files[at.file], point->name)) best = at.line;
        }
    }
    return best;
}

static bool lies_at(const sim_debugger *debugger, const sim_debug_point *point, uint32_t line,
                    const sim_function *function, uint32_t pc) {
    const sim_program *program = debugger->grid->launch->program;
    if (point->kind == SIM_DEBUG_AT_FUNCTION)
        return has_name(function, point->name) && pc == first_pc(function);
    sim_location at = debug_location(function, pc);
    return at.line == line && at.file < program->file_count &&
           file_matches(program->files[at.file], point->name);
}

bool debug_resolve(const sim_debugger *debugger, const sim_debug_point *point,
                   const sim_function **out_function, uint32_t *out_pc) {
    const sim_program *program = debugger->grid->launch->program;
    uint32_t line = point->kind == SIM_DEBUG_AT_LINE ? line_with_code(debugger, point) : 0;
    if (point->kind == SIM_DEBUG_AT_LINE && !line) return false;
    for (uint32_t f = 0; f < program->function_count; f++) {
        const sim_function *function = &program->functions[f];
        for (uint32_t pc = 0; pc < function->code_count; pc++) {
            if (!lies_at(debugger, point, line, function, pc)) continue;
            *out_function = function;
            *out_pc = pc;
            return true;
        }
    }
    return false;
}

// targets[pc]: a branch leads there.
static void find_targets(const sim_function *function, bool *targets) {
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (sim_is_jump(instr) && instr->target < function->code_count)
            targets[instr->target] = true;
        for (uint32_t i = 0; sim_is_switch(instr) && i < instr->target_count; i++)
            if (function->slots[instr->target + i] < function->code_count)
                targets[function->slots[instr->target + i]] = true;
    }
}

static void mark_function(sim_debugger *debugger, const sim_debug_point *point, uint32_t index,
                          uint32_t line) {
    const sim_function *function = &debugger->grid->launch->program->functions[index];
    uint8_t number = (uint8_t)(point - debugger->board->points + 1);
    bool *targets = NULL;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        if (!lies_at(debugger, point, line, function, pc)) continue;
        if (!targets) {
            targets = calloc(function->code_count, sizeof *targets);
            if (!targets) return;
            find_targets(function, targets);
        }
        bool begins = point->kind == SIM_DEBUG_AT_FUNCTION || begins_line(function, pc);
        if (!begins && !targets[pc]) continue;
        uint8_t **marks = &debugger->marks[index];
        if (!*marks) *marks = calloc(function->code_count, sizeof **marks);
        if (*marks && !(*marks)[pc]) (*marks)[pc] = number;
    }
    free(targets);
}

void debug_unmark(sim_debugger *debugger) {
    for (uint32_t i = 0; i < debugger->mark_count; i++) free(debugger->marks[i]);
    free(debugger->marks);
    debugger->marks = NULL;
    debugger->mark_count = 0;
}

void debug_mark(sim_debugger *debugger) {
    const debug_board *board = debugger->board;
    uint32_t functions = debugger->grid->launch->program->function_count;
    debug_unmark(debugger);
    debugger->marks = calloc(functions, sizeof *debugger->marks);
    if (!debugger->marks) return;
    debugger->mark_count = functions;
    for (uint32_t i = 0; i < board->point_count; i++) {
        const sim_debug_point *point = &board->points[i];
        if (point->kind >= SIM_DEBUG_ON_WRITE) continue; // a watchpoint
        uint32_t line = point->kind == SIM_DEBUG_AT_LINE ? line_with_code(debugger, point) : 0;
        if (point->kind == SIM_DEBUG_AT_LINE && !line) continue;
        for (uint32_t f = 0; f < functions; f++) mark_function(debugger, point, f, line);
    }
}
