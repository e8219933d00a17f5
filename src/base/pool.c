/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Thread pool: ranges from an atomic counter, sleeping workers. */
#include "base/pool.h"

#include "base/cgroup.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

typedef struct {
    size_t n, grain;
    PoolBody body;
    void *argument;
    atomic_size_t next;
    atomic_int failed;
    Status status;     /* first failure; guarded by Pool.lock */
    char message[768]; /* its message; guarded by Pool.lock */
} Loop;

struct Pool {
    pthread_mutex_t turn;  /* held by the caller whose loop runs */
    pthread_mutex_t lock;  /* guards generation, running, stop, loop, Loop.status, Loop.message */
    pthread_cond_t start;  /* a loop begins, or stop */
    pthread_cond_t finish; /* running fell to 0 */
    uint64_t generation;
    unsigned running;
    bool stop;
    Loop *loop;
    unsigned threads;
    pthread_t *workers; /* [threads - 1] */
};

typedef struct {
    Pool *pool;
    unsigned worker;
} WorkerArgument;

static _Thread_local bool inside_loop;

static unsigned cpus_allowed(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    unsigned cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    unsigned limit = cgroup_cpu_limit();
    if (limit && limit < cpus)
        cpus = limit;
    return cpus ? cpus : 1;
}

static void record_failure(Pool *pool, Loop *loop, Status status)
{
    if (pool)
        pthread_mutex_lock(&pool->lock);
    if (loop->status == OK) {
        loop->status = status;
        snprintf(loop->message, sizeof loop->message, "%s", status_message());
    }
    if (pool)
        pthread_mutex_unlock(&pool->lock);
    atomic_store_explicit(&loop->failed, 1, memory_order_relaxed);
}

static void loop_run(Pool *pool, Loop *loop, unsigned worker)
{
    bool outer = inside_loop;
    inside_loop = true;
    while (!atomic_load_explicit(&loop->failed, memory_order_relaxed)) {
        size_t begin = atomic_fetch_add_explicit(&loop->next, loop->grain, memory_order_relaxed);
        if (begin >= loop->n)
            break;
        size_t end = loop->n - begin < loop->grain ? loop->n : begin + loop->grain;
        Status status = loop->body(loop->argument, begin, end, worker);
        if (status != OK)
            record_failure(pool, loop, status);
    }
    inside_loop = outer;
}

static void *worker_main(void *raw)
{
    WorkerArgument argument = *(WorkerArgument *)raw;
    free(raw);
    Pool *pool = argument.pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && pool->generation == seen)
            pthread_cond_wait(&pool->start, &pool->lock);
        if (pool->stop)
            break;
        seen = pool->generation;
        Loop *loop = pool->loop;
        pthread_mutex_unlock(&pool->lock);
        loop_run(pool, loop, argument.worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->running == 0)
            pthread_cond_signal(&pool->finish);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

Status pool_new(Pool **out, unsigned threads)
{
    if (threads == 0)
        threads = cpus_allowed();
    Pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        FAIL(ERR_MEMORY, "thread pool: out of memory");
    pool->workers = calloc(threads, sizeof *pool->workers);
    if (!pool->workers) {
        free(pool);
        FAIL(ERR_MEMORY, "thread pool: out of memory");
    }
    pthread_mutex_init(&pool->turn, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->finish, NULL);
    pool->threads = 1;
    for (unsigned i = 1; i < threads; i++) {
        WorkerArgument *argument = malloc(sizeof *argument);
        if (argument)
            *argument = (WorkerArgument){pool, i};
        if (!argument || pthread_create(&pool->workers[i - 1], NULL, worker_main, argument) != 0) {
            free(argument);
            pool_free(&pool);
            FAIL(ERR_MEMORY, "thread pool: cannot start thread %u of %u", i + 1, threads);
        }
        pool->threads = i + 1;
    }
    *out = pool;
    return OK;
}

void pool_free(Pool **pool_pointer)
{
    Pool *pool = *pool_pointer;
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 1; i < pool->threads; i++)
        pthread_join(pool->workers[i - 1], NULL);
    pthread_cond_destroy(&pool->finish);
    pthread_cond_destroy(&pool->start);
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->turn);
    free(pool->workers);
    free(pool);
    *pool_pointer = NULL;
}

unsigned pool_threads(const Pool *pool)
{
    return pool ? pool->threads : 1;
}

static size_t choose_grain(size_t n, unsigned threads)
{
    size_t grain = n / ((size_t)threads * 8);
    return grain ? grain : 1;
}

Status parallel_for(Pool *pool, size_t n, size_t grain, PoolBody body, void *argument)
{
    CHECK(body);
    if (n == 0)
        return OK;
    Loop loop = {.n = n, .body = body, .argument = argument, .status = OK};
    loop.grain = grain ? grain : choose_grain(n, pool_threads(pool));
    bool serial = !pool || pool->threads == 1 || inside_loop || n <= loop.grain;
    if (serial) {
        loop_run(NULL, &loop, 0);
    } else {
        pthread_mutex_lock(&pool->turn);
        pthread_mutex_lock(&pool->lock);
        pool->loop = &loop;
        pool->running = pool->threads - 1;
        pool->generation++;
        pthread_cond_broadcast(&pool->start);
        pthread_mutex_unlock(&pool->lock);
        loop_run(pool, &loop, 0);
        pthread_mutex_lock(&pool->lock);
        while (pool->running)
            pthread_cond_wait(&pool->finish, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
        pthread_mutex_unlock(&pool->turn);
    }
    if (loop.status != OK)
        return status_fail(loop.status, "%s", loop.message);
    return OK;
}
