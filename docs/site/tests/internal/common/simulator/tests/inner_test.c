// SPDX-License-Identifier: MIT
#include "memory/inner.h"
