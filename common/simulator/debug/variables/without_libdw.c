// A build without libdw: no module has variables. A text without debug information has none anyway.
#include "debug/variables/internal.h"

sim_status var_model_read(const char *ptx, size_t bytes, var_model *model, kl_error *err) {
    var_sections sections;
    TRY(var_sections_read(ptx, bytes, model->arena, &sections, err));
    return var_section_find(&sections, "debug_info") ? SIM_UNSUPPORTED : SIM_NOT_FOUND;
}
