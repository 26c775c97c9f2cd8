// The facts of one version, and that the declarations of types.h are those of the newest.
#include "runtime/abi/interface.h"
#include "runtime/abi/types.h"

#if RUNTIME_MAJOR == 11
#define VERSION                     11080
#define CHOOSE(in_11, in_12, in_13) in_11
#elif RUNTIME_MAJOR == 12
#define VERSION                     12040
#define CHOOSE(in_11, in_12, in_13) in_12
#else
#define VERSION                     RUNTIME_CUDA_VERSION
#define CHOOSE(in_11, in_12, in_13) in_13
#endif

const runtime_interface_facts runtime_interface = {.version = VERSION,
                                                   .bytes = {
#define RUNTIME_LAYOUT(since, keyword, name, field, at, in_11, in_12, in_13)                       \
    .name = CHOOSE(in_11, in_12, in_13),
#include "runtime/abi/layouts.def"
#undef RUNTIME_LAYOUT
                                                   }};

#define RUNTIME_LAYOUT(since, keyword, name, field, at, in_11, in_12, in_13)                       \
    _Static_assert(sizeof(keyword name) == (in_13), #name);                                        \
    _Static_assert(offsetof(keyword name, field) == (at), #name "." #field);
#include "runtime/abi/layouts.def"
#undef RUNTIME_LAYOUT
