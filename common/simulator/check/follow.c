// A warp that holds unknown values (unknown.c), instruction by instruction: what it computes from
// them is unknown, too, and what uses them is told. Likewise registers that nothing has written: a
// move, a selection or a shuffle hands such a value on; arithmetic makes a doubt of it, so that the
// finding names the line that reads it first; an address, a branch, a store or a product tells.
#include "check/race.h"
#include "machine/machine.h"
#include "ops/ops.h"

typedef struct step {
    sim_checker *checker;
    check_values *values;
    const sim_warp *warp;
    const sim_instr *instr;
    check_marks marks; // of the unknown operands met so far
} step;

// Those of `lanes` in which a register's value is unknown.
static uint32_t unknown_among(step *s, uint32_t slot, uint32_t lanes) {
    const check_value *found =
        slot == SIM_NO_SLOT ? NULL : check_values_find(s->values, s->warp->registers + slot);
    if (!found) return 0;
    check_marks of = check_marks_limit(found->marks, lanes);
    check_marks_join(&s->marks, of);
    return check_marks_lanes(of);
}

static uint32_t unknown_in(step *s, uint32_t slot) { return unknown_among(s, slot, UINT32_MAX); }

static uint32_t predicate(const step *s, uint32_t slot, bool negated) {
    uint32_t bits;
    memcpy(&bits, s->warp->registers + slot, sizeof bits);
    return negated ? ~bits : bits;
}

// Lanes in which a known operand decides the result.
static uint32_t decided(const step *s, uint32_t slot, uint32_t unknown) {
    if (s->instr->mods & SIM_MOD_PRED_OPERANDS || s->instr->type == PTX_PRED)
        return predicate(s, slot, s->instr->op != SIM_OP_OR) & ~unknown;
    uint32_t lanes = 0, bytes = ptx_type_bytes((ptx_type)s->instr->type);
    for (uint32_t rest = ~unknown; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), each = bytes < 4 ? 4 : bytes;
        uint64_t bits = 0;
        memcpy(&bits, s->warp->registers + slot + (size_t)lane * each, bytes < 8 ? bytes : 8);
        lanes |= (uint32_t)sim_absorbs(s->instr, bits) << lane;
    }
    return lanes;
}

// ---- registers that nothing has written ---------------------------------------------------------

static bool stores_fragment(const sim_instr *instr) {
    return sim_cost_of(instr) == SIM_COST_FRAGMENT && sim_role_of(instr) == SIM_ROLE_STORE;
}

// What to say of a part of a matrix product, or of what wmma stores.
static const char *matrix_text(const sim_instr *instr, sim_matrix_part part) {
    bool wmma = instr->op == SIM_OP_WMMA || stores_fragment(instr);
    if (wmma && part >= SIM_MATRIX_C)
        return "a fragment of wmma (accumulator), never filled: wmma::fill_fragment sets it to 0 "
               "before the first product adds to it; a GPU starts with what its registers hold";
    if (wmma)
        return part == SIM_MATRIX_A
                   ? "a fragment of wmma (matrix_a), never loaded: wmma::load_matrix_sync before "
                     "the product; a GPU multiplies what its registers hold"
                   : "a fragment of wmma (matrix_b), never loaded: wmma::load_matrix_sync before "
                     "the product; a GPU multiplies what its registers hold";
    return part >= SIM_MATRIX_C
               ? "registers of an accumulator that nothing has written: set them to 0 before the "
                 "first product adds to them; a GPU starts with what its registers hold"
               : "registers of a factor that nothing has written: load them before the product; a "
                 "GPU multiplies what its registers hold";
}

// The part of a product's list that an operand belongs to.
static sim_matrix_part part_of(const sim_instr *instr, uint32_t operand) {
    const sim_matrix *matrix = instr->extra;
    if (stores_fragment(instr)) return SIM_MATRIX_D;
    uint32_t end = matrix->registers[SIM_MATRIX_D];
    if (operand < end) return SIM_MATRIX_D;
    end += matrix->registers[SIM_MATRIX_A];
    if (operand < end) return SIM_MATRIX_A;
    end += matrix->registers[SIM_MATRIX_B];
    return operand < end ? SIM_MATRIX_B : SIM_MATRIX_C;
}

// What to say of unset registers among the instruction's operands.
static const char *unset_text(const step *s) {
    const sim_instr *instr = s->instr;
    bool product = sim_is_product(instr) || stores_fragment(instr);
    for (uint32_t i = product ? instr->vector : 0; i-- > 0;) {
        uint32_t slot = s->warp->frame->function->slots[instr->list + i];
        const check_value *found = check_values_find(s->values, s->warp->registers + slot);
        if (found && found->marks.unset) return matrix_text(instr, part_of(instr, i));
    }
    return "nothing has written this variable in this thread: give it a value where it is "
           "declared, such as 0 for a sum, or on every path to this line; a GPU takes what its "
           "register holds";
}

// A finding, or at first a doubt, that lanes read what nothing has written. Sets the bit of a
// doubt; 0: it is told. False: there are too many doubts.
static bool find_unset(step *s, uint32_t lanes, bool is_doubt, uint64_t *out_doubt) {
    sim_checker *checker = s->checker;
    uint32_t site = check_site(checker, s->warp->frame->function, s->instr);
    bool is_new = false;
    *out_doubt = 0;
    if (checker->current->order.strayed) return true;
    sim_finding *finding =
        is_doubt ? check_find_doubt(checker, SIM_CHECK_UNSET_VARIABLE, site, CHECK_NO_SITE,
                                    CHECK_NO_SITE, &is_new)
                 : check_find(checker, SIM_CHECK_UNSET_VARIABLE, site, CHECK_NO_SITE, &is_new);
    if (!finding) return false;
    if (is_new) {
        check_find_side(checker, &finding->sides[0], SIM_ACTION_READ, site,
                        checker->current->order.position,
                        32 * s->warp->index + (uint32_t)__builtin_ctz(lanes));
        strcpy(finding->text, unset_text(s));
    }
    uint32_t number = check_find_doubt_number(checker, finding);
    if (number) *out_doubt = UINT64_C(1) << (number - 1);
    checker->unset_doubts |= *out_doubt;
    return true;
}

// Arithmetic with what nothing has written: what follows from it is a doubt of this line.
static void doubt_unset(step *s, check_marks *of) {
    uint64_t doubt;
    if (!of->unset || !find_unset(s, of->unset, true, &doubt)) return;
    of->doubts |= doubt;
    if (doubt) of->doubtful |= of->unset;
    of->unset = 0;
    if (!of->doubtful) of->doubts = 0;
}

// Lanes use the operands met so far.
static void use_operands(step *s, uint32_t lanes) {
    uint64_t told;
    if (s->marks.unset & lanes) find_unset(s, s->marks.unset & lanes, false, &told);
    check_values_use(s->checker, s->values, s->marks, lanes);
}

// Lanes use what they have read: it counts no more.
static void use_reads(step *s, check_marks *of, uint32_t lanes) {
    check_marks reads = {.reads = of->reads, .unused = of->unused};
    if (of->reads) check_values_use(s->checker, s->values, reads, lanes);
    of->reads = of->unused = 0;
}

static bool is_move(const sim_instr *instr) {
    return sim_is_mov(instr) || sim_is_selp(instr) || instr->op == SIM_OP_SLCT ||
           sim_is_pack(instr) || sim_is_unpack(instr);
}

// ---- arithmetic ---------------------------------------------------------------------------------

// Lanes in which the result is unknown.
static uint32_t result_of(step *s) {
    const sim_instr *instr = s->instr;
    uint32_t slots[SIM_OPERAND_SLOTS], unknown = 0;
    if (sim_is_selp(instr)) {
        uint32_t first = predicate(s, instr->src[2], instr->mods & SIM_MOD_PRED_NEG_C);
        return unknown_among(s, instr->src[0], first) | unknown_among(s, instr->src[1], ~first) |
               unknown_in(s, instr->src[2]);
    }
    uint32_t a = unknown_in(s, instr->src[0]), b = unknown_in(s, instr->src[1]);
    switch (instr->op) {
    case SIM_OP_AND:
    case SIM_OP_OR:
    case SIM_OP_MUL:
    case SIM_OP_MIN:
    case SIM_OP_MAX:
        if (!(a | b)) return 0;
        return (a | b) & ~decided(s, instr->src[0], a) & ~decided(s, instr->src[1], b);
    case SIM_OP_SETP:
        if (instr->boolean == SIM_BOOL_AND || instr->boolean == SIM_BOOL_OR) {
            uint32_t c = predicate(s, instr->src[2], instr->mods & SIM_MOD_PRED_NEG_C);
            uint32_t unknown_c = unknown_in(s, instr->src[2]);
            return unknown_c | ((a | b) & (instr->boolean == SIM_BOOL_AND ? c : ~c));
        }
        break;
    default: break;
    }
    uint32_t count = sim_operand_sources(s->warp->frame->function, instr, slots);
    for (uint32_t i = 0; i < count; i++)
        if (slots[i] != instr->guard) unknown |= unknown_in(s, slots[i]);
    return unknown;
}

// Bytes of each part of a register that is packed or unpacked, as bits.
static uint32_t part_bytes(const sim_instr *instr) {
    return ptx_type_bytes((ptx_type)instr->type) / instr->vector;
}

// Those of the result of a `mov` of parts into one register that are known.
static uint16_t known_of_parts(const step *s) {
    uint32_t bytes = part_bytes(s->instr), known = 0;
    for (uint32_t i = 0; i < s->instr->vector; i++) {
        uint32_t slot = s->warp->frame->function->slots[s->instr->list + i];
        const check_value *found = check_values_find(s->values, s->warp->registers + slot);
        uint32_t part = (1u << bytes) - 1;
        known |= (found ? found->marks.known & part : part) << i * bytes;
    }
    return (uint16_t)known;
}

// Part `index` of a register.
static check_marks part_of_register(const step *s, check_marks of, uint32_t index) {
    uint32_t bytes = part_bytes(s->instr), part = (1u << bytes) - 1;
    of.known = (uint16_t)(of.known >> index * bytes & part);
    return of.known == part ? (check_marks){0} : of;
}

// All that an instruction writes: also more sums than sim_operand_results lists.
static void set_all(step *s, uint32_t on, check_marks marks) {
    const sim_instr *instr = s->instr;
    const uint32_t *listed = s->warp->frame->function->slots;
    uint32_t parts = instr->list == SIM_NO_SLOT ? 0 : sim_written_parts(instr);
    for (uint32_t i = 0; i < parts + 2; i++) {
        uint32_t slot = i < parts ? listed[instr->list + i] : i == parts ? instr->dst : instr->dst2;
        if (slot != SIM_NO_SLOT)
            check_values_set(s->checker, s->values, s->warp->registers + slot, on, marks);
    }
}

static void set_results(step *s, uint32_t on) {
    const sim_function *function = s->warp->frame->function;
    const sim_instr *instr = s->instr;
    if (sim_is_unpack(instr)) {
        for (uint32_t i = 0; i < instr->vector; i++) {
            uint32_t slot = function->slots[instr->list + i];
            if (slot != SIM_NO_SLOT)
                check_values_set(s->checker, s->values, s->warp->registers + slot, on,
                                 part_of_register(s, s->marks, i));
        }
        return;
    }
    if (sim_is_pack(instr)) s->marks.known = known_of_parts(s);
    else if (!sim_is_mov(instr) && !sim_is_selp(instr)) s->marks.known = 0;
    set_all(s, on, s->marks);
}

static void compute(step *s, uint32_t lanes, uint32_t on) {
    uint32_t unknown = (result_of(s) & on) | (unknown_in(s, s->instr->guard) & lanes);
    s->marks = check_marks_limit(s->marks, unknown);
    if (!is_move(s->instr)) doubt_unset(s, &s->marks);
    if (s->instr->touches == SIM_TOUCHES_USES) use_reads(s, &s->marks, unknown);
    if (s->instr->mods & SIM_MOD_CC) use_operands(s, unknown);
    set_results(s, on);
}

// ---- calls --------------------------------------------------------------------------------------
// A .param variable is followed in words of 4 bytes of all lanes, at addresses inside its slot.

static const uint8_t *word_of(const uint8_t *registers, uint32_t slot, uint32_t offset) {
    return registers + slot + offset / 4 * 4;
}

// What is unknown of [offset, offset + bytes) of a .param variable.
static check_marks param_marks(check_values *values, const uint8_t *registers, uint32_t slot,
                               uint32_t offset, uint32_t bytes, uint32_t lanes) {
    check_marks of = {0};
    for (uint32_t at = offset / 4 * 4; at < offset + bytes; at += 4) {
        const check_value *found = check_values_find(values, word_of(registers, slot, at));
        if (found) check_marks_join(&of, check_marks_limit(found->marks, lanes));
    }
    return of;
}

static void set_param(sim_checker *checker, check_values *values, const uint8_t *at, uint32_t bytes,
                      uint32_t lanes, check_marks of) {
    for (uint32_t word = 0; word < bytes; word += 4)
        check_values_set(checker, values, at + word, lanes, of);
}

// Hands on what is unknown of arguments or results. Returns whether anything is.
static bool pass_params(sim_checker *checker, check_values *values, const uint8_t *to,
                        const sim_frame_param *to_params, uint32_t to_count, const uint8_t *from,
                        const sim_frame_param *from_params, uint32_t from_count, uint32_t lanes) {
    bool any = false;
    for (uint32_t k = 0; k < to_count && k < from_count; k++)
        for (uint32_t at = 0; at < to_params[k].size_bytes; at += 4) {
            check_marks of = param_marks(values, from, from_params[k].slot, at, 1, lanes);
            check_values_set(checker, values, word_of(to, to_params[k].slot, at), lanes, of);
            any = any || check_marks_lanes(of);
        }
    return any;
}

// How many registers that nothing has written count where a frame begins: none of CUB's and
// Thrust's. They read the items of a partial tile under a condition, and add, compare, store and
// branch by all of them; indices and flags drop what follows from those after the end only later,
// as in a set operation or a reduction by key. Once a functor is inlined its variables cannot be
// told from these; one that is called has a frame of its own.
static uint32_t unset_count(const sim_function *function) {
    return sim_kernel_library(function->name) ? 0 : function->unset_count;
}

uint8_t check_unknown_enter(void *context, const sim_warp *warp, const sim_frame *frame,
                            uint32_t lanes) {
    sim_checker *checker = context;
    const sim_function *function = frame->function;
    check_values *values =
        check_values_make(check_block_at(checker, warp->block->index), warp->index);
    if (!values) return 0;
    check_values_forget(values, frame->registers, function->frame_bytes, lanes);
    uint32_t count = unset_count(function);
    for (uint32_t i = 0; i < count; i++) {
        const sim_unset *unset = &function->unset[i];
        uint32_t bytes = unset->in_frame ? unset->bytes / SIM_WARP_LANES : 1;
        set_param(checker, values, frame->registers + unset->slot, bytes, lanes,
                  (check_marks){.unset = lanes});
    }
    uint8_t watch = count ? SIM_WATCHED_WHERE_TOUCHED : 0;
    if (frame->call && values->count && // by the running frame
        pass_params(checker, values, frame->registers, function->params, function->param_count,
                    warp->registers, frame->call->arguments, frame->call->argument_count, lanes))
        watch = SIM_WATCHED_BY_OBSERVER;
    return watch;
}

// What returns has nothing of its frame any more but what it returns.
static void leave_frame(step *s, uint32_t lanes) {
    const sim_frame *frame = s->warp->frame;
    const sim_function *function = frame->function;
    if (sim_is_ret(s->instr) && frame->caller &&
        pass_params(s->checker, s->values, frame->caller->registers, frame->call->returns,
                    frame->call->return_count, frame->registers, function->returns,
                    function->return_count, lanes))
        sim_observe_watch(s->warp, s->instr, false);
    check_values_forget(s->values, frame->registers, function->frame_bytes, lanes);
}

// ld.param and st.param of a call's variable.
static void move_param(step *s, uint32_t on) {
    const sim_instr *instr = s->instr;
    const uint8_t *registers = s->warp->registers;
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type);
    for (uint32_t i = 0; i < instr->vector; i++) {
        uint32_t offset = (uint32_t)instr->offset + i * bytes;
        uint32_t own = sim_is_st(instr) ? instr->src[1] : instr->dst;
        if (instr->vector > 1) own = s->warp->frame->function->slots[instr->list + i];
        if (own == SIM_NO_SLOT) continue;
        if (sim_is_ld(instr)) {
            check_values_set(s->checker, s->values, registers + own, on,
                             param_marks(s->values, registers, instr->src[0], offset, bytes, on));
            continue;
        }
        const check_value *found = check_values_find(s->values, registers + own);
        check_marks of = found ? check_marks_limit(found->marks, on) : (check_marks){0};
        use_reads(s, &of, on);
        set_param(s->checker, s->values, word_of(registers, instr->src[0], offset), bytes, on, of);
    }
}

// ---- the rest -----------------------------------------------------------------------------------

// A store uses what has been read; what nobody has stored may be moved. What nothing has written is
// a doubt of the store then, but for local memory, which is the thread's own.
static void use_stored(step *s, uint32_t on) {
    const sim_instr *instr = s->instr;
    for (uint32_t i = 0; i < instr->vector; i++) {
        uint32_t slot =
            instr->vector > 1 ? s->warp->frame->function->slots[instr->list + i] : instr->src[1];
        const uint8_t *at = s->warp->registers + slot;
        const check_value *found = check_values_find(s->values, at);
        check_marks of = found ? check_marks_limit(found->marks, on) : (check_marks){0};
        if (!check_marks_lanes(of)) continue;
        if (instr->space != PTX_SPACE_LOCAL) {
            doubt_unset(s, &of);
            check_values_set(s->checker, s->values, at, on, of);
            if (of.doubtful) sim_observe_watch(s->warp, instr, false);
        }
        of.doubts &= s->checker->read_doubts;
        check_values_use(s->checker, s->values, of, on);
    }
}

// Lanes whose value of a shuffle comes from a lane in which it is unknown. What nobody has stored
// in memory leaves its thread: that is told.
static void shuffle(step *s, uint32_t on) {
    const sim_instr *instr = s->instr;
    const uint8_t *registers = s->warp->registers;
    const check_value *found = check_values_find(s->values, registers + instr->src[0]);
    check_marks of = found ? found->marks : (check_marks){0}, result = of;
    const uint32_t *b = (const uint32_t *)(registers + instr->src[1]);
    const uint32_t *c = (const uint32_t *)(registers + instr->src[2]);
    result.doubtful = result.unset = 0;
    for (uint32_t rest = on; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        bool in_range;
        int from = sim_shuffle_source(instr->variant, (int)lane, b[lane], c[lane], &in_range);
        result.doubtful |= (of.doubtful >> from & 1) << lane;
        result.unset |= (of.unset >> from & 1) << lane;
    }
    check_marks leaving = of;
    leaving.doubts &= ~s->checker->unset_doubts;
    check_values_use(s->checker, s->values, leaving, on);
    result.doubts &= s->checker->unset_doubts;
    if (!result.doubts) result.doubtful = 0;
    result.reads = result.unused = 0;
    if (instr->dst != SIM_NO_SLOT)
        check_values_set(s->checker, s->values, registers + instr->dst, on,
                         check_marks_limit(result, on));
    if (instr->dst2 != SIM_NO_SLOT)
        check_values_set(s->checker, s->values, registers + instr->dst2, on, (check_marks){0});
}

// Lanes whose printf has unknown arguments: of those that vprintf reads from local memory the words
// that there must be at least, one for each conversion of the format.
static uint32_t printed(step *s, const sim_call *call, uint32_t on) {
    uint32_t used = 0;
    char format[256];
    for (uint32_t rest = on; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), words = 0;
        uint64_t from = sim_builtin_argument(s->warp, call, 1, lane) - SIM_LOCAL_WINDOW;
        if (from >= SIM_WINDOW_BYTES ||
            !sim_builtin_string(s->warp, lane, sim_builtin_argument(s->warp, call, 0, lane), format,
                                sizeof format))
            continue;
        for (const char *c = format; *c != '\0'; c++) words += *c == '%' && c[1] != '%' && c++;
        for (uint32_t i = 0; i < words; i++) {
            const uint8_t *word = check_local_word(from + 4 * (uint64_t)i);
            const check_value *found = check_values_find(s->values, word);
            if (!found) continue;
            check_marks of = check_marks_limit(found->marks, UINT32_C(1) << lane);
            check_marks_join(&s->marks, of);
            used |= check_marks_lanes(of);
        }
    }
    return used;
}

// Lanes in which an instruction uses what is unknown: all of its operands, but the value that a
// load or a store moves, which is told with the access, that of a shuffle, and arguments.
static uint32_t used_operands(step *s, uint32_t on) {
    const sim_instr *instr = s->instr;
    const sim_function *function = s->warp->frame->function;
    const sim_call *call = sim_is_call(instr) ? instr->extra : NULL;
    uint32_t slots[SIM_OPERAND_SLOTS], used = 0;
    if (sim_is_ld(instr) || sim_is_st(instr))
        return instr->mods & SIM_MOD_FRAME ? 0 : unknown_in(s, instr->src[0]) & on;
    uint32_t count = sim_operand_sources(function, instr, slots);
    for (uint32_t i = 0; i < count; i++)
        if (!sim_is_shuffle(instr) || slots[i] != instr->src[0])
            used |= unknown_in(s, slots[i]) & on;
    for (uint32_t i = 0; call && call->is_builtin && i < call->argument_count; i++) {
        check_marks of = param_marks(s->values, s->warp->registers, call->arguments[i].slot, 0,
                                     call->arguments[i].size_bytes, on);
        check_marks_join(&s->marks, of);
        used |= check_marks_lanes(of);
    }
    if (call && call->is_builtin && strcmp(call->name, "vprintf") == 0)
        used |= printed(s, call, on);
    if (sim_is_wgmma(instr)) { // its sums count where it adds to them
        uint32_t adds = instr->src[2] == SIM_NO_SLOT ? on : predicate(s, instr->src[2], false) & on;
        for (uint32_t i = 0; i < sim_written_parts(instr); i++)
            used |= unknown_among(s, function->slots[instr->list + i], adds);
    }
    return used;
}

static void use(step *s, uint32_t lanes, uint32_t on) {
    const sim_instr *instr = s->instr;
    uint32_t used = (unknown_in(s, instr->guard) & lanes) | used_operands(s, on);
    if (used) use_operands(s, used);
    if (sim_is_shuffle(instr)) {
        shuffle(s, on);
        return;
    }
    if ((sim_is_ld(instr) || sim_is_st(instr)) && instr->mods & SIM_MOD_FRAME) {
        move_param(s, on);
        return;
    }
    if (sim_is_st(instr)) use_stored(s, on);
    set_all(s, on, (check_marks){0});
    const sim_call *call = sim_is_call(instr) ? instr->extra : NULL;
    for (uint32_t i = 0; call && i < call->return_count; i++)
        set_param(s->checker, s->values, s->warp->registers + call->returns[i].slot,
                  call->returns[i].size_bytes, on, (check_marks){0});
    if (sim_is_return(instr)) leave_frame(s, on);
}

bool check_unknown_step(sim_checker *checker, const sim_warp *warp, const sim_instr *instr,
                        uint32_t lanes, uint32_t on) {
    step s = {
        .checker = checker, .values = check_values_of(checker, warp), .warp = warp, .instr = instr};
    if (!s.values || !s.values->count) return false;
    check_switch_to(checker, warp->block->index);
    if (sim_is_computation(instr)) compute(&s, lanes, on);
    else use(&s, lanes, on);
    return s.values->count > 0;
}
