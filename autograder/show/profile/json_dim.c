// SPDX-License-Identifier: MIT
// Sizes and indices of three dimensions as JSON: see profile.h.
#include "show/profile/profile.h"

void ladder_profile_write_dim(kl_json *json, const char *key, sim_dim3 dim) {
    kl_json_array(json, key);
    kl_json_uint(json, NULL, dim.x);
    kl_json_uint(json, NULL, dim.y);
    kl_json_uint(json, NULL, dim.z);
    kl_json_end(json);
}
