// The order of work of a program: which streams and calls it comes from, and what is told of two
// pieces of work without an order that use the same bytes, one of them by a write. Everything has
// run in the order of the calls, so that results show nothing of it.
#include "advice.h"
#include "check/rules.h"
#include <sys/mman.h>

bool check_streams_new(sim_checker *checker) {
    check_streams *s = calloc(1, sizeof *s);
    checker->streams = s;
    if (!s) return false;
    s->works = check_works_new();
    s->uses = s->works ? check_uses_new(s->works) : NULL;
    return s->uses != NULL;
}

void check_streams_free(sim_checker *checker) {
    check_streams *s = checker->streams;
    if (!s) return;
    check_uses_free(s->uses);
    check_works_free(s->works);
    if (s->touched) munmap(s->touched, s->touched_pages);
    free(s->list);
    free(s->pairs);
    free(s);
}

// ---- what is told -------------------------------------------------------------------------------

static bool has_call(const check_location *place, const char *call) {
    return strcmp(place->call, call) == 0;
}

// What about the earlier call is easily taken for an order.
static const char *about_earlier(const check_location *earlier, const check_location *later) {
    if (has_call(earlier, "cudaMallocAsync"))
        return "the memory is there only when its stream has come to cudaMallocAsync; ";
    if (has_call(later, "cudaFreeAsync"))
        return "the memory is given back while the other work may still use it; ";
    if (strncmp(earlier->call, "cudaMemset", strlen("cudaMemset")) == 0)
        return "cudaMemset() returns before the memory is set; ";
    if (strncmp(earlier->call, "cudaMemcpy", strlen("cudaMemcpy")) == 0 &&
        !strstr(earlier->call, "Async"))
        return "cudaMemcpy() may return before the bytes have arrived: from pageable memory it "
               "waits only until they are staged, on the device it does not wait; ";
    return "";
}

static const char *advice(sim_queue_kind earlier, sim_queue_kind later) {
    if (earlier == SIM_QUEUE_NODES && later == SIM_QUEUE_NODES)
        return kl_advice_text(KL_ADVICE_GRAPH_EDGE);
    if ((earlier == SIM_QUEUE_LEGACY && later == SIM_QUEUE_APART) ||
        (earlier == SIM_QUEUE_APART && later == SIM_QUEUE_LEGACY))
        return kl_advice_text(KL_ADVICE_WAIT_FOR_STREAM);
    return kl_advice_text(KL_ADVICE_EVENT_BETWEEN);
}

static void fill_side(const check_uses *uses, uint32_t use, sim_check_side *side) {
    const check_use *u = check_uses_use(uses, use);
    const check_location *place = check_uses_location_at(uses, u->place);
    side->action = u->flags & CHECK_USE_WRITES ? SIM_ACTION_WRITE : SIM_ACTION_READ;
    if (u->flags & CHECK_USE_ATOMIC) side->action = SIM_ACTION_ATOMIC;
    side->line = place->line;
    memcpy(side->file, place->file, sizeof side->file);
    memcpy(side->kernel, place->kernel, sizeof side->kernel);
    memcpy(side->call, place->call, sizeof side->call);
}

static void advise_fence(bool released, bool of_system, const char *flag, sim_finding *finding) {
    kl_advise(released ? KL_ADVICE_FENCE_BEHIND_FLAG : KL_ADVICE_FENCE_BEFORE_FLAG,
              KL_WORDS(flag, of_system ? "__threadfence_system()" : "__threadfence()",
                       of_system ? "cuda::thread_scope_system" : "cuda::thread_scope_device"),
              finding->text, sizeof finding->text);
}

// Two uses with a flag between them.
static void describe_fence(const check_streams *s, const check_use *earlier, const check_use *later,
                           sim_finding *finding) {
    bool released = false;
    char flag[64] = "the flag";
    check_flag_pair pair = check_uses_flag(s->uses, earlier, later);
    check_uses_lack_fence(s->uses, earlier, later, &released);
    uint32_t use = released ? pair.read : pair.write;
    uint32_t line =
        use ? check_uses_location_at(s->uses, check_uses_use(s->uses, use)->place)->line : 0;
    if (line) snprintf(flag, sizeof flag, "the flag (line %" PRIu32 ")", line);
    bool of_system = check_works_scope(s->works, earlier->moment, later->moment) == SIM_FENCE_SYS;
    advise_fence(released, of_system, flag, finding);
}

static void describe(sim_checker *checker, const check_clash *clash, sim_finding *finding) {
    const check_streams *s = checker->streams;
    fill_side(s->uses, clash->earlier, &finding->sides[0]); // "the first" of the advice
    fill_side(s->uses, clash->later, &finding->sides[1]);
    const check_use *later = check_uses_use(s->uses, clash->later);
    const check_use *earlier = check_uses_use(s->uses, clash->earlier);
    finding->launch = checker->launch;
    check_find_address(checker, finding, PTX_SPACE_GLOBAL, SIM_GLOBAL_BASE + clash->address,
                       clash->bytes);
    if (check_uses_lack_scope(s->uses, earlier, later)) {
        snprintf(finding->text, sizeof finding->text, "%s", kl_advice_text(KL_ADVICE_SYSTEM_SCOPE));
        return;
    }
    if (finding->kind == SIM_CHECK_FLAG_FENCE) {
        describe_fence(s, earlier, later, finding);
        return;
    }
    snprintf(finding->text, sizeof finding->text,
             "%s%s. Here they ran in the order of the calls, so the result does not show it",
             about_earlier(check_uses_location_at(s->uses, earlier->place),
                           check_uses_location_at(s->uses, later->place)),
             advice(check_works_kind(s->works, earlier->moment),
                    check_works_kind(s->works, later->moment)));
}

// Of a clash, two uses at these places, or of the host's access and a use: counted when it is
// known; NULL, also when there are too many.
static sim_finding *find_pair(sim_checker *checker, sim_check_class kind, uint32_t later,
                              uint32_t earlier, uint64_t count) {
    check_streams *s = checker->streams;
    for (uint32_t i = 0; i < s->pair_count; i++)
        if (s->pairs[i].later == later && s->pairs[i].earlier == earlier) {
            checker->findings[s->pairs[i].finding].count += count;
            return NULL;
        }
    sim_finding *finding = check_find_plain(checker, kind);
    if (!finding) return NULL;
    finding->count = count;
    if (!sim_reserve(&s->pairs, &s->pair_capacity, s->pair_count, sizeof *s->pairs)) return finding;
    uint32_t index = (uint32_t)(finding - checker->findings);
    s->pairs[s->pair_count++] = (check_clash_pair){later, earlier, index};
    return finding;
}

static void tell(sim_checker *checker, const check_clash *clash) {
    const check_streams *s = checker->streams;
    const check_use *earlier = check_uses_use(s->uses, clash->earlier);
    const check_use *later = check_uses_use(s->uses, clash->later);
    bool by_flag = check_works_knows(s->works, earlier->moment) &&
                   !check_uses_lack_scope(s->uses, earlier, later);
    sim_finding *finding =
        find_pair(checker, by_flag ? SIM_CHECK_FLAG_FENCE : SIM_CHECK_STREAM_RACE, later->place,
                  earlier->place, clash->count);
    if (finding) describe(checker, clash, finding);
}

// streams.c: tells what has been noted and clashes.
static void check_streams_report(sim_checker *checker) {
    check_clash clash;
    while (check_uses_take_clash(checker->streams->uses, &clash)) tell(checker, &clash);
}

// ---- steps --------------------------------------------------------------------------------------

// What the host has waited for is before all that comes.
static void forget_known(check_streams *s) {
    if (!check_works_all_known(s->works)) return;
    check_uses_forget_all(s->uses);
    s->late_count = 0;
    s->copying.number = 0;
}

static void meet(sim_checker *checker, sim_queue queue) {
    check_streams *s = checker->streams;
    if (s->many || queue == SIM_HOST_QUEUE || queue == SIM_LEGACY_QUEUE) return;
    s->many = true;
    check_gather(checker);
}

// text: as SIM_STEP_WORK has it.
static uint32_t place_of_call(check_streams *s, const char *text) {
    check_location place = {.line = 0};
    if (s->last_call[0] && strcmp(s->last_call, text) == 0) return s->last_place;
    size_t name = strcspn(text, "\n");
    snprintf(place.call, sizeof place.call, "%.*s", (int)name, text);
    snprintf(place.file, sizeof place.file, "%s", text[name] ? text + name + 1 : "");
    snprintf(s->last_call, sizeof s->last_call, "%s", text);
    return s->last_place = check_uses_location(s->uses, &place);
}

static void begin_call(check_streams *s, sim_queue queue, const char *text) {
    check_uses_trim(s->uses);
    s->copying = (check_moment){0, 0};
    s->launching = 0;
    if (queue == SIM_HOST_QUEUE) {
        if (text[0]) s->launching = place_of_call(s, text) + 1;
        return;
    }
    s->copying = check_works_begin(s->works, queue);
    s->copying_location = place_of_call(s, text);
}

void sim_checker_step(sim_checker *checker, sim_order_step step, sim_queue queue, sim_queue other,
                      const char *text) {
    check_streams *s = checker->streams;
    if (step != SIM_STEP_GONE && step != SIM_STEP_ALL) meet(checker, queue);
    if (step == SIM_STEP_AFTER) meet(checker, other);
    switch (step) {
    case SIM_STEP_WORK: begin_call(s, queue, text); break;
    case SIM_STEP_AFTER: check_works_after(s->works, queue, other); break;
    case SIM_STEP_GONE: check_works_gone(s->works, queue); break;
    default: check_works_wait_all(s->works); break;
    }
    if (step == SIM_STEP_ALL || (step == SIM_STEP_AFTER && queue == SIM_HOST_QUEUE))
        forget_known(s);
}

void sim_checker_uses(sim_checker *checker, uint64_t address, uint64_t bytes, bool writes) {
    check_streams *s = checker->streams;
    if (s->copying.number == 0 || bytes == 0 || address < SIM_GLOBAL_BASE) return;
    uint64_t offset = address - SIM_GLOBAL_BASE;
    if (offset + bytes > sim_mem_high_water(checker->memory) - SIM_GLOBAL_BASE) return;
    const check_use use = {.moment = s->copying,
                           .place = s->copying_location,
                           .flags = CHECK_USE_CALL | (writes ? CHECK_USE_WRITES : 0)};
    check_uses_note(s->uses, offset, bytes, check_uses_by(s->uses, &use));
    check_streams_report(checker);
}

static void acquire(sim_checker *checker, uint8_t scope) {
    check_late *now = &checker->streams->now;
    for (int i = 0; i <= scope; i++)
        if (!now->acquired[i]) now->acquired[i] = checker->clock.now;
}

void check_streams_fence(sim_checker *checker, check_block *block, uint8_t scope) {
    for (int i = 0; i <= scope; i++) block->fences[i] = checker->clock.now;
    if (block->polled) acquire(checker, scope);
}

void check_streams_set(sim_checker *checker, check_block *block, uint8_t scope, bool releases) {
    check_late *now = &checker->streams->now;
    for (int i = 0; i <= SIM_FENCE_SYS; i++) {
        uint32_t fence = releases && i <= scope ? checker->clock.now : block->fences[i];
        if (fence > now->released[i]) now->released[i] = fence;
    }
}

void check_streams_poll(sim_checker *checker, check_block *block, uint8_t scope, bool acquires) {
    block->polled = true;
    if (acquires) acquire(checker, scope);
}

void sim_checker_launch_submit(sim_checker *checker, sim_queue queue, const sim_program *program,
                               const sim_function *kernel) {
    check_streams *s = checker->streams;
    s->copying.number = 0;
    if (queue == SIM_HOST_QUEUE) return;
    meet(checker, queue);
    check_uses_trim(s->uses);
    s->now = (check_late){.moment = check_works_begin(s->works, queue),
                          .program = program,
                          .kernel = kernel,
                          .call = s->launching};
    s->before = checker->launch_begin;
}

void sim_checker_launch_done(sim_checker *checker, sim_queue queue) {
    check_streams *s = checker->streams;
    bool ran = checker->launch_begin != s->before;
    if (queue == SIM_HOST_QUEUE || s->now.moment.number == 0 || !ran) return;
    if (s->late_count == CHECK_LATE_LAUNCHES)
        memmove(s->late, s->late + 1, --s->late_count * sizeof *s->late);
    s->now.begin = checker->launch_begin;
    s->late[s->late_count++] = s->now;
    for (int i = 0; i <= SIM_FENCE_SYS; i++)
        if (s->now.released[i]) check_works_released(s->works, s->now.moment, (sim_fence)i);
    if (!s->many) return;
    check_gather(checker);
    check_streams_report(checker);
    for (int i = 0; i <= SIM_FENCE_SYS; i++)
        if (s->now.acquired[i]) check_works_acquired(s->works, (sim_fence)i);
}

void check_streams_moved(sim_checker *checker) { checker->streams->late_count = 0; }

void sim_checker_unload(sim_checker *checker, const sim_program *program) {
    check_streams *s = checker->streams;
    for (uint32_t i = s->late_count; i > 0; i--)
        if (s->late[i - 1].program == program) s->late_count = 0;
}

void check_streams_renewed(sim_checker *checker, uint64_t address, uint64_t bytes) {
    check_uses_forget(checker->streams->uses, address - SIM_GLOBAL_BASE, bytes);
}

// ---- the host's own accesses --------------------------------------------------------------------

void sim_checker_in_progress(const sim_checker *checker, uint64_t address, uint64_t bytes,
                             uint64_t *out_first, uint64_t *out_bytes, uint32_t *out_use) {
    check_pages pages = {0};
    uint64_t offset = address - SIM_GLOBAL_BASE;
    if (address >= SIM_GLOBAL_BASE && bytes > 0)
        check_uses_pages(checker->streams->uses, offset, offset + bytes, &pages);
    *out_first = SIM_GLOBAL_BASE + pages.offset;
    *out_bytes = pages.bytes;
    *out_use = pages.flags;
}

static const char *may_happen(bool writes, const sim_check_side *earlier) {
    if (!writes) return "read what was there before";
    return earlier->action == SIM_ACTION_READ ? "overwrite what is still to be read"
                                              : "write before or after that work does";
}

// Where a kernel was launched, each place in a line of its own: "\nat FILE+0xADDRESS".
static void append_places(const char *places, char *text, size_t bytes) {
    const char *plus = strrchr(places, '+');
    for (const char *at = plus ? plus + 1 : ""; *at; at += strspn(at, " ")) {
        size_t used = strlen(text), digits = strcspn(at, " ");
        snprintf(text + used, bytes - used, "\nat %.*s+%.*s", (int)(plus - places), places,
                 (int)digits, at);
        at += digits;
    }
}

static void describe_early(sim_checker *checker, uint32_t use, sim_finding *finding) {
    const check_uses *uses = checker->streams->uses;
    sim_check_side *host = &finding->sides[0], *earlier = &finding->sides[1];
    uint32_t call = check_uses_use(uses, use)->call;
    fill_side(uses, use, earlier);
    bool is_call = earlier->call[0] != '\0';
    snprintf(finding->text, sizeof finding->text,
             "%s%s, and nothing before this line waits for it: on a GPU the host may %s. "
             "cudaStreamSynchronize(), cudaDeviceSynchronize() or, on an event recorded behind "
             "that call, cudaEventSynchronize() orders them. Here the work is done before the "
             "call returns, so the result does not show it",
             is_call ? earlier->call : "A launch returns before its kernel has run",
             is_call ? "() returns before its work is done" : "",
             may_happen(host->action == SIM_ACTION_WRITE, earlier));
    uint32_t flags = check_uses_use(uses, use)->flags;
    size_t used = strlen(finding->text);
    if (host->action == SIM_ACTION_READ && (flags & CHECK_USE_ATOMIC) &&
        !(flags & CHECK_USE_SYSTEM))
        snprintf(finding->text + used, sizeof finding->text - used, ". %s",
                 kl_advice_text(KL_ADVICE_HOST_SCOPE));
    if (call)
        append_places(check_uses_location_at(uses, call - 1)->file, finding->text,
                      sizeof finding->text);
}

void sim_checker_host_access(sim_checker *checker, uint64_t address, bool writes,
                             const char *text) {
    check_streams *s = checker->streams;
    if (address < SIM_GLOBAL_BASE) return;
    uint32_t use = check_uses_by_host(s->uses, address - SIM_GLOBAL_BASE, writes);
    if (!use) return;
    uint32_t place = place_of_call(s, text);
    const check_use *earlier = check_uses_use(s->uses, use);
    bool by_flag = check_uses_host_lacks_fence(s->uses, earlier);
    sim_finding *finding = find_pair(checker, by_flag ? SIM_CHECK_FLAG_FENCE : SIM_CHECK_HOST_RACE,
                                     place, earlier->place, 1);
    if (!finding) return;
    const check_location *host = check_uses_location_at(s->uses, place);
    finding->launch = checker->launch;
    finding->sides[0].action = writes ? SIM_ACTION_WRITE : SIM_ACTION_READ;
    memcpy(finding->sides[0].call, host->call, sizeof host->call);
    memcpy(finding->sides[0].file, host->file, sizeof host->file);
    check_find_address(checker, finding, PTX_SPACE_GLOBAL, address, 0);
    describe_early(checker, use, finding);
    if (by_flag) advise_fence(false, true, "the flag", finding);
}
