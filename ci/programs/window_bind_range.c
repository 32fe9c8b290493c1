/* finds: post_bind_mw.bind_in_bounds */
#include "window.h"

int main(void)
{
    open_window(ALL | IBV_ACCESS_MW_BIND, IF_WRONG(SIZE + 1, SIZE), IBV_ACCESS_REMOTE_WRITE);
    close_window();
    return 0;
}
