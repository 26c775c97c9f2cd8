// SPDX-License-Identifier: MIT
#include "lower.h"
