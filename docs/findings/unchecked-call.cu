// Means: A call of the runtime failed, and the program goes on as if it had not: nothing looks at
// the result, and nothing asks for the last error afterwards. The message says why it failed.
// Fix: Check every call, with a macro that prints file and line; here: cudaMemcpyDeviceToHost.
// Sanitizer: memcheck reports the error of the call.
int main() {
    float h[32], *x;
    cudaMalloc(&x, sizeof h);
    cudaMemset(x, 0, sizeof h);
    cudaMemcpy(h, x, sizeof h, cudaMemcpyHostToDevice); // the wrong way
    cudaFree(x);
}
