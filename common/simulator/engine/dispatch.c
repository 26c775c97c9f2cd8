// The public functions of engine.h, made from calls.def: check arguments, take the engine's lock,
// call the implementation. The same whether the device is in this process or behind a socket; it
// must hold no policy of its own.
#include "engine/vtable.h"

sim_status sim_engine_base_init(sim_engine *engine, const sim_engine_vtable *vtable,
                                const sim_device *device, kl_error *err) {
    engine->vtable = vtable;
    engine->device = device;
    engine->device_count = 1;
    if (pthread_mutex_init(&engine->lock, NULL) != 0)
        return sim_fail(err, SIM_INTERNAL, "no lock for the engine");
    return SIM_OK;
}

void sim_engine_base_destroy(sim_engine *engine) { pthread_mutex_destroy(&engine->lock); }

void sim_engine_close(sim_engine *engine) {
    if (engine) engine->vtable->close(engine);
}

const sim_device *sim_engine_device(sim_engine *engine) { return engine->device; }

uint32_t sim_engine_device_count(sim_engine *engine) { return engine->device_count; }

// What ends a call before it begins: SIM_OK when there is nothing to do.
static sim_status early(sim_status status, const char *text, kl_error *err) {
    return status == SIM_OK ? SIM_OK : sim_fail(err, status, "%s", text);
}

#define PASS(type, name)     , name
#define PASS_OUT(type, name) , out_##name
#define IS_THERE(type, name) &&out_##name
#define CHECK(condition, status, text)                                                             \
    if (condition) return early(status, text, err);
// To zero; a descriptor, the only int, to -1.
#define CLEAR(type, name)                                                                          \
    memset(out_##name, _Generic(*out_##name, int : 0xFF, default : 0), sizeof *out_##name);

// The public function of a call.
#define SIM_CALL(id, call, way, who)                                                               \
    sim_status sim_##call(sim_engine *engine SIM_PARAMS(call), kl_error *err) {                    \
        if (!(engine SIM_FIELDS_##call(SIM_SKIP, IS_THERE, SIM_SKIP)))                             \
            return sim_fail(err, SIM_INVALID_VALUE, "%s",                                          \
                            "sim_" #call " needs an engine and somewhere to answer");              \
        SIM_FIELDS_##call(SIM_SKIP, CLEAR, SIM_SKIP);                                              \
        SIM_FIELDS_##call(SIM_SKIP, SIM_SKIP, CHECK);                                              \
        pthread_mutex_lock(&engine->lock);                                                         \
        sim_status status =                                                                        \
            engine->vtable->call(engine SIM_FIELDS_##call(PASS, PASS_OUT, SIM_SKIP), err);         \
        pthread_mutex_unlock(&engine->lock);                                                       \
        return status;                                                                             \
    }
#include "engine/calls.def"
#undef SIM_CALL
