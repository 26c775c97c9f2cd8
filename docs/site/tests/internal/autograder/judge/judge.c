// SPDX-License-Identifier: MIT
#include "utilities/files.h"
