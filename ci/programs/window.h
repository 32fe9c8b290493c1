/* What the programs about windows have in common: a region at each end, and a window of type 2 on
 * the far one, which is bound through the queue pair that serves. */
#include "pair.h"

static struct ibv_mr *near, *far;
static struct ibv_mw *mw;
static uint32_t key; /* the window's */

/* `flags`: of the far region. */
static void open_window(int flags, uint64_t length, int access)
{
    open_all();
    connect_pair(ALL);
    near = region(memory, SIZE, ALL);
    far = region(memory + SIZE, SIZE, flags);
    NEED(mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2));
    struct ibv_send_wr wr = {.opcode = IBV_WR_BIND_MW};
    key = ibv_inc_rkey(mw->rkey);
    wr.bind_mw.mw = mw;
    wr.bind_mw.rkey = key;
    wr.bind_mw.bind_info = (struct ibv_mw_bind_info){far, (uintptr_t)far->addr, length, access};
    wait_for(qp[1], &wr);
}

/* The window goes before its queue pair: rxe waits 50 s else (F13). */
static void close_window(void)
{
    NEED(!ibv_dealloc_mw(mw));
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
}
