/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Pippenger's method with affine buckets, for one group.
 *
 * A template: define MSM_G (g1, g2, toy), MSM_AFFINE, MSM_XYZZ, MSM_FIELD; no guard.
 *
 * DESIGN: a task is a window of the scalars over a group of points. It walks its points tile by
 * tile: point numbers are sorted by bucket (counting sort on the signed digit), each bucket's list
 * is summed by rounds of pairwise affine additions that share inversions, and what is left of each
 * bucket is added to the task's bucket array. The buckets are folded by running sums; the caller
 * adds groups and doubles windows together. Every addition is complete, so equal and opposite
 * points need no care. */
#define MSM_JOIN2(a, b) a##_##b
#define MSM_JOIN(a, b) MSM_JOIN2(a, b)
#define MSM_NAME(op) MSM_JOIN(MSM_G, op)

/* One worker's memory. */
typedef struct {
    MSM_AFFINE *work;       /* [tile / 2 + n_buckets] points between rounds */
    MSM_AFFINE *buckets;    /* [n_buckets] */
    MSM_AFFINE *p, *q;      /* [BATCH] a batch of additions */
    MSM_FIELD *scratch;     /* [2 BATCH] */
    uint32_t *target;       /* [BATCH] where p goes */
    uint32_t *order;        /* [tile] point numbers by bucket, bit 31: negated */
    uint32_t *start, *size; /* [n_buckets + 1], [n_buckets] the list of each bucket */
    uint16_t *bucket;       /* [tile] bucket of each point; NO_BUCKET for digit 0 */
    uint8_t *negative;      /* [tile] */
    size_t queued;          /* additions in the batch */
} MSM_NAME(msm_worker);

typedef struct {
    const MSM_AFFINE *points;
    const MsmScalars *scalars;
    MsmPlan plan;
    FrCanon bias; /* sum of 2^(c-1) 2^(cw) over the windows but the top one */
    uint8_t *memory;
    size_t stride;    /* bytes of one worker's memory */
    MSM_XYZZ *result; /* [n_windows * n_groups] */
} MSM_NAME(msm_job);

/* Cut a worker's memory into its arrays; returns the bytes needed. */
static size_t MSM_NAME(msm_carve)(MSM_NAME(msm_worker) * w, uint8_t *memory, const MsmPlan *plan)
{
    size_t at = 0, nb = plan->n_buckets, tile = plan->tile;
    struct {
        void *field;
        size_t bytes;
    } parts[] = {
        {&w->work, (tile / 2 + nb + 1) * sizeof *w->work},
        {&w->buckets, nb * sizeof *w->buckets},
        {&w->p, MSM_BATCH * sizeof *w->p},
        {&w->q, MSM_BATCH * sizeof *w->q},
        {&w->scratch, 2 * MSM_BATCH * sizeof *w->scratch},
        {&w->target, MSM_BATCH * sizeof *w->target},
        {&w->order, tile * sizeof *w->order},
        {&w->start, (nb + 1) * sizeof *w->start},
        {&w->size, nb * sizeof *w->size},
        {&w->bucket, tile * sizeof *w->bucket},
        {&w->negative, tile * sizeof *w->negative},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint8_t *place = memory ? memory + at : NULL;
        memcpy(parts[i].field, &place, sizeof place);
        at += (parts[i].bytes + 63) & ~(size_t)63;
    }
    w->queued = 0;
    return at;
}

/* Run the queued additions and put the sums in place. */
static void MSM_NAME(msm_flush)(MSM_NAME(msm_worker) * w, MSM_AFFINE *to)
{
    if (w->queued == 0)
        return;
    MSM_NAME(add_batch)(w->p, w->q, w->queued, w->scratch);
    for (size_t i = 0; i < w->queued; i++)
        to[w->target[i]] = w->p[i];
    w->queued = 0;
}

/* Queue to[target] = p + q. Sources are copied now, so a later target may lie on them. */
static inline void MSM_NAME(msm_queue)(MSM_NAME(msm_worker) * w, MSM_AFFINE *to, size_t target,
                                       const MSM_AFFINE *p, const MSM_AFFINE *q)
{
    w->p[w->queued] = *p;
    w->q[w->queued] = *q;
    w->target[w->queued] = (uint32_t)target;
    if (++w->queued == MSM_BATCH)
        MSM_NAME(msm_flush)(w, to);
}

static inline MSM_AFFINE MSM_NAME(msm_signed)(const MSM_AFFINE *points, uint32_t entry)
{
    MSM_AFFINE p = points[entry & 0x7fffffff];
    if (entry >> 31)
        MSM_NAME(affine_neg)(&p, &p);
    return p;
}

/* Round 0: from point numbers to work. Lists shrink to ceil(size / 2), packed. */
static void MSM_NAME(msm_first_round)(MSM_NAME(msm_worker) * w, const MSM_AFFINE *points, size_t nb)
{
    size_t out = 0;
    for (size_t b = 0; b < nb; b++) {
        const uint32_t *list = w->order + w->start[b];
        size_t size = w->size[b], pairs = size / 2;
        w->start[b] = (uint32_t)out;
        w->size[b] = (uint32_t)(size - pairs);
        for (size_t i = 0; i < pairs; i++) {
            MSM_AFFINE p = MSM_NAME(msm_signed)(points, list[2 * i]);
            MSM_AFFINE q = MSM_NAME(msm_signed)(points, list[2 * i + 1]);
            MSM_NAME(msm_queue)(w, w->work, out++, &p, &q);
        }
        if (size & 1)
            w->work[out++] = MSM_NAME(msm_signed)(points, list[size - 1]);
    }
    MSM_NAME(msm_flush)(w, w->work);
}

/* One more round on work; false when every list has at most one point. Outputs never overtake the
 * inputs still to be read. */
static bool MSM_NAME(msm_next_round)(MSM_NAME(msm_worker) * w, size_t nb)
{
    size_t out = 0;
    bool any = false;
    for (size_t b = 0; b < nb; b++) {
        size_t at = w->start[b], size = w->size[b], pairs = size / 2;
        w->start[b] = (uint32_t)out;
        w->size[b] = (uint32_t)(size - pairs);
        any |= w->size[b] > 1;
        for (size_t i = 0; i < pairs; i++)
            MSM_NAME(msm_queue)(w, w->work, out++, &w->work[at + 2 * i], &w->work[at + 2 * i + 1]);
        if (size & 1)
            w->work[out++] = w->work[at + size - 1];
    }
    MSM_NAME(msm_flush)(w, w->work);
    return any;
}

/* Sum the lists in order/start/size and add each to its bucket. */
static void MSM_NAME(msm_reduce_lists)(MSM_NAME(msm_worker) * w, const MSM_AFFINE *points,
                                       size_t nb)
{
    MSM_NAME(msm_first_round)(w, points, nb);
    while (MSM_NAME(msm_next_round)(w, nb))
        ;
    for (size_t b = 0; b < nb; b++)
        if (w->size[b])
            MSM_NAME(msm_queue)(w, w->buckets, b, &w->buckets[b], &w->work[w->start[b]]);
    MSM_NAME(msm_flush)(w, w->buckets);
}

/* Signed digits of window `window` for scalars [first, first + n): sorted into order. */
static void MSM_NAME(msm_sort)(MSM_NAME(msm_worker) * w, const MSM_NAME(msm_job) * job,
                               unsigned window, size_t first, size_t n)
{
    size_t nb = job->plan.n_buckets;
    memset(w->start, 0, (nb + 1) * sizeof *w->start);
    for (size_t i = 0; i < n; i++) {
        int32_t digit = msm_digit(&job->scalars->full[first + i], &job->bias, &job->plan, window);
        uint32_t magnitude = (uint32_t)(digit < 0 ? -digit : digit);
        w->negative[i] = digit < 0;
        w->bucket[i] = magnitude ? (uint16_t)(magnitude - 1) : MSM_NO_BUCKET;
        if (magnitude)
            w->start[magnitude]++;
    }
    for (size_t b = 0; b < nb; b++) {
        w->size[b] = w->start[b + 1];
        w->start[b + 1] += w->start[b];
    }
    for (size_t i = 0; i < n; i++) {
        if (w->bucket[i] == MSM_NO_BUCKET)
            continue;
        uint32_t number =
            job->scalars->index ? job->scalars->index[first + i] : (uint32_t)(first + i);
        w->order[w->start[w->bucket[i]]++] = number | (uint32_t)w->negative[i] << 31;
    }
    for (size_t b = 0; b < nb; b++) /* back to the beginnings */
        w->start[b] -= w->size[b];
}

/* sum (b + 1) buckets[b] by running sums from the top. */
static void MSM_NAME(msm_fold)(MSM_XYZZ *out, const MSM_AFFINE *buckets, size_t nb)
{
    MSM_XYZZ running, sum;
    MSM_NAME(xyzz_set_infinity)(&running);
    MSM_NAME(xyzz_set_infinity)(&sum);
    for (size_t b = nb; b-- > 0;) {
        MSM_NAME(add_affine)(&running, &running, &buckets[b]);
        MSM_NAME(add)(&sum, &sum, &running);
    }
    *out = sum;
}

static Status MSM_NAME(msm_tasks)(void *raw, size_t begin, size_t end, unsigned worker)
{
    const MSM_NAME(msm_job) *job = raw;
    const MsmPlan *plan = &job->plan;
    MSM_NAME(msm_worker) w;
    MSM_NAME(msm_carve)(&w, job->memory + worker * job->stride, plan);
    size_t n = job->scalars->n_full;
    for (size_t task = begin; task < end; task++) {
        unsigned window = (unsigned)(task / plan->n_groups);
        size_t group = task % plan->n_groups;
        size_t first = n * group / plan->n_groups, last = n * (group + 1) / plan->n_groups;
        memset(w.buckets, 0, plan->n_buckets * sizeof *w.buckets);
        for (size_t at = first; at < last; at += plan->tile) {
            size_t size = last - at < plan->tile ? last - at : plan->tile;
            MSM_NAME(msm_sort)(&w, job, window, at, size);
            MSM_NAME(msm_reduce_lists)(&w, job->points, plan->n_buckets);
        }
        MSM_NAME(msm_fold)(&job->result[task], w.buckets, plan->n_buckets);
    }
    return OK;
}

/* Groups of each window together, windows from the top: c doublings between them. */
static void MSM_NAME(msm_combine)(MSM_XYZZ *out, const MSM_XYZZ *result, const MsmPlan *plan)
{
    MSM_XYZZ sum;
    MSM_NAME(xyzz_set_infinity)(&sum);
    for (unsigned window = plan->n_windows; window-- > 0;) {
        for (unsigned i = 0; i < plan->window; i++)
            MSM_NAME(dbl)(&sum, &sum);
        for (size_t g = 0; g < plan->n_groups; g++)
            MSM_NAME(add)(&sum, &sum, &result[window * plan->n_groups + g]);
    }
    *out = sum;
}

static Status MSM_NAME(msm_full)(MSM_XYZZ *out, const MSM_AFFINE *points, const MsmScalars *scalars,
                                 unsigned window, Pool *pool)
{
    MSM_NAME(msm_job) job = {.points = points, .scalars = scalars};
    MSM_NAME(msm_worker) shape;
    unsigned threads = pool_threads(pool);
    msm_plan(&job.plan, &job.bias, scalars->n_full, threads, window);
    job.stride = MSM_NAME(msm_carve)(&shape, NULL, &job.plan);
    size_t tasks = job.plan.n_windows * job.plan.n_groups;
    size_t bytes = job.stride * threads + tasks * sizeof *job.result;
    void *memory;
    TRY(mem_map(&memory, bytes, "sums of points"));
    job.memory = memory;
    job.result = (MSM_XYZZ *)(void *)(job.memory + job.stride * threads);
    Status status = parallel_for(pool, tasks, 1, MSM_NAME(msm_tasks), &job);
    if (status == OK)
        MSM_NAME(msm_combine)(out, job.result, &job.plan);
    mem_unmap(memory, bytes);
    return status;
}

typedef struct {
    const MSM_AFFINE *points;
    const uint64_t *ones;
    size_t n;
    MsmPlan plan; /* one bucket, tiles of MSM_ONES_TILE */
    uint8_t *memory;
    size_t stride;
    MSM_XYZZ *sums; /* [threads] */
} MSM_NAME(msm_ones_job);

/* Points whose bit is set in words [begin, end): plain additions, one list. */
static Status MSM_NAME(msm_ones_range)(void *raw, size_t begin, size_t end, unsigned worker)
{
    const MSM_NAME(msm_ones_job) *job = raw;
    MSM_NAME(msm_worker) w;
    MSM_NAME(msm_carve)(&w, job->memory + worker * job->stride, &job->plan);
    w.buckets[0] = (MSM_AFFINE){0};
    size_t listed = 0;
    for (size_t word = begin; word < end; word++) {
        for (uint64_t bits = job->ones[word]; bits; bits &= bits - 1)
            w.order[listed++] = (uint32_t)(64 * word + (unsigned)__builtin_ctzll(bits));
        bool last = word + 1 == end;
        if (listed && (last || listed + 64 > job->plan.tile)) {
            w.start[0] = 0;
            w.size[0] = (uint32_t)listed;
            MSM_NAME(msm_reduce_lists)(&w, job->points, 1);
            listed = 0;
        }
    }
    MSM_NAME(add_affine)(&job->sums[worker], &job->sums[worker], &w.buckets[0]);
    return OK;
}

static Status MSM_NAME(msm_ones)(MSM_XYZZ *out, const MSM_AFFINE *points, size_t n,
                                 const uint64_t *ones, Pool *pool)
{
    MSM_NAME(msm_ones_job) job = {.points = points, .ones = ones, .n = n};
    MSM_NAME(msm_worker) shape;
    unsigned threads = pool_threads(pool);
    job.plan = (MsmPlan){.n_buckets = 1, .tile = MSM_ONES_TILE};
    job.stride = MSM_NAME(msm_carve)(&shape, NULL, &job.plan);
    size_t bytes = job.stride * threads + threads * sizeof *job.sums;
    void *memory;
    TRY(mem_map(&memory, bytes, "sums of points"));
    job.memory = memory;
    job.sums = (MSM_XYZZ *)(void *)(job.memory + job.stride * threads);
    for (unsigned t = 0; t < threads; t++)
        MSM_NAME(xyzz_set_infinity)(&job.sums[t]);
    Status status =
        parallel_for(pool, (n + 63) / 64, MSM_ONES_TILE / 16, MSM_NAME(msm_ones_range), &job);
    for (unsigned t = 0; t < threads && status == OK; t++)
        MSM_NAME(add)(out, out, &job.sums[t]);
    mem_unmap(memory, bytes);
    return status;
}

static Status MSM_NAME(msm_windowed)(MSM_XYZZ *out, const MSM_AFFINE *points, size_t n,
                                     const MsmScalars *scalars, unsigned window, Pool *pool)
{
    MSM_XYZZ sum;
    MSM_NAME(xyzz_set_infinity)(&sum);
    CHECK(n <= 0x80000000u && scalars->n_full <= n);
    if (scalars->n_full)
        TRY(MSM_NAME(msm_full)(&sum, points, scalars, window, pool));
    if (scalars->ones && n)
        TRY(MSM_NAME(msm_ones)(&sum, points, n, scalars->ones, pool));
    *out = sum;
    return OK;
}

#undef MSM_G
#undef MSM_AFFINE
#undef MSM_XYZZ
#undef MSM_FIELD
#undef MSM_JOIN2
#undef MSM_JOIN
#undef MSM_NAME
