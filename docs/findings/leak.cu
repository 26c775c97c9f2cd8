// Means: The program ended with memory allocated. The number says which of its allocations, in
// their order. Nothing is wrong with the results, so it is a warning; a program that goes on for
// long runs out of memory.
// Fix: cudaFree() for each cudaMalloc(), also on the ways out after an error.
// Sanitizer: memcheck --leak-check full reports it.
int main() {
    float *x;
    cudaMalloc(&x, 128);
}
