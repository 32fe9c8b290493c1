// The part of programs of repro.hpp in which calls overlap each other.
#pragma once

#include <string_view>

namespace mrproof::conformance::repro_parts {

inline constexpr std::string_view kOverlap = R"(
#define NOT_MADE 1000000 /* the call before it in its thread has failed */
static struct { pthread_t thread; void *(*call)(void *); } begun[27]; /* by number */
static int ended[27];         /* 0, or what the call gave, or an errno */
static struct timespec start; /* from which all delays count */
static int gone;

/* Comes before each call of a thread: the first waits until a moment after all are there. On one
 * processor a later one interrupts an earlier one, if it may. */
static void wait_for(int number, int first, long us)
{
    struct timespec moment = start;
    moment.tv_nsec += us * 1000;
    moment.tv_sec += moment.tv_nsec / 1000000000;
    moment.tv_nsec %= 1000000000;
    if (first)
        (void)!sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = number});
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL))
        continue;
}

/* Those that have begun go on, half a millisecond from now. */
static void go(void)
{
    clock_gettime(CLOCK_MONOTONIC, &start);
    start.tv_nsec += 500000;
    gone = 1;
    for (int i = 0; i < 27; ++i)
        if (begun[i].call)
            NEED(!pthread_create(&begun[i].thread, NULL, begun[i].call, NULL));
}

/* How the call ended. */
static int returned(int number)
{
    if (!gone)
        go();
    if (!begun[number].call) /* its thread was joined for another call */
        return ended[number];
    begun[number].call = NULL;
    for (int i = gone = 0; i < 27; ++i)
        gone |= begun[i].call != NULL;
    NEED(!pthread_join(begun[number].thread, NULL));
    return ended[number];
}
)";

}  // namespace mrproof::conformance::repro_parts
