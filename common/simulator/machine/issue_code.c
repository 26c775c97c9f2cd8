// Stretches and their order: see code.h. What an instruction costs: cost.c.
#include "machine/machine.h"

enum { COPIED_MOST = 256, NO_REGISTER = 0xFFFF };

// What a register holds while a region is scheduled.
typedef struct value {
    uint32_t last_write; // number of the operation in the region that writes it last
    uint32_t read_at;    // when the value from before the region was read last
    uint16_t number;     // of the present value
} value;

typedef struct maker {
    issue_code *code;
    const sim_device *device;
    uint16_t *registers; // [slot_count]: numbers; NO_REGISTER: never written
    uint32_t slot_count;
    value *values;                 // [registers]
    uint32_t *ready;               // [number_count]: cycle of the region
    uint32_t next_number, numbers; // numbers: of the region
    machine_index machine;
    bool *targets;
    bool failed;
} maker;

// Nothing is moved over these.
static bool ends_region(const sim_function *function, uint32_t pc) {
    const sim_instr *instr = &function->code[pc];
    issue_kind kind = issue_kind_of(instr);
    if (kind == ISSUE_BRANCH) return !issue_is_predicated(function, pc);
    return kind == ISSUE_BARRIER || issue_is_part_barrier(instr) || sim_is_fence(instr) ||
           sim_is_wgmma_fence(instr) || sim_variant_of(instr) == SIM_VARIANT_GROUPS;
}

// Loops that ptxas unrolls: those of which the machine code has copies; without machine code those
// of which it is likely.
static bool is_unrolled(const maker *m, uint32_t first, uint32_t last) {
    const sim_instr *end = &m->code->function->code[last];
    if (!m->machine.first) return issue_is_unrolled(m->code->function, first, last);
    return sim_is_jump(end) && end->target == first && last + 1 - first <= COPIED_MOST &&
           machine_index_copies(&m->machine, first, last) >= ISSUE_UNROLL;
}

// ---- Registers ----

static uint32_t register_of(const maker *m, uint32_t slot) {
    return slot / 4 < m->slot_count ? m->registers[slot / 4] : NO_REGISTER;
}

static void number_slots(maker *m, const uint32_t *slots, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = slots[i] / 4;
        if (at >= m->slot_count || m->registers[at] != NO_REGISTER) continue;
        m->failed = m->failed || m->code->register_count >= NO_REGISTER;
        m->registers[at] = (uint16_t)m->code->register_count++;
    }
}

// What the code writes gets a number; what it only reads is there from the beginning.
static void number_registers(maker *m) {
    const sim_function *function = m->code->function;
    uint32_t slots[SIM_OPERAND_SLOTS];
    memset(m->registers, 0xFF, m->slot_count * sizeof *m->registers);
    for (uint32_t pc = 0; !m->failed && pc < function->code_count; pc++)
        number_slots(m, slots, sim_operand_results(function, &function->code[pc], slots));
}

static bool push_operand(maker *m, uint32_t number) {
    issue_code *code = m->code;
    if (!sim_reserve(&code->operands, &code->operand_capacity, code->operand_count,
                     sizeof *code->operands))
        return false;
    code->operands[code->operand_count++] = (uint16_t)number;
    return true;
}

static issue_op *push_op(maker *m) {
    issue_code *code = m->code;
    if (!sim_reserve(&code->ops, &code->op_capacity, code->op_count, sizeof *code->ops))
        return NULL;
    return &code->ops[code->op_count++];
}

// ---- One region ----

typedef struct key {
    uint32_t start, order, op;
} key;

static int by_start(const void *left, const void *right) {
    const key *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

// What an unrolled loop has once: the jump back and the comparison before it.
static bool counts_iterations(const sim_function *function, uint32_t pc, uint32_t last) {
    const sim_instr *instr = &function->code[pc], *jump = &function->code[last];
    return pc == last || (sim_is_setp(instr) && instr->dst == jump->guard);
}

// What a jump back waits for longest is done first: the comparison, and the sum that it compares.
static bool leads_to_jump(const sim_function *function, uint32_t pc, uint32_t last) {
    const sim_instr *instr = &function->code[pc];
    if (counts_iterations(function, pc, last)) return pc != last;
    for (uint32_t at = pc + 1; sim_is_add(instr) && at < last; at++) {
        const sim_instr *test = &function->code[at];
        bool reads = test->src[0] == instr->dst || test->src[1] == instr->dst;
        if (reads && counts_iterations(function, at, last)) return true;
    }
    return false;
}

typedef struct placing {
    uint32_t first, last, copies, stored; // stored: when the last store started
    issue_op *costs;                      // [copies * pcs]
    uint32_t *positions;                  // likewise: in the machine code, from 1; 0: not there
} placing;

// Every value that a region overwrites itself gets a number of its own, as ptxas renames
// registers: the simulator has several values of one region in one slot. The last one keeps the
// slot's number, which other regions read.
static bool begin_numbers(maker *m, const placing *p) {
    const sim_function *function = m->code->function;
    uint32_t slots[SIM_OPERAND_SLOTS], length = p->last + 1 - p->first, writes = 0;
    for (uint32_t r = 0; r < m->code->register_count; r++)
        m->values[r] = (value){.number = (uint16_t)r, .last_write = UINT32_MAX};
    for (uint32_t i = 0; i < p->copies * length; i++) {
        uint32_t count =
            sim_operand_results(function, &function->code[p->first + i % length], slots);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t number = register_of(m, slots[k]);
            if (number != NO_REGISTER) m->values[number].last_write = i;
        }
        writes += count;
    }
    m->next_number = m->code->register_count;
    uint32_t most = m->next_number + writes;
    if (most >= NO_REGISTER) return false;
    if (most > m->numbers) m->numbers = most;
    if (!m->ready || most > m->code->number_count) {
        uint32_t *grown = realloc(m->ready, (most + 1) * sizeof *grown);
        if (!grown) return false;
        m->ready = grown;
        m->code->number_count = most;
    }
    memset(m->ready, 0, m->code->number_count * sizeof *m->ready);
    return true;
}

// The number of what operation `index` writes; it starts no earlier than others have read what the
// number stood for before the region.
static uint32_t new_number(maker *m, uint32_t slot_number, uint32_t index, uint32_t *start) {
    value *v = &m->values[slot_number];
    if (v->last_write == index && v->read_at > *start) *start = v->read_at;
    v->number = v->last_write == index ? (uint16_t)slot_number : (uint16_t)m->next_number++;
    return v->number;
}

// Remembers when the sources of an operation are read that were there before the region.
static void note_reads(maker *m, const issue_op *op, uint32_t start) {
    for (uint32_t i = 0; !m->failed && i < op->sources; i++) {
        uint32_t number = m->code->operands[op->operands + i];
        if (number < m->code->register_count && m->values[number].read_at < start)
            m->values[number].read_at = start;
    }
}

// Adds the operation of one iteration; returns when it would start.
static uint32_t place_op(maker *m, placing *p, uint32_t pc, uint32_t copy) {
    const sim_function *function = m->code->function;
    const sim_instr *instr = &function->code[pc];
    uint32_t slots[SIM_OPERAND_SLOTS];
    issue_op *op = push_op(m);
    if (!op) {
        m->failed = true;
        return 0;
    }
    uint32_t index = copy * (p->last + 1 - p->first) + pc - p->first,
             position = p->positions[index];
    bool ordered = m->machine.first; // by the machine code, else by when they could start
    uint32_t start = ordered ? position : leads_to_jump(function, pc, p->last) ? 0 : pc - p->first;
    *op = p->costs[index];
    op->operands = m->code->operand_count;
    uint32_t count = sim_operand_sources(function, instr, slots);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = register_of(m, slots[i]);
        if (number == NO_REGISTER) continue;
        number = m->values[number].number;
        if (position == 0 && m->ready[number] > start) start = m->ready[number];
        m->failed = m->failed || !push_operand(m, number);
        op->sources++;
    }
    bool load = sim_is_load(instr) && issue_is_in_memory(instr) && !ordered;
    if (load && !(instr->mods & SIM_MOD_NC) && p->stored > start) start = p->stored;
    if (sim_is_write(instr) && issue_is_in_memory(instr) && start > p->stored) p->stored = start;
    note_reads(m, op, start);
    count = sim_operand_results(function, instr, slots);
    uint32_t from = m->code->operand_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = register_of(m, slots[i]);
        if (number == NO_REGISTER) continue;
        m->failed = m->failed || !push_operand(m, new_number(m, number, index, &start));
        op->results++;
    }
    for (uint32_t i = 0; !m->failed && i < op->results; i++)
        m->ready[m->code->operands[from + i]] = start + (ordered ? 0 : op->latency);
    return start;
}

// Costs of the operations of all iterations, in the order of the program; NULL: no memory.
static issue_op *costs_of(const maker *m, placing *p) {
    const sim_function *function = m->code->function;
    uint32_t length = p->last + 1 - p->first, count = p->copies * length;
    issue_op *costs = calloc(count, sizeof *costs);
    if (!costs) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pc = p->first + i % length, copy = i / length;
        costs[i] = issue_cost_of(m->device, function, pc, p->first);
        costs[i].copy = (uint8_t)copy;
        bool once = copy + 1 < p->copies && counts_iterations(function, pc, p->last);
        if (!once && !issue_is_predicated(function, pc)) continue;
        costs[i].kind = ISSUE_FREE;
        costs[i].issues = 0;
    }
    machine_index_take(&m->machine, p->first, p->last, costs, count, p->positions);
    return costs;
}

// Appends the operations of `copies` iterations, in the order in which they would start.
static void schedule(maker *m, uint32_t first, uint32_t last, uint32_t copies) {
    issue_code *code = m->code;
    uint32_t from = code->op_count, length = last + 1 - first, count = copies * length;
    key *keys = calloc(count, sizeof *keys);
    issue_op *sorted = calloc(count, sizeof *sorted);
    placing p = {.first = first, .last = last, .copies = copies};
    p.positions = calloc(count, sizeof *p.positions);
    p.costs = p.positions ? costs_of(m, &p) : NULL;
    m->failed = m->failed || !keys || !sorted || !p.costs || !begin_numbers(m, &p);
    for (uint32_t i = 0; !m->failed && i < count; i++) {
        uint32_t start = place_op(m, &p, first + i % length, i / length);
        bool ends = ends_region(code->function, first + i % length);
        keys[i] = (key){ends ? UINT32_MAX : start, i, from + i}; // what ends it stays last
    }
    if (!m->failed) {
        qsort(keys, count, sizeof *keys, by_start);
        for (uint32_t i = 0; i < count; i++) sorted[i] = code->ops[keys[i].op];
        memcpy(code->ops + from, sorted, count * sizeof *sorted);
    }
    free(p.costs);
    free(p.positions);
    free(keys);
    free(sorted);
}

// ---- The whole function ----

static void find_targets(maker *m) {
    const sim_function *function = m->code->function;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (sim_is_jump(instr) && instr->target < function->code_count &&
            !issue_is_predicated(function, pc))
            m->targets[instr->target] = true;
    }
}

static void make_region(maker *m, uint32_t first, uint32_t last) {
    issue_code *code = m->code;
    issue_region *region = &code->regions[code->region_count];
    *region = (issue_region){.first = first, .last = last, .ops = code->op_count};
    m->numbers = 0;
    schedule(m, first, last, 1);
    region->op_count = code->op_count - region->ops;
    uint32_t length = last + 1 - first;
    if (is_unrolled(m, first, last)) {
        region->batch = code->op_count;
        schedule(m, first, last, ISSUE_UNROLL);
        length *= ISSUE_UNROLL;
    }
    region->length = length;
    region->numbers = m->numbers;
    code->region_count++;
}

static void make_all(maker *m) {
    const sim_function *function = m->code->function;
    uint32_t *region_of = m->code->region_of, count = function->code_count;
    find_targets(m);
    for (uint32_t pc = 1; pc < count; pc++)
        region_of[pc] = region_of[pc - 1] + (m->targets[pc] || ends_region(function, pc - 1));
    m->failed = m->failed || !machine_index_hoist(&m->machine, region_of);
    for (uint32_t pc = 0; !m->failed && pc < count;) {
        uint32_t last = pc;
        while (last + 1 < count && region_of[last + 1] == region_of[pc]) last++;
        make_region(m, pc, last);
        pc = last + 1;
    }
}

// Operations with entries in the trace of a warp.
static bool asks_memory(const sim_instr *instr) {
    issue_kind kind = issue_kind_of(instr);
    return kind == ISSUE_GLOBAL || kind == ISSUE_TEXTURE || issue_has_events(instr);
}

bool issue_code_make(issue_code *code, const sim_device *device, const sim_function *function) {
    uint32_t count = function->code_count + 1;
    *code = (issue_code){.function = function};
    maker m = {.code = code, .device = device, .slot_count = function->frame_bytes / 4 + 1};
    m.registers = malloc(m.slot_count * sizeof *m.registers);
    m.targets = calloc(count, sizeof *m.targets);
    code->regions = calloc(count, sizeof *code->regions);
    code->region_of = calloc(count, sizeof *code->region_of);
    code->asks = calloc(count, sizeof *code->asks);
    m.failed = !machine_index_make(&m.machine, function);
    bool made = m.registers && m.targets && code->regions && code->region_of && code->asks;
    if (made) number_registers(&m);
    m.values = calloc((size_t)code->register_count + 1, sizeof *m.values);
    made = made && m.values;
    for (uint32_t pc = 0; made && pc < function->code_count; pc++)
        code->asks[pc] = asks_memory(&function->code[pc]);
    if (made && push_op(&m)) make_all(&m); // index 0 means: no batch
    free(m.registers);
    machine_index_free(&m.machine);
    free(m.values);
    free(m.ready);
    free(m.targets);
    return made && !m.failed && code->op_count > 0;
}

void issue_code_free(issue_code *code) {
    free(code->ops);
    free(code->operands);
    free(code->regions);
    free(code->region_of);
    free(code->asks);
    *code = (issue_code){.function = NULL};
}

void sim_issue_codes_free(sim_issue_codes *codes) {
    for (uint32_t f = 0; codes && f < codes->count; f++) issue_code_free(&codes->of[f]);
    free(codes);
}
