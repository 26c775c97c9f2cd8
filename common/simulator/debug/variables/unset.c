// Forward reachability from the writes of one register, over the statements of a function: see
// value.h.
#include "debug/variables/value.h"

typedef struct code_label {
    const char *name; // interned: equal names are one pointer
    uint32_t statement;
} code_label;

enum { ANSWERS = 64 }; // that are kept: conditions of breakpoints ask the same again and again

struct var_code {
    ptx_module *module;
    struct {
        uint32_t line; // 0: none
        const char *name;
        bool is_unset;
    } answers[ANSWERS];
};

var_code *var_code_new(const char *ptx, size_t bytes) {
    var_code *code = calloc(1, sizeof *code);
    if (code && ptx_parse(ptx, bytes, &code->module, NULL) == SIM_OK) return code;
    free(code);
    return NULL;
}

const char *var_code_file(const var_code *code, uint32_t number) {
    return ptx_file_name(code->module, number);
}

void var_code_free(var_code *code) {
    if (!code) return;
    ptx_module_free(code->module);
    free(code);
}

// The search within one function.
typedef struct search {
    const ptx_function *function;
    code_label *labels; // by pointer
    uint32_t label_count;
    bool *seen; // of each statement
    uint32_t *todo;
    uint32_t todo_count;
} search;

static int compare_labels(const void *a, const void *b) {
    uintptr_t left = (uintptr_t)((const code_label *)a)->name;
    uintptr_t right = (uintptr_t)((const code_label *)b)->name;
    return (left > right) - (left < right);
}

static bool begin(search *s, const ptx_function *function) {
    uint32_t count = function->statement_count;
    *s = (search){.function = function,
                  .labels = calloc((size_t)count + 1, sizeof *s->labels),
                  .seen = calloc((size_t)count + 1, sizeof *s->seen),
                  .todo = calloc((size_t)count + 1, sizeof *s->todo)};
    if (!s->labels || !s->seen || !s->todo) return false;
    for (uint32_t i = 0; i < count; i++)
        if (function->statements[i].kind == PTX_STATEMENT_LABEL)
            s->labels[s->label_count++] = (code_label){function->statements[i].label, i};
    qsort(s->labels, s->label_count, sizeof *s->labels, compare_labels);
    return true;
}

static void end(search *s) {
    free(s->labels);
    free(s->seen);
    free(s->todo);
}

static void visit(search *s, uint32_t statement) {
    if (statement >= s->function->statement_count || s->seen[statement]) return;
    s->seen[statement] = true;
    s->todo[s->todo_count++] = statement;
}

static void visit_label(search *s, const char *name) {
    const code_label wanted = {.name = name};
    const code_label *found =
        bsearch(&wanted, s->labels, s->label_count, sizeof wanted, compare_labels);
    if (found) visit(s, found->statement);
}

// An indirect branch may go to any label.
static void visit_all_labels(search *s) {
    for (uint32_t i = 0; i < s->label_count; i++) visit(s, s->labels[i].statement);
}

static void visit_next(search *s, uint32_t at) {
    const ptx_instruction *instruction = s->function->statements[at].instruction;
    if (!instruction) {
        visit(s, at + 1);
        return;
    }
    const char *word = instruction->words[0];
    bool jumps = strcmp(word, "bra") == 0, indirect = strcmp(word, "brx") == 0;
    bool ends = strcmp(word, "ret") == 0 || strcmp(word, "exit") == 0;
    if (indirect) visit_all_labels(s);
    if (jumps && instruction->operand_count) visit_label(s, instruction->operands[0].name);
    if (instruction->guard || !(jumps || indirect || ends)) visit(s, at + 1);
}

static bool names(const ptx_operand *operand, const char *name) {
    if (operand->kind == PTX_OPERAND_NAME)
        return (operand->name && strcmp(operand->name, name) == 0) ||
               (operand->second && strcmp(operand->second, name) == 0);
    for (uint32_t i = 0; i < operand->item_count; i++)
        if (names(&operand->items[i], name)) return true;
    return false;
}

// Results come first. Those that have none read a register that something has written before.
static bool writes(const ptx_statement *statement, const char *name) {
    const ptx_instruction *instruction = statement->instruction;
    return instruction && instruction->operand_count && names(&instruction->operands[0], name);
}

static const ptx_function *function_at(const ptx_module *module, uint32_t line) {
    const ptx_function *found = NULL;
    for (uint32_t i = 0; i < module->function_count; i++) {
        const ptx_function *function = &module->functions[i];
        if (function->has_body && function->place.line <= line) found = function;
    }
    return found;
}

static bool find_out(const var_code *code, uint32_t ptx_line, const char *register_name) {
    const ptx_function *function = function_at(code->module, ptx_line);
    search s;
    if (!function) return false;
    bool reached = true, found = false;
    if (begin(&s, function)) {
        reached = false;
        for (uint32_t i = 0; i < function->statement_count; i++)
            if (writes(&function->statements[i], register_name)) visit_next(&s, i);
        while (s.todo_count) visit_next(&s, s.todo[--s.todo_count]);
        for (uint32_t i = 0; i < function->statement_count && !found; i++) {
            const ptx_statement *statement = &function->statements[i];
            if (!statement->instruction || statement->place.line < ptx_line) continue;
            found = true;
            reached = s.seen[i];
        }
    }
    end(&s);
    return found && !reached;
}

bool var_is_unset(var_code *code, uint32_t ptx_line, const char *register_name) {
    if (!code) return false;
    size_t at = ((uintptr_t)register_name / 16 + ptx_line) % ANSWERS;
    if (code->answers[at].line != ptx_line || code->answers[at].name != register_name) {
        code->answers[at].line = ptx_line;
        code->answers[at].name = register_name;
        code->answers[at].is_unset = find_out(code, ptx_line, register_name);
    }
    return code->answers[at].is_unset;
}
