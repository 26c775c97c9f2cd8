// Names and texts of cudaError_t, from device/errors.def. Pure tables: works without a device.
#include "runtime/base/base.h"

const char *runtime_error_name(cudaError_t error) { return sim_error_name((int)error); }

const char *runtime_error_text(cudaError_t error) { return sim_error_text((int)error); }
