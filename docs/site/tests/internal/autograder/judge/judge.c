// SPDX-License-Identifier: MIT
#include "kit/files.h"
