// Functions that PTX calls but that have no PTX body (program/builtins.def), among them
// __assertfail, malloc, free (CUDA C++ Programming Guide, "Formatted Output", "Assertion", "Dynamic
// Global Memory Allocation"). They run lane by lane, lowest first.
#include "warps/block.h"

enum { STRING_MAX = 8192 };

// ---- assert, malloc, free ----

void sim_builtin_assertfail(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    const sim_call *call = instr->extra;
    char message[STRING_MAX], file[STRING_MAX], function[STRING_MAX], line[3 * 1024];
    if (!sim_builtin_string(warp, lane, sim_builtin_argument(warp, call, 0, lane), message,
                            STRING_MAX))
        strcpy(message, "?");
    if (!sim_builtin_string(warp, lane, sim_builtin_argument(warp, call, 1, lane), file,
                            STRING_MAX))
        strcpy(file, "?");
    if (!sim_builtin_string(warp, lane, sim_builtin_argument(warp, call, 3, lane), function,
                            STRING_MAX))
        strcpy(function, "?");
    sim_fault_text(warp, instr, lane, SIM_ASSERT, "assertion `%.500s` failed in %.200s", message,
                   function);
    const sim_fault *fault = &warp->block->fault;
    int bytes = snprintf(line, sizeof line,
                         "%.1000s:%u: %.500s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion "
                         "`%.1000s` failed.\n",
                         file, (uint32_t)sim_builtin_argument(warp, call, 2, lane), function,
                         fault->block.x, fault->block.y, fault->block.z, fault->thread.x,
                         fault->thread.y, fault->thread.z, message);
    sim_output_append(&warp->block->output, line, (size_t)bytes);
}

void sim_builtin_malloc(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    if (!sim_builtin_in_order(warp, instr, lane))
        return; // addresses follow from the order of blocks
    uint64_t bytes = sim_builtin_argument(warp, instr->extra, 0, lane);
    uint64_t address = sim_mem_heap_alloc(warp->block->grid->memory, bytes);
    if (warp->observing && address) sim_observe_heap(warp, address, bytes);
    sim_builtin_return(warp, instr->extra, lane, address);
}

void sim_builtin_free(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    if (!sim_builtin_in_order(warp, instr, lane)) return;
    uint64_t address = sim_builtin_argument(warp, instr->extra, 0, lane);
    if (address && !sim_mem_heap_release(warp->block->grid->memory, address))
        sim_fault_text(warp, instr, lane, SIM_TRAP,
                       "free of 0x%" PRIx64 ", which malloc in a kernel has not returned or which "
                       "was freed before",
                       address);
}

void sim_builtin_runtime_free(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    sim_builtin_free(warp, instr, lane);
    if (warp->block->fault.kind == SIM_OK) sim_builtin_return(warp, instr->extra, lane, 0);
}

typedef struct builtin {
    const char *name;
    void (*call)(sim_warp *warp, const sim_instr *instr, uint32_t lane);
} builtin;

static const builtin builtins[] = {
#define SIM_BUILTIN(name, handler, uses) {#name, sim_builtin_##handler},
#include "program/builtins.def"
#undef SIM_BUILTIN
};

static const builtin *find(const char *name) {
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (!strcmp(builtins[i].name, name)) return &builtins[i];
    return NULL;
}

bool sim_builtin_known(const char *name) { return find(name); }

void sim_builtin_call(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    const builtin *found = find(((const sim_call *)instr->extra)->name);
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        if (lanes >> lane & 1 && warp->block->fault.kind == SIM_OK) found->call(warp, instr, lane);
}
