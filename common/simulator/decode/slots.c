// From value numbers to frame offsets. Registers share slots by linear scan over their live
// intervals (Poletto, Sarkar: Linear Scan Register Allocation, 1999), each width apart: see the
// layout rules in program/instr.h.
#include "decode/internal.h"

enum { SLOT_ALIGN = 64, MAX_FRAME_BYTES = 1 << 28 };

static const uint32_t slot_bytes[WIDTH_COUNT] = {4, 4 * SIM_WARP_LANES, 8 * SIM_WARP_LANES,
                                                 16 * SIM_WARP_LANES};

// ---- Sharing ------------------------------------------------------------------------------------

typedef struct scan_item {
    uint32_t first, last, value;
} scan_item;

typedef struct scan_pool { // of one width
    uint32_t count;        // slots so far
    uint32_t *free;        // stack of slot numbers
    uint32_t free_count;
    struct {
        uint32_t last, slot;
    } * active; // heap, smallest `last` at the root
    uint32_t active_count;
} scan_pool;

static void push_active(scan_pool *pool, uint32_t last, uint32_t slot) {
    uint32_t at = pool->active_count++;
    while (at > 0 && pool->active[(at - 1) / 2].last > last) {
        pool->active[at] = pool->active[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    pool->active[at].last = last;
    pool->active[at].slot = slot;
}

static uint32_t pop_active(scan_pool *pool) {
    uint32_t slot = pool->active[0].slot, count = --pool->active_count, at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && pool->active[child + 1].last < pool->active[child].last) child++;
        if (pool->active[count].last <= pool->active[child].last) break;
        pool->active[at] = pool->active[child];
        at = child;
    }
    pool->active[at] = pool->active[count];
    return slot;
}

static uint32_t take_slot(scan_pool *pool, const scan_item *item) {
    while (pool->active_count > 0 && pool->active[0].last < item->first)
        pool->free[pool->free_count++] = pop_active(pool);
    uint32_t slot = pool->free_count ? pool->free[--pool->free_count] : pool->count++;
    push_active(pool, item->last, slot);
    return slot;
}

static int compare_items(const void *left, const void *right) {
    const scan_item *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

// Fills `slot` of registers with the number of their slot in the pool of their width.
static sim_status share_slots(decode_function *function, decode_interval *intervals,
                              uint32_t counts[WIDTH_COUNT]) {
    sim_arena *arena = function->scratch;
    uint32_t value_count = function->value_count, item_count = 0;
    scan_item *items = sim_arena_array(arena, value_count, sizeof *items);
    scan_pool pools[WIDTH_COUNT] = {0};
    if (!items) return decode_no_memory(function->module);
    for (int w = 0; w < WIDTH_COUNT; w++) {
        pools[w].free = sim_arena_array(arena, value_count, sizeof *pools[w].free);
        pools[w].active = sim_arena_array(arena, value_count, sizeof *pools[w].active);
        if (!pools[w].free || !pools[w].active) return decode_no_memory(function->module);
    }
    for (uint32_t i = 0; i < value_count; i++) {
        const decode_value *value = &function->values[i];
        if (value->kind != VALUE_REGISTER) continue;
        bool is_own = function->module->keep_registers || value->live_in;
        if (is_own) intervals[i] = (decode_interval){0, UINT32_MAX, intervals[i].unset};
        if (intervals[i].first > intervals[i].last) continue; // declared, never used
        items[item_count++] = (scan_item){intervals[i].first, intervals[i].last, i};
    }
    qsort(items, item_count, sizeof *items, compare_items);
    for (uint32_t i = 0; i < item_count; i++) {
        decode_value *value = &function->values[items[i].value];
        value->slot = take_slot(&pools[value->width], &items[i]);
    }
    for (int w = 0; w < WIDTH_COUNT; w++) counts[w] = pools[w].count;
    return SIM_OK;
}

// ---- Layout -------------------------------------------------------------------------------------

static uint64_t align_slot(uint64_t offset) {
    return (offset + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
}

static void place_registers(decode_function *function, const uint32_t counts[WIDTH_COUNT],
                            uint64_t *end) {
    uint64_t base[WIDTH_COUNT];
    for (int w = 0; w < WIDTH_COUNT; w++) {
        base[w] = *end;
        *end = align_slot(*end + (uint64_t)counts[w] * slot_bytes[w]);
    }
    for (uint32_t i = 0; i < function->value_count; i++) {
        decode_value *value = &function->values[i];
        if (value->kind == VALUE_REGISTER && value->slot != SIM_NO_SLOT)
            value->slot =
                (uint32_t)(base[value->width] + (uint64_t)value->slot * slot_bytes[value->width]);
    }
}

static void place_others(decode_function *function, uint64_t *end) {
    for (uint32_t i = 0; i < function->value_count; i++) {
        decode_value *value = &function->values[i];
        if (value->kind == VALUE_REGISTER) continue;
        // A predicate constant is a single word; neighbours of it pack.
        bool is_word = value->kind == VALUE_CONSTANT && value->width == WIDTH_PRED;
        if (!is_word) *end = align_slot(*end);
        value->slot = (uint32_t)*end;
        if (value->kind == VALUE_FRAME) *end += (uint64_t)value->bytes * SIM_WARP_LANES;
        else *end += slot_bytes[value->width];
    }
    *end = align_slot(*end);
}

// Constants and special registers that the executor fills in.
static sim_status list_filled(decode_function *function) {
    sim_function *out = function->out;
    sim_arena *arena = function->module->arena;
    uint32_t constants = 0, specials = 0;
    for (uint32_t i = 0; i < function->value_count; i++) {
        constants += function->values[i].kind == VALUE_CONSTANT;
        specials += function->values[i].kind == VALUE_SPECIAL;
    }
    sim_constant *constant = sim_arena_array(arena, constants, sizeof *constant);
    sim_special *special = sim_arena_array(arena, specials, sizeof *special);
    if (!constant || !special) return decode_no_memory(function->module);
    out->constants = constant;
    out->specials = special;
    out->constant_count = constants;
    out->special_count = specials;
    static const uint8_t bytes[WIDTH_COUNT] = {0, 4, 8, 0};
    for (uint32_t i = 0; i < function->value_count; i++) {
        const decode_value *value = &function->values[i];
        uint64_t bits = value->constant;
        if (value->width == WIDTH_PRED && bits) bits = UINT32_MAX; // a bit a lane
        if (value->kind == VALUE_CONSTANT)
            *constant++ = (sim_constant){value->slot, bytes[value->width], value->is_shared, bits};
        else if (value->kind == VALUE_SPECIAL)
            *special++ = (sim_special){value->slot, value->special};
        else if (value->kind == VALUE_LOCAL_BASE) out->local_base_slot = value->slot;
    }
    return SIM_OK;
}

// What may be read though nothing has been written to it.
static sim_status list_unset(decode_function *function, const decode_interval *intervals) {
    sim_function *out = function->out;
    sim_unset *unset =
        sim_arena_array(function->module->arena, function->value_count, sizeof *unset);
    if (!unset) return decode_no_memory(function->module);
    out->unset = unset;
    for (uint32_t i = 0; i < function->value_count; i++) {
        const decode_value *value = &function->values[i];
        bool in_frame = value->kind == VALUE_FRAME;
        if (!intervals[i].unset || value->slot == SIM_NO_SLOT) continue;
        unset[out->unset_count++] = (sim_unset){
            .slot = value->slot,
            .bytes = in_frame ? value->bytes * SIM_WARP_LANES : slot_bytes[value->width],
            .number = i,
            .in_frame = in_frame,
            .wide = in_frame ? value->bytes % 8 == 0 : value->width >= WIDTH_64};
    }
    return SIM_OK;
}

static void replace_field(void *context, uint32_t *field, bool is_write) {
    const decode_function *function = context;
    (void)is_write;
    *field = function->values[*field].slot;
}

static void replace_params(const decode_function *function, const sim_frame_param *params,
                           uint32_t count) {
    sim_frame_param *own = (sim_frame_param *)params; // made by decode_declare_params
    for (uint32_t i = 0; i < count; i++) own[i].slot = function->values[own[i].slot].slot;
}

static void mark_read(void *context, uint32_t *field, bool is_write) {
    bool *is_read = context;
    if (!is_write) is_read[*field] = true;
}

// An atomic whose result nobody reads is what ptxas makes of it: a reduction, which returns
// nothing.
static sim_status drop_unread_results(decode_function *function) {
    if (function->module->keep_registers) return SIM_OK; // shows the PTX as it is written
    bool *is_read = sim_arena_array(function->scratch, function->value_count, sizeof *is_read);
    if (!is_read) return decode_no_memory(function->module);
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        decode_for_slots(function, &function->code[pc], mark_read, is_read);
    for (uint32_t i = 0; i < function->out->return_count; i++)
        is_read[function->out->returns[i].slot] = true;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        instr->unread = instr->op == SIM_OP_LD && instr->vector <= 1 && instr->dst != SIM_NO_SLOT &&
                        !is_read[instr->dst];
        bool has_reduction = sim_is_atom(instr) && instr->variant < SIM_ATOMIC_EXCH;
        if (!has_reduction || instr->dst == SIM_NO_SLOT || is_read[instr->dst]) continue;
        instr->op = SIM_OP_RED;
        instr->dst = SIM_NO_SLOT;
    }
    return SIM_OK;
}

// Checks follow registers of products beyond what the compiler takes for their last use.
static sim_status keep_registers(decode_function *function) {
    sim_arena *arena = function->module->arena;
    uint32_t pc = 0;
    while (pc < function->code_count && function->code[pc].op != SIM_OP_WGMMA) pc++;
    if (pc == function->code_count) return SIM_OK;
    sim_function *kept = sim_arena_array(arena, 1, sizeof *kept);
    if (!kept) return decode_no_memory(function->module);
    kept->code = sim_arena_copy(arena, function->code, function->code_count * sizeof(sim_instr));
    kept->slots = sim_arena_copy(arena, function->slots, function->slot_count * sizeof(uint32_t));
    if (!kept->code || !kept->slots) return decode_no_memory(function->module);
    function->out->by_register = kept;
    function->out->value_count = function->value_count;
    return SIM_OK;
}

sim_status decode_assign_slots(decode_function *function) {
    uint32_t counts[WIDTH_COUNT];
    uint64_t end = 0;
    decode_interval *intervals =
        sim_arena_array(function->scratch, function->value_count, sizeof *intervals);
    if (!intervals) return decode_no_memory(function->module);
    TRY(drop_unread_results(function));
    TRY(decode_find_dropped(function));
    TRY(decode_live_intervals(function, intervals));
    TRY(decode_number_addresses(function, intervals));
    TRY(share_slots(function, intervals, counts));
    place_registers(function, counts, &end);
    place_others(function, &end);
    if (end > MAX_FRAME_BYTES)
        return decode_fail(function->module, function->syntax->place, SIM_UNSUPPORTED,
                           "'%s' has too many registers", function->syntax->name);
    function->out->frame_bytes = (uint32_t)end;
    TRY(keep_registers(function));
    TRY(list_unset(function, intervals));
    TRY(decode_mark_touching(function, intervals, end));
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        decode_for_slots(function, &function->code[pc], replace_field, function);
    replace_params(function, function->out->params, function->out->param_count);
    replace_params(function, function->out->returns, function->out->return_count);
    return list_filled(function);
}
