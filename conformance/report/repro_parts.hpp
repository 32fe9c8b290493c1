// The functions that programs of repro.hpp are made of, in C11, as they stand in the program.
//
// Each part stands in a program only if something in it needs it. Comments here are for the
// program's reader.
#pragma once

#include <string_view>

#include "model/state.hpp"

namespace mrproof::conformance::repro_parts {

/// What all programs begin with, after their includes.
inline constexpr std::string_view kMessages = R"(
#define REFUSED -1 /* by the call itself, which gives an errno; else a completion's status */
static const char *step = "0: set-up";
static int stuck_means = 4; /* exit status if the step does not end */

static void cannot_run(const char *why)
{
    printf("cannot run here: step %s: %s (%s)\n", step, why, strerror(errno));
    exit(4);
}
#define NEED(what) ((what) ? (void)0 : cannot_run("it does not hold that " #what))

static void on_alarm(int signal)
{
    (void)signal;
    printf("%s: step %s: does not end\n", stuck_means == 1 ? "deviates" : "cannot run here", step);
    _exit(stuck_means);
}
)";

inline constexpr std::string_view kVerdict = R"(
static int verdict(int conforms, int got)
{
    const char *seen = got == REFUSED ? strerror(errno) : ibv_wc_status_str(got);
    printf("%s: step %s: %s\n", conforms ? "conforms" : "deviates", step, seen);
    return !conforms;
}
)";

inline constexpr std::string_view kInRound = R"(
/* What is made in that round of a loop. */
static const char *in_round(const char *what, unsigned i)
{
    static char text[1024];
    snprintf(text, sizeof text, "%s, i = %u", what, i);
    return text;
}
)";

inline constexpr std::string_view kAnother = R"(
/* What this program is about is not there; something else is. */
static int another(int got)
{
    const char *seen = got == REFUSED ? strerror(errno) : ibv_wc_status_str(got);
    printf("not so, but not allowed either: step %s: %s\n", step, seen);
    return 0;
}
)";

inline constexpr std::string_view kOpen = R"(
static struct ibv_context *open_device(int argc, char **argv)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = NULL;
    NEED(list && list[0]);
    for (; *list && !context; ++list)
        if (argc < 2 || !strcmp(argv[1], ibv_get_device_name(*list)))
            context = ibv_open_device(*list);
    NEED(context);
    return context;
}
)";

/// The same, and the port's address.
inline constexpr std::string_view kOpenPort = R"(
static struct ibv_port_attr port;
static struct ibv_gid_entry gid; /* RoCE: v2 of an IPv4 address if there is one, else any v2 */

static struct ibv_context *open_device(int argc, char **argv)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = NULL;
    NEED(list && list[0]);
    for (; *list && !context; ++list)
        if (argc < 2 || !strcmp(argv[1], ibv_get_device_name(*list)))
            context = ibv_open_device(*list);
    NEED(context);
    NEED(!ibv_query_port(context, 1, &port) && port.state == IBV_PORT_ACTIVE);
    for (int i = 0, best = 0; i < port.gid_tbl_len; ++i) {
        struct ibv_gid_entry e;
        if ((argc > 2 && atoi(argv[2]) != i) || ibv_query_gid_ex(context, 1, i, &e, 0))
            continue;
        int ipv4 = !e.gid.raw[0] && e.gid.raw[10] == 0xff;
        int rank = e.gid_type == IBV_GID_TYPE_ROCE_V2 ? 2 + ipv4 : 1;
        if (rank > best)
            gid = e, best = rank;
    }
    return context;
}
)";

inline constexpr std::string_view kWide = R"(
/* Memory for large regions, of which no page is touched. */
#define WIDE 0x210000000000
static void map_wide(void)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    NEED(mmap((void *)WIDE, 0x200010000, PROT_READ | PROT_WRITE, flags, -1, 0) == (void *)WIDE);
}
)";
static_assert(model::kWideMemory == 0x210000000000 && model::kWideSize == 0x200010000);

inline constexpr std::string_view kMap = R"(
static void map(uint64_t address, size_t length)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_POPULATE;
    void *got = mmap((void *)address, length, PROT_READ | PROT_WRITE, flags, -1, 0);
    NEED(got == (void *)address);
}
)";

/// @ACCESS@: what else the queue pairs allow; @RETRY@: kRetry where windows are bound. @NUMBERS@:
/// kNumbers where they connect again, @RECEIVE_NUMBER@ and @SEND_NUMBER@ the fields for it.
inline constexpr std::string_view kPairs = R"(
static struct ibv_qp *make_qp(struct ibv_pd *pd)
{
    struct ibv_qp_init_attr attr = {.qp_type = IBV_QPT_RC, .cap = {16, 16, 2, 2, @INLINE@}};
    attr.send_cq = ibv_create_cq(pd->context, 16, NULL, NULL, 0);
    attr.recv_cq = ibv_create_cq(pd->context, 16, NULL, NULL, 0);
    NEED(attr.send_cq && attr.recv_cq);
    return ibv_create_qp(pd, &attr);
}

/* Takes both through INIT and RTR to RTS, in step; gives 0 or the errno of the first refusal. */
static int connect_pair(struct ibv_qp *a, struct ibv_qp *b)
{
@NUMBERS@    struct ibv_qp *qp[] = {a, b};
    unsigned access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ@ACCESS@;
    struct { struct ibv_qp_attr attr; int mask; } to[] = {
        {{.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = access},
         IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS},
        {{.qp_state = IBV_QPS_RTR, .path_mtu = port.active_mtu, .max_dest_rd_atomic = 1,
          .min_rnr_timer = 1@RECEIVE_NUMBER@, .ah_attr = {.port_num = 1, .dlid = port.lid,
          .is_global = gid.port_num == 1, .grh = {gid.gid, 0, gid.gid_index, 64, 0}}},
         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER},
        {{.qp_state = IBV_QPS_RTS, .timeout = 17, .retry_cnt = 6, .rnr_retry = 3,
          .max_rd_atomic = 1@SEND_NUMBER@},
         IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
             IBV_QP_MAX_QP_RD_ATOMIC}};
    for (int i = 0; i < 6; ++i) {
        to[i / 2].attr.dest_qp_num = qp[!(i % 2)]->qp_num;
        errno = ibv_modify_qp(qp[i % 2], &to[i / 2].attr, to[i / 2].mask);@RETRY@
        if (errno)
            return errno;
    }
    return 0;
}
)";

inline constexpr std::string_view kNumbers =
    R"(    static uint32_t psn; /* another one each time: packets of an old connection do not fit */
    psn = (psn + 0x10000) & 0xffffff;
)";

inline constexpr std::string_view kRetry = R"(
        if (errno && i < 2) { /* MW_BIND is not in ibv_modify_qp(3); not every driver takes it */
            to[0].attr.qp_access_flags &= ~IBV_ACCESS_MW_BIND;
            errno = ibv_modify_qp(qp[i], &to[0].attr, to[0].mask);
        })";

inline constexpr std::string_view kReconnect = R"(
/* Both ends through RESET to RTS again, their queues empty. */
static int reconnect(struct ibv_qp *a, struct ibv_qp *b)
{
    struct ibv_cq *cq[] = {a->send_cq, a->recv_cq, b->send_cq, b->recv_cq};
    struct ibv_qp_attr reset = {.qp_state = IBV_QPS_RESET};
    struct ibv_wc old;
    if (ibv_modify_qp(a, &reset, IBV_QP_STATE) || ibv_modify_qp(b, &reset, IBV_QP_STATE))
        return errno;
    for (int i = 0; i < 4; ++i)
        while (ibv_poll_cq(cq[i], 1, &old) > 0)
            continue;
    return connect_pair(a, b);
}
)";

inline constexpr std::string_view kCompletion = R"(
static struct ibv_wc wc; /* the last completion */

static int completion(struct ibv_cq *cq)
{
    int count;
    while (!(count = ibv_poll_cq(cq, 1, &wc)))
        usleep(10);
    NEED(count == 1);
    return wc.status;
}
)";

inline constexpr std::string_view kRun = R"(
/* Posts a request and waits for it: its completion's status, or REFUSED. */
static int run(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
    struct ibv_send_wr *bad;
    wr->send_flags |= IBV_SEND_SIGNALED;
    errno = ibv_post_send(qp, wr, &bad);
    return errno ? REFUSED : completion(qp->send_cq);
}
)";

/// Over iWARP.
inline constexpr std::string_view kTerminated = R"(
#define TERMINATED 1000 /* no status: the request ended the connection, however it was completed */
)";

/// @FLUSHED@: kFlushed of repro_rdma_cm.hpp where the program waits for a connection's end.
inline constexpr std::string_view kRunStream = R"(
/* Posts a request and waits for it: its completion's status, REFUSED, or TERMINATED. A write or a
 * send over iWARP is complete when it was sent; a read of no bytes behind it is answered only if
 * the other end accepted it. */
static int run(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
    struct ibv_send_wr *bad;
    struct ibv_sge none = {0};
    struct ibv_send_wr read = {
        .opcode = IBV_WR_RDMA_READ, .sg_list = &none, .num_sge = 1, .wr_id = 1000};
    wr->send_flags |= read.send_flags = IBV_SEND_SIGNALED;
    errno = ibv_post_send(qp, wr, &bad);
    if (errno)
        return REFUSED;
    int got = completion(qp->send_cq);
@FLUSHED@    struct ibv_wc of_read, of_request = wc;
    if (ibv_post_send(qp, &read, &bad))
        return TERMINATED;
    for (int i = 0; i < 3000; ++i, usleep(1000)) {
        if (ibv_poll_cq(qp->send_cq, 1, &of_read) == 0)
            continue;
        wc = of_request;
        return of_read.status == IBV_WC_SUCCESS ? got : TERMINATED;
    }
    return TERMINATED;
}
)";

inline constexpr std::string_view kPost = R"(
static struct ibv_send_wr *list, **last = &list;

/* To be posted with the next one. */
static int link_up(struct ibv_send_wr *wr)
{
    wr->send_flags |= IBV_SEND_SIGNALED;
    *last = wr;
    last = &wr->next;
    return IBV_WC_SUCCESS;
}

/* The completion is looked for later; from now on the program comes before the driver's threads, if
 * it may. */
static int post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
    struct ibv_send_wr *bad;
    link_up(wr);
    int error = ibv_post_send(qp, list, &bad);
    last = &list;
    (void)!sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
    errno = error;
    return error ? REFUSED : IBV_WC_SUCCESS;
}
)";

inline constexpr std::string_view kUnsignaled = R"(
static int unasked; /* whether a success that was not signaled completed */

/* Of what was not signaled: the status of its failure, or the success of a read behind it. */
static int end_of(struct ibv_qp *qp)
{
    struct ibv_send_wr *bad, read = {.opcode = IBV_WR_RDMA_READ, .wr_id = 1000000,
                                     .send_flags = IBV_SEND_SIGNALED};
    NEED(!ibv_post_send(qp, &read, &bad));
    int got = completion(qp->send_cq);
    unasked = got == IBV_WC_SUCCESS && wc.wr_id != read.wr_id;
    return unasked ? completion(qp->send_cq) : got;
}

static int run_unsignaled(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
    struct ibv_send_wr *bad;
    errno = ibv_post_send(qp, wr, &bad);
    return errno ? REFUSED : end_of(qp);
}
)";

/// @END@: how its end is waited for.
inline constexpr std::string_view kBind = R"(
static int bind_window(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *wanted)
{
    uint32_t old = mw->rkey;
    errno = ibv_bind_mw(qp, mw, wanted);
    int got = errno ? REFUSED : @END@;
    if (got != IBV_WC_SUCCESS)
        mw->rkey = old; /* ibv_bind_mw(3), NOTES: the caller has to */
    return got;
}
)";

inline constexpr std::string_view kReceive = R"(
static int receive(struct ibv_qp *qp, struct ibv_recv_wr *wr)
{
    struct ibv_recv_wr *bad;
    return ibv_post_recv(qp, wr, &bad);
}
)";

inline constexpr std::string_view kState = R"(
static int state_of(struct ibv_qp *qp)
{
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr ignored;
    NEED(!ibv_query_qp(qp, &attr, IBV_QP_STATE, &ignored));
    return attr.qp_state;
}
)";

inline constexpr std::string_view kSettled = R"(
/* The state once it has left RTS, which may be a moment after the completion; RTS after 2 s. */
static int settled(struct ibv_qp *qp)
{
    for (int i = 0; i < 2000 && state_of(qp) == IBV_QPS_RTS; ++i)
        usleep(1000);
    return state_of(qp);
}
)";

inline constexpr std::string_view kPattern = R"(
/* No two places look alike, so that a byte that moved is seen. */
static void fill(uint64_t address, size_t length, uint64_t seed)
{
    for (size_t i = 0; i < length; ++i) {
        uint64_t value = (i + 1) * 0x9e3779b97f4a7c15 + seed * 0xbf58476d1ce4e5b9;
        ((uint8_t *)address)[i] = ((value ^ value >> 30) * 0x94d049bb133111eb) >> 56;
    }
}
)";

/// Where the step moves bytes.
inline constexpr std::string_view kWanted =
    R"(static uint8_t *wanted(uint64_t address) /* what memory has to hold there after the step */
{
    int i = 0;
    while (address - memory[i].at >= memory[i].size)
        ++i;
    return memory[i].want + (address - memory[i].at);
}

)";

/// @RANGES@: the ranges of memory that are looked at; @WANTED@: kWanted, if it is used.
inline constexpr std::string_view kBytes = R"(
static struct { uint64_t at; size_t size; uint8_t before[16384], want[16384]; } memory[] = {
    @RANGES@};

@WANTED@static void remember(void)
{
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) {
        memcpy(memory[i].before, (void *)memory[i].at, memory[i].size);
        memcpy(memory[i].want, (void *)memory[i].at, memory[i].size);
    }
}

/* Whether each byte is the wanted one; or, if `part` of them may have moved, the old one. */
static int bytes_right(int part)
{
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i)
        for (size_t k = 0; k < memory[i].size; ++k) {
            uint8_t seen = ((uint8_t *)memory[i].at)[k];
            if (seen == memory[i].want[k] || (part && seen == memory[i].before[k]))
                continue;
            printf("byte at %#lx is %#x, not %#x\n", (unsigned long)(memory[i].at + k), seen,
                   memory[i].want[k]);
            return 0;
        }
    return 1;
}
)";

inline constexpr std::string_view kDmaBuf = R"(
/* A dma-buf of the kernel's udmabuf driver: two pages of memory. */
static int make_dma_buf(void)
{
    int driver = open("/dev/udmabuf", O_RDWR);
    int memory = memfd_create("repro", MFD_ALLOW_SEALING);
    NEED(driver >= 0 && memory >= 0 && !ftruncate(memory, 8192));
    NEED(!fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK));
    struct udmabuf_create wanted = {.memfd = (uint32_t)memory, .size = 8192};
    return ioctl(driver, UDMABUF_CREATE, &wanted);
}
)";

inline constexpr std::string_view kRegMrEx = R"(
static struct ibv_mr *reg_mr_ex(struct ibv_pd *pd, void *address, size_t length, uint64_t iova,
                                int access)
{
#ifdef HAVE_REG_MR_EX /* where rdma-core has ibv_reg_mr_ex(3): cc -DHAVE_REG_MR_EX */
    struct ibv_mr_init_attr attr = {
        .comp_mask = IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_IOVA, .addr = address,
        .length = length, .iova = iova, .access = access};
    return ibv_reg_mr_ex(pd, &attr);
#else
    (void)pd, (void)address, (void)length, (void)iova, (void)access;
    cannot_run("compiled without -DHAVE_REG_MR_EX");
    return NULL;
#endif
}
)";

inline constexpr std::string_view kKernelLog = R"(
static int kernel_log;

/* Whether the kernel has complained since the log was opened. */
static int kernel_complained(void)
{
    char record[8192];
    ssize_t size;
    while ((size = read(kernel_log, record, sizeof record - 1)) > 0 || errno == EPIPE) {
        record[size > 0 ? size : 0] = 0;
        if (strstr(record, "WARNING:") || strstr(record, "BUG:") || strstr(record, "Oops")) {
            printf("%s", record);
            return 1;
        }
    }
    return 0;
}
)";

inline constexpr std::string_view kChild = R"(
/* The rest of the program runs in a child, whose death by a signal is seen here. */
static void watch_child(void)
{
    int how;
    pid_t child = fork();
    NEED(child >= 0);
    if (child == 0)
        return;
    waitpid(child, &how, 0);
    if (WIFSIGNALED(how))
        printf("deviates: killed by signal %d\n", WTERMSIG(how));
    exit(WIFSIGNALED(how) ? 1 : WEXITSTATUS(how));
}
)";

inline constexpr std::string_view kRounds = R"(
/* The rest of the program runs in a child; in another one if it conforms there, since what this is
 * about does not happen each time. That many times, or for two minutes. */
static void in_rounds(int rounds)
{
    char said[4096] = "";
    int ends[2], how, conformed = 0, round = 0;
    for (time_t begin = time(NULL); round < rounds && time(NULL) - begin < 120;) {
        NEED(!pipe(ends));
        pid_t child = fork();
        NEED(child >= 0);
        if (child == 0) {
            NEED(dup2(ends[1], STDOUT_FILENO) >= 0 && !close(ends[0]) && !close(ends[1]));
            return;
        }
        close(ends[1]);
        ssize_t size, sum = 0;
        while ((size = read(ends[0], said + sum, sizeof said - 1 - sum)) > 0)
            sum += size;
        said[sum] = 0;
        close(ends[0]);
        waitpid(child, &how, 0);
        ++round;
        if (WIFSIGNALED(how))
            printf("deviates: killed by signal %d\n", WTERMSIG(how));
        if (WIFSIGNALED(how) || WEXITSTATUS(how) == 1) {
            printf("%sin round %d of at most %d\n", said, round, rounds);
            exit(1);
        }
        conformed += WEXITSTATUS(how) == 0;
    }
    printf("%sthe last of %d rounds, of which %d conform\n", said, round, conformed);
    exit(conformed ? 0 : 4);
}
)";

}  // namespace mrproof::conformance::repro_parts
