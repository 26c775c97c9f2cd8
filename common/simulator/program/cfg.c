// Control-flow graphs and immediate post-dominators. All searches are iterative: a hostile function
// may have a million blocks in a row. See program.h for the paper.
#include "program/program.h"

enum { UNSEEN = 0xFFFFFFFFu };

// ---- Post-dominators ----------------------------------------------------------------------------

typedef struct ipdom_work {
    const sim_graph *graph;
    uint32_t nodes;            // graph->count + 1, the exit last
    uint32_t *first, *sources; // predecessors, as in sim_graph
    uint32_t *order;           // [nodes] of a depth-first search, in postorder
    uint32_t *number;          // [nodes] position in order
    uint32_t *stack, *next;    // [nodes] of the search
    bool *reaches;             // the exit can be reached
    bool *given_exit;          // by an edge that was added
} ipdom_work;

static bool make_work(sim_arena *arena, const sim_graph *graph, ipdom_work *work) {
    uint32_t nodes = graph->count + 1, edges = graph->first[graph->count];
    *work = (ipdom_work){.graph = graph, .nodes = nodes};
    work->first = sim_arena_array(arena, (size_t)nodes + 1, sizeof(uint32_t));
    work->sources = sim_arena_array(arena, edges, sizeof(uint32_t));
    work->order = sim_arena_array(arena, nodes, sizeof(uint32_t));
    work->number = sim_arena_array(arena, nodes, sizeof(uint32_t));
    work->stack = sim_arena_array(arena, nodes, sizeof(uint32_t));
    work->next = sim_arena_array(arena, nodes, sizeof(uint32_t));
    work->reaches = sim_arena_array(arena, nodes, sizeof(bool));
    work->given_exit = sim_arena_array(arena, nodes, sizeof(bool));
    return work->first && work->sources && work->order && work->number && work->stack &&
           work->next && work->reaches && work->given_exit;
}

static void find_predecessors(ipdom_work *work) {
    const sim_graph *graph = work->graph;
    uint32_t edges = graph->first[graph->count];
    for (uint32_t i = 0; i < edges; i++) work->first[graph->targets[i] + 1]++;
    for (uint32_t n = 0; n < work->nodes; n++) work->first[n + 1] += work->first[n];
    for (uint32_t n = 0; n < work->nodes; n++) work->next[n] = work->first[n];
    for (uint32_t n = 0; n < graph->count; n++)
        for (uint32_t i = graph->first[n]; i < graph->first[n + 1]; i++)
            work->sources[work->next[graph->targets[i]]++] = n;
}

// Appends the nodes reached from `root` over `targets` to order, in postorder. Returns the new
// count.
static uint32_t search(ipdom_work *work, uint32_t root, const uint32_t *first,
                       const uint32_t *targets, uint32_t count) {
    if (work->number[root] != UNSEEN) return count;
    uint32_t depth = 0;
    work->stack[depth++] = root;
    work->number[root] = 0;
    work->next[root] = first[root];
    while (depth > 0) {
        uint32_t node = work->stack[depth - 1];
        if (work->next[node] == first[node + 1]) {
            work->number[node] = count;
            work->order[count++] = node;
            depth--;
            continue;
        }
        uint32_t target = targets[work->next[node]++];
        if (work->number[target] != UNSEEN) continue;
        work->number[target] = 0;
        work->next[target] = first[target];
        work->stack[depth++] = target;
    }
    return count;
}

static void mark_reaching(ipdom_work *work, uint32_t root) {
    uint32_t depth = 0;
    work->stack[depth++] = root;
    work->reaches[root] = true;
    while (depth > 0) {
        uint32_t node = work->stack[--depth];
        for (uint32_t i = work->first[node]; i < work->first[node + 1]; i++) {
            uint32_t source = work->sources[i];
            if (work->reaches[source]) continue;
            work->reaches[source] = true;
            work->stack[depth++] = source;
        }
    }
}

// Endless loops: the first unreached node in postorder gets an edge to the exit, until all are
// reached.
static void connect_endless(ipdom_work *work) {
    const sim_graph *graph = work->graph;
    uint32_t exit = graph->count, count = 0;
    mark_reaching(work, exit);
    memset(work->number, 0xFF, sizeof *work->number * work->nodes);
    work->number[exit] = 0; // not walked: it has no successors
    for (uint32_t n = 0; n < exit; n++)
        count = search(work, n, graph->first, graph->targets, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = work->order[i];
        if (work->reaches[node]) continue;
        work->given_exit[node] = true;
        mark_reaching(work, node);
    }
}

// Reversed graph in postorder from the exit, added edges included.
static uint32_t reversed_order(ipdom_work *work) {
    uint32_t exit = work->graph->count, count = 0;
    memset(work->number, 0xFF, sizeof *work->number * work->nodes);
    // Nodes with an added edge come first in postorder; the exit must be last.
    work->number[exit] = 0;
    for (uint32_t n = 0; n < exit; n++)
        if (work->given_exit[n]) count = search(work, n, work->first, work->sources, count);
    work->number[exit] = UNSEEN;
    return search(work, exit, work->first, work->sources, count);
}

static uint32_t intersect(const ipdom_work *work, const uint32_t *ipdom, uint32_t a, uint32_t b) {
    while (a != b) {
        while (work->number[a] < work->number[b]) a = ipdom[a];
        while (work->number[b] < work->number[a]) b = ipdom[b];
    }
    return a;
}

static uint32_t new_ipdom(const ipdom_work *work, const uint32_t *ipdom, uint32_t node) {
    const sim_graph *graph = work->graph;
    uint32_t found = work->given_exit[node] ? graph->count : UNSEEN;
    for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
        uint32_t target = graph->targets[i];
        if (ipdom[target] == UNSEEN) continue;
        found = found == UNSEEN ? target : intersect(work, ipdom, found, target);
    }
    return found;
}

bool sim_graph_ipdom(sim_arena *arena, const sim_graph *graph, uint32_t *out_ipdom) {
    ipdom_work work;
    if (!make_work(arena, graph, &work)) return false;
    find_predecessors(&work);
    connect_endless(&work);
    uint32_t count = reversed_order(&work);
    uint32_t *ipdom = sim_arena_array(arena, work.nodes, sizeof *ipdom);
    if (!ipdom) return false;
    memset(ipdom, 0xFF, sizeof *ipdom * work.nodes);
    ipdom[graph->count] = graph->count;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = count - 1; i-- > 0;) { // the exit is order[count - 1]
            uint32_t node = work.order[i];
            uint32_t found = new_ipdom(&work, ipdom, node);
            if (found == ipdom[node]) continue;
            ipdom[node] = found;
            changed = true;
        }
    }
    memcpy(out_ipdom, ipdom, sizeof *ipdom * graph->count);
    return true;
}

// ---- Blocks -------------------------------------------------------------------------------------

static bool ends_thread(const sim_instr *instr) {
    return sim_is_return(instr) || instr->op == SIM_OP_TRAP;
}

static bool ends_block(const sim_instr *instr) {
    return sim_is_branch(instr) || ends_thread(instr);
}

static void find_leaders(const sim_instr *code, uint32_t code_count, const uint32_t *slots,
                         bool *leaders) {
    leaders[0] = true;
    for (uint32_t pc = 0; pc < code_count; pc++) {
        const sim_instr *instr = &code[pc];
        if (ends_block(instr) && pc + 1 < code_count) leaders[pc + 1] = true;
        if (sim_is_jump(instr)) leaders[instr->target] = true;
        if (sim_is_switch(instr))
            for (uint32_t i = 0; i < instr->target_count; i++)
                leaders[slots[instr->target + i]] = true;
    }
}

static void add_edge(sim_graph *graph, uint32_t node, uint32_t *edges, uint32_t target) {
    for (uint32_t i = graph->first[node]; i < *edges; i++)
        if (graph->targets[i] == target) return;
    graph->targets[(*edges)++] = target;
}

static void add_edges(const sim_instr *code, const uint32_t *slots, sim_cfg *cfg, uint32_t block,
                      uint32_t *edges) {
    sim_graph *graph = &cfg->graph;
    uint32_t last = cfg->first_pc[block + 1] - 1;
    const sim_instr *instr = &code[last];
    if (sim_is_jump(instr)) add_edge(graph, block, edges, cfg->block_of[instr->target]);
    if (sim_is_switch(instr))
        for (uint32_t i = 0; i < instr->target_count; i++)
            add_edge(graph, block, edges, cfg->block_of[slots[instr->target + i]]);
    if (ends_thread(instr)) add_edge(graph, block, edges, graph->count);
    bool falls_through = !ends_block(instr) || instr->guard != SIM_NO_SLOT;
    if (falls_through) // past the end is the exit
        add_edge(graph, block, edges, block + 1);
}

bool sim_cfg_build(sim_arena *arena, const sim_instr *code, uint32_t code_count,
                   const uint32_t *slots, sim_cfg *out_cfg) {
    bool *leaders = sim_arena_array(arena, code_count, sizeof *leaders);
    sim_cfg cfg = {.block_of = sim_arena_array(arena, code_count, sizeof *cfg.block_of)};
    if (!leaders || !cfg.block_of) return false;
    find_leaders(code, code_count, slots, leaders);
    size_t most_edges = 0;
    for (uint32_t pc = 0; pc < code_count; pc++) {
        if (leaders[pc]) cfg.graph.count++;
        cfg.block_of[pc] = cfg.graph.count - 1;
        if (sim_is_switch(&code[pc])) most_edges += code[pc].target_count;
    }
    most_edges += (size_t)cfg.graph.count * 2;
    cfg.first_pc = sim_arena_array(arena, (size_t)cfg.graph.count + 1, sizeof *cfg.first_pc);
    cfg.graph.first = sim_arena_array(arena, (size_t)cfg.graph.count + 1, sizeof(uint32_t));
    cfg.graph.targets = sim_arena_array(arena, most_edges, sizeof(uint32_t));
    if (!cfg.first_pc || !cfg.graph.first || !cfg.graph.targets) return false;
    for (uint32_t pc = code_count; pc-- > 0;) cfg.first_pc[cfg.block_of[pc]] = pc;
    cfg.first_pc[cfg.graph.count] = code_count;
    uint32_t edges = 0;
    for (uint32_t block = 0; block < cfg.graph.count; block++) {
        cfg.graph.first[block] = edges;
        add_edges(code, slots, &cfg, block, &edges);
    }
    cfg.graph.first[cfg.graph.count] = edges;
    *out_cfg = cfg;
    return true;
}

// ---- Reconvergence ------------------------------------------------------------------------------

// A block that a thread enters only to leave: a bare ret or exit, or one that ends in trap or exit.
static bool leads_out(const sim_cfg *cfg, const sim_instr *code, uint32_t block) {
    if (block == cfg->graph.count) return true;
    uint32_t last = cfg->first_pc[block + 1] - 1;
    if (code[last].guard != SIM_NO_SLOT) return false;
    return ends_thread(&code[last]) && (!sim_is_ret(&code[last]) || cfg->first_pc[block] == last);
}

// Edges on the way out count only where no other leads forward: in a loop whose other side goes
// back, the end of the loop is a reconvergence point.
static bool keeps_exits(const sim_cfg *cfg, const sim_instr *code, uint32_t block) {
    for (uint32_t i = cfg->graph.first[block]; i < cfg->graph.first[block + 1]; i++) {
        uint32_t target = cfg->graph.targets[i];
        if (!leads_out(cfg, code, target) && target > block) return false;
    }
    return true;
}

bool sim_cfg_set_reconvergence(sim_arena *arena, const sim_cfg *cfg, sim_instr *code) {
    uint32_t count = cfg->graph.count, edges = 0;
    sim_graph staying = {.count = count};
    staying.first = sim_arena_array(arena, (size_t)count + 1, sizeof(uint32_t));
    staying.targets = sim_arena_array(arena, cfg->graph.first[count], sizeof(uint32_t));
    uint32_t *ipdom = sim_arena_array(arena, count, sizeof *ipdom);
    if (!staying.first || !staying.targets || !ipdom) return false;
    for (uint32_t block = 0; block < count; block++) {
        bool keep = keeps_exits(cfg, code, block);
        staying.first[block] = edges;
        for (uint32_t i = cfg->graph.first[block]; i < cfg->graph.first[block + 1]; i++)
            if (keep || !leads_out(cfg, code, cfg->graph.targets[i]))
                staying.targets[edges++] = cfg->graph.targets[i];
    }
    staying.first[count] = edges;
    if (!sim_graph_ipdom(arena, &staying, ipdom)) return false;
    for (uint32_t block = 0; block < count; block++) {
        sim_instr *last = &code[cfg->first_pc[block + 1] - 1];
        if (!sim_is_branch(last)) continue;
        last->reconverge = ipdom[block] == count ? SIM_PC_EXIT : cfg->first_pc[ipdom[block]];
    }
    return true;
}

// -------------------------------------------------------------------------------------------------
// Loops for people. What is said of an endless one, not what the executor goes by (program.h).

bool sim_loops_around(const sim_function *function, uint32_t pc, sim_loop *out_inner,
                      sim_loop *out_outer) {
    bool found = false;
    for (uint32_t at = pc; at < function->code_count; at++) {
        const sim_instr *instr = &function->code[at];
        if (!sim_is_jump(instr) || instr->target > pc) continue;
        sim_loop loop = {instr->target, at};
        // Of jumps back to one place (`continue`, both sides of an if) the last ends the loop.
        if (!found || loop.first_pc >= out_inner->first_pc) *out_inner = loop;
        if (!found || loop.first_pc <= out_outer->first_pc) *out_outer = loop;
        found = true;
    }
    if (!found) return false;
    bool nested =
        out_outer->first_pc < out_inner->first_pc && out_outer->last_pc > out_inner->last_pc;
    if (nested) return true;
    // Two ways round one loop, whose code lies one behind the other.
    if (out_outer->last_pc < out_inner->last_pc) out_outer->last_pc = out_inner->last_pc;
    *out_inner = *out_outer;
    return true;
}

static const sim_location *location_of(const sim_function *function, uint32_t pc) {
    static const sim_location unknown = {0};
    uint32_t index = function->code[pc].location;
    return index < function->location_count ? &function->locations[index] : &unknown;
}

// A loop begins in the source where its code begins or, turned round by the compiler, with the
// condition, just before the jump back. Functions that are inlined into it mostly stand above it.
bool sim_loop_lines(const sim_function *function, const sim_loop *loop, uint32_t *out_file,
                    uint32_t *out_first, uint32_t *out_last) {
    uint32_t head = loop->first_pc;
    while (head < loop->last_pc && location_of(function, head)->line == 0) head++;
    const sim_location *begin = location_of(function, head);
    *out_file = begin->file;
    *out_first = begin->line;
    for (uint32_t pc = loop->last_pc > head ? loop->last_pc - 1 : head; pc <= loop->last_pc; pc++) {
        const sim_location *at = location_of(function, pc);
        if (at->line && at->file == *out_file && at->line < *out_first) *out_first = at->line;
    }
    *out_last = *out_first;
    for (uint32_t pc = loop->first_pc; pc <= loop->last_pc; pc++) {
        const sim_location *at = location_of(function, pc);
        if (at->file == *out_file && at->line > *out_last) *out_last = at->line;
    }
    return *out_first != 0;
}
