// Means: The kernel, or a function that it calls, has an instruction that the simulator does not
// have; the message names it. The kernel did not run, so nothing is known of it. This is a limit
// of the tool, not a mistake of the program.
// Fix: Check the program with that part left out, or a plain version of it beside.
// Sanitizer: It runs the kernel on a GPU, so this does not arise.
__global__ void reduce(unsigned *x) {
    asm volatile("multimem.red.relaxed.sys.global.add.u32 [%0], 1;" ::"l"(x) : "memory");
}
int main() {
    unsigned *x;
    cudaMalloc(&x, 4);
    reduce<<<1, 1>>>(x);
    cudaDeviceSynchronize();
}
