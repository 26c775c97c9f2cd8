// SPDX-License-Identifier: MIT
#include "kit/array.h"
