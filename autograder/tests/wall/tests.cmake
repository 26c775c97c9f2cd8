# SPDX-License-Identifier: MIT
# Control groups. What gets through the wall is tried in attacks/, where stands.sh and as_user.sh serve as well.
ladder_unit_test(wall group)
