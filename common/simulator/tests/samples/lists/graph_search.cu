// SPDX-License-Identifier: MIT
// Breadth-first search and shortest paths on a graph in CSR form: level-synchronous BFS, BFS with a
// frontier queue, Bellman-Ford with atomicMin and a worklist; an R-MAT-like and a grid graph.
#include <algorithm>
#include <limits>
#include <queue>
#include <vector>

#include "../helper.h"

struct Graph {
    int vertices;
    std::vector<int> offsets, targets, weights;
};

struct DeviceGraph {
    int vertices;
    const int *offsets, *targets, *weights;
};

constexpr int UNREACHED = std::numeric_limits<int>::max();

__global__ void bfsLevel(DeviceGraph g, int *level, int current, bool *changed) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.vertices || level[v] != current) return;
    for (int e = g.offsets[v]; e < g.offsets[v + 1]; e++) {
        int to = g.targets[e];
        if (level[to] == UNREACHED) {
            level[to] = current + 1;
            *changed = true;
        }
    }
}

__global__ void bfsQueue(DeviceGraph g, int *level, int current, const int *frontier, int size,
                         int *next, int *nextSize) {
    __shared__ int local[512], count, base;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        int v = frontier[i];
        for (int e = g.offsets[v]; e < g.offsets[v + 1]; e++) {
            int to = g.targets[e];
            if (atomicCAS(&level[to], UNREACHED, current + 1) != UNREACHED) continue;
            int slot = atomicAdd(&count, 1);
            if (slot < 512)
                local[slot] = to;
            else
                next[atomicAdd(nextSize, 1)] = to; // spills past the block's buffer
        }
    }
    __syncthreads();
    int kept = min(count, 512);
    if (threadIdx.x == 0) base = atomicAdd(nextSize, kept);
    __syncthreads();
    for (int k = threadIdx.x; k < kept; k += blockDim.x) next[base + k] = local[k];
}

__global__ void relaxEdges(DeviceGraph g, int *distance, const int *active, int *nextActive,
                           int *anyActive) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.vertices || !active[v]) return;
    int mine = distance[v];
    for (int e = g.offsets[v]; e < g.offsets[v + 1]; e++) {
        int to = g.targets[e], candidate = mine + g.weights[e];
        if (atomicMin(&distance[to], candidate) > candidate) {
            nextActive[to] = 1;
            *anyActive = 1;
        }
    }
}

static Graph fromEdges(int vertices, std::vector<std::pair<int, int>> edges, HostRandom &random) {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    Graph g;
    g.vertices = vertices;
    g.offsets.assign(vertices + 1, 0);
    for (auto &e : edges) g.offsets[e.first + 1]++;
    for (int v = 0; v < vertices; v++) g.offsets[v + 1] += g.offsets[v];
    for (auto &e : edges) {
        g.targets.push_back(e.second);
        g.weights.push_back(1 + random.below(50));
    }
    return g;
}

static Graph skewed(int bits, int edgesPerVertex) {
    HostRandom random(31);
    std::vector<std::pair<int, int>> edges;
    for (int e = 0; e < edgesPerVertex << bits; e++) {
        int from = 0, to = 0;
        for (int b = 0; b < bits; b++) {
            int r = random.below(100);
            from = 2 * from + (r >= 76);
            to = 2 * to + (r >= 57 && r < 76) + (r >= 95);
        }
        edges.push_back({from, to});
    }
    return fromEdges(1 << bits, edges, random);
}

static Graph grid(int side) {
    HostRandom random(32);
    std::vector<std::pair<int, int>> edges;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            int v = y * side + x;
            if (x + 1 < side) edges.push_back({v, v + 1}), edges.push_back({v + 1, v});
            if (y + 1 < side) edges.push_back({v, v + side}), edges.push_back({v + side, v});
        }
    return fromEdges(side * side, edges, random);
}

static std::vector<int> dijkstra(const Graph &g, int source, bool weighted) {
    std::vector<int> distance(g.vertices, UNREACHED);
    std::priority_queue<std::pair<int, int>> queue;
    distance[source] = 0;
    queue.push({0, source});
    while (!queue.empty()) {
        auto [negative, v] = queue.top();
        queue.pop();
        if (-negative > distance[v]) continue;
        for (int e = g.offsets[v]; e < g.offsets[v + 1]; e++) {
            int candidate = -negative + (weighted ? g.weights[e] : 1);
            if (candidate >= distance[g.targets[e]]) continue;
            distance[g.targets[e]] = candidate;
            queue.push({-candidate, g.targets[e]});
        }
    }
    return distance;
}

static int *upload(const std::vector<int> &v) {
    int *d;
    checkCudaErrors(cudaMalloc(&d, v.size() * sizeof(int)));
    checkCudaErrors(cudaMemcpy(d, v.data(), v.size() * sizeof(int), cudaMemcpyHostToDevice));
    return d;
}

static bool run(const char *name, const Graph &g) {
    const int source = 0, threads = 128, blocks = divUp(g.vertices, threads);
    DeviceGraph d = {g.vertices, upload(g.offsets), upload(g.targets), upload(g.weights)};
    std::vector<int> start(g.vertices, UNREACHED), got(g.vertices), active(g.vertices, 0);
    start[source] = 0;
    active[source] = 1;
    size_t bytes = g.vertices * sizeof(int);
    int *d_level = upload(start);
    bool *d_changed, changed = true, right = true;
    checkCudaErrors(cudaMalloc(&d_changed, sizeof(bool)));
    int levels = 0;
    for (; changed; levels++) {
        checkCudaErrors(cudaMemset(d_changed, 0, sizeof(bool)));
        bfsLevel<<<blocks, threads>>>(d, d_level, levels, d_changed);
        checkCudaErrors(cudaMemcpy(&changed, d_changed, sizeof(bool), cudaMemcpyDeviceToHost));
    }
    std::vector<int> want = dijkstra(g, source, false);
    checkCudaErrors(cudaMemcpy(got.data(), d_level, bytes, cudaMemcpyDeviceToHost));
    right = right && got == want;
    printf("%s: %d vertices, %zu edges, %d levels\n", name, g.vertices, g.targets.size(), levels);

    checkCudaErrors(cudaMemcpy(d_level, start.data(), bytes, cudaMemcpyHostToDevice));
    int *frontier = upload(start), *next = upload(start), *d_size, size = 1, zero = 0;
    checkCudaErrors(cudaMalloc(&d_size, sizeof(int)));
    checkCudaErrors(cudaMemcpy(frontier, &zero, sizeof(int), cudaMemcpyHostToDevice));
    int visited = 0;
    for (int level = 0; size > 0; level++) {
        visited += size;
        checkCudaErrors(cudaMemset(d_size, 0, sizeof(int)));
        bfsQueue<<<divUp(size, threads), threads>>>(d, d_level, level, frontier, size, next,
                                                    d_size);
        checkCudaErrors(cudaMemcpy(&size, d_size, sizeof(int), cudaMemcpyDeviceToHost));
        std::swap(frontier, next);
    }
    checkCudaErrors(cudaMemcpy(got.data(), d_level, bytes, cudaMemcpyDeviceToHost));
    right = right && got == want;
    printf("%s: queue visited %d\n", name, visited);

    checkCudaErrors(cudaMemcpy(d_level, start.data(), bytes, cudaMemcpyHostToDevice));
    int *d_active = upload(active), *d_next = upload(active), any = 1;
    while (any) {
        checkCudaErrors(cudaMemset(d_next, 0, bytes));
        checkCudaErrors(cudaMemset(d_size, 0, sizeof(int)));
        relaxEdges<<<blocks, threads>>>(d, d_level, d_active, d_next, d_size);
        checkCudaErrors(cudaMemcpy(&any, d_size, sizeof(int), cudaMemcpyDeviceToHost));
        std::swap(d_active, d_next);
    }
    want = dijkstra(g, source, true);
    checkCudaErrors(cudaMemcpy(got.data(), d_level, bytes, cudaMemcpyDeviceToHost));
    right = right && got == want;
    int farthest = 0;
    for (int v : got) farthest = v != UNREACHED && v > farthest ? v : farthest;
    printf("%s: farthest at distance %d\n", name, farthest);
    return right;
}

int main(int argc, char **argv) {
    bool passed = run("skewed", skewed(intOption(argc, argv, "bits", 12), 8));
    passed = run("grid", grid(40)) && passed;
    return finish("graph_search", passed);
}
