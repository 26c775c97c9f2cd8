// fork: a child may use the device only if its parent has not; threads of the parent launch
// meanwhile.
#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "../check.h"

__global__ void add(int *place, int value) { atomicAdd(place, value); }

static int run_once() {
    int *place, result = 0;
    CUDA_CHECK(cudaMalloc(&place, sizeof *place));
    CUDA_CHECK(cudaMemset(place, 0, sizeof *place));
    add<<<4, 32>>>(place, 2);
    CUDA_CHECK(cudaMemcpy(&result, place, sizeof result, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(place));
    return result;
}

static void wait_for(pid_t child) {
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main() {
    pid_t early = fork(); // before the device is used: each has its own
    if (early == 0) exit(run_once() == 256 ? 0 : 1);
    EXPECT(run_once() == 256);
    wait_for(early);

    std::atomic<bool> stop{false};
    std::thread launcher([&] {
        while (!stop) EXPECT(run_once() == 256);
    });
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        if (child == 0) {
            int *more;
            EXPECT_ERROR(cudaMalloc(&more, 64), cudaErrorInitializationError);
            EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorInitializationError);
            exit(0);
        }
        wait_for(child);
    }
    stop = true;
    launcher.join();
    EXPECT(run_once() == 256);
    printf("ok\n");
    return 0;
}
