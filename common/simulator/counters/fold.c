// The folding of the executor's raw counts into named counters.
// One rule a function below: which raw number of which kind of instruction goes into which counter.
#include "counters/counters.h"
#include "machine/machine.h"
#include "program/ir.h"

static void add(sim_counters *counters, sim_counter counter, uint64_t amount) {
    counters->value[counter] += amount;
}

static void fold_issue(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out) {
    static const sim_counter of_pipe[] = {
        [SIM_PIPE_FMA] = SIM_COUNTER_PIPE_FMA,       [SIM_PIPE_ALU] = SIM_COUNTER_PIPE_ALU,
        [SIM_PIPE_XU] = SIM_COUNTER_PIPE_XU,         [SIM_PIPE_FP64] = SIM_COUNTER_PIPE_FP64,
        [SIM_PIPE_LSU] = SIM_COUNTER_PIPE_LSU,       [SIM_PIPE_TEX] = SIM_COUNTER_PIPE_TEX,
        [SIM_PIPE_TENSOR] = SIM_COUNTER_PIPE_TENSOR, [SIM_PIPE_CTRL] = SIM_COUNTER_PIPE_CONTROL,
        [SIM_PIPE_MISC] = SIM_COUNTER_PIPE_CONTROL};
    add(out, SIM_COUNTER_INST, raw->executed);
    add(out, SIM_COUNTER_THREAD_INST, raw->active);
    add(out, SIM_COUNTER_THREAD_INST_ON, raw->on);
    add(out, SIM_COUNTER_LANES_IDLE, raw->executed * SIM_WARP_LANES - raw->on);
    add(out, of_pipe[sim_pipe_of(instr)], raw->executed);
}

// How the results of an instruction are known to be right.
static void fold_evidence(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out) {
    static const sim_counter of_evidence[] = {[SIM_EVIDENCE_MANUAL] = SIM_COUNTER_BY_THE_MANUAL,
                                              [SIM_EVIDENCE_PROGRAMS] =
                                                  SIM_COUNTER_HELD_TO_PROGRAMS,
                                              [SIM_EVIDENCE_CARD] = SIM_COUNTER_HELD_TO_CARD};
    add(out, of_evidence[instr->evidence], raw->executed);
    if (instr->inexact) add(out, SIM_COUNTER_INEXACT, raw->executed);
    if (instr->misled) add(out, SIM_COUNTER_MISLED, raw->executed);
}

// Operations on floats; of each type the sum, the product and the multiply-add follow each other.
static void fold_float(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out) {
    unsigned kind = sim_is_fma(instr) ? 2 : sim_is_mul(instr);
    if (instr->type == PTX_F32) add(out, SIM_COUNTER_FADD + kind, raw->on);
    if (instr->type == PTX_F64) add(out, SIM_COUNTER_DADD + kind, raw->on);
}

// Cycles of an SM's four tensor cores for one matrix product, each of a quarter of the warps.
// Measured on an H100 with 16 warps per SM, mma.sync: multiply-adds per cycle by type, and no
// product is faster than LEAST. (Not measured for e4m3 and e5m2, which ptxas makes of products of
// f16 for sm_90. Not for a sparse A either: as of a dense one of half as many columns.)
static double tensor_cycles(const sim_matrix *matrix) {
    static const double LEAST = 1.46;
    double products = (double)matrix->m * matrix->n * sim_matrix_columns(matrix, SIM_MATRIX_A);
    double rate = 1000;
    if (matrix->a == SIM_ELEMENT_TF32) rate = 500;
    if (matrix->a == SIM_ELEMENT_F64) rate = 58;
    if (matrix->a == SIM_ELEMENT_S8 || matrix->a == SIM_ELEMENT_U8) rate = 2000;
    double cycles = products / rate;
    return cycles > LEAST ? cycles : LEAST;
}

// A product of a warp group reads rows of 128 bytes: all of B, and A unless it is in registers.
// The four warps share them. As Nsight Compute counted on an H200 for 8 to 256 columns, without
// and with every swizzle, transposed or not: there are no bank conflicts.
static void fold_group_product(const sim_instr *instr, const sim_raw_counts *raw,
                               sim_counters *out) {
    enum { WARPS = 4 };
    uint64_t wavefronts = issue_group_wavefronts(instr);
    double cycles = issue_group_cycles(instr) / WARPS;
    add(out, SIM_COUNTER_GROUP_PRODUCTS, raw->executed);
    add(out, SIM_COUNTER_GROUP_WAVEFRONTS, raw->executed * wavefronts / WARPS);
    add(out, SIM_COUNTER_TENSOR_CYCLES, (uint64_t)((double)raw->executed * cycles + 0.5));
}

static bool is_store(const sim_instr *instr) { return sim_role_of(instr) == SIM_ROLE_STORE; }

static bool is_float(const sim_instr *instr) {
    return instr->type >= PTX_F16 && instr->type <= PTX_F64;
}

// Reading and writing by any means: what grading counts, so that a load in another form saves
// nothing. pair: the counter of requests; that of sectors or wavefronts follows it in
// device/counters.def.
static void add_pair(sim_counters *out, sim_counter pair, uint64_t requests, uint64_t traffic) {
    add(out, pair, requests);
    add(out, pair + 1, traffic);
}

static void fold_any_global(const sim_instr *instr, uint64_t requests, uint64_t sectors,
                            sim_counters *out) {
    bool atomic = sim_role_of(instr) == SIM_ROLE_ATOMIC, writes = atomic || is_store(instr);
    bool reads = sim_is_atom(instr) || !writes;
    if (reads) add_pair(out, SIM_COUNTER_READ_REQUESTS, requests, sectors);
    if (writes) add_pair(out, SIM_COUNTER_WRITE_REQUESTS, requests, sectors);
    if (atomic) add(out, SIM_COUNTER_ATOMICS, requests);
    if (atomic && is_float(instr)) add(out, SIM_COUNTER_FLOAT_ATOMICS, requests);
}

static void fold_any_shared(const sim_instr *instr, uint64_t requests, uint64_t traffic,
                            sim_counters *out) {
    bool writes = is_store(instr) || sim_is_atomic(instr);
    bool reads = sim_is_atom(instr) || !writes;
    if (reads) add_pair(out, SIM_COUNTER_SHARED_READ_REQUESTS, requests, traffic);
    if (writes) add_pair(out, SIM_COUNTER_SHARED_WRITE_REQUESTS, requests, traffic);
}

// A warp's widest load or store moves 16 sectors: a bulk copy counts as that many of those as it
// takes the place of.
static void fold_bulk(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out) {
    enum { WIDEST_SECTORS = 16 };
    if (instr->variant >= SIM_BULK_TO_CLUSTER) return; // no device memory, or only to the L2
    bool reads = instr->variant == SIM_BULK_TO_SHARED;
    uint64_t wide = (raw->sectors + WIDEST_SECTORS - 1) / WIDEST_SECTORS;
    uint64_t requests = raw->requests > wide ? raw->requests : wide;
    if (reads) add(out, SIM_COUNTER_BULK_READ, raw->sectors);
    add_pair(out, reads ? SIM_COUNTER_READ_REQUESTS : SIM_COUNTER_WRITE_REQUESTS, requests,
             raw->sectors);
}

static void fold_global(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out) {
    sim_counter requests = SIM_COUNTER_GLOBAL_LD_REQUESTS;
    if (is_store(instr)) requests = SIM_COUNTER_GLOBAL_ST_REQUESTS;
    if (sim_is_atom(instr)) requests = SIM_COUNTER_GLOBAL_ATOM_REQUESTS;
    if (sim_is_red(instr)) requests = SIM_COUNTER_GLOBAL_RED_REQUESTS;
    add_pair(out, requests, raw->requests, raw->sectors);
    fold_any_global(instr, raw->requests, raw->sectors, out);
}

static void fold_local(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out) {
    bool store = is_store(instr);
    add(out, store ? SIM_COUNTER_LOCAL_ST_REQUESTS : SIM_COUNTER_LOCAL_LD_REQUESTS, raw->requests);
    add(out, store ? SIM_COUNTER_LOCAL_ST_SECTORS : SIM_COUNTER_LOCAL_LD_SECTORS, raw->sectors);
}

static void fold_shared(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out) {
    fold_any_shared(instr, raw->requests, raw->wavefronts, out);
    if (sim_is_atomic(instr)) {
        add(out, SIM_COUNTER_SHARED_ATOM_INST, raw->requests);
        add(out, SIM_COUNTER_SHARED_ATOM_WAVEFRONTS, raw->wavefronts);
        return;
    }
    bool store = is_store(instr);
    if (!store) add(out, SIM_COUNTER_SHARED_LD_PTX, raw->executed);
    add(out, store ? SIM_COUNTER_SHARED_ST_INST : SIM_COUNTER_SHARED_LD_INST, raw->requests);
    add(out, store ? SIM_COUNTER_SHARED_ST_WAVEFRONTS : SIM_COUNTER_SHARED_LD_WAVEFRONTS,
        raw->wavefronts);
    add(out, store ? SIM_COUNTER_SHARED_ST_CONFLICTS : SIM_COUNTER_SHARED_LD_CONFLICTS,
        raw->conflicts);
}

// Other blocks' shared memory; takes what it accounts for off `raw`. An instruction that touches
// global memory in other executions has its sectors here as well: compilers know better than to
// leave an address open that far.
static void fold_remote(const sim_instr *instr, sim_raw_counts *raw, sim_counters *out) {
    bool is_atomic = sim_is_atomic(instr);
    sim_counter requests = SIM_COUNTER_REMOTE_LD_REQUESTS;
    if (is_store(instr)) requests = SIM_COUNTER_REMOTE_ST_REQUESTS;
    if (is_atomic) requests = SIM_COUNTER_REMOTE_ATOM_REQUESTS;
    add_pair(out, requests, raw->remote, raw->sectors);
    fold_any_shared(instr, raw->remote, raw->sectors, out);
    if (is_atomic && is_float(instr)) { // a loop of a load and a compare-and-swap
        add(out, SIM_COUNTER_REMOTE_LD_REQUESTS, raw->remote);
        add(out, SIM_COUNTER_REMOTE_LD_SECTORS, raw->sectors);
    }
    raw->requests -= raw->remote < raw->requests ? raw->remote : raw->requests;
    raw->sectors = 0;
}

// What is named is an operand of the instruction that reads it and takes no iteration of its own.
static void fold_constant(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out) {
    if (instr->named) return;
    add(out, SIM_COUNTER_CONSTANT_LD_INST, raw->requests);
    add(out, SIM_COUNTER_CONSTANT_LD_TURNS, raw->wavefronts);
}

// A generic access may touch several spaces: its sectors are those of its global lanes and its
// wavefronts those of its shared lanes; the request is charged to whichever it touched.
static void fold_memory(const sim_instr *instr, const sim_raw_counts *all, sim_counters *out) {
    sim_raw_counts rest = *all;
    const sim_raw_counts *raw = &rest;
    bool may_be_shared = instr->space == PTX_SPACE_SHARED || instr->space == PTX_SPACE_NONE;
    if (may_be_shared && all->remote) fold_remote(instr, &rest, out);
    switch (instr->space) {
    case PTX_SPACE_GLOBAL: fold_global(instr, raw, out); break;
    case PTX_SPACE_LOCAL: fold_local(instr, raw, out); break;
    case PTX_SPACE_SHARED: fold_shared(instr, raw, out); break;
    case PTX_SPACE_NONE:
        if (raw->sectors) fold_global(instr, raw, out);
        if (raw->wavefronts) fold_shared(instr, raw, out);
        break;
    case PTX_SPACE_CONST: fold_constant(instr, raw, out); break;
    default: break; // parameters have their own path
    }
}

static void fold_texture(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out) {
    static const sim_counter of_surface[] = {[SIM_ROLE_LOAD] = SIM_COUNTER_SURFACE_LD_REQUESTS,
                                             [SIM_ROLE_STORE] = SIM_COUNTER_SURFACE_ST_REQUESTS,
                                             [SIM_ROLE_ATOMIC] = SIM_COUNTER_SURFACE_RED_REQUESTS};
    bool texel = sim_cost_of(instr) == SIM_COST_TEXEL;
    sim_counter requests = texel ? SIM_COUNTER_TEXTURE_REQUESTS : of_surface[sim_role_of(instr)];
    add_pair(out, requests, raw->requests, raw->sectors); // requests of groups of lanes
    fold_any_global(instr, raw->executed < raw->requests ? raw->executed : raw->requests,
                    raw->sectors, out);
}

static void fold_copy(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out) {
    if (sim_is_bulk(instr)) {
        fold_bulk(instr, raw, out);
        return;
    }
    add_pair(out, SIM_COUNTER_ASYNC_COPIES, raw->requests, raw->sectors);
    fold_memory(instr, raw, out);
}

static void fold_computed(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out) {
    if (sim_pipe_of(instr) == SIM_PIPE_TENSOR && instr->extra)
        add(out, SIM_COUNTER_TENSOR_CYCLES,
            (uint64_t)((double)raw->executed * tensor_cycles(instr->extra) + 0.5));
    if (sim_is_fma(instr)) add(out, SIM_COUNTER_MULTIPLY_ADDS, raw->executed);
    if (sim_is_fma(instr) || sim_is_sum(instr) || sim_is_mul(instr)) fold_float(instr, raw, out);
}

void sim_counters_fold(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out) {
    if (raw->executed == 0) return;
    if (instr->machine == SIM_MACHINE_DIFFERS) add(out, SIM_COUNTER_ACCESSES_DIFFER, raw->executed);
    if (instr->machine == SIM_MACHINE_UNROLLED && raw->divergent)
        add(out, SIM_COUNTER_ACCESSES_DIFFER, raw->executed * instr->machine_bytes);
    fold_issue(instr, raw, out);
    fold_evidence(instr, raw, out);
    bool textures = sim_pipe_of(instr) == SIM_PIPE_TEX;
    switch (sim_role_of(instr)) {
    case SIM_ROLE_PLAIN: fold_computed(instr, raw, out); break;
    case SIM_ROLE_LOAD:
        if (instr->op == SIM_OP_LDMATRIX) add(out, SIM_COUNTER_MATRIX_LOADS, raw->requests);
        // fall through
    case SIM_ROLE_STORE:
    case SIM_ROLE_ATOMIC: (textures ? fold_texture : fold_memory)(instr, raw, out); break;
    case SIM_ROLE_COPY: fold_copy(instr, raw, out); break;
    case SIM_ROLE_EXCHANGE: break;
    case SIM_ROLE_SYNC:
        if (sim_is_wgmma(instr)) fold_group_product(instr, raw, out);
        if (sim_is_barrier(instr)) add(out, SIM_COUNTER_BARRIERS, raw->executed);
        if (sim_is_fence(instr) && instr->scope != SIM_FENCE_CTA)
            add(out, SIM_COUNTER_FENCES, raw->executed);
        break;
    case SIM_ROLE_CONTROL:
        if (!sim_is_branch(instr)) break;
        if (instr->guard == SIM_NO_SLOT && sim_is_jump(instr)) break; // a plain jump
        add(out, SIM_COUNTER_BRANCHES, raw->executed);
        add(out, SIM_COUNTER_BRANCHES_DIVERGENT, raw->divergent);
        break;
    }
}

// -------------------------------------------------------------------------------------------------
// The cache model's part of the counters: from the sampled accesses of an instruction to all of
// them.

enum { SECTOR_BYTES = 32 };

static bool is_local(const sim_instr *instr) { return instr->space == PTX_SPACE_LOCAL; }

// `part` of the sampled sectors, carried over to all: 3 of 8 sampled ones hit, so 300 of 800.
static uint64_t of_all(uint64_t part, const sim_cache_counts *cache, uint64_t all) {
    double share = (double)part / (double)cache->l1_sectors;
    return (uint64_t)llround(share * (double)all);
}

void sim_counters_fold_cache(const sim_instr *instr, const sim_raw_counts *raw,
                             const sim_cache_counts *cache, sim_counters *out) {
    uint64_t *value = out->value;
    if (!raw->sectors) return;
    if (!sim_is_bulk(instr)) value[SIM_COUNTER_L1_SECTORS] += raw->sectors; // these ask no L1
    if (!cache || !cache->l1_sectors) return; // too few accesses to show in any sum
    bool is_atomic = sim_is_atomic(instr);
    uint64_t distinct = raw->sectors - (is_atomic ? raw->conflicts : 0);
    uint64_t hits = of_all(cache->l1_hits, cache, distinct);
    uint64_t atomics = of_all(cache->l2_atomics, cache, raw->sectors);
    bool global_load = sim_is_plain_load(instr) || sim_is_cp_async(instr);
    value[SIM_COUNTER_L1_HITS] += hits;
    if (global_load && !is_local(instr)) value[SIM_COUNTER_L1_LD_HITS] += hits;
    value[SIM_COUNTER_L2_READS] += of_all(cache->l2_reads, cache, distinct);
    value[SIM_COUNTER_L2_READ_HITS] += of_all(cache->l2_read_hits, cache, distinct);
    value[SIM_COUNTER_L2_WRITES] += of_all(cache->l2_writes, cache, distinct);
    value[sim_is_red(instr) ? SIM_COUNTER_L2_REDS : SIM_COUNTER_L2_ATOMS] += atomics;
    value[SIM_COUNTER_L1_MISSES] += of_all(cache->l1_reads, cache, distinct);
    value[SIM_COUNTER_L1_READ_LINES] += of_all(cache->l1_read_lines, cache, distinct);
    value[SIM_COUNTER_L1_WRITES] += of_all(cache->l1_writes, cache, distinct);
    value[SIM_COUNTER_L1_WRITE_LINES] += of_all(cache->l1_write_lines, cache, distinct);
    value[SIM_COUNTER_DRAM_READ] += SECTOR_BYTES * of_all(cache->dram_reads, cache, distinct);
}

// ---- - ------------------------------------------------------------------------------------------

static uint32_t bit(sim_feature feature) { return UINT32_C(1) << feature; }

static uint32_t type_features(const sim_instr *instr) {
    switch (instr->type) {
    case PTX_F64: return bit(SIM_FEATURE_DOUBLE);
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2: return bit(SIM_FEATURE_HALF);
    default: return 0;
    }
}

static bool is_arithmetic(const sim_instr *instr) {
    sim_pipe pipe = sim_pipe_of(instr);
    return pipe == SIM_PIPE_FMA || pipe == SIM_PIPE_ALU || pipe == SIM_PIPE_XU ||
           pipe == SIM_PIPE_FP64;
}

uint32_t sim_features_of(const sim_instr *instr) {
    if (sim_is_cp_async(instr)) return bit(SIM_FEATURE_ASYNC_COPIES);
    switch (sim_variant_of(instr)) {
    case SIM_VARIANT_ATOMIC:
        if (sim_is_redux(instr)) return bit(SIM_FEATURE_WARP_REDUCTIONS);
        return bit(instr->space == PTX_SPACE_SHARED ? SIM_FEATURE_SHARED_ATOMICS
                                                    : SIM_FEATURE_GLOBAL_ATOMICS);
    case SIM_VARIANT_VOTE: return bit(SIM_FEATURE_VOTES);
    case SIM_VARIANT_SHUFFLE: return bit(SIM_FEATURE_SHUFFLES);
    case SIM_VARIANT_MATCH: return bit(SIM_FEATURE_MATCH);
    case SIM_VARIANT_BULK: return bit(SIM_FEATURE_BULK_COPIES);
    case SIM_VARIANT_CLAMP: return bit(SIM_FEATURE_SURFACES);
    default: break;
    }
    if (sim_pipe_of(instr) == SIM_PIPE_TENSOR) return bit(SIM_FEATURE_TENSOR_CORES);
    return is_arithmetic(instr) ? type_features(instr) : 0;
}
