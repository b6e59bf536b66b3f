/* Runs work that waits for the disk or for other programs in parallel. */
#include "base/parallel.h"

#include "base/account.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 63 }; /* besides the calling thread */

/* Shared by the threads; each takes the next number. */
struct shared_work {
    size_t count;
    void (*act)(void *context, size_t number);
    void *context;
    atomic_size_t next;
    enum account account; /* of the caller */
};

static void *work(void *shared)
{
    struct shared_work *w = shared;
    ACCOUNT_SCOPE(w->account);
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->count;)
        w->act(w->context, i);
    return NULL;
}

void parallel_run(size_t count, size_t at_once, void (*act)(void *context, size_t number),
                  void *context)
{
    struct shared_work shared = {
        .count = count, .act = act, .context = context, .account = account_current()};
    pthread_t threads[THREADS];
    size_t started = 0;
    while (started < THREADS && started + 1 < at_once && started + 1 < count &&
           pthread_create(&threads[started], NULL, work, &shared) == 0)
        started++;
    (void)work(&shared);
    while (started)
        (void)pthread_join(threads[--started], NULL);
}
