/* finds: post_bind_mw.bind_has_local_write */
#include "window.h"

int main(void)
{
    open_window(IBV_ACCESS_MW_BIND | IF_WRONG(0, ALL), 64, IBV_ACCESS_REMOTE_WRITE);
    close_window();
    return 0;
}
