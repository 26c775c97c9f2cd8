// Names and comments that language.sh spares: blocks wait for a room's worth of data, in turn.
#include "wall/play.h"
double wall_s;                           // on the clock
int l2_ways, constant_ld_turns, in_turn; // `sectors a load` is code
const char *playground_of(int turnaround, int always);
