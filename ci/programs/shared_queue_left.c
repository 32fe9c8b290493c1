/* finds: exit.shared_receive_queue_left exit.PD_left */
#define SHARED
#include "pair.h"

int main(void)
{
    open_all();
    close_qps();
#ifndef WRONG
    close_all();
#endif
    return 0;
}
