// What is kept of probed instructions: see traces.h.
#include "record/traces.h"

sim_probes *sim_probes_new(uint32_t workers, uint32_t functions) {
    sim_probes *probes = calloc(1, sizeof *probes);
    if (!probes) return NULL;
    probes->worker_count = workers;
    probes->function_count = functions;
    probes->rows = calloc((size_t)workers * functions + 1, sizeof *probes->rows);
    probes->failed = calloc((size_t)workers + 1, sizeof *probes->failed);
    if (probes->rows && probes->failed) return probes;
    free(probes->rows);
    free(probes->failed);
    free(probes);
    return NULL;
}

void sim_probes_free(sim_probes *probes, const sim_program *program) {
    if (!probes) return;
    for (size_t i = 0; i < (size_t)probes->worker_count * probes->function_count; i++) {
        sim_probe **by_pc = probes->rows[i].by_pc;
        uint32_t count = program->functions[i % probes->function_count].code_count;
        for (uint32_t pc = 0; by_pc && pc < count; pc++) free(by_pc[pc]);
        free(by_pc);
    }
    free(probes->rows);
    free(probes->failed);
    free(probes);
}

sim_probe *sim_probe_at(sim_probes *probes, uint32_t worker, const sim_function *function,
                        uint32_t function_index, uint32_t pc) {
    sim_function_probes *row =
        &probes->rows[(size_t)worker * probes->function_count + function_index];
    if (!row->by_pc) row->by_pc = calloc((size_t)function->code_count + 1, sizeof *row->by_pc);
    if (row->by_pc && !row->by_pc[pc]) row->by_pc[pc] = calloc(1, sizeof **row->by_pc);
    if (!row->by_pc || !row->by_pc[pc]) {
        probes->failed[worker] = true;
        return NULL;
    }
    return row->by_pc[pc];
}

static uint32_t surplus(const sim_access_sample *sample) { return sample->units - sample->least; }

// Whether a sample takes the place of the one that is kept.
static bool is_worse(const sim_access_sample *sample, uint64_t block, const sim_access_sample *kept,
                     uint64_t kept_block) {
    uint32_t new = surplus(sample), old = surplus(kept);
    return new > old || (new == old &&block < kept_block);
}

bool sim_probe_wants(const sim_probe *probe, uint64_t block, uint32_t more) {
    const sim_access_map *a = &probe->access;
    uint32_t kept = surplus(&a->worst);
    return a->requests == 0 || block < probe->first_block || more > kept ||
           (more == kept && block < probe->worst_block);
}

void sim_probe_note_sums(sim_probe *probe, uint32_t units, uint32_t least) {
    probe->access.requests++;
    probe->access.units += units;
    probe->access.least += least;
}

void sim_probe_note_access(sim_probe *probe, uint64_t block, const sim_access_sample *sample) {
    sim_access_map *a = &probe->access;
    bool fresh = a->requests == 0;
    sim_probe_note_sums(probe, sample->units, sample->least);
    if (fresh || block < probe->first_block) {
        a->first = *sample;
        probe->first_block = block;
    }
    if (fresh || is_worse(sample, block, &a->worst, probe->worst_block)) {
        a->worst = *sample;
        probe->worst_block = block;
    }
}

void sim_probe_note_split(sim_probe *probe, uint64_t block, const uint32_t block_id[3],
                          uint32_t warp, uint32_t lanes, uint32_t jumped) {
    sim_branch_map *b = &probe->branch;
    bool is_first = b->splits == 0 || block < probe->first_block;
    b->splits++;
    b->active += (uint64_t)__builtin_popcount(lanes);
    b->taken += (uint64_t)__builtin_popcount(jumped);
    if (!is_first) return;
    probe->first_block = block;
    memcpy(b->block, block_id, sizeof b->block);
    b->warp = warp;
    b->lanes = lanes;
    b->jumped = jumped;
}

void sim_probe_note_box(sim_probe *probe, uint64_t block, const sim_box_map *box) {
    uint64_t copies = probe->box.copies;
    if (copies == 0 || block < probe->first_block) {
        probe->box = *box;
        probe->first_block = block;
    }
    probe->box.copies = copies + 1;
}

void sim_probe_merge_access(sim_probe *to, const sim_probe *from) {
    sim_access_map *a = &to->access;
    const sim_access_map *b = &from->access;
    a->requests += b->requests;
    a->units += b->units;
    a->least += b->least;
    if (from->first_block < to->first_block) {
        a->first = b->first;
        to->first_block = from->first_block;
    }
    if (is_worse(&b->worst, from->worst_block, &a->worst, to->worst_block)) {
        a->worst = b->worst;
        to->worst_block = from->worst_block;
    }
}

void sim_probe_merge_branch(sim_probe *to, const sim_probe *from) {
    sim_branch_map *a = &to->branch;
    const sim_branch_map *b = &from->branch;
    bool earlier = from->first_block < to->first_block;
    a->splits += b->splits;
    a->active += b->active;
    a->taken += b->taken;
    if (!earlier) return;
    to->first_block = from->first_block;
    memcpy(a->block, b->block, sizeof a->block);
    a->warp = b->warp;
    a->lanes = b->lanes;
    a->jumped = b->jumped;
}

void sim_probe_merge_box(sim_probe *to, const sim_probe *from) {
    uint64_t copies = to->box.copies + from->box.copies;
    if (from->first_block < to->first_block) *to = *from;
    to->box.copies = copies;
}
