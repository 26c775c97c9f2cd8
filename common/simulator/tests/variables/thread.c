// A stopped thread that is none: see thread.h.
#include "variables/thread.h"

#include "base/base.h"
#include "suite.h"

static uint32_t width_of(const char *name) {
    if (strncmp(name, "%rd", 3) == 0 || strncmp(name, "%fd", 3) == 0) return 8;
    return strncmp(name, "%rs", 3) == 0 ? 2 : 4;
}

static sim_status read_register(void *context, const char *name, uint64_t *out_value,
                                uint32_t *out_bytes, kl_error *err) {
    fake_thread *fake = context;
    (void)err;
    fake->reads++;
    bool special = strncmp(name, "%tid", 4) == 0 || strncmp(name, "%ntid", 5) == 0 ||
                   strncmp(name, "%ctaid", 6) == 0 || strncmp(name, "%nctaid", 7) == 0;
    if (!special && (!strchr("rfp", name[1]) || strchr(name, '.'))) return SIM_NOT_FOUND;
    *out_value = 0;
    *out_bytes = width_of(name);
    for (uint32_t i = 0; i < fake->register_count; i++)
        if (strcmp(fake->names[i], name) == 0) *out_value = fake->values[i];
    return SIM_OK;
}

static uint8_t *memory_at(fake_thread *fake, ptx_space space, uint64_t address, uint64_t bytes) {
    if (space == PTX_SPACE_NONE) {
        space = address >= SIM_GLOBAL_BASE     ? PTX_SPACE_GLOBAL
                : address >= SIM_LOCAL_WINDOW  ? PTX_SPACE_LOCAL
                : address >= SIM_SHARED_WINDOW ? PTX_SPACE_SHARED
                                               : PTX_SPACE_NONE;
        address -= space == PTX_SPACE_LOCAL    ? SIM_LOCAL_WINDOW
                   : space == PTX_SPACE_SHARED ? SIM_SHARED_WINDOW + SIM_SHARED_START
                                               : 0;
    }
    if (space == PTX_SPACE_GLOBAL) address -= SIM_GLOBAL_BASE;
    if (space == PTX_SPACE_NONE || address > FAKE_BYTES || bytes > FAKE_BYTES - address)
        return NULL;
    return fake->memory[space] + address;
}

static sim_status read_memory(void *context, ptx_space space, uint64_t address, void *out,
                              uint64_t bytes, kl_error *err) {
    fake_thread *fake = context;
    fake->reads++;
    const uint8_t *from = memory_at(fake, space, address, bytes);
    if (!from)
        return sim_fail(err, SIM_ILLEGAL_ADDRESS, "Cannot access memory at address 0x%llx",
                        (unsigned long long)address);
    memcpy(out, from, bytes);
    return SIM_OK;
}

static sim_status find_symbol(void *context, const char *name, ptx_space *out_space,
                              uint64_t *out_address, kl_error *err) {
    static const struct {
        const char *part;
        ptx_space space;
        uint64_t address;
    } rows[] = {{"__local_depot", PTX_SPACE_LOCAL, 0x100},
                {"param_0", PTX_SPACE_PARAM, 0},
                {"param_1", PTX_SPACE_PARAM, 16},
                {"param_2", PTX_SPACE_PARAM, 32},
                {"param_3", PTX_SPACE_PARAM, 48},
                {"tile", PTX_SPACE_SHARED, 0x40},
                {"rest", PTX_SPACE_SHARED, 0x200},
                {"weights", PTX_SPACE_CONST, 0},
                {"counter", PTX_SPACE_GLOBAL, SIM_GLOBAL_BASE},
                {"scale", PTX_SPACE_GLOBAL, SIM_GLOBAL_BASE + 16}};
    (void)context, (void)err;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!strstr(name, rows[i].part)) continue;
        *out_space = rows[i].space;
        *out_address = rows[i].address;
        return SIM_OK;
    }
    return SIM_NOT_FOUND;
}

void fake_open(fake_thread *fake, const char *ptx, size_t bytes) {
    kl_error err = {0};
    memset(fake, 0, sizeof *fake);
    fake->thread = (sim_variables_thread){.context = fake,
                                          .read_register = read_register,
                                          .read_memory = read_memory,
                                          .find_symbol = find_symbol};
    OK_OR_SAY(sim_variables_open(ptx, bytes, &fake->variables, &err), err);
}

void fake_close(fake_thread *fake) { sim_variables_close(fake->variables); }

void fake_set_register(fake_thread *fake, const char *name, uint64_t value) {
    uint32_t i = 0;
    while (i < fake->register_count && strcmp(fake->names[i], name) != 0) i++;
    ck_assert_uint_lt(i, FAKE_REGISTERS);
    if (i == fake->register_count) fake->register_count++;
    snprintf(fake->names[i], sizeof fake->names[i], "%s", name);
    fake->values[i] = value;
}

static sim_variables_value value_of(fake_thread *fake, const char *name) {
    sim_variables_value value;
    kl_error err = {0};
    sim_status status =
        sim_variables_evaluate(fake->variables, &fake->thread, name, NULL, &value, &err);
    ck_assert_msg(status == SIM_OK, "%s: %s", name, err.text);
    return value;
}

void fake_set_variable(fake_thread *fake, const char *name, uint64_t value) {
    sim_variables_value found = value_of(fake, name);
    ck_assert_msg(found.register_name[0], "%s is in no register: %s", name, found.text);
    fake_set_register(fake, found.register_name, value);
    sim_variables_value_free(&found);
}

void fake_write(fake_thread *fake, const char *name, const void *data, size_t bytes) {
    sim_variables_value found = value_of(fake, name);
    ck_assert_msg(found.in_memory, "%s is not in memory: %s", name, found.text);
    uint8_t *to = memory_at(fake, found.space, found.address, bytes);
    ck_assert_ptr_nonnull(to);
    memcpy(to, data, bytes);
    sim_variables_value_free(&found);
}

const char *fake_print(fake_thread *fake, char letter, const char *expression) {
    static char text[4096];
    sim_variables_value value;
    const sim_variables_format format = {.letter = letter};
    kl_error err = {0};
    if (sim_variables_evaluate(fake->variables, &fake->thread, expression, &format, &value, &err) ==
        SIM_OK)
        snprintf(text, sizeof text, "= %s", value.text);
    else snprintf(text, sizeof text, "%s", err.text);
    sim_variables_value_free(&value);
    return text;
}
