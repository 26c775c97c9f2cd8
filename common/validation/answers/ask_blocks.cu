// Questions about which SM a block runs on, in which order blocks begin, and how many run at once.
#include "ask.h"
#include <algorithm>
#include <numeric>
#include <vector>

struct Place {
    u32 sm, ticket, together, warp[32];
};
static __device__ u32 arrived, running, most;

// Notes where the block runs; waits until `all` blocks have begun, or for 2 ms.
static __device__ void note(Place *places, u32 all) {
    u64 begin, now;
    u32 warp, block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    Place *p = &places[block];
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    if (threadIdx.x % 32 == 0) p->warp[threadIdx.x / 32] = warp;
    if (threadIdx.x == 0) {
        asm volatile("mov.u32 %0, %%smid;" : "=r"(p->sm));
        p->ticket = atomicAdd(&arrived, 1);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
        u32 now_running = atomicAdd(&running, 1) + 1;
        atomicMax(&most, now_running);
        do {
            __nanosleep(20000); // so that a simulated block need not spin
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        } while (*(volatile u32 *)&arrived < all && now - begin < 2000000);
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicSub(&running, 1);
}
static __global__ void place(Place *places, u32 all) { note(places, all); }

struct Run {
    std::vector<Place> places;
    u32 most_running;
    std::vector<u32> sms() const {
        std::vector<u32> all;
        for (const Place &p : places) all.push_back(p.sm);
        return all;
    }
};
static Run run(dim3 grid, unsigned threads, u32 all, unsigned bytes = 0, unsigned cluster = 0,
               bool cooperative = false) {
    Run r;
    Place *d_places;
    u32 zero = 0, blocks = grid.x * grid.y * grid.z;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attributes[2] = {};
    r.places.resize(blocks);
    cudaMalloc(&d_places, blocks * sizeof(Place));
    cudaMemcpyToSymbol(arrived, &zero, 4);
    cudaMemcpyToSymbol(running, &zero, 4);
    cudaMemcpyToSymbol(most, &zero, 4);
    cudaFuncSetAttribute(place, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448);
    cudaFuncSetAttribute(place, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    config.gridDim = grid, config.blockDim = dim3(threads), config.dynamicSmemBytes = bytes;
    config.attrs = attributes;
    if (cluster) {
        attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[config.numAttrs++].val.clusterDim = {cluster, 1, 1};
    }
    if (cooperative) {
        attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
        attributes[config.numAttrs++].val.cooperative = 1;
    }
    int error = cudaLaunchKernelEx(&config, place, d_places, all);
    if (!error)
        error =
            cudaMemcpy(r.places.data(), d_places, blocks * sizeof(Place), cudaMemcpyDeviceToHost);
    if (error) say(" e%d", error);
    cudaMemcpyFromSymbol(&r.most_running, most, 4);
    cudaFree(d_places);
    return r;
}
static size_t distinct(std::vector<u32> values, u32 divisor = 1) {
    for (u32 &v : values) v /= divisor;
    std::sort(values.begin(), values.end());
    return std::unique(values.begin(), values.end()) - values.begin();
}
static int sms_with(const Run &r, int blocks) {
    std::vector<int> on(256);
    for (const Place &p : r.places) on[p.sm % 256]++;
    return (int)std::count(on.begin(), on.end(), blocks);
}
// Groups of `size` blocks in a row whose SMs, divided by `divisor`, are `wanted` different ones.
static int groups_of(const Run &r, size_t size, size_t wanted, u32 divisor = 1) {
    std::vector<u32> all = r.sms();
    int count = 0;
    for (size_t i = 0; i + size <= all.size(); i += size)
        count +=
            distinct(std::vector<u32>(all.begin() + i, all.begin() + i + size), divisor) == wanted;
    return count;
}

HOST(1401) { say(" %zu", distinct(run(132, 1024, 132, 232448).sms())); }
HOST(1402) { say(" %zu", distinct(run(132, 32, 132).sms())); }
HOST(1403) { say(" %d", sms_with(run(264, 32, 264), 2)); }
HOST(1404) { say(" %d", sms_with(run(264, 1024, 264), 2)); }
HOST(1405) { say(" %d", sms_with(run(200, 1024, 200), 2)); }
HOST(1406) {
    Run r = run(33, 32, 33);
    say(" %zu %zu", distinct(r.sms()), distinct(r.sms(), 2));
}
HOST(1407) { say(" %zu", distinct(run(66, 32, 66).sms(), 2)); }
HOST(1408) {
    Run r = run(265, 32, 265);
    say(" %d %d", r.places[132].sm == r.places[0].sm, r.places[264].sm == r.places[0].sm);
}
HOST(1409) {
    Run r = run(264, 1024, 264);
    int same = 0;
    for (int i = 0; i < 132; i++) same += r.places[i].sm == r.places[132 + i].sm;
    say(" %d", same);
}
HOST(1410) {
    Run r = run(132, 32, 132);
    say(" %d %d", r.places[0].sm / 2 == r.places[1].sm / 2,
        r.places[0].sm / 2 == r.places[2].sm / 2);
}
HOST(1411) { say(" %d", groups_of(run(132, 1024, 132, 0, 2), 2, 1, 2)); }
HOST(1412) { say(" %d", groups_of(run(132, 32, 132, 0, 2), 2, 1)); }
HOST(1413) {
    for (unsigned size : {8, 4}) say(" %zu", distinct(run(size, 32, size, 0, size).sms()));
}
HOST(1414) {
    Run r = run(16, 32, 16, 0, 16);
    say(" %zu %zu", distinct(r.sms()), distinct(r.sms(), 2));
}
HOST(1415) { say(" %zu", distinct(run(120, 256, 120, 232448, 4).sms())); }
HOST(1416) {
    Run r = run(132, 1024, 132, 0, 2);
    int even = 0;
    for (int i = 0; i < 132; i += 2) even += r.places[i].sm % 2 == 0;
    say(" %d", even);
}
HOST(1417) {
    Run r = run(120, 1024, 120, 0, 4);
    int rising = 0;
    for (int i = 0; i < 120; i += 4) {
        bool in_a_row = true;
        for (int k = 1; k < 4; k++) in_a_row &= r.places[i + k].sm == r.places[i].sm + k;
        rising += in_a_row;
    }
    say(" %d", rising);
}
HOST(1418) {
    Run r = run(1, 1024, 1);
    int same = 0;
    for (u32 i = 0; i < 32; i++) same += r.places[0].warp[i] == i;
    say(" %d", same);
}
HOST(1419) {
    Run r = run(528, 512, 528);
    std::vector<u32> warps;
    for (const Place &p : r.places)
        if (p.sm == r.places[0].sm) warps.insert(warps.end(), p.warp, p.warp + 16);
    say(" %zu %zu", warps.size(), distinct(warps));
}
HOST(1420) {
    Run r = run(1, 96, 1);
    std::vector<u32> schedulers;
    for (int i = 0; i < 3; i++) schedulers.push_back(r.places[0].warp[i] % 4);
    say(" %zu", distinct(schedulers));
}
DEVICE(1421, " %llu", 1, 1, 1, 0) {
    u64 divisor = 0, before, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
    for (int i = 0; i < 100; i++) {
        __nanosleep(1000);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        for (u64 a = now - before, b = divisor; a;) divisor = a, a = b % a, b = divisor;
        before = now;
    }
    o[0] = divisor;
}
static __global__ void grid_id(u64 *o) { asm volatile("mov.u64 %0, %%gridid;" : "=l"(*o)); }
HOST(1422) {
    u64 *d_out, out[2];
    cudaMalloc(&d_out, 16);
    for (int i = 0; i < 2; i++) grid_id<<<1, 1>>>(d_out + i);
    cudaMemcpy(out, d_out, 16, cudaMemcpyDeviceToHost);
    say(" %lld", (long long)(out[1] - out[0]));
}
HOST(1423) {
    Run r = run(132, 1024, 132);
    int same = 0;
    for (u32 i = 0; i < 132; i++) same += r.places[i].ticket == i;
    say(" %d", same);
}
HOST(1424) {
    Run r = run(1320, 1024, 0);
    bool early = true;
    for (u32 i = 0; i < 132; i++) early &= r.places[i].ticket < 264;
    say(" %d", early);
}
HOST(1425) {
    Run r = run(2640, 32, 2640);
    say(" %d", sms_with(r, 20));
}
HOST(1426) { say(" %u", run(5000, 32, 4224).most_running); }
HOST(1427) {
    Run r = run(dim3(4, 4, 4), 1024, 64);
    bool first = true;
    for (u32 i = 0; i < 64; i++)
        if (r.places[i].ticket < 8) first &= i < 16;
    say(" %d", first);
}
HOST(1428) {
    for (int policy : {1, 2, 9}) {
        say(" %d", cudaFuncSetAttribute(place, cudaFuncAttributeClusterSchedulingPolicyPreference,
                                        policy));
    }
}
HOST(1429) { say(" %d", groups_of(run(117, 1024, 117, 0, 3), 3, 2, 2)); }
HOST(1430) { say(" %u", run(2, 1024, 2, 0, 2).places[0].sm % 2); }
HOST(1431) { say(" %u", run(264, 32, 264, 120 << 10).most_running); }
HOST(1432) { say(" %u", run(264, 32, 264, 112 << 10).most_running); }
HOST(1433) { say(" %zu", distinct(run(132, 1024, 132, 0, 0, true).sms())); }
HOST(1434) { say(" %u", run(132 * 33, 33, 132 * 32).most_running / 132); }
DEVICE(1435, " %llu", 2, 132, 1024, 0) {
    u32 count, own;
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(count));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(own));
    o[0] = count;
    atomicMax(&o[1], (u64)own);
}
