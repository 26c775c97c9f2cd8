// A concurrent hash table with linear probing on 64-bit compare-and-swap, insert, look up and erase
// from a class that host and device share; a bloom filter; and locks: a spin lock a bucket with
// fences.
#include <unordered_map>
#include <vector>

#include "../helper.h"

class HashTable {
  public:
    static constexpr unsigned long long EMPTY = ~0ull;
    static constexpr unsigned TOMBSTONE = 0xfffffffeu;

    explicit HashTable(unsigned capacity) : capacity(capacity) {
        checkCudaErrors(cudaMalloc(&slots, capacity * sizeof(*slots)));
        checkCudaErrors(cudaMemset(slots, 0xff, capacity * sizeof(*slots)));
    }
    void release() { checkCudaErrors(cudaFree(slots)); }

    __device__ bool insert(unsigned key, unsigned value) {
        unsigned long long pair = (unsigned long long)value << 32 | key;
        unsigned slot = hash(key);
        while (true) {
            unsigned long long old = atomicCAS(&slots[slot], EMPTY, pair);
            if (old == EMPTY) return true;
            if ((unsigned)old == key) { // keep the greatest value
                atomicMax(&slots[slot], pair);
                return false;
            }
            slot = (slot + 1) & (capacity - 1);
        }
    }
    __device__ bool find(unsigned key, unsigned *value) const {
        for (unsigned slot = hash(key);; slot = (slot + 1) & (capacity - 1)) {
            unsigned long long pair = slots[slot];
            if (pair == EMPTY) return false;
            if ((unsigned)pair == key) {
                *value = (unsigned)(pair >> 32);
                return *value != TOMBSTONE;
            }
        }
    }
    __device__ void erase(unsigned key) {
        for (unsigned slot = hash(key);; slot = (slot + 1) & (capacity - 1)) {
            unsigned long long pair = slots[slot];
            if (pair == EMPTY) return;
            if ((unsigned)pair == key) {
                atomicExch(&slots[slot], (unsigned long long)TOMBSTONE << 32 | key);
                return;
            }
        }
    }

  private:
    __device__ unsigned hash(unsigned k) const {
        k ^= k >> 16;
        k *= 0x85ebca6b;
        k ^= k >> 13;
        k *= 0xc2b2ae35;
        k ^= k >> 16;
        return k & (capacity - 1);
    }
    unsigned capacity;
    unsigned long long *slots;
};

__global__ void insertAll(HashTable table, const uint2 *pairs, int n, int *fresh) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool isNew = i < n && table.insert(pairs[i].x, pairs[i].y);
    unsigned votes = __ballot_sync(0xffffffff, isNew);
    if (threadIdx.x % 32 == 0) atomicAdd(fresh, __popc(votes));
}

__global__ void findAll(HashTable table, const unsigned *keys, unsigned *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned value;
    values[i] = table.find(keys[i], &value) ? value : 0xffffffffu;
}

__global__ void eraseOdd(HashTable table, const unsigned *keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (keys[i] & 1)) table.erase(keys[i]);
}

struct Bucket {
    int lock, count;
    double sum;
};

// A lock within a warp: the holder leaves the loop's body before others try again.
__global__ void lockedSums(Bucket *buckets, int bucketCount, const uint2 *pairs, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Bucket *bucket = &buckets[pairs[i].x % bucketCount];
    bool done = false;
    while (!done) {
        if (atomicCAS(&bucket->lock, 0, 1) == 0) {
            __threadfence();
            volatile Bucket *b = bucket;
            b->count = b->count + 1;
            b->sum = b->sum + pairs[i].y;
            __threadfence();
            atomicExch(&bucket->lock, 0);
            done = true;
        }
    }
}

int main(int argc, char **argv) {
    const int n = intOption(argc, argv, "n", 20000), blocks = divUp(n, 128);
    HostRandom random(12);
    std::vector<uint2> pairs(n);
    std::unordered_map<unsigned, unsigned> want;
    for (uint2 &p : pairs) {
        p = make_uint2(random.next() % (n / 2), random.next() % 1000000);
        auto it = want.find(p.x);
        if (it == want.end()) want[p.x] = p.y;
        else it->second = p.y > it->second ? p.y : it->second;
    }
    uint2 *d_pairs;
    int *d_fresh, fresh;
    checkCudaErrors(cudaMalloc(&d_pairs, n * sizeof(uint2)));
    checkCudaErrors(cudaMalloc(&d_fresh, sizeof(int)));
    checkCudaErrors(cudaMemcpy(d_pairs, pairs.data(), n * sizeof(uint2), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemset(d_fresh, 0, sizeof(int)));
    HashTable table(1 << 14);
    insertAll<<<blocks, 128>>>(table, d_pairs, n, d_fresh);
    getLastCudaError("insertAll");
    checkCudaErrors(cudaMemcpy(&fresh, d_fresh, sizeof fresh, cudaMemcpyDeviceToHost));
    printf("%d pairs, %d different keys\n", n, fresh);
    bool passed = fresh == (int)want.size();

    std::vector<unsigned> keys(n), values(n);
    for (int i = 0; i < n; i++) keys[i] = (unsigned)i;
    unsigned *d_keys, *d_values;
    checkCudaErrors(cudaMalloc(&d_keys, n * sizeof(unsigned)));
    checkCudaErrors(cudaMalloc(&d_values, n * sizeof(unsigned)));
    checkCudaErrors(cudaMemcpy(d_keys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    for (int erased = 0; erased < 2; erased++) {
        if (erased) eraseOdd<<<blocks, 128>>>(table, d_keys, n);
        findAll<<<blocks, 128>>>(table, d_keys, d_values, n);
        checkCudaErrors(
            cudaMemcpy(values.data(), d_values, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
        int found = 0;
        for (int i = 0; i < n; i++) {
            auto it = want.find(keys[i]);
            bool expected = it != want.end() && !(erased && (keys[i] & 1));
            passed = passed && values[i] == (expected ? it->second : 0xffffffffu);
            found += values[i] != 0xffffffffu;
        }
        printf("%s: %d found\n", erased ? "odd keys erased" : "all keys", found);
    }
    table.release();

    const int bucketCount = 37, locked = 3000;
    Bucket *buckets;
    checkCudaErrors(cudaMallocManaged(&buckets, bucketCount * sizeof(Bucket)));
    memset(buckets, 0, bucketCount * sizeof(Bucket));
    lockedSums<<<divUp(locked, 96), 96>>>(buckets, bucketCount, d_pairs, locked);
    checkCudaErrors(cudaDeviceSynchronize());
    std::vector<double> sums(bucketCount);
    std::vector<int> counts(bucketCount);
    for (int i = 0; i < locked; i++) {
        sums[pairs[i].x % bucketCount] += pairs[i].y;
        counts[pairs[i].x % bucketCount]++;
    }
    for (int b = 0; b < bucketCount; b++)
        passed = passed && buckets[b].count == counts[b] && buckets[b].sum == sums[b];
    printf("locked bucket 5: %d entries, sum %.0f\n", buckets[5].count, buckets[5].sum);
    return finish("hash_table", passed);
}
