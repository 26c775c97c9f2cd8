// SPDX-License-Identifier: MIT
// A problem of your own (labs/01_transpose/README.md): an array of records of 8 floats becomes one
// array per field. A whole program: compile it with
//   nvcc -cudart shared -lineinfo own.cu -o own
// counts: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum/l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
// counts: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum/l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
// counts: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
// counts: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
#include "../../labs/own.cuh"

enum { RECORDS = 100003, FIELDS = 8, PITCH = 100032 }; // PITCH: a multiple of a sector's 8 floats
enum { THREADS = 256, TILE = THREADS / FIELDS };       // records that a block converts

// A warp stores 4 whole records at a time: lane l has field l % 8 of record l / 8 and writes word
// (l % 8) * WIDTH + l / 8. With WIDTH 4 mod 32 these are 32 different banks: 8 groups of 4. With
// TILE + 1, as in the square tile, field 0 of record 1 would meet field 1 of record 0.
enum { WIDTH = TILE + 4 };

// records: [RECORDS][FIELDS]; fields: [FIELDS][PITCH].
__global__ void split(const float *records, float *fields) {
    __shared__ float tile[FIELDS * WIDTH];
    int t = threadIdx.x, first = blockIdx.x * TILE; // record
    if (first * FIELDS + t < RECORDS * FIELDS)
        tile[t % FIELDS * WIDTH + t / FIELDS] = records[first * FIELDS + t];
    __syncthreads();
    int field = t / TILE, record = first + t % TILE;
    if (record < RECORDS) fields[field * PITCH + record] = tile[field * WIDTH + t % TILE];
}

int main(void) {
    static float h_records[RECORDS * FIELDS], h_fields[FIELDS * PITCH];
    float *d_records = NULL, *d_fields = NULL;
    for (int i = 0; i < RECORDS * FIELDS; i++) h_records[i] = (float)i; // all different, exact
    must(cudaMalloc(&d_records, sizeof h_records), "allocating the records");
    must(cudaMalloc(&d_fields, sizeof h_fields), "allocating the fields");
    must(cudaMemset(d_fields, 0, sizeof h_fields), "clearing the fields"); // their padding
    must(cudaMemcpy(d_records, h_records, sizeof h_records, cudaMemcpyHostToDevice), "copying");
    split<<<(RECORDS + TILE - 1) / TILE, THREADS>>>(d_records, d_fields);
    must(cudaGetLastError(), "launching");
    must(cudaMemcpy(h_fields, d_fields, sizeof h_fields, cudaMemcpyDeviceToHost), "copying back");
    must(cudaFree(d_records), "freeing the records");
    must(cudaFree(d_fields), "freeing the fields");
    int wrong = 0;
    for (int f = 0; f < FIELDS; f++)
        for (int r = 0; r < RECORDS; r++)
            wrong += h_fields[f * PITCH + r] != h_records[r * FIELDS + f];
    printf("%d of %d values are wrong\n", wrong, RECORDS * FIELDS);
    return wrong != 0;
}
