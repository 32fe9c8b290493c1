/* finds: post_bind_mw.bind_right */
#include "window.h"

int main(void)
{
    open_window(ALL | IF_WRONG(0, IBV_ACCESS_MW_BIND), 64, IBV_ACCESS_REMOTE_WRITE);
    close_window();
    return 0;
}
