// SPDX-License-Identifier: MIT
// What relocatable_part.cu gives and wants.
#ifndef SAMPLES_RELOCATABLE_PART_H
#define SAMPLES_RELOCATABLE_PART_H

extern __constant__ int coefficients[4];
extern __device__ int sharedCounter;

__device__ int polynomial(int x, int power);
__device__ int viaCallback(int x);
__device__ int calledBack(int x); // by the main file

class Accumulator {
  public:
    __device__ explicit Accumulator(int start);
    __device__ void add(int value);
    __device__ int total() const;

  private:
    int sum;
};

void launchFromPart(int increments);

#endif
