// Conditional nodes of graphs: if with and without else, while, switch, one inside another; their
// defaults, copies and updates, and calls that are wrong. The while loop is that of an H200.
// options: -rdc=true
// architectures: 90
// since: 13.0
// engine: yes
#include "../check.h"

typedef cudaGraphConditionalHandle handle;

// Steps until a number is 1 by halving even ones and taking 3x + 1 of odd ones.
__global__ void halve(long long *x, int *steps, handle again) {
    *x = *x % 2 ? 3 * *x + 1 : *x / 2;
    ++*steps;
    cudaGraphSetConditional(again, *x != 1);
}

__global__ void choose(const int *number, handle h) { cudaGraphSetConditional(h, *number); }

__global__ void add(int *sum, int number) { *sum += number; }

static int *d_n; // [4]

static void put(int at, int value) {
    CUDA_CHECK(cudaMemcpy(d_n + at, &value, sizeof value, cudaMemcpyHostToDevice));
}

static int at(int place) {
    int value;
    CUDA_CHECK(cudaMemcpy(&value, d_n + place, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static cudaGraphNode_t kernel(cudaGraph_t g, const cudaGraphNode_t *after, const void *function,
                              void **arguments) {
    cudaGraphNode_t node;
    cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
    p.kernel.func = (void *)function;
    p.kernel.gridDim = p.kernel.blockDim = dim3(1);
    p.kernel.kernelParams = arguments;
    CUDA_CHECK(cudaGraphAddNode(&node, g, after, nullptr, after ? 1 : 0, &p));
    return node;
}

static void adds(cudaGraph_t g, int number) {
    int *sum = d_n + 1;
    void *arguments[] = {&sum, &number};
    kernel(g, nullptr, (const void *)add, arguments);
}

static cudaError_t condition(cudaGraph_t g, const cudaGraphNode_t *after, handle h,
                             cudaGraphConditionalNodeType type, unsigned size,
                             cudaGraph_t **out_bodies, cudaGraphNode_t *out_node) {
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = size;
    cudaError_t status = cudaGraphAddNode(out_node, g, after, nullptr, after ? 1 : 0, &p);
    *out_bodies = p.conditional.phGraph_out;
    return status;
}

static handle handle_of(cudaGraph_t g, unsigned value, unsigned flags) {
    handle h;
    CUDA_CHECK(cudaGraphConditionalHandleCreate(&h, g, value, flags));
    return h;
}

static cudaGraphExec_t instance(cudaGraph_t g) {
    cudaGraphExec_t exec;
    CUDA_CHECK(cudaGraphInstantiate(&exec, g, 0));
    return exec;
}

static void run(cudaGraphExec_t exec) {
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void loops_until_its_kernel_says_so() {
    cudaGraph_t g, *bodies, clone;
    cudaGraphNode_t loop;
    long long *x, start = 27;
    int *steps = d_n;
    CUDA_CHECK(cudaMalloc(&x, sizeof *x));
    CUDA_CHECK(cudaGraphCreate(&g, 0));
    handle again = handle_of(g, 1, cudaGraphCondAssignDefault);
    CUDA_CHECK(condition(g, nullptr, again, cudaGraphCondTypeWhile, 1, &bodies, &loop));
    void *arguments[] = {&x, &steps, &again};
    kernel(bodies[0], nullptr, (const void *)halve, arguments);
    EXPECT_ERROR(cudaGraphClone(&clone, g), cudaErrorNotSupported);
    cudaGraphExec_t execs[] = {instance(g), instance(g)};
    for (int round = 0; round < 3; round++) { // each launch begins with the default
        CUDA_CHECK(cudaMemcpy(x, &start, sizeof start, cudaMemcpyHostToDevice));
        put(0, 0);
        run(execs[round / 2]);
        EXPECT(at(0) == 111);
    }
    for (cudaGraphExec_t exec : execs) CUDA_CHECK(cudaGraphExecDestroy(exec));
    cudaGraphNodeType type;
    CUDA_CHECK(cudaGraphNodeGetType(loop, &type));
    EXPECT(type == cudaGraphNodeTypeConditional);
    CUDA_CHECK(cudaGraphDestroy(g));
    CUDA_CHECK(cudaFree(x));
}

// What `size` bodies of a kind add for the number in d_n[0]: body i 10^i.
static void bodies_are_chosen(cudaGraphConditionalNodeType type, unsigned size, const int *wanted,
                              int count) {
    cudaGraph_t g, *bodies;
    cudaGraphNode_t node;
    int *number = d_n, power = 1;
    CUDA_CHECK(cudaGraphCreate(&g, 0));
    handle h = handle_of(g, 0, 0);
    void *arguments[] = {&number, &h};
    cudaGraphNode_t first = kernel(g, nullptr, (const void *)choose, arguments);
    CUDA_CHECK(condition(g, &first, h, type, size, &bodies, &node));
    for (unsigned i = 0; i < size; i++, power *= 10) adds(bodies[i], power);
    cudaGraphExec_t exec = instance(g);
    for (int i = 0; i < count; i++) {
        put(0, i);
        put(1, 0);
        run(exec);
        EXPECT(at(1) == wanted[i]);
    }
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(g));
}

// An if in the body of a switch, whose condition is that of the body's graph; then an update.
static void one_inside_another() {
    cudaGraph_t graphs[2], *outer, *inner;
    cudaGraphNode_t node;
    for (int i = 0; i < 2; i++) {
        cudaGraph_t g;
        CUDA_CHECK(cudaGraphCreate(&graphs[i], 0));
        g = graphs[i];
        handle h = handle_of(g, i, cudaGraphCondAssignDefault);
        CUDA_CHECK(condition(g, nullptr, h, cudaGraphCondTypeSwitch, 2, &outer, &node));
        handle yes = handle_of(outer[0], 1, cudaGraphCondAssignDefault);
        CUDA_CHECK(condition(outer[0], nullptr, yes, cudaGraphCondTypeIf, 1, &inner, &node));
        adds(inner[0], 5 + i);
        adds(outer[1], 100);
    }
    cudaGraphExec_t exec = instance(graphs[0]);
    put(1, 0);
    run(exec);
    EXPECT(at(1) == 5);
    cudaGraphExecUpdateResultInfo info;
    CUDA_CHECK(cudaGraphExecUpdate(exec, graphs[1], &info));
    run(exec);
    EXPECT(at(1) == 105);
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    for (cudaGraph_t g : graphs) CUDA_CHECK(cudaGraphDestroy(g));
}

static void nothing(void *) {}

static void mistakes() {
    cudaGraph_t g, other, *bodies;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    handle h;
    CUDA_CHECK(cudaGraphCreate(&g, 0));
    CUDA_CHECK(cudaGraphCreate(&other, 0));
    EXPECT_ERROR(cudaGraphConditionalHandleCreate(nullptr, g, 0, 0), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaGraphConditionalHandleCreate(&h, g, 0, 2), cudaErrorInvalidValue);
    h = handle_of(g, 0, 0);
    EXPECT_ERROR(cudaGraphInstantiate(&exec, g, 0), cudaErrorInvalidValue); // nobody looks at it
    EXPECT_ERROR(condition(other, nullptr, h, cudaGraphCondTypeIf, 1, &bodies, &node),
                 cudaErrorInvalidValue);
    EXPECT_ERROR(condition(g, nullptr, h, cudaGraphCondTypeIf, 3, &bodies, &node),
                 cudaErrorInvalidValue);
    EXPECT_ERROR(condition(g, nullptr, h, cudaGraphCondTypeWhile, 2, &bodies, &node),
                 cudaErrorInvalidValue);
    EXPECT_ERROR(condition(g, nullptr, h, cudaGraphCondTypeSwitch, 0, &bodies, &node),
                 cudaErrorInvalidValue);
    CUDA_CHECK(condition(g, nullptr, h, cudaGraphCondTypeIf, 1, &bodies, &node));
    cudaGraph_t body = bodies[0];
    EXPECT_ERROR(condition(g, nullptr, h, cudaGraphCondTypeIf, 1, &bodies, &node),
                 cudaErrorInvalidValue); // it has a node
    EXPECT_ERROR(cudaGraphDestroy(body), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaGraphAddChildGraphNode(&node, other, nullptr, 0, g), cudaErrorNotSupported);
    cudaHostNodeParams host = {nothing, nullptr};
    CUDA_CHECK(cudaGraphAddHostNode(&node, body, nullptr, 0, &host));
    EXPECT_ERROR(cudaGraphInstantiate(&exec, g, 0), cudaErrorInvalidValue);
    CUDA_CHECK(cudaGraphDestroy(g));
    CUDA_CHECK(cudaGraphDestroy(other));
}

int main() {
    CUDA_CHECK(cudaMalloc(&d_n, 4 * sizeof *d_n));
    CUDA_CHECK(cudaMemset(d_n, 0, 4 * sizeof *d_n));
    loops_until_its_kernel_says_so();
    const int alone[] = {0, 1, 1}, both[] = {10, 1, 1}, many[] = {1, 10, 100, 0};
    bodies_are_chosen(cudaGraphCondTypeIf, 1, alone, 3);
    bodies_are_chosen(cudaGraphCondTypeIf, 2, both, 3);
    bodies_are_chosen(cudaGraphCondTypeSwitch, 3, many, 4);
    one_inside_another();
    mistakes();
    CUDA_CHECK(cudaFree(d_n));
    printf("ok\n");
    return 0;
}
