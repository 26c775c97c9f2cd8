// SPDX-License-Identifier: MIT
// libcu++: atomics, barriers, pipelines, semaphores, hints, and some of the standard library.
// Compiled, and nothing of it may be refused (compare.sh); nobody runs it.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/latch>
#include <cuda/annotated_ptr>
#include <cuda/std/atomic>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/bitset>
#include <cuda/std/chrono>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>
#include <cuda/functional>
#include <cooperative_groups.h>
template <typename A> __device__ void integer(A &a, typename A::value_type *o) {
    using T = typename A::value_type;
    o[0] = a.load() + a.load(cuda::memory_order_relaxed) + a.load(cuda::memory_order_acquire);
    a.store(T(1));
    a.store(T(2), cuda::memory_order_release);
    a.store(T(3), cuda::memory_order_relaxed);
    o[1] = a.exchange(T(4)) + a.fetch_add(T(1)) + a.fetch_sub(T(1), cuda::memory_order_acq_rel) +
           a.fetch_and(T(7)) + a.fetch_or(T(1)) + a.fetch_xor(T(2)) + a.fetch_min(T(3)) +
           a.fetch_max(T(4));
    T e = o[2];
    o[3] = a.compare_exchange_strong(e, T(3)) +
           a.compare_exchange_weak(e, T(4), cuda::memory_order_relaxed);
    o[4] = a++ + ++a + (a += T(3));
    a.notify_one();
    a.wait(T(77));
}
#define INT(T, S, n)                                                                               \
    extern "C" __global__ void at_##n(cuda::atomic<T, cuda::thread_scope_##S> *a, T *o) {          \
        integer(*a, o);                                                                            \
    }                                                                                              \
    extern "C" __global__ void ref_##n(T *a, T *o) {                                               \
        cuda::atomic_ref<T, cuda::thread_scope_##S> r(*a);                                         \
        integer(r, o);                                                                             \
    }                                                                                              \
    extern "C" __global__ void sh_##n(T *o) {                                                      \
        __shared__ cuda::atomic<T, cuda::thread_scope_##S> a;                                      \
        integer(a, o);                                                                             \
    }                                                                                              \
    extern "C" __global__ void lo_##n(T *o) {                                                      \
        cuda::atomic<T, cuda::thread_scope_##S> a[2] = {o[7], o[8]};                               \
        integer(a[(int)o[9] & 1], o);                                                              \
        o[12] = a[(int)o[10] & 1];                                                                 \
    }
// clang-format off
INT(int, device, i_d) INT(int, block, i_b) INT(int, system, i_s) INT(int, thread, i_t)
INT(unsigned, device, u_d) INT(long long, device, l_d) INT(unsigned long long, block, ul_b)
INT(char, device, c_d) INT(unsigned char, block, uc_b) INT(short, device, s_d)
INT(unsigned short, system, us_s)
    // clang-format on
    extern "C" __global__
    void fl(cuda::atomic<float, cuda::thread_scope_device> *f,
            cuda::atomic<double, cuda::thread_scope_device> *d, cuda::std::atomic<bool> *b,
            cuda::std::atomic_flag *fl, float *o) {
    o[0] = f->fetch_add(1.f) + f->exchange(2.f) + d->fetch_add(3.) + d->fetch_max(2.) +
           f->fetch_min(2.f);
    o[1] = b->exchange(true);
    o[2] = fl->test_and_set();
    fl->clear();
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_system);
}
struct big {
    int a, b, c, d;
};
extern "C" __global__ void bigs(cuda::atomic<big, cuda::thread_scope_device> *b, big *o) {
    o[0] = b->load();
    b->store(o[1]);
    o[2] = b->exchange(o[3]);
}
extern "C" __global__ void barrier(int *o, const int *a) {
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    __shared__ alignas(16) int s[64];
    if (threadIdx.x == 0) init(&b, blockDim.x);
    __syncthreads();
    b.arrive_and_wait();
    auto t = b.arrive();
    b.wait(std::move(t));
    cuda::memcpy_async(s, a, sizeof s, b);
    b.arrive_and_wait();
    cuda::memcpy_async(s, a, cuda::aligned_size_t<16>(sizeof s), b);
    b.arrive_and_wait();
    b.arrive_and_drop();
    o[0] = s[threadIdx.x];
    auto t2 = b.arrive(2);
    while (!b.try_wait_for(std::move(t2), cuda::std::chrono::nanoseconds(100)))
        ;
}
extern "C" __global__ void gbar(cuda::barrier<cuda::thread_scope_device> *b,
                                cuda::barrier<cuda::thread_scope_system> *s, int *o) {
    b->arrive_and_wait();
    s->arrive_and_wait();
}
extern "C" __global__ void pipe(int *o, const int *a) {
    __shared__ alignas(16) int s[2][64];
    auto g = cooperative_groups::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
    auto p = cuda::make_pipeline(g, &st);
    p.producer_acquire();
    cuda::memcpy_async(g, s[0], a, sizeof s[0], p);
    p.producer_commit();
    p.consumer_wait();
    o[threadIdx.x] = s[0][threadIdx.x];
    p.consumer_release();
    auto q = cuda::make_pipeline();
    q.producer_acquire();
    cuda::memcpy_async(&s[1][threadIdx.x], a + threadIdx.x, cuda::aligned_size_t<4>(4), q);
    q.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(q);
    o[1] = s[1][0];
    q.consumer_release();
}
extern "C" __global__ void pipe2(int *o, const int *a) {
    __shared__ alignas(16) int s[64];
    auto g = cooperative_groups::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
    auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto p = cuda::make_pipeline(g, &st, role);
    if (threadIdx.x < 32) {
        p.producer_acquire();
        cuda::memcpy_async(s, a, sizeof s, p);
        p.producer_commit();
    } else {
        p.consumer_wait();
        o[0] = s[1];
        p.consumer_release();
    }
    p.quit();
}
extern "C" __global__ void sem(cuda::counting_semaphore<cuda::thread_scope_device> *s,
                               cuda::binary_semaphore<cuda::thread_scope_block> *b,
                               cuda::latch<cuda::thread_scope_device> *l, int *o) {
    s->acquire();
    s->release();
    o[0] = s->try_acquire();
    b->release();
    b->acquire();
    l->count_down();
    l->wait();
    l->arrive_and_wait();
    o[1] = l->try_wait();
    o[2] = s->try_acquire_for(cuda::std::chrono::nanoseconds(10));
}
extern "C" __global__ void hints(int *p, int *o) {
    cuda::annotated_ptr<int, cuda::access_property::persisting> a(p);
    cuda::annotated_ptr<const int, cuda::access_property::streaming> b(p);
    cuda::annotated_ptr<int, cuda::access_property> c(
        p, cuda::access_property(p, 64, 128, cuda::access_property::persisting{},
                                 cuda::access_property::streaming{}));
    o[0] = a[1] + b[2] + c[3];
    a[4] = 3;
    c[2] = 4;
    cuda::apply_access_property(p, 128, cuda::access_property::persisting{});
    cuda::discard_memory(p, 1024);
    cuda::associate_access_property(p, cuda::access_property::shared{});
}
extern "C" __global__ void stds(int *o, float *f, double *d, unsigned long long *ul) {
    cuda::std::complex<float> c(f[0], f[1]);
    c = c * c / cuda::std::complex<float>(1, 2) + cuda::std::exp(c) + cuda::std::sqrt(c) +
        cuda::std::pow(c, c) + cuda::std::sin(c) + cuda::std::tanh(c);
    f[2] = abs(c) + arg(c);
    cuda::std::complex<double> e(d[0], d[1]);
    e = cuda::std::log(e) * e;
    d[3] = e.real();
    o[0] = cuda::std::popcount(ul[0]) + cuda::std::countl_zero(ul[1]) +
           cuda::std::countr_one((unsigned)o[1]) + cuda::std::rotl((unsigned)o[2], 3) +
           cuda::std::bit_width(ul[2]) + cuda::std::gcd(o[3], o[4]) + cuda::std::lcm(o[3], o[4]);
    cuda::std::bitset<77> bs(o[1]);
    o[5] = bs.count();
    ul[3] = cuda::std::chrono::system_clock::now().time_since_epoch().count() +
            cuda::std::chrono::high_resolution_clock::now().time_since_epoch().count();
    cuda::std::variant<int, float> v = f[3];
    o[6] = v.index();
    cuda::std::mdspan<int, cuda::std::dextents<int, 2>> m(o, 3, 4);
    o[7] = m(1, 2);
    d[4] = cuda::std::fma(d[1], d[2], d[3]) + cuda::std::hypot(d[1], d[2]) +
           cuda::std::isnan(d[3]) + cuda::std::lerp(d[1], d[2], d[3]);
}
