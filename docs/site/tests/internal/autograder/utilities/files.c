// SPDX-License-Identifier: MIT
#include "utilities/array.h"
