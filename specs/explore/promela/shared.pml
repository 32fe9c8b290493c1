/* The rules of scopes/shared.scope, written once more by hand: what SPIN counts is what the
 * explorer has to count. One option for each call and each rule that may answer it; an option
 * that is only a condition is a rule that changes nothing. Addresses count units of 8 bytes,
 * modulo 256. With -DTHREE it is the scope shared-three, with -DTHREE -DWIDE
 * shared-wide. */

#define LOCAL_WRITE 1
#define REMOTE_WRITE 2
#define REMOTE_READ 4
#define MW_BIND 8

#define BUF 32       /* buf0+0 */
#define BUF_LAST 200 /* beyond all that is named and sound */
#define WRAP 255     /* 8 bytes less than all there are */

#define END(a, n) ((a + n - 1) & 255)
#define WITHIN(a, n, f, l) (n != 0 && a <= END(a, n) && f <= a && END(a, n) <= l)

typedef Region { bit live; bit pd; byte access; byte first; byte last };
typedef Window { bit live; bit pd; bit bound; bit undefined;
                 byte region; byte access; byte first; byte last };

#ifdef THREE
#define EACH(r0, r1, r2) r0 r1 r2
Region r[3];
#else
#define EACH(r0, r1, r2) r0 r1
Region r[2];
#endif
Window w[2];
bit err[2]; /* queue pairs in the error state */

/* reg_mr(pdP, buf0+0, N, A) into slot M */
#define SOUND(n, a) ((!(a & REMOTE_WRITE) || (a & LOCAL_WRITE)) && WITHIN(BUF, n, BUF, BUF_LAST))
#define DOUBT(n, a) (BUF > END(BUF, n) || ((a & MW_BIND) && !WITHIN(BUF, n, BUF, BUF_LAST)))
#define REG(m, p, n, a) \
  :: d_step { !r[m].live && SOUND(n, a) -> r[m].live = 1; r[m].pd = p; r[m].access = a; \
              r[m].first = BUF; r[m].last = END(BUF, n) } /* ok */ \
  :: !r[m].live && !SOUND(n, a)                           /* refused */ \
  :: !r[m].live && DOUBT(n, a)                            /* refused_doubtful */
#define RANGES(m, p, a) REG(m, p, 32, a) REG(m, p, WRAP, a)
#define REGS(m, p) RANGES(m, p, LOCAL_WRITE | REMOTE_WRITE | MW_BIND) \
  RANGES(m, p, LOCAL_WRITE) RANGES(m, p, REMOTE_READ | MW_BIND)

/* What a window has of a bind is forgotten with it. */
inline unbind(i) { w[i].bound = 0; w[i].region = 0; w[i].access = 0; w[i].first = 0; w[i].last = 0 }
inline unbind_from(i, m) { if :: w[i].bound && w[i].region == m -> unbind(i) :: else fi }

/* dereg_mr(mrM) */
#define HOLDS(i, m, u) (w[i].bound && w[i].region == m && w[i].undefined == u)
#define DEREG(m) \
  :: d_step { r[m].live && !HOLDS(0, m, 0) && !HOLDS(1, m, 0) -> r[m].live = 0; r[m].pd = 0; \
              r[m].access = 0; r[m].first = 0; r[m].last = 0; \
              unbind_from(0, m); unbind_from(1, m) }     /* ok */ \
  :: r[m].live && (HOLDS(0, m, 0) || HOLDS(1, m, 0))      /* refused */ \
  :: r[m].live && (HOLDS(0, m, 1) || HOLDS(1, m, 1))      /* refused_doubtful */

/* alloc_mw(pdP, TYPE_1) into slot I, dealloc_mw(mwI) */
#define ALLOC(i) \
  :: d_step { !w[i].live -> w[i].live = 1 } \
  :: d_step { !w[i].live -> w[i].live = 1; w[i].pd = 1 } \
  :: d_step { w[i].live -> w[i].live = 0; w[i].pd = 0; w[i].undefined = 0; unbind(i) }

/* bind_mw(qp0, mwI, mrM, F, N, A) */
#define MAY_BIND(i, m) (w[i].live && !w[i].undefined && r[m].live)
#define BINDABLE(i, m, f, n, a) (w[i].pd == r[m].pd && (n == 0 || ((r[m].access & MW_BIND) && \
  (!(a & REMOTE_WRITE) || (r[m].access & LOCAL_WRITE)) && WITHIN(f, n, r[m].first, r[m].last))))
#define BEYOND_DOUBT(i, m, f, n, a) (BINDABLE(i, m, f, n, a) && w[i].pd == 0)
#define BIND_FAILS(i, m, f, n, a) \
  :: d_step { MAY_BIND(i, m) && !err[0] && !BEYOND_DOUBT(i, m, f, n, a) -> err[0] = 1; \
              w[i].undefined = w[i].bound }
#define BIND(i, m, f, n, a) \
  :: d_step { MAY_BIND(i, m) && !err[0] && BINDABLE(i, m, f, n, a) -> \
              if :: n == 0 -> unbind(i) \
                 :: else -> w[i].bound = 1; w[i].region = m; w[i].access = a; w[i].first = f; \
                            w[i].last = END(f, n) fi }    /* ok */ \
  BIND_FAILS(i, m, f, n, a) BIND_FAILS(i, m, f, n, a)     /* mw_bind_err, loc_prot_err */ \
  BIND_FAILS(i, m, f, n, a) BIND_FAILS(i, m, f, n, a)     /* loc_access_err, loc_qp_op_err */ \
  :: MAY_BIND(i, m) && err[0]                             /* wr_flush_err */ \
  :: MAY_BIND(i, m) && (err[0] || !BEYOND_DOUBT(i, m, f, n, a)) /* refused */
#ifdef WIDE
#define MORE(i, m) BIND(i, m, BUF + 8, 8, REMOTE_WRITE) BIND(i, m, BUF + 8, 8, REMOTE_READ)
#else
#define MORE(i, m)
#endif
#define BINDS(i, m) MORE(i, m) \
  BIND(i, m, BUF, 8, REMOTE_WRITE) BIND(i, m, BUF, 8, REMOTE_READ) \
  BIND(i, m, BUF + 24, WRAP, REMOTE_WRITE) BIND(i, m, BUF + 24, WRAP, REMOTE_READ) \
  BIND(i, m, BUF, 0, REMOTE_WRITE) BIND(i, m, BUF, 0, REMOTE_READ)

/* rdma_write(qp0, mrL.lkey, buf0+128, 8, KEY, F): what the key's holder grants is REMOTE */
#define LOCAL(l) (r[l].pd == 0 && WITHIN(BUF + 16, 1, r[l].first, r[l].last))
#define WRITE(l, may, remote) \
  :: may && !err[0] && !err[1] && LOCAL(l) && remote               /* ok */ \
  :: d_step { may && !err[0] && !LOCAL(l) -> err[0] = 1 }          /* loc_prot_err */ \
  :: d_step { may && !err[0] && !err[1] && !(remote) -> err[0] = 1; err[1] = 1 } \
                                                         /* that was rem_access_err */ \
  :: d_step { may && !err[0] && !err[1] && !LOCAL(l) && !(remote) -> err[0] = 1; err[1] = 1 } \
                                                         /* and that loc_prot_err_both */ \
  :: may && err[0]                                                 /* wr_flush_err */ \
  :: d_step { may && !err[0] && err[1] -> err[0] = 1 }             /* retry_exc_err */ \
  :: may && (err[0] || !LOCAL(l))                                  /* refused */
#define OPENS(o, f) (o.pd == 0 && (o.access & REMOTE_WRITE) && WITHIN(f, 1, o.first, o.last))
#define WRITES(l, f) \
  EACH(WRITE(l, (r[l].live && r[0].live), OPENS(r[0], f)), \
       WRITE(l, (r[l].live && r[1].live), OPENS(r[1], f)), \
       WRITE(l, (r[l].live && r[2].live), OPENS(r[2], f))) \
  WRITE(l, (r[l].live && w[0].live && !w[0].undefined), (w[0].bound && OPENS(w[0], f))) \
  WRITE(l, (r[l].live && w[1].live && !w[1].undefined), (w[1].bound && OPENS(w[1], f)))

active proctype program() {
  do
  EACH(REGS(0, 0) REGS(0, 1), REGS(1, 0) REGS(1, 1), REGS(2, 0) REGS(2, 1))
  EACH(DEREG(0), DEREG(1), DEREG(2))
  ALLOC(0) ALLOC(1)
  EACH(BINDS(0, 0) BINDS(1, 0), BINDS(0, 1) BINDS(1, 1), BINDS(0, 2) BINDS(1, 2))
  EACH(WRITES(0, BUF) WRITES(0, BUF + 8), WRITES(1, BUF) WRITES(1, BUF + 8),
       WRITES(2, BUF) WRITES(2, BUF + 8))
  :: d_step { err[0] = 0; err[1] = 0 } /* connect(qp0) */
  od
}
