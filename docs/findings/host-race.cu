// Means: Host code reads or writes page-locked or managed memory while a launch, copy or fill may
// still be using it: the call that put the work into its stream returns before the work is done,
// and no call has waited since. The simulator has done the work by then, so that the result does
// not show it; on a GPU the host may read what was there before, or overwrite what is still to be
// read. Only ladder check --host-accesses looks for it.
// Fix: Let the host wait before that line: cudaStreamSynchronize(), cudaDeviceSynchronize(), or
// cudaEventSynchronize() on an event recorded behind the work. A flag that the kernel sets with a
// volatile store or an atomic of system scope, and that the host polls, is such a wait, too.
// Sanitizer: No tool reports it.
#include <stdio.h>
int main() {
    int *x, *result;
    cudaMalloc(&x, 4);
    cudaMallocHost(&result, 4);
    cudaMemset(x, 0, 4);
    cudaMemcpyAsync(result, x, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", *result); // the copy may not be done
    cudaDeviceSynchronize();
    cudaFreeHost(result);
    cudaFree(x);
}
