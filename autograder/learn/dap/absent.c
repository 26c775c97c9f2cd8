// The debugger for editors in a kit that was built without Jansson: in place of all other files.
#include "learn/dap/dap.h"

kl_status ladder_dap(const ladder_kit *kit, const ladder_dap_options *options, kl_error *err) {
    (void)kit;
    (void)options;
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "--dap: to read what an editor sends, this kit has to be built with Jansson "
                   "(Debian: libjansson-dev)");
}
