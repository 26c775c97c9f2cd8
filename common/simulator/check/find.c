// Findings: one for each class and pair of source lines, with a count; what they say about places,
// threads and memory.
#include "advice.h"
#include "check/race.h"
#include "warps/block.h"

// ---- source places ------------------------------------------------------------------------------

uint32_t check_find_function(const sim_checker *checker, uint32_t site) {
    uint32_t f = 0, count = checker->grid->launch->program->function_count;
    while (f + 1 < count && checker->first_site[f + 1] <= site) f++;
    return f;
}

const sim_instr *check_find_instr(const sim_checker *checker, uint32_t site) {
    uint32_t f = check_find_function(checker, site), pc = site - checker->first_site[f];
    const sim_function *function = &checker->grid->launch->program->functions[f];
    return site != CHECK_NO_SITE && pc < function->code_count ? &function->code[pc] : NULL;
}

static sim_location location_of(const sim_checker *checker, uint32_t site) {
    uint32_t f = check_find_function(checker, site), pc = site - checker->first_site[f];
    const sim_function *function = &checker->grid->launch->program->functions[f];
    if (site == CHECK_NO_SITE || pc >= function->code_count) return (sim_location){0};
    uint32_t location = function->code[pc].location;
    if (location >= function->location_count) return (sim_location){0};
    return function->locations[location];
}

static bool is_stage_wait(sim_location location) {
    return location.call == SIM_WAIT_PRODUCER_ACQUIRE || location.call == SIM_WAIT_CONSUMER_WAIT;
}

bool check_find_waits_for_stage(const sim_checker *checker, uint32_t site) {
    return is_stage_wait(location_of(checker, site));
}

bool check_find_uses_pipeline(const sim_checker *checker, uint32_t site) {
    const sim_function *function =
        &checker->grid->launch->program->functions[check_find_function(checker, site)];
    for (uint32_t i = 0; i < function->location_count; i++)
        if (is_stage_wait(function->locations[i])) return true;
    return false;
}

bool check_find_lines_differ(const sim_checker *checker, uint32_t site, uint32_t other) {
    sim_location a = location_of(checker, site), b = location_of(checker, other);
    return a.line && b.line && (a.line != b.line || a.file != b.file);
}

static void copy_file(const sim_program *program, sim_location location, char *out, size_t bytes) {
    bool known = location.line && location.file < program->file_count;
    snprintf(out, bytes, "%s", known ? program->files[location.file] : "");
}

void check_find_side_in(const sim_checker *checker, const sim_grid *grid, sim_check_side *side,
                        sim_check_action action, uint32_t site, uint64_t position,
                        uint32_t thread) {
    sim_location location = location_of(checker, site);
    side->action = action;
    side->line = location.line;
    copy_file(checker->grid->launch->program, location, side->file, sizeof side->file);
    side->block = sim_unfold(sim_schedule_block(grid, position), grid->launch->config.grid);
    side->thread = sim_unfold(thread, grid->launch->config.block);
}

void check_find_side(const sim_checker *checker, sim_check_side *side, sim_check_action action,
                     uint32_t site, uint64_t position, uint32_t thread) {
    check_find_side_in(checker, checker->grid, side, action, site, position, thread);
}

// ---- the table ----------------------------------------------------------------------------------

static sim_finding *add(sim_checker *checker, sim_check_class kind) {
    if (!checker->findings) checker->findings = calloc(CHECK_FINDINGS, sizeof *checker->findings);
    if (!checker->notes) checker->notes = calloc(CHECK_FINDINGS, sizeof *checker->notes);
    if (!checker->findings || !checker->notes || checker->finding_count == CHECK_FINDINGS) {
        checker->left_out++;
        return NULL;
    }
    sim_finding *finding = &checker->findings[checker->finding_count++];
    finding->kind = kind;
    finding->count = 1;
    return finding;
}

static bool is_at(const sim_checker *checker, const sim_check_side *side, uint32_t site) {
    if (site == CHECK_NO_SITE) return side->file[0] == '\0' && side->line == 0;
    char file[sizeof side->file];
    sim_location location = location_of(checker, site);
    copy_file(checker->grid->launch->program, location, file, sizeof file);
    return location.line == side->line && strcmp(file, side->file) == 0;
}

// A finding at these lines, whichever way round: of this kernel or, so that a template's instances
// are told once, of another one. Without lines only the kernel says that it is the same.
static sim_finding *find_lines(const sim_checker *checker, sim_check_class kind, uint32_t site,
                               uint32_t other) {
    const char *kernel = checker->grid->launch->function->name;
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        sim_finding *f = &checker->findings[i];
        bool one_kernel = strncmp(f->kernel, kernel, sizeof f->kernel - 1) == 0;
        if (f->kind != kind || (!one_kernel && f->sides[0].line == 0)) continue;
        bool same = is_at(checker, &f->sides[0], site) && is_at(checker, &f->sides[1], other);
        bool swapped = other != CHECK_NO_SITE && is_at(checker, &f->sides[1], site) &&
                       is_at(checker, &f->sides[0], other);
        if (same || swapped) return f;
    }
    return NULL;
}

static void describe_launch(const sim_checker *checker, sim_finding *finding) {
    finding->launch = checker->launch;
    snprintf(finding->kernel, sizeof finding->kernel, "%s", checker->grid->launch->function->name);
}

// Counts a finding at these lines, or makes one.
static sim_finding *find_or_add(sim_checker *checker, sim_check_class kind, uint32_t site,
                                uint32_t other, bool *out_is_new) {
    sim_finding *finding = find_lines(checker, kind, site, other);
    *out_is_new = !finding;
    if (finding) {
        finding->count++;
        return finding;
    }
    finding = add(checker, kind);
    if (finding) describe_launch(checker, finding);
    return finding;
}

sim_finding *check_find(sim_checker *checker, sim_check_class kind, uint32_t site, uint32_t other,
                        bool *out_is_new) {
    check_interval_settle(checker);
    uint32_t hash = (site * 2654435761u ^ other * 40503u ^ (uint32_t)kind) % CHECK_PAIRS;
    check_pair *pair = &checker->pairs[hash];
    *out_is_new = false;
    if (pair->finding && pair->kind == (uint32_t)kind && pair->sites[0] == site &&
        pair->sites[1] == other) {
        checker->findings[pair->finding - 1].count++;
        return &checker->findings[pair->finding - 1];
    }
    sim_finding *finding = find_or_add(checker, kind, site, other, out_is_new);
    if (!finding) return NULL;
    *pair = (check_pair){kind, {site, other}, (uint32_t)(finding - checker->findings) + 1};
    return finding;
}

check_note *check_find_note(const sim_checker *checker, const sim_finding *finding) {
    size_t first = (size_t)checker->findings, at = (size_t)finding;
    if (checker->findings && at - first < CHECK_FINDINGS * sizeof *finding)
        return &checker->notes[finding - checker->findings];
    return &((check_doubt *)((char *)finding - offsetof(check_doubt, finding)))->note;
}

sim_finding *check_find_plain(sim_checker *checker, sim_check_class kind) {
    return add(checker, kind);
}

sim_finding *check_find_sync(sim_checker *checker, sim_check_class kind, uint32_t site,
                             uint32_t other, uint32_t thread, const char *text) {
    bool is_new;
    sim_finding *finding = check_find(checker, kind, site, other, &is_new);
    if (!finding || !is_new) return NULL;
    uint64_t position = checker->current->order.position;
    check_find_side(checker, &finding->sides[0], SIM_ACTION_NONE, site, position, thread);
    if (other != CHECK_NO_SITE)
        check_find_side(checker, &finding->sides[1], SIM_ACTION_NONE, other, position, thread);
    strcpy(finding->text, text);
    return finding;
}

// One for each argument: who knows which of them is the number of elements takes that one.
void check_find_narrow(sim_checker *checker, const sim_instr *instr, uint64_t bound) {
    uint32_t site = check_site(checker, checker->grid->launch->function, instr);
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        sim_finding *f = &checker->findings[i];
        if (f->kind == SIM_CHECK_INDEX_WIDTH && f->bound == bound &&
            is_at(checker, &f->sides[0], site)) {
            f->count++;
            return;
        }
    }
    sim_finding *finding = add(checker, SIM_CHECK_INDEX_WIDTH);
    if (!finding) return;
    sim_location location = location_of(checker, site);
    describe_launch(checker, finding);
    finding->bound = bound;
    finding->sides[0].line = location.line;
    copy_file(checker->grid->launch->program, location, finding->sides[0].file,
              sizeof finding->sides[0].file);
    snprintf(finding->text, sizeof finding->text, "%s", kl_advice_text(KL_ADVICE_WIDE_INDEX));
}

// ---- doubts -------------------------------------------------------------------------------------
// `old = *p; do .. while ((assumed = old) != (old = atomicCAS(p, old, f(old))));` and its kin read
// plainly what others change atomically: a stale value costs another round and nothing else. So a
// plain read that races with atomics only is held back until the launch is over, and forgotten if
// a thread passed its value on to an atomic on the same word.

// A doubt of values is one for all instructions of its lines, as its finding would be: there may be
// as many instructions as an unrolled loop has.
static bool is_doubt(const sim_checker *checker, const check_doubt *doubt, uint32_t site,
                     uint32_t other, uint32_t read) {
    if (doubt->site == site && doubt->other == other) return true;
    if (read != CHECK_NO_SITE || doubt->read != CHECK_NO_SITE) return false;
    return (!check_find_lines_differ(checker, doubt->site, site) &&
            !check_find_lines_differ(checker, doubt->other, other)) ||
           (!check_find_lines_differ(checker, doubt->site, other) &&
            !check_find_lines_differ(checker, doubt->other, site));
}

sim_finding *check_find_doubt(sim_checker *checker, sim_check_class kind, uint32_t site,
                              uint32_t other, uint32_t read, bool *out_is_new) {
    check_interval_settle(checker);
    if (!checker->doubts) checker->doubts = calloc(CHECK_DOUBTS, sizeof *checker->doubts);
    for (uint32_t i = 0; i < checker->doubt_count; i++) {
        check_doubt *doubt = &checker->doubts[i];
        *out_is_new = false;
        if (doubt->finding.kind != kind || !is_doubt(checker, doubt, site, other, read)) continue;
        if (doubt->told) return check_find(checker, kind, site, other, out_is_new);
        doubt->finding.count++;
        return &doubt->finding;
    }
    if (kind == SIM_CHECK_UNSET_VARIABLE && checker->doubt_count == CHECK_DOUBTS) return NULL;
    if (!checker->doubts || checker->doubt_count == CHECK_DOUBTS)
        return check_find(checker, kind, site, other, out_is_new);
    check_doubt *doubt = &checker->doubts[checker->doubt_count++];
    *doubt = (check_doubt){
        .site = site, .other = other, .read = read, .finding = {.kind = kind, .count = 1}};
    describe_launch(checker, &doubt->finding);
    *out_is_new = true;
    return &doubt->finding;
}

void check_find_guess(sim_checker *checker, uint32_t read) {
    checker->guesses[read / 64] |= UINT64_C(1) << read % 64;
    checker->guessed = true;
}

uint32_t check_find_doubt_number(const sim_checker *checker, const sim_finding *finding) {
    for (uint32_t i = 0; i < checker->doubt_count; i++)
        if (&checker->doubts[i].finding == finding) return i + 1;
    return 0;
}

static void tell(sim_checker *checker, check_doubt *doubt) {
    bool is_new;
    if (doubt->told) return;
    check_interval_settle(checker);
    doubt->told = true;
    sim_finding *finding =
        find_or_add(checker, doubt->finding.kind, doubt->site, doubt->other, &is_new);
    if (!finding) return;
    if (is_new) {
        *finding = doubt->finding;
        checker->notes[finding - checker->findings] = doubt->note;
    } else {
        finding->count += doubt->finding.count - 1;
    }
}

void check_find_hold(sim_checker *checker, uint32_t number) {
    checker->doubts[number - 1].of_read = checker->doubts[number - 1].unused = true;
    checker->read_doubts |= UINT64_C(1) << (number - 1);
}

void check_find_report(sim_checker *checker, uint32_t number) {
    if (number > checker->doubt_count) return;
    check_doubt *doubt = &checker->doubts[number - 1];
    doubt->unused = false;
    if (doubt->read == CHECK_NO_SITE) tell(checker, doubt);
}

void check_find_settle(sim_checker *checker) {
    for (uint32_t i = 0; i < checker->doubt_count; i++) {
        check_doubt *doubt = &checker->doubts[i];
        if (doubt->read == CHECK_NO_SITE || doubt->unused) continue;
        if (checker->guesses[doubt->read / 64] >> doubt->read % 64 & 1) continue;
        tell(checker, doubt);
    }
    checker->doubt_count = 0;
    checker->read_doubts = checker->unset_doubts = 0;
    if (checker->guessed) memset(checker->guesses, 0, sizeof checker->guesses);
    checker->guessed = false;
}

// ---- memory -------------------------------------------------------------------------------------

uint32_t check_find_number(const sim_checker *checker, uint64_t id) {
    for (uint32_t i = checker->number_count; i-- > 0;)
        if (checker->numbers[i].id == id) return checker->numbers[i].number;
    return 0;
}

// The shared variable that holds an offset; a kernel's own ones carry its name.
static const sim_symbol *shared_symbol(const sim_checker *checker, uint64_t offset) {
    const sim_program *program = checker->grid->launch->program;
    const sim_function *kernel = checker->grid->launch->function;
    const sim_symbol *found = NULL;
    // _Z1kPf has _ZZ1kPfE4tile.
    const char *base = kernel->name + (strncmp(kernel->name, "_Z", 2) == 0 ? 2 : 0);
    for (uint32_t i = 0; i < program->symbol_count; i++) {
        const sim_symbol *symbol = &program->symbols[i];
        if (symbol->space != PTX_SPACE_SHARED) continue;
        bool dynamic = symbol->is_dynamic_shared && offset >= kernel->dynamic_shared_offset;
        bool holds =
            symbol->is_dynamic_shared ? dynamic : offset - symbol->address < symbol->size_bytes;
        if (!holds) continue;
        bool own = strstr(symbol->name, base);
        if (!found || own) found = symbol;
    }
    return found;
}

// The only argument that points into an array, at its begin; 0: there is none.
static uint32_t argument_of(const sim_grid *grid, const sim_allocation *array) {
    uint64_t pointer = 0;
    uint32_t argument = sim_grid_argument_into(grid, array, &pointer);
    return pointer == array->base ? argument : 0;
}

void check_find_address(const sim_checker *checker, sim_finding *finding, uint8_t space,
                        uint64_t address, uint32_t bytes) {
    const char *name = space == PTX_SPACE_SHARED ? "shared" : "local";
    finding->address = address;
    finding->bytes = bytes;
    if (space == PTX_SPACE_SHARED) {
        const sim_symbol *symbol = shared_symbol(checker, address);
        uint64_t start = 0;
        if (symbol && symbol->is_dynamic_shared)
            start = checker->grid->launch->function->dynamic_shared_offset;
        else if (symbol) start = symbol->address;
        finding->allocation_offset = address - start;
        if (symbol) finding->allocation_bytes = symbol->size_bytes;
        snprintf(finding->variable, sizeof finding->variable, "%s", symbol ? symbol->name : "");
    } else if (space == PTX_SPACE_GLOBAL) {
        const sim_allocation *found = sim_mem_find(checker->memory, address);
        name = "global";
        if (found) {
            finding->allocation = check_find_number(checker, found->id);
            finding->allocation_bytes = found->bytes;
            finding->allocation_offset = address - found->base;
            finding->argument = checker->grid ? argument_of(checker->grid, found) : 0;
            snprintf(finding->variable, sizeof finding->variable, "%s",
                     found->label ? found->label : "");
        }
    }
    snprintf(finding->space, sizeof finding->space, "%s", name);
}

void check_find_outside(const sim_checker *checker, sim_finding *finding, const sim_symbol *symbol,
                        uint64_t address, uint32_t bytes) {
    const sim_symbol *other = shared_symbol(checker, address);
    uint64_t end = symbol->address + symbol->size_bytes;
    char where[64], own_name[64], other_name[64];
    snprintf(finding->space, sizeof finding->space, "shared");
    snprintf(finding->variable, sizeof finding->variable, "%s", symbol->name);
    finding->address = address;
    finding->bytes = bytes;
    finding->allocation_bytes = symbol->size_bytes;
    finding->allocation_offset = address - symbol->address;
    if (address < symbol->address)
        snprintf(where, sizeof where, "%" PRIu64 " bytes before", symbol->address - address);
    else if (address < end) snprintf(where, sizeof where, "partly past the end of");
    else if (address == end) snprintf(where, sizeof where, "just past the end of");
    else snprintf(where, sizeof where, "%" PRIu64 " bytes past the end of", address - end);
    snprintf(finding->text, sizeof finding->text,
             "%s %s, which has %" PRIu64 " bytes, %s%s. The block has this shared memory, so "
             "neither a GPU nor compute-sanitizer stops the kernel",
             where, sim_variable_name(symbol->name, own_name, sizeof own_name), symbol->size_bytes,
             other ? "in the memory of " : "where no variable lies",
             other ? sim_variable_name(other->name, other_name, sizeof other_name) : "");
}

// ---- faults -------------------------------------------------------------------------------------

static sim_check_class class_of(const sim_fault *fault) {
    if (strstr(fault->text, "the simulator does not have")) return SIM_CHECK_REFUSED;
    switch (fault->kind) {
    case SIM_TENSOR_LEAK: return SIM_CHECK_TENSOR_MEMORY;
    case SIM_OTHER_SPACE:
    case SIM_NO_BLOCK:
    case SIM_ILLEGAL_ADDRESS:
        if (strstr(fault->text, "of tensor memory: ")) return SIM_CHECK_TENSOR_MEMORY;
        if (strstr(fault->text, "has no access: ")) return SIM_CHECK_PEER_ACCESS;
        return strstr(fault->text, "that was freed") ? SIM_CHECK_USE_AFTER_FREE
                                                     : SIM_CHECK_OUT_OF_BOUNDS;
    case SIM_MISALIGNED_ADDRESS: return SIM_CHECK_MISALIGNED;
    case SIM_DEADLOCK: return SIM_CHECK_DEADLOCK;
    case SIM_RUNAWAY: return SIM_CHECK_RUNAWAY;
    default: return SIM_CHECK_STOPPED;
    }
}

// The same fault of an earlier launch: a program that resets the device may go on.
static sim_finding *find_fault(const sim_checker *checker, const sim_fault *fault) {
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        sim_finding *f = &checker->findings[i];
        bool same = fault->line != 0 || strcmp(f->kernel, fault->kernel) == 0;
        if (f->kind == class_of(fault) && f->sides[0].line == fault->line && same &&
            strcmp(f->sides[0].file, fault->file) == 0)
            return f;
    }
    return NULL;
}

// A member mask that is found wrong is also why the hardware stops.
static bool is_mask_fault(const sim_checker *checker, const sim_fault *fault) {
    bool found = false;
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        const sim_finding *f = &checker->findings[i];
        found |= f->kind == SIM_CHECK_SYNC_MASK && f->launch == checker->launch;
    }
    return found && fault->kind == SIM_ILLEGAL_INSTRUCTION &&
           strstr(fault->text, "does not name lane");
}

void check_find_fault(sim_checker *checker, const sim_fault *fault) {
    if (fault->kind == SIM_DEADLOCK && checker->strayed) return; // that is why
    if (is_mask_fault(checker, fault)) return;
    sim_finding *finding = find_fault(checker, fault);
    if (finding) {
        finding->count++;
        return;
    }
    finding = add(checker, class_of(fault));
    if (!finding) return;
    sim_check_side *side = &finding->sides[0];
    finding->launch = checker->launch;
    finding->address = fault->address;
    finding->bytes = fault->access_bytes;
    snprintf(finding->kernel, sizeof finding->kernel, "%s", fault->kernel);
    snprintf(side->file, sizeof side->file, "%s", fault->file);
    side->line = fault->line;
    side->block = fault->block;
    side->thread = fault->thread;
    snprintf(finding->text, sizeof finding->text, "%s", fault->text);
    char *place = strstr(finding->text, "\n  at "); // told by the fields
    if (place && finding->kind != SIM_CHECK_DEADLOCK && finding->kind != SIM_CHECK_RUNAWAY)
        *place = '\0';
}

uint32_t sim_checker_count(const sim_checker *checker) { return checker->finding_count; }

const sim_finding *sim_checker_finding(const sim_checker *checker, uint32_t index) {
    return &checker->findings[index];
}
