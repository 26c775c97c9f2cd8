// SPDX-License-Identifier: MIT
// One line on standard error that says what goes on, and for how long it has, so that nothing is
// silent for more than two seconds: in place on a terminal, else a line of its own, and only of
// what takes that long.
#ifndef KL_TICKER_H
#define KL_TICKER_H

// What goes on from now on; "": nothing, and the line is cleared. A thread of its own repeats it
// with the seconds since then. The text is copied. For one thread; a forked child does not say
// anything.
void kl_ticker_say(const char *text);

#endif
