# SPDX-License-Identifier: MIT
set(main "
#include \"main.h\"
")
