// The rest of devices.cu: faults, and what is captured.

// ---- faults -------------------------------------------------------------------------------------

SECTION(no_access) {
    int *p1 = make(1, 11), *out = make(0, 0), *q1;
    on(0);
    get<<<1, 1>>>(p1, out);
    SAY(601, "%d", cudaDeviceSynchronize());
    SAY(602, "%d %d", cudaGetLastError(), cudaGetLastError());
    SAY(603, "%d %d", cudaMalloc(&q1, 64), on(1));
    SAY(604, "%d", cudaMalloc(&q1, 64));
    set<<<1, 1>>>(q1, 3);
    SAY(605, "%d", cudaGetLastError());
    SAY(606, "%d %d", cudaDeviceSynchronize(), value_of(q1));
    SAY(607, "%d", cudaMemcpyPeer(q1, 1, out, 0, 4));
    SAY(608, "%d", cudaDeviceReset());
    on(0);
    SAY(609, "%d", cudaDeviceReset());
    SAY(610, "%d", cudaMalloc(&q1, 64));
    SAY(611, "%d", on(1));
    SAY(612, "%d", cudaMalloc(&q1, 64));
}
SECTION(trapped) {
    int *p1 = make(1, 11);
    on(0), trap<<<1, 1>>>();
    on(1);
    set<<<1, 1>>>(p1, 4);
    SAY(621, "%d", cudaDeviceSynchronize());
    SAY(622, "%d", value_of(p1));
    on(0);
    SAY(623, "%d", cudaDeviceSynchronize());
    on(1);
    SAY(624, "%d %d", cudaDeviceSynchronize(), value_of(p1));
}
SECTION(disabled) {
    int *p1 = make(1, 11);
    on(0), cudaDeviceEnablePeerAccess(1, 0);
    set<<<1, 1>>>(p1, 4), cudaDeviceSynchronize();
    cudaDeviceDisablePeerAccess(1);
    set<<<1, 1>>>(p1, 5);
    SAY(631, "%d", cudaDeviceSynchronize());
}
SECTION(one_way) {
    int *p0 = make(0, 11);
    on(0), cudaDeviceEnablePeerAccess(1, 0);
    on(1), set<<<1, 1>>>(p0, 5);
    SAY(632, "%d", cudaDeviceSynchronize());
}
SECTION(atomic_without) {
    int *p1 = make(1, 11);
    on(0), add<<<1, 1>>>(p1, 5);
    SAY(633, "%d", cudaDeviceSynchronize());
}
SECTION(variable_of_other) {
    int *v1, *out = make(0, 0);
    on(1), cudaGetSymbolAddress((void **)&v1, variable);
    on(0), cudaDeviceEnablePeerAccess(1, 0);
    get<<<1, 1>>>(v1, out);
    SAY(634, "%d %d", cudaDeviceSynchronize(), value_of(out));
}
SECTION(heap_of_other) {
    int **place, *p, *out = make(0, 0);
    on(1), cudaMalloc(&place, 8);
    take<<<1, 1>>>(place), cudaMemcpy(&p, place, 8, cudaMemcpyDefault);
    on(0), cudaDeviceEnablePeerAccess(1, 0);
    get<<<1, 1>>>(p, out);
    SAY(635, "%d %d", cudaDeviceSynchronize(), value_of(out));
}
SECTION(texture_of_other) {
    float *m, *out;
    on(0), cudaMalloc(&m, 4096), cudaMemset(m, 0, 4096);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = m, r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 4096;
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &r, &d, nullptr);
    on(1), cudaMalloc(&out, 4);
    fetch<<<1, 1>>>(t, out);
    SAY(636, "%d", cudaDeviceSynchronize());
}
SECTION(pool_without) {
    int *p, *out = make(1, 0);
    on(0), cudaMallocAsync(&p, 4096, 0), cudaStreamSynchronize(0);
    on(1), cudaDeviceEnablePeerAccess(0, 0);
    get<<<1, 1>>>(p, out);
    SAY(637, "%d", cudaDeviceSynchronize());
}
SECTION(valid_devices) {
    int list[] = {1, 0}, device = -1, bad[] = {2};
    int a = cudaSetValidDevices(list, 2);
    cudaGetDevice(&device);
    int before = device;
    cudaFree(0);
    cudaGetDevice(&device);
    SAY(638, "%d %d %d %d", a, before, device, cudaSetValidDevices(bad, 1));
}
SECTION(choose) {
    cudaDeviceProp p = {};
    int device = -1, a = cudaChooseDevice(&device, &p);
    SAY(639, "%d %d", a, device);
}
SECTION(reset_streams) {
    cudaStream_t s1;
    cudaEvent_t e1;
    on(1), cudaStreamCreate(&s1), cudaEventCreate(&e1);
    int *p1 = make(1, 1);
    on(0), cudaFree(0);
    on(1), cudaDeviceReset();
    on(0);
    SAY(640, "%d", cudaFree(p1));
    int device;
    cudaGetDevice(&device);
    SAY(641, "%d", device);
}

static void captures(bool access, int base) {
    cudaStream_t s0, s1;
    cudaEvent_t fork, join;
    int *p0 = make(0, 0), *p1 = make(1, 0);
    on(1), cudaStreamCreate(&s1), cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
    if (access) cudaDeviceEnablePeerAccess(0, 0);
    on(0), cudaStreamCreate(&s0), cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    if (access) cudaDeviceEnablePeerAccess(1, 0);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaStreamBeginCapture(s0, cudaStreamCaptureModeGlobal);
    set<<<1, 1, 0, s0>>>(p0, 31);
    int b = cudaEventRecord(fork, s0), c = cudaStreamWaitEvent(s1, fork, 0);
    on(1);
    set<<<1, 1, 0, s1>>>(p1, 32);
    int d = cudaGetLastError(), e = cudaEventRecord(join, s1);
    on(0);
    int f = cudaStreamWaitEvent(s0, join, 0);
    int h = cudaStreamEndCapture(s0, &graph);
    SAY(base, "%d %d %d %d %d %d", b, c, d, e, f, h);
    int a = cudaGraphInstantiate(&exec, graph, 0);
    b = cudaGraphLaunch(exec, s0);
    c = cudaStreamSynchronize(s0);
    SAY(base + 1, "%d %d %d %d %d", a, b, c, value_of(p0), value_of(p1));
    a = cudaGraphLaunch(exec, s1);
    SAY(base + 2, "%d %d", a, cudaStreamSynchronize(s1));
    cudaGetLastError();
    for (int way = 0; way < 4; way++) {
        cudaStreamBeginCapture(s0, cudaStreamCaptureModeGlobal);
        set<<<1, 1, 0, s0>>>(p0, 40 + way);
        a = way == 0   ? cudaMemcpyPeerAsync(p1 + 1, 1, p0, 0, 4, s0)
            : way == 1 ? cudaMemcpyAsync(p1 + 1, p0, 4, cudaMemcpyDefault, s0)
            : way == 2 ? cudaMemcpyAsync(p1 + 1, p0, 4, cudaMemcpyDeviceToDevice, s0)
                       : cudaMemsetAsync(p1 + 1, 0, 4, s0);
        b = cudaStreamEndCapture(s0, &graph);
        c = d = e = -1;
        if (!b) c = cudaGraphInstantiate(&exec, graph, 0);
        if (!b && !c) d = cudaGraphLaunch(exec, s0), e = cudaStreamSynchronize(s0);
        int status = a * 0 + cudaGetLastError();
        SAY(base + 3 + way, "%d %d %d %d %d %d", a, b, c, d, e,
            status == 0 ? value_of(p1 + 1) : -status);
    }
    cudaGraph_t own;
    cudaGraphNode_t node;
    cudaGraphCreate(&own, 0);
    a = cudaGraphAddMemcpyNode1D(&node, own, nullptr, 0, p1 + 2, p0, 4, cudaMemcpyDefault);
    b = cudaGraphInstantiate(&exec, own, 0);
    SAY(base + 7, "%d %d", a, b);
    if (!b) {
        a = cudaGraphLaunch(exec, s0);
        SAY(base + 8, "%d %d", a, cudaStreamSynchronize(s0));
    }
    cudaMemsetParams m = {};
    m.dst = p1 + 3, m.elementSize = 4, m.width = 1, m.height = 1, m.value = 9;
    a = cudaGraphAddMemsetNode(&node, own, nullptr, 0, &m);
    SAY(base + 9, "%d", a);
}
SECTION(capture_without_access) { captures(false, 301); }
SECTION(capture_with_access) { captures(true, 311); }

SECTION(more) {
    int *p0 = make(0, 10), *p1 = make(1, 11), *out1 = make(1, 0), *out0 = make(0, 0);
    cudaStream_t s1;
    cudaEvent_t e1;
    on(1), cudaStreamCreate(&s1), cudaEventCreate(&e1), on(0);
    int v = 9;
    cudaMemcpyToSymbol(variable, &v, 4);
    get_variable<<<1, 1, 0, s1>>>(out1);
    int a = cudaGetLastError(), b = cudaStreamSynchronize(s1);
    SAY(321, "%d %d %d", a, b, value_of(out1));
    cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    big<<<1, 1, 100000, s1>>>(out1);
    a = cudaGetLastError();
    b = cudaStreamSynchronize(s1);
    SAY(322, "%d %d", a, b);
    a = cudaEventQuery(e1);
    b = cudaStreamWaitEvent(0, e1, 0);
    SAY(323, "%d %d", a, b);
    cudaDeviceEnablePeerAccess(1, 0);
    a = cudaMemset(p1, 1, 4);
    SAY(324, "%d %d", a, value_of(p1));
    attributes(325, p1);
    void *symbol;
    on(1), cudaGetSymbolAddress(&symbol, variable), on(0);
    attributes(326, symbol);
    a = cudaMemcpy(out0, symbol, 4, cudaMemcpyDefault);
    SAY(327, "%d %d", a, value_of(out0));
    a = cudaMemset(symbol, 0, 4);
    SAY(328, "%d", a);
    cudaGetLastError();
    int *shared;
    cudaMallocManaged(&shared, 4);
    *shared = 0;
    cudaDeviceSynchronize();
    on(1), add<<<1, 1>>>(shared, 2), cudaDeviceSynchronize(), on(0), add<<<1, 1>>>(shared, 3),
        cudaDeviceSynchronize();
    SAY(329, "%d", *shared);
    a = cudaMemcpy(p1, p0, 4, cudaMemcpyHostToDevice);
    b = cudaMemcpy(p1, p0, 4, cudaMemcpyDeviceToHost);
    SAY(330, "%d %d", a, b);
    cudaGetLastError();
    int *big1;
    on(1), cudaMalloc(&big1, 4096), on(0);
    a = cudaMemcpyPeer(big1, 1, p0, 0, 2 << 20);
    SAY(331, "%d %d", a, cudaGetLastError());
    cudaMemPool_t q1;
    cudaDeviceGetDefaultMemPool(&q1, 1);
    int *w;
    a = cudaMallocFromPoolAsync(&w, 4096, q1, 0);
    b = cudaStreamSynchronize(0);
    set<<<1, 1>>>(w, 3);
    SAY(332, "%d %d", a, b);
    SAY(333, "%d", cudaDeviceSynchronize());
}
SECTION(streams_of_others) {
    cudaStream_t s1;
    int *p1 = make(1, 0);
    on(1), cudaStreamCreate(&s1), on(0);
    set<<<1, 1, 0, s1>>>(p1, 5);
    cudaError_t a = cudaGetLastError(), b = cudaDeviceSynchronize();
    trap<<<1, 1, 0, s1>>>();
    SAY(341, "%d %d", a, b);
    a = cudaDeviceSynchronize();
    SAY(342, "%d", a);
    usleep(300000);
    a = cudaDeviceSynchronize();
    SAY(343, "%d", a);
    a = cudaStreamSynchronize(s1);
    SAY(344, "%d", a);
    a = cudaDeviceSynchronize();
    SAY(345, "%d", a);
}
SECTION(noticed) {
    int *q;
    cudaFree(0);
    on(1), cudaFree(0), trap<<<1, 1>>>(), on(0);
    usleep(500000);
    int a = cudaMalloc(&q, 64);
    SAY(346, "%d", a);
    on(1);
    a = cudaDeviceSynchronize();
    SAY(347, "%d", a);
}
SECTION(ipc) {
    int *p0 = make(0, 1);
    cudaIpcMemHandle_t handle;
    void *opened;
    int a = cudaIpcGetMemHandle(&handle, p0);
    int b = cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess);
    SAY(348, "%d %d", a, b);
}
SECTION(both_ways) {
    int *p0 = make(0, 1), *p1 = make(1, 2);
    on(0), cudaDeviceEnablePeerAccess(1, 0), on(1), cudaDeviceEnablePeerAccess(0, 0);
    on(0), cudaDeviceReset();
    int a = cudaDeviceEnablePeerAccess(0, 0);
    on(1);
    int b = cudaDeviceEnablePeerAccess(0, 0);
    SAY(349, "%d %d", a, b);
    cudaGetLastError();
    int *n0 = make(0, 5);
    set<<<1, 1>>>(n0, 6);
    int c = cudaDeviceSynchronize();
    SAY(350, "%d", c);
}
