// Holds the runtime's own declarations of its interface (runtime/abi, runtime/api/properties.def)
// to the headers of the toolkit that builds this: what is wrong does not compile.
#include <stddef.h>

#if __has_include(<cuda_profiler_api.h>) // not among the toolkit's wheels
#include <cuda_profiler_api.h>
#endif
#include <cuda_runtime_api.h>

#define ASSERT(what)           _Static_assert(what, #what);
#define ASSERT_VALUE(name, is) ASSERT((int)(name) == (is))
#define ASSERT_LAYOUT(keyword, name, field, at, is)                                                \
    ASSERT(sizeof(keyword name) == (is)) ASSERT(offsetof(keyword name, field) == (at))
#define ASSERT_FIELD(field, at) ASSERT(offsetof(struct cudaDeviceProp, field) == (at))
#define NOTHING(...)

// What the headers of this version have.
#if CUDART_VERSION >= 13000
#define VALUE_13                                   ASSERT_VALUE
#define LAYOUT_13                                  ASSERT_LAYOUT
#define BYTES(in_11, in_12, in_13)                 (in_13)
#define RUNTIME_PROPERTY_UNTIL_12                  NOTHING
#define RUNTIME_PROPERTY_SINCE_13(field, _, at, a) ASSERT_FIELD(field, at)
#else
#define VALUE_13                                   NOTHING
#define LAYOUT_13                                  NOTHING
#define RUNTIME_PROPERTY_UNTIL_12(field, _, at, a) ASSERT_FIELD(field, at)
#define RUNTIME_PROPERTY_SINCE_13                  NOTHING
#if CUDART_VERSION >= 12000
#define BYTES(in_11, in_12, in_13) (in_12)
#else
#define BYTES(in_11, in_12, in_13) (in_11)
#endif
#endif
#if CUDART_VERSION >= 12000
#define VALUE_12                                       ASSERT_VALUE
#define LAYOUT_12                                      ASSERT_LAYOUT
#define RUNTIME_PROPERTY_SINCE_12(field, _, in, is, a) ASSERT_FIELD(field, BYTES(in, in, is))
#else
#define VALUE_12                  NOTHING
#define LAYOUT_12                 NOTHING
#define RUNTIME_PROPERTY_SINCE_12 NOTHING
#endif
#define VALUE_11                              ASSERT_VALUE
#define LAYOUT_11                             ASSERT_LAYOUT
#define RUNTIME_PROPERTY(field, _, in, is, a) ASSERT_FIELD(field, BYTES(in, in, is))

#define RUNTIME_ENUM(tag)
#define RUNTIME_VALUE(name, is, major) VALUE_##major(name, is)
#define RUNTIME_ENUM_END
#include "runtime/abi/values.def"

#define RUNTIME_LAYOUT(since, keyword, name, field, at, in_11, in_12, in_13)                       \
    LAYOUT_##since(keyword, name, field, at, BYTES(in_11, in_12, in_13))
#include "runtime/abi/layouts.def"
#include "runtime/api/properties.def"

#if CUDART_VERSION >= 13000 // errors, attributes and prototypes are those of 13
#define RUNTIME_ERROR(code, is, words) ASSERT_VALUE(code, is)
#include "device/errors.def"
#define RUNTIME_ATTRIBUTE(id, is, value) ASSERT_VALUE(cudaDevAttr##id, is)
#include "device/attributes.def"
#define SIM_RUNTIME_ABI_TYPES_H // functions.h takes the toolkit's types
#include "runtime/abi/functions.h"
#endif
