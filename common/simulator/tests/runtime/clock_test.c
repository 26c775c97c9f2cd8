// Protects the virtual clock: launches back to back come as often as measured, streams overlap only
// where the device has room, the legacy stream takes iterations, waiting and polling move the host.
// links: ../../runtime/base/clock.c

#include "runtime/base/base.h"
#include "suite.h"

static const sim_device device = {.launch_us = 3, .kernel_us = 2, .event_us = 1, .copy_gbs = 2000};
static runtime_clock now;
static runtime_queue legacy, first, second, free_running;

static void set_up(void) {
    now = (runtime_clock){0};
    legacy = (runtime_queue){.blocking = true, .legacy = true};
    first = second = (runtime_queue){.blocking = true};
    free_running = (runtime_queue){0};
}

#define NEAR(got, want) ck_assert_double_eq_tol(got, want, 1e-6)

KL_FIXTURE(set_up, NULL)

KL_TEST(empty_kernels_come_at_the_launch_rate) {
    double end = 0;
    for (int i = 0; i < 100; i++) {
        double next = runtime_clock_kernel(&now, &first, &device, 2, 0.01);
        if (i > 0) NEAR(next - end, 3);
        end = next;
    }
}

KL_TEST(long_kernels_come_after_one_another) {
    double end = runtime_clock_kernel(&now, &first, &device, 1000, 1);
    NEAR(end, 1003); // submitted at 3
    NEAR(runtime_clock_kernel(&now, &first, &device, 1000, 1), end + 1 + 1000);
}

// With the cycle-level model's times: what is in a queue follows at once, and an event takes its
// time.
KL_TEST(a_queue_is_as_measured) {
    now.has_sm_times = true;
    runtime_clock_wait(&now, &first, (runtime_moment){.us = 100}); // the host is ahead
    double begin = runtime_clock_event(&now, &first, &device).us;
    NEAR(begin, 101);
    for (int i = 0; i < 3; i++) runtime_clock_kernel(&now, &first, &device, 2, 0.01);
    NEAR(runtime_clock_event(&now, &first, &device).us - begin, 3 * 2 + 1);
    NEAR(runtime_clock_event(&now, &first, &device).us - begin, 3 * 2 + 2);
}

KL_TEST(an_event_of_the_closed_form_takes_no_time) {
    double begin = runtime_clock_event(&now, &first, &device).us;
    NEAR(runtime_clock_event(&now, &first, &device).us, begin);
}

KL_TEST(full_kernels_never_overlap) {
    double end = runtime_clock_kernel(&now, &first, &device, 1000, 1);
    NEAR(runtime_clock_kernel(&now, &second, &device, 1000, 1), end + 1000);
}

// A kernel of greater priority begins beside one of less, and neither waits for the other.
KL_TEST(greater_priority_does_not_wait) {
    double end = runtime_clock_kernel(&now, &first, &device, 1000, 1);
    second.priority = -5;
    NEAR(runtime_clock_kernel(&now, &second, &device, 10, 0.01), 2 * 3 + 10);
    second.priority = 0;
    NEAR(runtime_clock_kernel(&now, &second, &device, 10, 0.01), end + 10);
    first.priority = -5;
    NEAR(runtime_clock_kernel(&now, &first, &device, 1000, 1), end + 1 + 1000);
}

KL_TEST(small_kernels_overlap_until_the_device_is_full) {
    runtime_queue queues[3] = {0};
    double a = runtime_clock_kernel(&now, &queues[0], &device, 1000, 0.5);
    double b = runtime_clock_kernel(&now, &queues[1], &device, 1000, 0.5);
    double c = runtime_clock_kernel(&now, &queues[2], &device, 1000, 0.5);
    NEAR(b - a, 3);
    NEAR(c, a + 1000);
}

KL_TEST(copies_overlap_with_kernels_and_with_the_other_direction) {
    const uint64_t bytes = (uint64_t)(RUNTIME_PINNED_GBS * 1e6); // 1000 us
    runtime_transfer up = {
        .direction = RUNTIME_COPY_HOST_TO_DEVICE, .bytes = bytes, .pinned = true};
    runtime_transfer down = {
        .direction = RUNTIME_COPY_DEVICE_TO_HOST, .bytes = bytes, .pinned = true};
    double one_copy = 1000 + RUNTIME_COPY_US,
           slower = 1 - RUNTIME_BOTH_WAYS_GBS / RUNTIME_PINNED_GBS;
    NEAR(runtime_clock_transfer(&now, &first, &device, &up, false), one_copy);
    double both = runtime_clock_transfer(&now, &second, &device, &down, false);
    NEAR(both, one_copy * (1 + slower)); // the other way is busy all the time
    up.pinned = false;
    double next = one_copy + RUNTIME_COPY_US + 1000 * RUNTIME_PINNED_GBS / RUNTIME_PAGEABLE_GBS;
    NEAR(runtime_clock_transfer(&now, &free_running, &device, &up, false), next);
    NEAR(runtime_clock_kernel(&now, &free_running, &device, 10, 1), next + 1 + 10);
    NEAR(now.host.us, 3);
    ck_assert_double_gt(runtime_clock_transfer(&now, &second, &device, &up, true), 4 * one_copy);
    NEAR(now.host.us, second.ready.us); // it waited
}

KL_TEST(copies_on_the_device_move_every_byte_twice) {
    runtime_transfer inside = {.direction = RUNTIME_COPY_ON_DEVICE, .bytes = 1000000000};
    NEAR(runtime_clock_transfer(&now, &first, &device, &inside, false), 2 + 1000);
    runtime_transfer fill = {.direction = RUNTIME_FILL, .bytes = 1000000000};
    NEAR(runtime_clock_transfer(&now, &first, &device, &fill, false), 2 + 1000 + 2 + 500);
}

KL_TEST(the_legacy_queue_alternates_with_blocking_ones) {
    double a = runtime_clock_kernel(&now, &first, &device, 100, 0.1);
    double b = runtime_clock_kernel(&now, &legacy, &device, 100, 0.1);
    ck_assert_double_ge(b, a + 100);
    double c = runtime_clock_kernel(&now, &second, &device, 100, 0.1);
    ck_assert_double_ge(c, b + 100);
    double d = runtime_clock_kernel(&now, &free_running, &device, 100, 0.1);
    ck_assert_double_lt(d, b);
    NEAR(now.devices[0].all_ready.us, c);
}

// By the link of the device that the bytes come from; without access through the host.
KL_TEST(peer_copies_take_the_link_that_there_is) {
    const uint64_t bytes = (uint64_t)(RUNTIME_PEER_GBS * 1e6); // 1000 us
    runtime_queue other = {.device = 1};
    runtime_transfer to = {.direction = RUNTIME_COPY_TO_PEER, .bytes = bytes, .reached = true};
    runtime_transfer back = to;
    back.source = 1;
    NEAR(runtime_clock_transfer(&now, &first, &device, &to, false), 1000 + RUNTIME_COPY_US);
    NEAR(runtime_clock_transfer(&now, &other, &device, &back, false), 1000 + RUNTIME_COPY_US);
    to.reached = false;
    NEAR(runtime_clock_transfer(&now, &free_running, &device, &to, false),
         RUNTIME_STAGED_US + 1000 * RUNTIME_PEER_GBS / RUNTIME_STAGED_GBS);
}

KL_TEST(devices_run_at_the_same_time) {
    runtime_queue other = {.blocking = true, .device = 1};
    double a = runtime_clock_kernel(&now, &legacy, &device, 1000, 1);
    NEAR(runtime_clock_kernel(&now, &other, &device, 1000, 1), a + 3); // the next launch
    NEAR(now.devices[0].all_ready.us, a);
    NEAR(now.devices[1].all_ready.us, a + 3);
}

KL_TEST(waiting_and_polling) {
    runtime_clock_wait(&now, &first, (runtime_moment){.us = 500});
    NEAR(runtime_clock_ready(&now, &first).us, 500);
    NEAR(runtime_clock_ready(&now, &free_running).us, 0);
    int polls = 0;
    while (!runtime_clock_poll(&now, 1e12)) polls++;
    ck_assert_int_le(polls, 45);
    ck_assert_double_ge(now.host.us, 1e12);
    runtime_clock_host_waits(&now, (runtime_moment){.us = 5}); // never backwards
    ck_assert_double_ge(now.host.us, 1e12);
}

KL_TEST(many_kernels_in_flight_stay_in_order) {
    runtime_queue queues[200] = {0};
    double end = 0;
    for (int i = 0; i < 200; i++) {
        double next = runtime_clock_kernel(&now, &queues[i], &device, 1000, 1);
        ck_assert_double_ge(next, end);
        end = next;
    }
    NEAR(end, 3 + 200 * 1000.0);
}

KL_TEST_MAIN("virtual clock")
