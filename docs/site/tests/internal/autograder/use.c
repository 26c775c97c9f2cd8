// SPDX-License-Identifier: MIT
#include "shown.h"
