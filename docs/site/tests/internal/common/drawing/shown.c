// SPDX-License-Identifier: MIT
#include "own.h"
#include "shown.h"
