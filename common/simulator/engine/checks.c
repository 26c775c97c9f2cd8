// What the in-process engine hands on to its checks.
#include "engine/internal.h"

sim_status inprocess_check_unchecked_launch(sim_engine *engine, sim_function_handle handle,
                                            const char *text, kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    const inprocess_function *function = inprocess_function_of(self, handle);
    if (!function) return sim_fail(err, SIM_INVALID_HANDLE, "no such kernel: %u", handle);
    if (self->checker)
        sim_checker_unchecked_launch(self->checker, self->modules[function->module].program,
                                     function->function, text);
    return SIM_OK;
}

sim_status inprocess_check_host_finding(sim_engine *engine, uint32_t kind, const char *text,
                                        kl_error *err) {
    (void)err;
    sim_checker *checker = ((inprocess_engine *)engine)->checker;
    if (checker) sim_checker_host_finding(checker, (sim_check_class)kind, text);
    return SIM_OK;
}

sim_status inprocess_check_unset(sim_engine *engine, uint64_t address, uint64_t bytes,
                                 uint64_t pitch, uint64_t *out_unset_bytes, uint64_t *out_first,
                                 kl_error *err) {
    (void)err;
    *out_unset_bytes = *out_first = 0;
    const sim_checker *checker = ((inprocess_engine *)engine)->checker;
    if (checker) *out_unset_bytes = sim_checker_unset(checker, address, bytes, pitch, out_first);
    return SIM_OK;
}

sim_status inprocess_check_library_findings(sim_engine *engine, uint32_t *out_count,
                                            kl_error *err) {
    (void)err;
    sim_checker *checker = ((inprocess_engine *)engine)->checker;
    *out_count = checker ? sim_checker_library_findings(checker, NULL) : 0;
    return SIM_OK;
}

sim_status inprocess_check_called_at(sim_engine *engine, const char *text, kl_error *err) {
    (void)err;
    sim_checker *checker = ((inprocess_engine *)engine)->checker;
    if (checker) sim_checker_library_findings(checker, text);
    return SIM_OK;
}

sim_status inprocess_check_order(sim_engine *engine, uint32_t step, sim_queue queue,
                                 sim_queue other, const char *text, kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    (void)err;
    if (self->checker) sim_checker_step(self->checker, (sim_order_step)step, queue, other, text);
    return SIM_OK;
}

sim_status inprocess_check_uses(sim_engine *engine, uint64_t address, uint64_t bytes,
                                uint32_t writes, kl_error *err) {
    (void)err;
    inprocess_note_use((inprocess_engine *)engine, address, bytes, writes);
    return SIM_OK;
}

// Attached memory has another address in the device, and the answer is in that of the program.
sim_status inprocess_check_in_progress(sim_engine *engine, uint64_t address, uint64_t bytes,
                                       uint64_t *out_first, uint64_t *out_run_bytes,
                                       uint32_t *out_use, kl_error *err) {
    const inprocess_engine *self = (inprocess_engine *)engine;
    uint64_t device = sim_mem_device(self->memory, address);
    (void)err;
    *out_first = *out_run_bytes = *out_use = 0;
    if (!self->checker) return SIM_OK;
    sim_checker_in_progress(self->checker, device, bytes, out_first, out_run_bytes, out_use);
    *out_first += address - device;
    return SIM_OK;
}

sim_status inprocess_check_host_access(sim_engine *engine, uint64_t address, uint32_t writes,
                                       const char *text, kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    (void)err;
    if (self->checker)
        sim_checker_host_access(self->checker, sim_mem_device(self->memory, address), writes, text);
    return SIM_OK;
}

sim_status inprocess_check_report_get(sim_engine *engine, sim_check_report **out_report,
                                      kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    if (self->checker) return sim_checker_report(self->checker, out_report, err);
    return sim_fail(err, SIM_INVALID_VALUE, "this engine does not check");
}
