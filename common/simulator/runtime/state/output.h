// SPDX-License-Identifier: MIT
// What the runtime prints for the program: its own messages, and what kernels printed.
#ifndef SIM_RUNTIME_STATE_OUTPUT_H
#define SIM_RUNTIME_STATE_OUTPUT_H

// Prints `text` on stderr after the simulator's name, or keeps it.
void runtime_say(const char *text);
// What was kept since the last call; from the first call on, what is said is kept.
const char *runtime_output_take(void);
// Device printf appears when the host waits, as on a GPU.
void runtime_output_flush(void);

// At the program's end: says what kernels have printed and nobody has waited for.
void runtime_output_end(void);

#endif
