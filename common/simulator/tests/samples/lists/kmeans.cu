// Lloyd's k-means with points as a structure of arrays, centroids in constant memory, per-block
// sums in shared memory by integer atomics; coordinates are fixed point so that sums have no order.
#include <vector>

#include "../helper.h"

constexpr int K = 12, DIMENSIONS = 3;

__constant__ int centroids[K][DIMENSIONS];

template <int D> struct Points {
    int *coordinate[D];
    int count;
};

__global__ void assign(Points<DIMENSIONS> points, int *label, unsigned long long *sums, int *sizes,
                       int *moved) {
    __shared__ unsigned long long blockSums[K][DIMENSIONS];
    __shared__ int blockSizes[K];
    for (int i = threadIdx.x; i < K * DIMENSIONS; i += blockDim.x) (&blockSums[0][0])[i] = 0;
    for (int i = threadIdx.x; i < K; i += blockDim.x) blockSizes[i] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, changed = 0;
    if (i < points.count) {
        int p[DIMENSIONS], best = 0;
        for (int d = 0; d < DIMENSIONS; d++) p[d] = points.coordinate[d][i];
        long long least = INT64_MAX;
        for (int k = 0; k < K; k++) {
            long long distance = 0;
            for (int d = 0; d < DIMENSIONS; d++) {
                long long delta = p[d] - centroids[k][d];
                distance += delta * delta;
            }
            if (distance < least) {
                least = distance;
                best = k;
            }
        }
        changed = label[i] != best;
        label[i] = best;
        for (int d = 0; d < DIMENSIONS; d++)
            atomicAdd(&blockSums[best][d], (unsigned long long)p[d]);
        atomicAdd(&blockSizes[best], 1);
    }
    changed = __syncthreads_count(changed);
    for (int k = threadIdx.x; k < K * DIMENSIONS; k += blockDim.x)
        atomicAdd(&sums[k], (&blockSums[0][0])[k]);
    for (int k = threadIdx.x; k < K; k += blockDim.x) atomicAdd(&sizes[k], blockSizes[k]);
    if (threadIdx.x == 0 && changed) atomicAdd(moved, changed);
}

int main(int argc, char **argv) {
    const int n = intOption(argc, argv, "n", 20000);
    HostRandom random(6);
    std::vector<int> coordinates[DIMENSIONS], label(n, -1), hostLabel(n, -1), got(n);
    Points<DIMENSIONS> points;
    points.count = n;
    for (int d = 0; d < DIMENSIONS; d++) coordinates[d].resize(n);
    for (int i = 0; i < n; i++) {
        int cluster = random.below(K);
        for (int d = 0; d < DIMENSIONS; d++)
            coordinates[d][i] =
                10000 * ((cluster >> d) % 3 + 1) + random.below(6000) + random.below(6000);
    }
    int centre[K][DIMENSIONS], hostCentre[K][DIMENSIONS];
    for (int k = 0; k < K; k++)
        for (int d = 0; d < DIMENSIONS; d++)
            centre[k][d] = hostCentre[k][d] = coordinates[d][k * 37];
    for (int d = 0; d < DIMENSIONS; d++) {
        checkCudaErrors(cudaMalloc(&points.coordinate[d], n * sizeof(int)));
        checkCudaErrors(cudaMemcpy(points.coordinate[d], coordinates[d].data(), n * sizeof(int),
                                   cudaMemcpyHostToDevice));
    }
    int *d_label;
    struct Totals {
        unsigned long long sums[K * DIMENSIONS];
        int sizes[K], moved;
    } totals, *d_totals;
    checkCudaErrors(cudaMalloc(&d_label, n * sizeof(int)));
    checkCudaErrors(cudaMemset(d_label, 0xff, n * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_totals, sizeof(Totals)));
    int iterations = 0;
    do {
        checkCudaErrors(cudaMemcpyToSymbol(centroids, centre, sizeof centre));
        checkCudaErrors(cudaMemset(d_totals, 0, sizeof(Totals)));
        assign<<<divUp(n, 256), 256>>>(points, d_label, d_totals->sums, d_totals->sizes,
                                       &d_totals->moved);
        getLastCudaError("assign");
        checkCudaErrors(cudaMemcpy(&totals, d_totals, sizeof(Totals), cudaMemcpyDeviceToHost));
        for (int k = 0; k < K; k++)
            for (int d = 0; d < DIMENSIONS && totals.sizes[k]; d++)
                centre[k][d] = (int)(totals.sums[k * DIMENSIONS + d] / totals.sizes[k]);
    } while (totals.moved > 0 && ++iterations < 40);
    checkCudaErrors(cudaMemcpy(got.data(), d_label, n * sizeof(int), cudaMemcpyDeviceToHost));

    for (int it = 0; it <= iterations; it++) {
        long long sums[K][DIMENSIONS] = {}, sizes[K] = {};
        for (int i = 0; i < n; i++) {
            long long least = INT64_MAX;
            for (int k = 0; k < K; k++) {
                long long distance = 0;
                for (int d = 0; d < DIMENSIONS; d++) {
                    long long delta = coordinates[d][i] - hostCentre[k][d];
                    distance += delta * delta;
                }
                if (distance < least) least = distance, hostLabel[i] = k;
            }
            for (int d = 0; d < DIMENSIONS; d++) sums[hostLabel[i]][d] += coordinates[d][i];
            sizes[hostLabel[i]]++;
        }
        for (int k = 0; k < K; k++)
            for (int d = 0; d < DIMENSIONS && sizes[k]; d++)
                hostCentre[k][d] = (int)(sums[k][d] / sizes[k]);
        if (it == 39) break;
    }
    printf("%d points, %d clusters, %d iterations\n", n, K, iterations);
    for (int k = 0; k < K; k++)
        printf("cluster %2d: %5d points at (%d, %d, %d)\n", k, totals.sizes[k], centre[k][0],
               centre[k][1], centre[k][2]);
    return finish("kmeans", got == hostLabel);
}
