// What a posted request and an empty poll cost:  cost THREADS REQUESTS
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct ibv_cq* cq;
static struct ibv_qp* qp;
static int count;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void* post(void* none) {
  struct ibv_sge element = {0x3000, 16, 0x11};
  struct ibv_send_wr wr = {.sg_list = &element, .num_sge = 1}, *bad;
  for (int i = 0; i < count; ++i) ibv_post_send(qp, &wr, &bad);
  return none;
}

static void* poll(void* none) {
  struct ibv_wc wc;
  for (int i = 0; i < count; ++i) ibv_poll_cq(cq, 1, &wc);
  return none;
}

static void measure(int threads, void* (*work)(void*)) {
  pthread_t thread[16];
  const double begin = now();
  for (int i = 0; i < threads; ++i) pthread_create(&thread[i], NULL, work, NULL);
  for (int i = 0; i < threads; ++i) pthread_join(thread[i], NULL);
  printf("%.2f\n", (now() - begin) / count);
}

int main(int arguments, char** argument) {
  const int threads = arguments == 3 ? atoi(argument[1]) : 0;
  if (threads < 1 || threads > 16) return 2;
  count = atoi(argument[2]);
  struct ibv_context* context = ibv_open_device(NULL);
  struct ibv_pd* pd = ibv_alloc_pd(context);
  cq = ibv_create_cq(context, 1, NULL, NULL, 0);
  qp = ibv_create_qp(pd, &(struct ibv_qp_init_attr){.send_cq = cq, .recv_cq = cq});
  measure(threads, post);
  measure(threads, poll);
  return 0;
}
