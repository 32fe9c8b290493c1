// Uses libibverbs in ways that the watching library must stand:  user MODE
// What it prints is the same with that library and without; addresses and times go to stderr.
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAY(call) say(#call, (long)(call))
#define MADE(name, call) (name = (call), say(#name, (long)name))
#define NEED(condition) ((condition) ? (void)0 : abort())

enum { kRounds = 10000, kMostThreads = 64, kContexts = 520, kKept = 1234, kSlow = 510 };

static struct ibv_context* context;
static struct ibv_pd* pd;
static struct ibv_cq* cq;
static struct ibv_qp* qp;
static struct ibv_mr* region;
static struct ibv_sge elements[80] = {{0x3000, 16, 0x11}, {0x4000, 32, 0x12}};
static struct ibv_wc wc[64];
static pthread_key_t key;
static pthread_barrier_t all_done;
static int handled, stay;  // signals; whether threads wait until the program is killed
static int threads_wanted = 4, rounds = kRounds;

static void say(const char* what, long value) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  printf("%s: %ld, errno %d\n", what, value >> 20 > 0 ? 1 : value, errno);
  fprintf(stderr, "%s %ld %ld\n", what, value, time.tv_sec * 1000000000 + time.tv_nsec);
  errno = kKept;
}

static void* map(void) { return mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

static int post(uint64_t id, unsigned flags) {
  struct ibv_send_wr wr = {id, NULL, elements, 1, IBV_WR_RDMA_WRITE, flags}, *bad;
  return ibv_post_send(qp, &wr, &bad);
}

// What a thread does last, when the watching library may have let its file go.
static void post_last(void* number) { post((uintptr_t)number * 1000000 + rounds, 0); }

// Not inlined: whence it was called is recorded, too.
__attribute__((noinline)) static void begin(void) {
  MADE(context, ibv_open_device(NULL));
  MADE(pd, ibv_alloc_pd(context));
  MADE(cq, ibv_create_cq(context, 10, NULL, NULL, 0));
  struct ibv_qp_init_attr attributes = {cq, cq, cq, (void*)0x77, {0}, IBV_QPT_RC, 1};
  MADE(qp, ibv_create_qp(pd, &attributes));
  pthread_key_create(&key, post_last);
  SAY(dup(0));  // which descriptors are free
}

__attribute__((noinline)) static void make_all(void) {
  void *memory = (void*)0x10000, *none, *relaxed, *moved, *window, *more, *more_cq;
  MADE(region, ibv_reg_mr(pd, memory, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ));
  MADE(none, ibv_reg_mr(pd, memory, 0, 0));
  MADE(relaxed, ibv_reg_mr(pd, memory, 64, IBV_ACCESS_RELAXED_ORDERING));
  MADE(moved, ibv_reg_mr_iova2(pd, memory, 64, 0x99, 0));
  MADE(window, ibv_alloc_mw(pd, IBV_MW_TYPE_1));
  struct ibv_qp_init_attr_ex extended = {.send_cq = cq, .qp_type = IBV_QPT_UD, .pd = pd};
  extended.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  MADE(more, ibv_create_qp_ex(context, &extended));
  MADE(more_cq, ibv_create_cq_ex(context, &(struct ibv_cq_init_attr_ex){0}));
  struct ibv_qp_attr change = {IBV_QPS_RTR, .dest_qp_num = 9, .qp_access_flags = 15};
  change.ah_attr = (struct ibv_ah_attr){.is_global = 1, .grh = {{{1, 2, 3}}, .sgid_index = 4}};
  SAY(ibv_modify_qp(qp, &change, IBV_QP_STATE | IBV_QP_DEST_QPN));
  SAY(ibv_modify_qp(qp, &change, IBV_QP_ACCESS_FLAGS | IBV_QP_AV));
  SAY(ibv_modify_qp(qp, &change, 0));
}

static void post_list(struct ibv_send_wr* wr, int count) {
  for (int i = 0; i + 1 < count; ++i) wr[i].next = &wr[i + 1];
  struct ibv_send_wr *const untouched = (void*)0x5555, *bad = untouched;
  SAY(ibv_post_send(qp, wr, &bad));
  SAY(bad == untouched ? -1 : bad == NULL ? -2 : bad - wr);
}

static void post_all(void) {
  for (int i = IBV_WR_RDMA_WRITE; i <= IBV_WR_SEND_WITH_INV; ++i) {
    const uint64_t swap = i == IBV_WR_ATOMIC_CMP_AND_SWP ? 6 : 0;
    struct ibv_send_wr wr = {i, NULL, elements, i % 3, i, IBV_SEND_SIGNALED, {0x88}};
    wr.wr = (typeof(wr.wr)){.atomic = {0xabc, 5, swap, 0x77}};  // for RDMA the key is 5
    post_list(&wr, 1);
  }
  for (int i = 0; i < 3; ++i) SAY(ibv_poll_cq(cq, 8, wc));
  SAY(post(kSlow, IBV_SEND_SIGNALED));
  SAY(ibv_poll_cq(cq, 1, wc));
  const int refused[] = {5, 77, 78, 79, 300};  // numbers of elements; see the fake provider
  for (int i = 0; i < 5; ++i) {
    struct ibv_sge* list = i == 4 ? (void*)5 : elements;
    struct ibv_send_wr wr[] = {{101}, {102, .sg_list = list, .num_sge = refused[i]}, {103}};
    post_list(wr, 3);
  }
  static struct ibv_send_wr full[100];
  for (int i = 0; i < 100; ++i) full[i].send_flags = IBV_SEND_SIGNALED;
  post_list(full, 100);
  SAY(ibv_poll_cq(cq, 64, wc));
  full[0].next = full;  // by mistake
  post_list(full, 1);
  SAY(ibv_poll_cq(cq, 64, wc));
  full[0] = (struct ibv_send_wr){.num_sge = 5, .sg_list = elements};
  SAY(ibv_post_send(qp, full, NULL));
  struct ibv_recv_wr receives[] = {{11, &receives[1], elements, 1}, {12, NULL, elements, 5}}, *bad;
  SAY(ibv_post_recv(qp, receives, &bad));
  SAY(bad - receives);
}

static void bind_windows(void) {
  void* one;
  MADE(one, ibv_alloc_mw(pd, IBV_MW_TYPE_1));
  MADE(region, ibv_reg_mr(pd, (void*)0x10000, 64, 0));
  struct ibv_mw_bind bind = {31, IBV_SEND_SIGNALED, {region, 0x3000, 16, IBV_ACCESS_REMOTE_READ}};
  SAY(ibv_bind_mw(qp, one, &bind));
  bind.bind_info.length = 1;
  SAY(ibv_bind_mw(qp, one, &bind));  // refused
  struct ibv_send_wr wr = {32, NULL, elements, 1, IBV_WR_BIND_MW, 0}, *bad;  // no element is used
  wr.bind_mw = (typeof(wr.bind_mw)){one, 0x99, bind.bind_info};
  SAY(ibv_post_send(qp, &wr, &bad));
  SAY(ibv_dealloc_mw(one));
}

static void post_shared(void) {
  struct ibv_recv_wr receives[] = {{11, &receives[1], elements, 1}, {12, NULL, elements, 5}}, *bad;
  struct ibv_srq *shared, *special;
  MADE(shared, ibv_create_srq(pd, &(struct ibv_srq_init_attr){0}));
  struct ibv_srq_init_attr_ex wanted = {.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE};
  wanted.pd = pd, wanted.srq_type = IBV_SRQT_XRC;
  MADE(special, ibv_create_srq_ex(context, &wanted));
  SAY(ibv_post_srq_recv(shared, receives, &bad));
  SAY(bad - receives);
  SAY(ibv_destroy_srq(shared));
}

// Requests and completions by the functions of extended objects.
static void post_extended(void) {
  static const struct ibv_data_buf data[] = {{(void*)0x5000, 3}, {(void*)0x6000, 4}};
  struct ibv_poll_cq_attr none = {0};
  struct ibv_qp_init_attr_ex wanted = {.send_cq = cq, .qp_type = IBV_QPT_RC, .pd = pd};
  wanted.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  MADE(qp, ibv_create_qp_ex(context, &wanted));
  struct ibv_cq_ex* found;
  struct ibv_pd* second;
  MADE(found, ibv_create_cq_ex(context, &(struct ibv_cq_init_attr_ex){0}));
  struct ibv_qp_ex* x = ibv_qp_to_qp_ex(qp);
  ibv_wr_start(x);
  x->wr_id = 1, x->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_rdma_write(x, 0x77, 0xabc), ibv_wr_set_sge(x, 0x11, 0x3000, 16);
  x->wr_id = 2, x->wr_flags = 0;
  ibv_wr_rdma_write_imm(x, 0x77, 0xabc, 0), ibv_wr_set_sge_list(x, 2, elements);
  ibv_wr_send(x), ibv_wr_set_inline_data(x, (void*)0x5000, 3);
  ibv_wr_send_imm(x, 0), ibv_wr_set_inline_data_list(x, 2, data);
  ibv_wr_rdma_read(x, 0x77, 0xabc);
  ibv_wr_atomic_cmp_swp(x, 0x77, 0xabc, 5, 6), ibv_wr_atomic_fetch_add(x, 0x77, 0xabc, 5);
  ibv_wr_send_inv(x, 0x88);
  x->wr_id = 3, x->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_local_inv(x, 0x88);
  static const struct ibv_mw_bind_info info = {NULL, 0x4000, 32, IBV_ACCESS_REMOTE_WRITE};
  ibv_wr_bind_mw(x, (void*)0x7000, 0x9a, &info);
  SAY(ibv_wr_complete(x));
  ibv_wr_start(x), ibv_wr_send(x), ibv_wr_abort(x);
  ibv_wr_start(x), ibv_wr_send(x), ibv_wr_set_sge_list(x, 5, elements);
  SAY(ibv_wr_complete(x));  // refused
  SAY(ibv_start_poll(found, &none));
  for (int i = 0; i < 3; ++i) SAY(ibv_next_poll(found));
  ibv_end_poll(found);
  MADE(second, ibv_alloc_pd(context));
  SAY(ibv_destroy_qp(qp));  // refused, and it is still watched
  ibv_dealloc_pd(second);
  ibv_wr_start(x), ibv_wr_send(x);
  SAY(ibv_wr_complete(x));
  SAY(ibv_destroy_qp(qp));
  SAY(ibv_destroy_cq(ibv_cq_ex_to_cq(found)));
}

__attribute__((noinline)) static void end_all(void) {
  void* mapped;
  MADE(mapped, map());
  SAY(munmap(mapped, 4096));
  SAY(munmap((void*)1, 1));
  SAY(ibv_dereg_mr(region));
  SAY(ibv_destroy_qp(qp));
  SAY(ibv_destroy_cq(cq));
  SAY(ibv_close_device(context));  // refused, and the device is still there
  SAY(post(1, 0));
  SAY(ibv_dealloc_pd(pd));
  SAY(ibv_close_device(context));
}

static void* work(void* number) {
  const uint64_t first = (uintptr_t)number * 1000000;
  struct ibv_wc own;
  pthread_setspecific(key, number);
  errno = kKept;
  for (uint64_t i = first; i < first + rounds; ++i) {
    NEED(post(i, IBV_SEND_SIGNALED) == 0 && ibv_poll_cq(cq, 1, &own) == 1);
    NEED(own.wr_id == i && errno == kKept);
  }
  return NULL;
}

// It is cancelled as well, but makes no call in which it would end.
static void* work_in_thread(void* number) {
  pthread_cancel(pthread_self());
  work(number);
  for (int i = 0; i < 2 && stay; ++i) pthread_barrier_wait(&all_done);  // but once for the main one
  return NULL;
}

static void threads(void) {
  pthread_t thread[kMostThreads];
  void* ended;
  pthread_barrier_init(&all_done, NULL, threads_wanted + 1);
  MADE(region, ibv_reg_mr(pd, elements, sizeof elements, 0));
  for (int i = 0; i < threads_wanted; ++i)
    pthread_create(&thread[i], NULL, work_in_thread, (void*)(intptr_t)(i + 1));
  if (stay) pthread_barrier_wait(&all_done), kill(getpid(), SIGKILL);
  for (int i = 0; i < threads_wanted; ++i) NEED(!pthread_join(thread[i], &ended) && !ended);
  SAY(ibv_dereg_mr(region));
}

static void family(void) {
  for (uint64_t i = 1; i <= 3; ++i) {
    int status;
    if (fork() == 0) {
      SAY(post(i, 0));
      if (i == 2) execl("/proc/self/exe", "user", "child", NULL);
      exit(3);
    }
    SAY((wait(&status), status));
    SAY(post(10 * i, 0));
  }
}

static void use_handles(void) {
  struct ibv_qp_init_attr_ex wanted = {.send_cq = cq, .qp_type = IBV_QPT_UD, .pd = pd};
  wanted.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  struct ibv_qp* datagrams;
  struct ibv_ah *handle, *answer;
  MADE(datagrams, ibv_create_qp_ex(context, &wanted));
  MADE(handle, ibv_create_ah(pd, &(struct ibv_ah_attr){0}));
  MADE(answer, ibv_create_ah_from_wc(pd, wc, NULL, 1));
  struct ibv_send_wr wr = {41, NULL, elements, 1, IBV_WR_SEND}, *bad;
  wr.wr.ud.ah = handle;
  SAY(ibv_post_send(datagrams, &wr, &bad));
  struct ibv_qp_ex* x = ibv_qp_to_qp_ex(datagrams);
  ibv_wr_start(x), ibv_wr_send(x), ibv_wr_set_ud_addr(x, answer, 1, 2);
  SAY(ibv_wr_complete(x));
  SAY(ibv_destroy_ah(handle));
  SAY(ibv_destroy_ah(answer));
}

// Memory of requests under way, and what the program does with it.
static char* memory;
static sigjmp_buf out;

static void post_from(uint64_t id, size_t offset, unsigned length, unsigned flags) {
  struct ibv_sge element = {(uintptr_t)memory + offset, length, 0x11};
  struct ibv_send_wr wr = {id, NULL, &element, 1, IBV_WR_RDMA_WRITE, flags}, *bad;
  SAY(ibv_post_send(qp, &wr, &bad));
}
static void poll_all(void) { SAY(ibv_poll_cq(cq, 64, wc)); }
static void leave(int number, siginfo_t* info, void* of) { siglongjmp(out, number); }

static void guarded(void) {
  char *second, *last, *part, *middle, *end;
  MADE(memory, mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  MADE(second, memory + 5000);
  MADE(last, memory + 12300);
  MADE(part, memory + 100), MADE(middle, memory + 4096), MADE(end, memory + 12288);
  MADE(region, ibv_reg_mr(pd, memory, 16384, IBV_ACCESS_LOCAL_WRITE));
  post_from(1, 0, 8192, IBV_SEND_SIGNALED);
  SAY(second[0]);                    // it may be read
  second[0] = 1, memory[100] = 2;    // told once
  post_from(2, 100, 100, IBV_SEND_SIGNALED);
  memory[120] = 3;                   // not found: the page has other things, too
  poll_all(), second[0] = 4;
  post_from(3, 4096, 4096, 0), post_from(4, 12288, 4096, IBV_SEND_SIGNALED);
  poll_all(), second[0] = last[0] = 5;  // both are over
  post_from(5, 4096, 4096, IBV_SEND_INLINE);
  second[0] = 6;
  post_from(6, 12288, 4096, IBV_SEND_SIGNALED), post_from(7, 4096, 4096, 0);
  poll_all(), last[0] = 7;           // of the second one nothing is known
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  second[0] = 8;                     // told, though the program wants no signals
  pthread_sigmask(SIG_UNBLOCK, &all, NULL);
  post_from(8, 12288, 4096, IBV_SEND_SIGNALED);
  if (fork() == 0) last[0] = 9, _exit(0);  // its own memory
  wait(NULL);
  struct sigaction old, own = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO};
  SAY(sigaction(SIGSEGV, &own, NULL));
  SAY(sigaction(SIGSEGV, NULL, &old));
  SAY(old.sa_sigaction == leave);
  char* constant = map();
  if (sigsetjmp(out, 1) == 0) constant[0] = 1;  // a fault of the program's own, to its handler
  SAY(signal(SIGSEGV, SIG_DFL) == (void*)leave);
  post_from(10, 0, 8192, IBV_SEND_SIGNALED), post_from(11, 4096, 8192, IBV_SEND_SIGNALED);
  memory[100] = 11;                  // told, and half of the second one is given back, too
  SAY(ibv_dereg_mr(region));
  second[0] = memory[8200] = 12;
  last[0] = 10;                      // it was a mistake to deregister it, which others tell
  void* again;
  MADE(again, ibv_reg_mr(pd, memory, 16384, IBV_ACCESS_LOCAL_WRITE));
  syscall(SYS_munmap, memory, 16384);  // as free() does it
  post_from(9, 0, 8192, IBV_SEND_SIGNALED);
  SAY(ibv_destroy_qp(qp));
}

static void have_room(rlim_t bytes) {
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY});
}

static void work_elsewhere(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, (void*)1);
  pthread_join(thread, NULL);
}

static void contexts(void) {
  static struct ibv_context* all[kContexts];
  for (int i = 0; i < kContexts; ++i) post((qp->context = all[i] = ibv_open_device(NULL), 7), 0);
  SAY(ibv_dealloc_pd(pd));
  for (int i = 0; i < kContexts; ++i) NEED(ibv_close_device(all[i]) == 0);
  for (int i = 0; i < kContexts; ++i) NEED(ibv_close_device(ibv_open_device(NULL)) == 0);
}

static void handler(int number) { post((uint64_t)number, (++handled, 0)); }

static void interrupted(void) {
  signal(SIGALRM, handler);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 50}, {0, 50}}, NULL);
  for (int i = 0; i < 10 * kRounds; ++i) post(8, 0);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  fprintf(stderr, "handled %d 0\n", handled);
}

int main(int count, char** arguments) {
  const char* mode = count == 2 ? arguments[1] : "";
  setvbuf(stdout, NULL, _IONBF, 0);
  errno = kKept;
  SAY(munmap(map(), 4096));  // nothing is registered yet
  SAY(chdir("/"));           // the folder for the records may have been named from elsewhere
  if (strcmp(mode, "nothing") == 0) return 0;
  if (strcmp(mode, "later") == 0) have_room(1000);
  begin();
  if (strcmp(mode, "calls") == 0) make_all(), post_all(), end_all();
  if (strcmp(mode, "extended") == 0) post_extended(), post_shared(), bind_windows();
  if (strcmp(mode, "handles") == 0) use_handles();
  if (strcmp(mode, "guarded") == 0) guarded();
  if (strcmp(mode, "threads") == 0) threads();
  if (strcmp(mode, "crowd") == 0) threads_wanted = kMostThreads, rounds = 500, threads();
  if (strcmp(mode, "killed") == 0) stay = 1, threads();
  if (strcmp(mode, "family") == 0) family();
  if (strcmp(mode, "child") == 0) SAY(post(4, 0));
  if (strcmp(mode, "fill") == 0) work((void*)1);
  // There is room again when the program ends, but there was none for a thread's first event.
  if (strcmp(mode, "room") == 0) have_room(1000), work_elsewhere(), have_room(RLIM_INFINITY);
  // There was none for all that was first.
  if (strcmp(mode, "later") == 0) have_room(RLIM_INFINITY), work_elsewhere();
  if (strcmp(mode, "contexts") == 0) contexts();
  if (strcmp(mode, "interrupted") == 0) interrupted();
  return 0;
}
