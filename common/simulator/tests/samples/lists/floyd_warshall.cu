// SPDX-License-Identifier: MIT
// All shortest paths: the textbook's one launch a vertex, and the blocked version whose three
// phases work on tiles in shared memory; both against the host, with a path walked back at the end.
#include <algorithm>
#include <vector>

#include "../helper.h"

#define TILE 32
#define FAR  (1 << 28)

__global__ void relax(int *dist, int *via, int n, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j >= n) return;
    int through = dist[i * n + k] + dist[k * n + j];
    if (through < dist[i * n + j]) {
        dist[i * n + j] = through;
        via[i * n + j] = k;
    }
}

__global__ void diagonalTile(int *dist, int n, int block) {
    __shared__ int tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, at = (block * TILE + y) * n + block * TILE + x;
    tile[y][x] = dist[at];
    __syncthreads();
    for (int k = 0; k < TILE; k++) {
        tile[y][x] = min(tile[y][x], tile[y][k] + tile[k][x]);
        __syncthreads();
    }
    dist[at] = tile[y][x];
}

__global__ void crossTiles(int *dist, int n, int block) {
    __shared__ int pivot[TILE][TILE], tile[TILE][TILE];
    if (blockIdx.x == block) return;
    bool isRow = blockIdx.y == 0;
    int x = threadIdx.x, y = threadIdx.y, corner = block * TILE;
    int at =
        isRow ? (corner + y) * n + blockIdx.x * TILE + x : (blockIdx.x * TILE + y) * n + corner + x;
    pivot[y][x] = dist[(corner + y) * n + corner + x];
    tile[y][x] = dist[at];
    __syncthreads();
    for (int k = 0; k < TILE; k++) {
        int through = isRow ? pivot[y][k] + tile[k][x] : tile[y][k] + pivot[k][x];
        __syncthreads();
        tile[y][x] = min(tile[y][x], through);
        __syncthreads();
    }
    dist[at] = tile[y][x];
}

__global__ void otherTiles(int *dist, int n, int block) {
    __shared__ int row[TILE][TILE], column[TILE][TILE];
    if (blockIdx.x == block || blockIdx.y == block) return;
    int x = threadIdx.x, y = threadIdx.y, corner = block * TILE;
    int i = blockIdx.y * TILE + y, j = blockIdx.x * TILE + x, best = dist[i * n + j];
    row[y][x] = dist[(corner + y) * n + j];
    column[y][x] = dist[i * n + corner + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k++) best = min(best, column[y][k] + row[k][x]);
    dist[i * n + j] = best;
}

static int walk(const std::vector<int> &via, int n, int from, int to) {
    int middle = via[from * n + to];
    if (middle < 0) {
        printf(" %d", to);
        return 1;
    }
    return walk(via, n, from, middle) + walk(via, n, middle, to);
}

int main(int argc, char **argv) {
    const int tiles = intOption(argc, argv, "tiles", 5), n = tiles * TILE;
    std::vector<int> graph(n * n, FAR), want, got(n * n), blocked(n * n), via(n * n, -1);
    HostRandom random(1962);
    for (int i = 0; i < n; i++) {
        for (int edge = 0; edge < 4; edge++) graph[i * n + random.below(n)] = 1 + random.below(100);
        graph[i * n + i] = 0;
    }
    want = graph;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                want[i * n + j] = std::min(want[i * n + j], want[i * n + k] + want[k * n + j]);

    size_t bytes = (size_t)n * n * sizeof(int);
    int *d_dist, *d_via;
    checkCudaErrors(cudaMalloc(&d_dist, bytes));
    checkCudaErrors(cudaMalloc(&d_via, bytes));
    checkCudaErrors(cudaMemcpy(d_dist, graph.data(), bytes, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemset(d_via, 0xff, bytes));
    for (int k = 0; k < n; k++) relax<<<dim3(divUp(n, 64), n), 64>>>(d_dist, d_via, n, k);
    getLastCudaError("relax");
    checkCudaErrors(cudaMemcpy(got.data(), d_dist, bytes, cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(via.data(), d_via, bytes, cudaMemcpyDeviceToHost));

    checkCudaErrors(cudaMemcpy(d_dist, graph.data(), bytes, cudaMemcpyHostToDevice));
    dim3 threads(TILE, TILE);
    for (int block = 0; block < tiles; block++) {
        diagonalTile<<<1, threads>>>(d_dist, n, block);
        crossTiles<<<dim3(tiles, 2), threads>>>(d_dist, n, block);
        otherTiles<<<dim3(tiles, tiles), threads>>>(d_dist, n, block);
    }
    getLastCudaError("tiles");
    checkCudaErrors(cudaMemcpy(blocked.data(), d_dist, bytes, cudaMemcpyDeviceToHost));

    long long sum = 0;
    int longest = 0;
    for (int value : blocked)
        if (value < FAR) {
            sum += value;
            longest = std::max(longest, value);
        }
    printf("%d vertices, sum of distances %lld, longest %d\n", n, sum, longest);
    printf("path from 0 to %d:", n - 1);
    int edges = walk(via, n, 0, n - 1);
    printf(" (%d edges, length %d)\n", edges, got[n - 1]);
    checkCudaErrors(cudaFree(d_dist));
    checkCudaErrors(cudaFree(d_via));
    return finish("floyd_warshall", got == want && blocked == want);
}
