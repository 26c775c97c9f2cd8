#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the compiler command that follows with the short cuda_runtime.h of this folder before the toolkit's, and as it
# stands where that fails: a file may need what is left out. Only what the second says of an error is shown.
folder=${0%/*}
said=$("$@" "-I$folder" 2>&1) || exec "$@"
[ -z "$said" ] || printf '%s\n' "$said"
