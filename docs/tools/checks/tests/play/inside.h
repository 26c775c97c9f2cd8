// Names that language.sh must object to, once per pattern, in a folder and files of such names.
#include "reckon.h"
typedef struct sim_play {
    int turn, longest_stretch, warp_way;
    void *room, *desk, *meeting;
} sim_play;
void behind_wall(sim_play *wish); // the threads
                                  // behind the barrier
