// What the simulated device says about itself: attributes (device/attributes.def) and the
// properties structure, which is filled from the same rows so that the two never disagree.
#include "runtime/api/api.h"
#include "runtime/state/state.h"

// cudaDeviceProp: its bytes in all, and what no attribute says.
enum {
    PROPERTIES_BYTES_11 = 728,
    PROPERTIES_BYTES_12 = 1032,
    PROPERTIES_BYTES_13 = 1008,
    GPU_PCI_DEVICE_ID = 139, // attributes that older toolkits have no name for
    GPU_PCI_SUBSYSTEM_ID = 140,
    NAME_BYTES = 256,
    UUID_AT = 256,
    UUID_BYTES = 16,
    TOTAL_MEMORY_AT = 288
};

// As the row of the card has it; devices differ in their place on the bus alone.
// A field of the structure, and an attribute of the driver only.
enum { cudaDevAttrUnifiedFunctionPointers = 129 };

static bool attribute_of(int device, int attribute, int *out_value) {
    if (!sim_attribute(sim_engine_device(runtime.engine), attribute, out_value)) return false;
    if (attribute == cudaDevAttrPciDeviceId) *out_value += device;
    return true;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
    cudaError_t status =
        runtime_enter(RUNTIME_OPEN, "cudaDeviceGetAttribute(%d, %d)", (int)attr, device);
    if (!status && !value) status = cudaErrorInvalidValue;
    if (!status && !runtime_has_device(device)) status = cudaErrorInvalidDevice;
    if (!status && !attribute_of(device, (int)attr, value)) status = cudaErrorInvalidValue;
    bool is_of_bus = attr == cudaDevAttrPciBusId || attr == cudaDevAttrPciDeviceId ||
                     attr == cudaDevAttrPciDomainId || (int)attr == GPU_PCI_DEVICE_ID ||
                     (int)attr == GPU_PCI_SUBSYSTEM_ID;
    if (!status && is_of_bus) runtime_say_difference(RUNTIME_DIFFERENCE_BUS);
    return runtime_leave(status);
}

static size_t bytes_of(int major) {
    if (major == 11) return PROPERTIES_BYTES_11;
    return major == 12 ? PROPERTIES_BYTES_12 : PROPERTIES_BYTES_13;
}

static void fill_attributes(char *properties, int device, int major) {
    static const struct property {
        short at[2]; // until 12, since 13; -1: not there
        short bytes;
        short attribute;
    } rows[] = {
#define RUNTIME_PROPERTY(field, type, in_12, in_13, attribute)                                     \
    {{in_12, in_13}, sizeof(type), cudaDevAttr##attribute},
#define RUNTIME_PROPERTY_SINCE_12(field, type, in_12, in_13, attribute)                            \
    {{in_12, in_13}, sizeof(type), cudaDevAttr##attribute},
#define RUNTIME_PROPERTY_UNTIL_12(field, type, at, attribute)                                      \
    {{at, -1}, sizeof(type), cudaDevAttr##attribute},
#define RUNTIME_PROPERTY_SINCE_13(field, type, at, attribute)                                      \
    {{-1, at}, sizeof(type), cudaDevAttr##attribute},
#include "runtime/api/properties.def"
#undef RUNTIME_PROPERTY
#undef RUNTIME_PROPERTY_SINCE_12
#undef RUNTIME_PROPERTY_UNTIL_12
#undef RUNTIME_PROPERTY_SINCE_13
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int at = rows[i].at[major >= 13], value = 0;
        if (at < 0 || (size_t)at >= bytes_of(major)) continue;
        attribute_of(device, rows[i].attribute, &value);
        size_t wide = (size_t)value;
        if (rows[i].bytes == sizeof value) memcpy(properties + at, &value, sizeof value);
        else memcpy(properties + at, &wide, sizeof wide);
    }
}

static void name_device(char *out_name, size_t bytes, size_t *out_memory) {
    uint64_t free_bytes = 0, total_bytes = 0;
    sim_memory_info(runtime.engine, &free_bytes, &total_bytes, NULL);
    *out_memory = total_bytes;
    snprintf(out_name, bytes, "%s (simulated)", sim_engine_device(runtime.engine)->name);
}

cudaError_t sim_runtime_device(int device, char *out_name, size_t bytes, size_t *out_memory) {
    cudaError_t status = runtime_enter(RUNTIME_OPEN, "cuDevice(%d)", device);
    if (!status && !runtime_has_device(device)) status = cudaErrorInvalidDevice;
    if (!status) runtime_use(device);
    if (!status) name_device(out_name, bytes, out_memory);
    return runtime_leave_driver(status);
}

cudaError_t runtime_device_properties(void *out_properties, int device, int major) {
    cudaError_t status = runtime_enter(RUNTIME_OPEN, "cudaGetDeviceProperties(%d)", device);
    if (!status && !out_properties) status = cudaErrorInvalidValue;
    if (!status && !runtime_has_device(device)) status = cudaErrorInvalidDevice;
    if (!status) {
        char *properties = out_properties;
        runtime_use(device);
        size_t total;
        memset(properties, 0, bytes_of(major));
        name_device(properties, NAME_BYTES, &total);
        memcpy(properties + UUID_AT, "simulated device", UUID_BYTES);
        properties[UUID_AT + UUID_BYTES - 1] += (char)device;
        memcpy(properties + TOTAL_MEMORY_AT, &total, sizeof total);
        fill_attributes(properties, device, major);
    }
    return runtime_leave(status);
}
