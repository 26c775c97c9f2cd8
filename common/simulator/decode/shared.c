// Offsets of shared variables in a block's window. ptxas lays out, for each kernel, the variables
// that the kernel or its callees use, in order of declaration, and rounds the size up to 16 bytes
// (observed on sm_90). A variable that several kernels use gets one offset that is valid in all of
// them, since code that is decoded once holds it as a constant.
#include "decode/internal.h"

enum {
    SHARED_SIZE_UNIT = 16,
    SCRATCH_BYTES = 288
}; // the latter: multi_warp_scratch in cooperative_groups

// For each entry, which symbols its call tree uses; kept as one bit matrix.
typedef struct shared_layout {
    uint8_t *used;           // [entry][symbol]
    uint32_t *users;         // by symbol: entries that use it
    uint64_t *end;           // by function: end of what was placed so far
    bool *shares_dynamic;    // by entry: calls a device function that uses dynamic shared memory
    bool *uses_dynamic;      // by entry
    bool *uses_scratch;      // by entry
    uint64_t *dynamic_align; // by entry
} shared_layout;

typedef struct mark_context {
    shared_layout *layout;
    uint32_t entry;
} mark_context;

static uint64_t align_up(uint64_t value, uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

static uint64_t symbol_align(const sim_symbol *symbol) {
    if (symbol->variable->align_bytes) return symbol->variable->align_bytes;
    uint64_t natural = (uint64_t)ptx_type_bytes(symbol->variable->type) *
                       (symbol->variable->vector ? symbol->variable->vector : 1);
    return natural ? natural : 1;
}

static void mark_function(decode_module *module, uint32_t function, void *context) {
    const mark_context *mark = context;
    shared_layout *layout = mark->layout;
    const decode_usage *usage = &module->usage[function];
    uint32_t symbol_count = module->program->symbol_count;
    if (usage->uses_scratch) layout->uses_scratch[mark->entry] = true;
    for (uint32_t i = 0; i < usage->shared_count; i++) {
        uint32_t symbol = usage->shared[i];
        uint8_t *used = &layout->used[(size_t)mark->entry * symbol_count + symbol];
        if (!*used) layout->users[symbol]++;
        *used = 1;
        if (!module->program->symbols[symbol].is_dynamic_shared) continue;
        uint64_t alignment = symbol_align(&module->program->symbols[symbol]);
        layout->uses_dynamic[mark->entry] = true;
        if (alignment > layout->dynamic_align[mark->entry])
            layout->dynamic_align[mark->entry] = alignment;
        if (function != mark->entry) layout->shares_dynamic[mark->entry] = true;
    }
}

static bool is_used(const shared_layout *layout, const sim_program *program, uint32_t entry,
                    uint32_t symbol) {
    return layout->used[(size_t)entry * program->symbol_count + symbol];
}

static sim_status place_symbol(decode_module *module, shared_layout *layout, uint32_t index) {
    const sim_program *program = module->program;
    sim_symbol *symbol = &program->symbols[index];
    uint64_t offset = 0;
    for (uint32_t i = 0; i < program->function_count; i++)
        if (is_used(layout, program, i, index) && layout->end[i] > offset) offset = layout->end[i];
    symbol->address = align_up(offset, symbol_align(symbol));
    if (symbol->address > SIM_WINDOW_BYTES ||
        symbol->size_bytes > SIM_WINDOW_BYTES - symbol->address)
        return decode_fail(module, symbol->variable->place, SIM_BAD_PTX,
                           "shared variable '%s' is larger than any block's shared memory",
                           symbol->name);
    for (uint32_t i = 0; i < program->function_count; i++)
        if (is_used(layout, program, i, index))
            layout->end[i] = symbol->address + symbol->size_bytes;
    return SIM_OK;
}

// One offset for all, after the largest statics.
static void place_scratch(decode_module *module, shared_layout *layout) {
    uint64_t offset = 0;
    for (uint32_t i = 0; i < module->program->function_count; i++)
        if (layout->uses_scratch[i] && layout->end[i] > offset) offset = layout->end[i];
    offset = align_up(offset, SHARED_SIZE_UNIT);
    for (uint32_t i = 0; i < module->program->function_count; i++)
        if (layout->uses_scratch[i]) {
            sim_function *function = &module->program->functions[i];
            layout->end[i] = offset + SCRATCH_BYTES;
            function->scratch_offset = (uint32_t)offset;
            function->scratch_bytes = SCRATCH_BYTES;
        }
    module->scratch_offset = (uint32_t)offset;
}

// Device functions that use dynamic shared memory need one offset for all their callers.
static void place_dynamic(decode_module *module, const shared_layout *layout) {
    sim_program *program = module->program;
    uint64_t common = 0, common_align = 1;
    for (uint32_t i = 0; i < program->function_count; i++) {
        sim_function *function = &program->functions[i];
        if (!function->is_entry) continue;
        function->shared_bytes = (uint32_t)align_up(layout->end[i], SHARED_SIZE_UNIT);
        uint64_t alignment = layout->uses_dynamic[i] ? layout->dynamic_align[i] : 1;
        function->dynamic_shared_offset = (uint32_t)align_up(function->shared_bytes, alignment);
        if (!layout->shares_dynamic[i]) continue;
        if (function->dynamic_shared_offset > common) common = function->dynamic_shared_offset;
        if (alignment > common_align) common_align = alignment;
    }
    common = align_up(common, common_align);
    for (uint32_t i = 0; i < program->function_count; i++)
        if (!program->functions[i].is_entry || layout->shares_dynamic[i])
            program->functions[i].dynamic_shared_offset = (uint32_t)common;
}

// What ptxas counts for a kernel: each variable that it or its callees use.
static sim_status check_sizes(const decode_module *module, const shared_layout *layout) {
    const sim_program *program = module->program;
    for (uint32_t entry = 0; entry < program->function_count; entry++) {
        uint64_t end = 0;
        for (uint32_t i = 0; program->functions[entry].is_entry && i < program->symbol_count; i++) {
            const sim_symbol *symbol = &program->symbols[i];
            if (!is_used(layout, program, entry, i) || symbol->is_dynamic_shared) continue;
            end = align_up(end, symbol_align(symbol)) + symbol->size_bytes;
        }
        if (end > DECODE_MOST_SHARED)
            return decode_fail(module, module->bodies[entry]->place, SIM_BAD_PTX,
                               "'%s' uses %llu bytes of static shared memory, and %d is the most",
                               program->functions[entry].name, (unsigned long long)end,
                               DECODE_MOST_SHARED);
    }
    return SIM_OK;
}

static sim_status lay_out(decode_module *module, shared_layout *layout) {
    const sim_program *program = module->program;
    for (uint32_t i = 0; i < program->function_count; i++) {
        if (!program->functions[i].is_entry) continue;
        mark_context mark = {layout, i};
        TRY(decode_for_reachable(module, i, mark_function, &mark));
    }
    TRY(check_sizes(module, layout));
    for (int pass = 0; pass < 2;
         pass++) { // what several kernels use first, then what only one does
        for (uint32_t i = 0; i < program->symbol_count; i++) {
            const sim_symbol *symbol = &program->symbols[i];
            if (symbol->space != PTX_SPACE_SHARED || symbol->is_dynamic_shared) continue;
            if (layout->users[i] == 0 || (layout->users[i] == 1) != (pass == 1)) continue;
            TRY(place_symbol(module, layout, i));
        }
    }
    place_scratch(module, layout);
    place_dynamic(module, layout);
    return SIM_OK;
}

sim_status decode_layout_shared(decode_module *module) {
    const sim_program *program = module->program;
    uint32_t functions = program->function_count, symbols = program->symbol_count;
    sim_arena *scratch = module->scratch;
    shared_layout layout;
    size_t cells;
    if (__builtin_mul_overflow((size_t)functions, (size_t)symbols, &cells))
        return decode_no_memory(module);
    layout.used = sim_arena_array(scratch, cells, sizeof *layout.used);
    layout.users = sim_arena_array(scratch, symbols, sizeof *layout.users);
    layout.end = sim_arena_array(scratch, functions, sizeof *layout.end);
    layout.shares_dynamic = sim_arena_array(scratch, functions, sizeof *layout.shares_dynamic);
    layout.uses_dynamic = sim_arena_array(scratch, functions, sizeof *layout.uses_dynamic);
    layout.uses_scratch = sim_arena_array(scratch, functions, sizeof *layout.uses_scratch);
    layout.dynamic_align = sim_arena_array(scratch, functions, sizeof *layout.dynamic_align);
    if (!layout.used || !layout.users || !layout.end || !layout.shares_dynamic ||
        !layout.uses_dynamic || !layout.uses_scratch || !layout.dynamic_align)
        return decode_no_memory(module);
    return lay_out(module, &layout);
}
