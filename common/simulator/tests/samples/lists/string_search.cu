// SPDX-License-Identifier: MIT
// Text algorithms: naive matching with overlapping chunks, Knuth-Morris-Pratt a segment, Rabin-Karp
// with a rolling hash, Levenshtein distance along anti-diagonals, letter frequencies.
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "../helper.h"

__constant__ char d_pattern[64];
__constant__ int d_failure[64];

__global__ void naiveSearch(const char *text, int n, int m, int *found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - m) return;
    int k = 0;
    while (k < m && text[i + k] == d_pattern[k]) k++;
    if (k == m) atomicAdd(found, 1);
}

__global__ void kmpSearch(const char *text, int n, int m, int segment, int *found) {
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * segment;
    int stop = min(n, start + segment + m - 1), state = 0, count = 0;
    for (int i = start; i < stop; i++) {
        while (state > 0 && text[i] != d_pattern[state]) state = d_failure[state - 1];
        if (text[i] == d_pattern[state]) state++;
        if (state == m) {
            count++;
            state = d_failure[state - 1];
        }
    }
    if (count) atomicAdd(found, count);
}

__global__ void rabinKarp(const char *text, int n, int m, unsigned target, int segment,
                          int *found) {
    const unsigned base = 257, modulus = 16777213;
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * segment,
        last = min(n - m, start + segment - 1);
    if (start > last) return;
    unsigned long long hash = 0, power = 1;
    for (int k = 0; k < m; k++) {
        hash = (hash * base + (unsigned char)text[start + k]) % modulus;
        if (k) power = power * base % modulus;
    }
    for (int i = start;; i++) {
        if (hash == target) {
            bool same = true;
            for (int k = 0; k < m && same; k++) same = text[i + k] == d_pattern[k];
            if (same) atomicAdd(found, 1);
        }
        if (i == last) break;
        hash = (hash + modulus - (unsigned char)text[i] * power % modulus) % modulus;
        hash = (hash * base + (unsigned char)text[i + m]) % modulus;
    }
}

// One block; three diagonals in shared memory.
__global__ void levenshtein(const char *a, int n, const char *b, int m, int *result) {
    extern __shared__ int diagonals[];
    for (int d = 0; d <= n + m; d++) {
        int *current = diagonals + d % 3 * (n + 1);
        const int *previous = diagonals + (d + 2) % 3 * (n + 1);
        const int *before = diagonals + (d + 1) % 3 * (n + 1);
        for (int i = max(0, d - m) + threadIdx.x; i <= min(d, n); i += blockDim.x) {
            int j = d - i, best;
            if (i == 0)
                best = j;
            else if (j == 0)
                best = i;
            else
                best = min(min(previous[i - 1], previous[i]) + 1,
                           before[i - 1] + (a[i - 1] != b[j - 1]));
            current[i] = best;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) *result = diagonals[(n + m) % 3 * (n + 1) + n];
}

__global__ void letterFrequency(const char *text, int n, unsigned *counts) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        char c = text[i];
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
        if (c >= 'a' && c <= 'z') atomicAdd(&counts[c - 'a'], 1u);
    }
}

static int countHost(const std::string &text, const std::string &pattern) {
    int count = 0;
    for (size_t at = text.find(pattern); at != std::string::npos; at = text.find(pattern, at + 1))
        count++;
    return count;
}

static int distanceHost(const std::string &a, const std::string &b) {
    std::vector<int> row(b.size() + 1), next(row.size());
    for (size_t j = 0; j < row.size(); j++) row[j] = (int)j;
    for (size_t i = 1; i <= a.size(); i++) {
        next[0] = (int)i;
        for (size_t j = 1; j <= b.size(); j++)
            next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
        row.swap(next);
    }
    return row.back();
}

int main(int argc, char **argv) {
    const int n = intOption(argc, argv, "n", 60000);
    HostRandom random(26);
    std::string text;
    const char *words[] = {"warp", "lane", "block", "Grid", "aba", "abab", "sector", " ", " ", "b"};
    while ((int)text.size() < n) text += words[random.below(10)];
    text.resize(n);
    char *d_text;
    int *d_found;
    checkCudaErrors(cudaMalloc(&d_text, n));
    checkCudaErrors(cudaMalloc(&d_found, sizeof(int)));
    checkCudaErrors(cudaMemcpy(d_text, text.data(), n, cudaMemcpyHostToDevice));
    bool passed = true;
    for (std::string pattern : {"abab", "warp lane", "b", "Gridsectorlane", "zebra"}) {
        int m = (int)pattern.size(), found[3], failure[64] = {0};
        unsigned long long hash = 0;
        for (char c : pattern) hash = (hash * 257 + (unsigned char)c) % 16777213;
        for (int i = 1, k = 0; i < m; i++) {
            while (k > 0 && pattern[i] != pattern[k]) k = failure[k - 1];
            if (pattern[i] == pattern[k]) k++;
            failure[i] = k;
        }
        checkCudaErrors(cudaMemcpyToSymbol(d_pattern, pattern.data(), m));
        checkCudaErrors(cudaMemcpyToSymbol(d_failure, failure, sizeof failure));
        for (int kind = 0; kind < 3; kind++) {
            const int segment = 128;
            checkCudaErrors(cudaMemset(d_found, 0, sizeof(int)));
            if (kind == 0) naiveSearch<<<divUp(n, 256), 256>>>(d_text, n, m, d_found);
            if (kind == 1)
                kmpSearch<<<divUp(n, segment * 64), 64>>>(d_text, n, m, segment, d_found);
            if (kind == 2)
                rabinKarp<<<divUp(n, segment * 64), 64>>>(d_text, n, m, (unsigned)hash, segment,
                                                          d_found);
            getLastCudaError("search");
            checkCudaErrors(cudaMemcpy(&found[kind], d_found, sizeof(int), cudaMemcpyDeviceToHost));
        }
        printf("\"%s\": %d %d %d\n", pattern.c_str(), found[0], found[1], found[2]);
        for (int f : found) passed = passed && f == countHost(text, pattern);
    }
    const int la = 400, lb = 351, offset = 1000;
    int distance = 0;
    levenshtein<<<1, 128, 3 * (la + 1) * sizeof(int)>>>(d_text, la, d_text + offset, lb, d_found);
    checkCudaErrors(cudaMemcpy(&distance, d_found, sizeof(int), cudaMemcpyDeviceToHost));
    printf("edit distance %d\n", distance);
    passed = passed && distance == distanceHost(text.substr(0, la), text.substr(offset, lb));

    unsigned *d_counts, counts[26], want[26] = {0};
    checkCudaErrors(cudaMalloc(&d_counts, sizeof counts));
    checkCudaErrors(cudaMemset(d_counts, 0, sizeof counts));
    letterFrequency<<<16, 128>>>(d_text, n, d_counts);
    checkCudaErrors(cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost));
    for (char c : text)
        if (isalpha(c)) want[tolower(c) - 'a']++;
    for (int i = 0; i < 26; i++) {
        passed = passed && counts[i] == want[i];
        if (counts[i]) printf("%c %u\n", 'a' + i, counts[i]);
    }
    return finish("string_search", passed);
}
