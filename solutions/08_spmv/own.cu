// SPDX-License-Identifier: MIT
// A problem of your own (labs/08_spmv/README.md): PageRank of a web of links. A whole program:
// compile it with
//   nvcc -cudart shared -lineinfo own.cu -o own
// counts: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum/1000000 smsp__inst_executed.sum/1000000 time_us
#include "../../labs/own.cuh"

enum { PAGES = 8192, LINKS = 100000, ITERATIONS = 10 };
enum { LANES = 8, THREADS = 256, LONG = 256 }; // a page with more links than LONG gets a block

// The matrix has no values: what differs between two links is the page that they come from. So the
// rank of a page is divided by its links once, when it is stored, and not at each link.
struct web {
    int *ptr, *from; // links to page i come from the pages from[ptr[i]] .. from[ptr[i + 1] - 1]
    int *out;        // [PAGES]: links that leave a page, at least one
    int *longs;      // the pages with more than LONG links
    int long_count;
};

__device__ void store(web w, int page, float sum, float *rank, float *share) {
    float value = 0.15f / PAGES + 0.85f * sum;
    rank[page] = value;
    share[page] = value / w.out[page];
}

// LANES lanes per page.
__global__ void short_pages(web w, const float *share_in, float *rank, float *share) {
    int page = (blockIdx.x * THREADS + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    int first = w.ptr[page], last = w.ptr[page + 1];
    bool mine = last - first <= LONG;
    float sum = 0;
    if (mine)
        for (int k = first + lane; k < last; k += LANES) sum += share_in[w.from[k]];
    for (int step = LANES / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step, LANES);
    if (mine && lane == 0) store(w, page, sum, rank, share);
}

// One block per page of the list.
__global__ void long_pages(web w, const float *share_in, float *rank, float *share) {
    __shared__ float sums[THREADS / 32];
    int page = w.longs[blockIdx.x];
    float sum = 0;
    for (int k = w.ptr[page] + (int)threadIdx.x; k < w.ptr[page + 1]; k += THREADS)
        sum += share_in[w.from[k]];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int warp = 1; warp < THREADS / 32; warp++) sum += sums[warp];
    store(w, page, sum, rank, share);
}

static double uniform(uint64_t *state) { // 0 .. below 1
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

// Link k goes from k % PAGES to a page of which the first ones are the most popular.
static void make_web(web *h) {
    static int to[LINKS], next[PAGES];
    uint64_t state = 8;
    for (int k = 0; k < LINKS; k++) {
        double u = uniform(&state);
        to[k] = (int)(PAGES * u * u * u * u);
        h->ptr[to[k] + 1]++;
        h->out[k % PAGES]++;
    }
    for (int i = 0; i < PAGES; i++) {
        if (h->ptr[i + 1] > LONG) h->longs[h->long_count++] = i;
        h->ptr[i + 1] += h->ptr[i];
        next[i] = h->ptr[i];
    }
    for (int k = 0; k < LINKS; k++) h->from[next[to[k]]++] = k % PAGES;
}

static void on_device(int **d, const int *h, int count) {
    must(cudaMalloc(d, (size_t)count * sizeof(int)), "allocating the web");
    must(cudaMemcpy(*d, h, (size_t)count * sizeof(int), cudaMemcpyHostToDevice), "copying it");
}

// Pages whose rank differs from that in double precision by more than its roundings.
static int wrong_pages(const web *h, const float *rank) {
    static double old[PAGES], now[PAGES];
    for (int i = 0; i < PAGES; i++) now[i] = 1.0 / PAGES;
    for (int n = 0; n < ITERATIONS; n++) {
        for (int i = 0; i < PAGES; i++) old[i] = now[i] / h->out[i];
        for (int i = 0; i < PAGES; i++) {
            double sum = 0;
            for (int k = h->ptr[i]; k < h->ptr[i + 1]; k++) sum += old[h->from[k]];
            now[i] = 0.15 / PAGES + 0.85 * sum;
        }
    }
    int wrong = 0;
    for (int i = 0; i < PAGES; i++) wrong += !(fabs(rank[i] - now[i]) <= 1e-4 * now[i]);
    return wrong;
}

int main(void) {
    static int ptr[PAGES + 1], from[LINKS], out[PAGES], longs[PAGES];
    static float h_rank[PAGES], h_share[PAGES];
    web h = {ptr, from, out, longs, 0}, d = h;
    make_web(&h);
    d.long_count = h.long_count;
    on_device(&d.ptr, ptr, PAGES + 1);
    on_device(&d.from, from, LINKS);
    on_device(&d.out, out, PAGES);
    on_device(&d.longs, longs, PAGES);
    for (int i = 0; i < PAGES; i++) h_share[i] = 1.0f / PAGES / (float)out[i];
    float *d_rank = NULL, *d_share[2] = {NULL, NULL};
    must(cudaMalloc(&d_rank, sizeof h_rank), "allocating ranks");
    for (int i = 0; i < 2; i++) must(cudaMalloc(&d_share[i], sizeof h_share), "allocating shares");
    must(cudaMemcpy(d_share[0], h_share, sizeof h_share, cudaMemcpyHostToDevice), "copying shares");
    for (int n = 0; n < ITERATIONS; n++) {
        float *in = d_share[n % 2], *next = d_share[(n + 1) % 2];
        short_pages<<<PAGES * LANES / THREADS, THREADS>>>(d, in, d_rank, next);
        long_pages<<<d.long_count, THREADS>>>(d, in, d_rank, next);
    }
    must(cudaGetLastError(), "launching");
    must(cudaMemcpy(h_rank, d_rank, sizeof h_rank, cudaMemcpyDeviceToHost), "copying ranks");
    must(cudaDeviceReset(), "freeing the memory");
    int wrong = wrong_pages(&h, h_rank);
    printf("%d of %d pages are wrong; %d have more than %d links\n", wrong, PAGES, h.long_count,
           LONG);
    return wrong != 0;
}
