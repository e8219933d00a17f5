/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Pippenger's method with affine buckets, for one group.
 *
 * A template: define MSM_G (g1, g2, toy), MSM_F (fp, fp2, ..), MSM_AFFINE, MSM_XYZZ, MSM_FIELD,
 * MSM_FIELD_ONE, MSM_QUEUE (additions that share an inversion), MSM_CHUNK (points summed at a
 * time); no guard.
 *
 * DESIGN: a task is a window of the scalars over a group of points. It walks its points tile by
 * tile: point numbers are sorted by bucket (counting sort on the signed digit); the sorted list is
 * cut into chunks that fit the cache, and the part of each bucket in a chunk is summed by rounds of
 * pairwise affine additions that share inversions. The buckets are folded by running sums over
 * many segments in step, affine again; the caller adds groups and doubles windows together. Every
 * addition is complete: equal, opposite and absent points are settled where they are queued. */
#define MSM_JOIN2(a, b) a##_##b
#define MSM_JOIN(a, b) MSM_JOIN2(a, b)
#define MSM_NAME(op) MSM_JOIN(MSM_G, op)
#define MSM_FIELD_OP(op) MSM_JOIN(MSM_F, op)

/* An addition that waits for its inversion: slope = numerator / denominator,
 * x3 = slope^2 - x1 - x2, y3 = slope (x1 - x3) - y1. */
typedef struct {
    MSM_FIELD denominator, numerator, x1, y1, x2;
    MSM_FIELD before; /* product of the denominators queued earlier */
    MSM_AFFINE *to;
} MSM_NAME(msm_addition);

typedef struct {
    uint32_t bucket, start, size;
} MSM_NAME(msm_list);

/* One worker's memory. */
typedef struct {
    MSM_NAME(msm_addition) * queue; /* [QUEUE] */
    size_t queued;
    MSM_FIELD product;          /* of the queued denominators */
    MSM_AFFINE *work;           /* [chunk] points between rounds */
    MSM_AFFINE *buckets;        /* [n_buckets] */
    MSM_AFFINE *running, *sum;  /* [segments] */
    MSM_NAME(msm_list) * lists; /* [chunk] the parts of buckets in the chunk */
    uint32_t *start;            /* [n_buckets + 1] ends of the buckets in order */
    uint32_t *order;            /* [tile] point numbers by bucket, bit 31: negated */
    int32_t *digit;             /* [tile] */
} MSM_NAME(msm_worker);

typedef struct {
    const MSM_AFFINE *points;
    const MsmScalars *scalars;
    MsmPlan plan;
    uint8_t *memory;
    size_t stride;    /* bytes of one worker's memory */
    MSM_XYZZ *result; /* [n_windows * n_groups] */
} MSM_NAME(msm_job);

/* Cut a worker's memory into its arrays; returns the bytes needed. */
static size_t MSM_NAME(msm_carve)(MSM_NAME(msm_worker) * w, uint8_t *memory, const MsmPlan *plan)
{
    size_t at = 0, chunk = MSM_CHUNK;
    struct {
        void *field;
        size_t bytes;
    } parts[] = {
        {&w->queue, MSM_QUEUE * sizeof *w->queue},
        {&w->work, chunk * sizeof *w->work},
        {&w->buckets, plan->n_buckets * sizeof *w->buckets},
        {&w->running, plan->segments * sizeof *w->running},
        {&w->sum, plan->segments * sizeof *w->sum},
        {&w->lists, chunk * sizeof *w->lists},
        {&w->start, (plan->n_buckets + 1) * sizeof *w->start},
        {&w->order, plan->tile * sizeof *w->order},
        {&w->digit, plan->tile * sizeof *w->digit},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint8_t *place = memory ? memory + at : NULL;
        memcpy(parts[i].field, &place, sizeof place);
        at += (parts[i].bytes + 63) & ~(size_t)63;
    }
    w->queued = 0;
    w->product = MSM_FIELD_ONE;
    return at;
}

/* Run the queued additions, last to first: product is the inverse of those still to do. */
static void MSM_NAME(msm_flush)(MSM_NAME(msm_worker) * w)
{
    if (w->queued == 0)
        return;
    MSM_FIELD product, slope, t;
    MSM_FIELD_OP(inv)(&product, &w->product);
    for (size_t i = w->queued; i-- > 0;) {
        const MSM_NAME(msm_addition) *a = &w->queue[i];
        MSM_FIELD_OP(mul)(&slope, &product, &a->before);
        MSM_FIELD_OP(mul)(&product, &product, &a->denominator);
        MSM_FIELD_OP(mul)(&slope, &slope, &a->numerator);
        MSM_FIELD_OP(sqr)(&t, &slope);
        MSM_FIELD_OP(sub)(&t, &t, &a->x1);
        MSM_FIELD_OP(sub)(&a->to->x, &t, &a->x2);
        MSM_FIELD_OP(sub)(&t, &a->x1, &a->to->x);
        MSM_FIELD_OP(mul)(&t, &t, &slope);
        MSM_FIELD_OP(sub)(&a->to->y, &t, &a->y1);
    }
    w->queued = 0;
    w->product = MSM_FIELD_ONE;
}

/* An addition with a point at infinity, of equal or of opposite points, or with an x of 0: false
 * when *to is settled, else the slope is set. denominator = q->x - p->x on entry. */
static bool MSM_NAME(msm_special)(MSM_NAME(msm_addition) * a, MSM_AFFINE *to, const MSM_AFFINE *p,
                                  const MSM_AFFINE *q)
{
    if (MSM_FIELD_OP(is_zero)(&p->x) && MSM_FIELD_OP(is_zero)(&p->y)) {
        *to = *q;
        return false;
    }
    if (MSM_FIELD_OP(is_zero)(&q->x) && MSM_FIELD_OP(is_zero)(&q->y)) {
        *to = *p;
        return false;
    }
    if (!MSM_FIELD_OP(is_zero)(&a->denominator)) {
        MSM_FIELD_OP(sub)(&a->numerator, &q->y, &p->y);
        return true;
    }
    if (!MSM_FIELD_OP(eq)(&p->y, &q->y) || MSM_FIELD_OP(is_zero)(&p->y)) {
        *to = (MSM_AFFINE){0};
        return false;
    }
    MSM_FIELD square;
    MSM_FIELD_OP(sqr)(&square, &p->x);
    MSM_FIELD_OP(dbl)(&a->numerator, &square);
    MSM_FIELD_OP(add)(&a->numerator, &a->numerator, &square);
    MSM_FIELD_OP(dbl)(&a->denominator, &p->y);
    return true;
}

/* *to = p + q, now or at the next flush. The operands are copied: to may be one of them, and they
 * may be overwritten before the flush. */
static inline void MSM_NAME(msm_add)(MSM_NAME(msm_worker) * w, MSM_AFFINE *to, const MSM_AFFINE *p,
                                     const MSM_AFFINE *q)
{
    MSM_NAME(msm_addition) *a = &w->queue[w->queued];
    MSM_FIELD_OP(sub)(&a->denominator, &q->x, &p->x);
    bool special = MSM_FIELD_OP(is_zero)(&a->denominator) || MSM_FIELD_OP(is_zero)(&p->x) ||
                   MSM_FIELD_OP(is_zero)(&q->x);
    if (__builtin_expect(special, 0)) {
        if (!MSM_NAME(msm_special)(a, to, p, q))
            return;
    } else {
        MSM_FIELD_OP(sub)(&a->numerator, &q->y, &p->y);
    }
    a->x1 = p->x;
    a->y1 = p->y;
    a->x2 = q->x;
    a->before = w->product;
    a->to = to;
    MSM_FIELD_OP(mul)(&w->product, &w->product, &a->denominator);
    if (++w->queued == MSM_QUEUE)
        MSM_NAME(msm_flush)(w);
}

/* Add to a bucket. At most once a bucket between flushes. */
static inline void MSM_NAME(msm_deposit)(MSM_NAME(msm_worker) * w, uint32_t bucket,
                                         const MSM_AFFINE *p)
{
    MSM_AFFINE *to = &w->buckets[bucket];
    MSM_NAME(msm_add)(w, to, to, p);
}

static inline MSM_AFFINE MSM_NAME(msm_signed)(const MSM_AFFINE *points, uint32_t entry)
{
    MSM_AFFINE p = points[entry & 0x7fffffff];
    if (entry >> 31)
        MSM_FIELD_OP(neg)(&p.y, &p.y);
    return p;
}

static inline void MSM_NAME(msm_prefetch)(const MSM_AFFINE *points, uint32_t entry)
{
    const uint8_t *at = (const uint8_t *)&points[entry & 0x7fffffff];
    for (size_t line = 0; line < sizeof *points; line += 64)
        __builtin_prefetch(at + line);
}

/* Round 0: from point numbers to work. Lists shrink to ceil(size / 2), packed; those of one point
 * leave for their bucket. Returns how many lists remain. */
static size_t MSM_NAME(msm_first_round)(MSM_NAME(msm_worker) * w, const MSM_AFFINE *points,
                                        size_t n_lists, size_t end)
{
    enum { AHEAD = 16 };
    size_t out = 0, live = 0;
    for (size_t l = 0; l < n_lists; l++) {
        MSM_NAME(msm_list) list = w->lists[l];
        size_t at = list.start, pairs = list.size / 2;
        for (size_t i = at; i < at + list.size && i + AHEAD < end; i++)
            MSM_NAME(msm_prefetch)(points, w->order[i + AHEAD]);
        if (list.size == 1) {
            MSM_AFFINE p = MSM_NAME(msm_signed)(points, w->order[at]);
            MSM_NAME(msm_deposit)(w, list.bucket, &p);
            continue;
        }
        w->lists[live++] =
            (MSM_NAME(msm_list)){list.bucket, (uint32_t)out, (uint32_t)(list.size - pairs)};
        for (size_t i = 0; i < pairs; i++, at += 2) {
            MSM_AFFINE p = MSM_NAME(msm_signed)(points, w->order[at]);
            MSM_AFFINE q = MSM_NAME(msm_signed)(points, w->order[at + 1]);
            MSM_NAME(msm_add)(w, &w->work[out++], &p, &q);
        }
        if (list.size & 1)
            w->work[out++] = MSM_NAME(msm_signed)(points, w->order[at]);
    }
    MSM_NAME(msm_flush)(w);
    return live;
}

/* One more round on work. Outputs never overtake the inputs still to be read. */
static size_t MSM_NAME(msm_next_round)(MSM_NAME(msm_worker) * w, size_t n_lists)
{
    size_t out = 0, live = 0;
    for (size_t l = 0; l < n_lists; l++) {
        MSM_NAME(msm_list) list = w->lists[l];
        size_t at = list.start, pairs = list.size / 2;
        if (list.size == 1) {
            MSM_NAME(msm_deposit)(w, list.bucket, &w->work[at]);
            continue;
        }
        w->lists[live++] =
            (MSM_NAME(msm_list)){list.bucket, (uint32_t)out, (uint32_t)(list.size - pairs)};
        for (size_t i = 0; i < pairs; i++, at += 2)
            MSM_NAME(msm_add)(w, &w->work[out++], &w->work[at], &w->work[at + 1]);
        if (list.size & 1)
            w->work[out++] = w->work[at];
    }
    MSM_NAME(msm_flush)(w);
    return live;
}

/* Add the points of order to their buckets; bucket b's end at start[b]. */
static void MSM_NAME(msm_accumulate)(MSM_NAME(msm_worker) * w, const MSM_AFFINE *points,
                                     size_t n_buckets)
{
    size_t at = 0, bucket = 0, total = w->start[n_buckets - 1];
    while (at < total) {
        size_t left = MSM_CHUNK, n_lists = 0;
        while (left && at < total) {
            size_t size = w->start[bucket] - at;
            if (size == 0) {
                bucket++;
                continue;
            }
            size = size < left ? size : left;
            w->lists[n_lists++] =
                (MSM_NAME(msm_list)){(uint32_t)bucket, (uint32_t)at, (uint32_t)size};
            at += size;
            left -= size;
        }
        n_lists = MSM_NAME(msm_first_round)(w, points, n_lists, total);
        while (n_lists)
            n_lists = MSM_NAME(msm_next_round)(w, n_lists);
    }
}

/* Signed digits of window `window` for scalars [first, first + n): sorted into order. */
static void MSM_NAME(msm_sort)(MSM_NAME(msm_worker) * w, const MSM_NAME(msm_job) * job,
                               unsigned window, size_t first, size_t n)
{
    const MsmScalars *scalars = job->scalars;
    size_t nb = job->plan.n_buckets;
    memset(w->start, 0, (nb + 1) * sizeof *w->start);
    for (size_t i = 0; i < n; i++) {
        FrCanon k;
        bool negative = msm_fold_scalar(&k, &scalars->full[first + i]);
        int32_t digit = msm_digit(&k, job->plan.window, window);
        w->digit[i] = negative ? -digit : digit;
        w->start[digit < 0 ? -digit : digit]++;
    }
    /* start[b]: from the count of |digit| = b to where bucket b begins; places then move it to its
     * end. Digit 0 has no bucket. */
    uint32_t at = 0;
    for (size_t b = 0; b < nb; b++) {
        w->start[b] = at;
        at += w->start[b + 1];
    }
    for (size_t i = 0; i < n; i++) {
        int32_t digit = w->digit[i];
        if (digit == 0)
            continue;
        size_t number = scalars->index ? scalars->index[first + i] : first + i;
        uint32_t sign = digit < 0, bucket = (uint32_t)(sign ? -digit : digit) - 1;
        w->order[w->start[bucket]++] = (uint32_t)number | sign << 31;
    }
}

/* sum (b + 1) buckets[b] by running sums from the top. */
static void MSM_NAME(msm_fold_plain)(MSM_XYZZ *out, const MSM_AFFINE *buckets, size_t nb)
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

/* The same over segments of L buckets in step, with b = s L + j:
 * sum_s (sum_j (j + 1) buckets[b]) + L sum_s s (sum_j buckets[b]). */
static void MSM_NAME(msm_fold)(MSM_NAME(msm_worker) * w, MSM_XYZZ *out, const MsmPlan *plan)
{
    size_t segments = plan->segments, length = segments ? plan->n_buckets / segments : 0;
    if (segments == 0) {
        MSM_NAME(msm_fold_plain)(out, w->buckets, plan->n_buckets);
        return;
    }
    for (size_t s = 0; s < segments; s++) {
        w->running[s] = w->buckets[s * length + length - 1];
        w->sum[s] = (MSM_AFFINE){0};
    }
    for (size_t j = length; j-- > 0;) { /* running holds buckets j and above */
        for (size_t s = 0; s < segments; s++) {
            MSM_AFFINE running = w->running[s];
            MSM_NAME(msm_add)(w, &w->sum[s], &w->sum[s], &running);
            if (j)
                MSM_NAME(msm_add)(w, &w->running[s], &running, &w->buckets[s * length + j - 1]);
        }
        MSM_NAME(msm_flush)(w);
    }
    MSM_XYZZ running, sum;
    MSM_NAME(xyzz_set_infinity)(&running);
    MSM_NAME(xyzz_set_infinity)(&sum);
    for (size_t s = segments; s-- > 1;) {
        MSM_NAME(add_affine)(&running, &running, &w->running[s]);
        MSM_NAME(add)(&sum, &sum, &running);
    }
    for (; length > 1; length /= 2)
        MSM_NAME(dbl)(&sum, &sum);
    for (size_t s = 0; s < segments; s++)
        MSM_NAME(add_affine)(&sum, &sum, &w->sum[s]);
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
            MSM_NAME(msm_accumulate)(&w, job->points, plan->n_buckets);
        }
        MSM_NAME(msm_fold)(&w, &job->result[task], plan);
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
    msm_plan(&job.plan, scalars->n_full, threads, window);
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

/* One bucket, no digits: the memory of plain sums. */
static const MsmPlan MSM_NAME(MSM_ONES_PLAN) = {.n_buckets = 1, .tile = MSM_ONES_TILE};

typedef struct {
    const MSM_AFFINE *points;
    const uint64_t *ones;
    uint8_t *memory;
    size_t stride;
    MSM_XYZZ *sums; /* [threads] */
} MSM_NAME(msm_ones_job);

/* Points whose bit is set in words [begin, end): plain additions, one list. */
static Status MSM_NAME(msm_ones_range)(void *raw, size_t begin, size_t end, unsigned worker)
{
    const MSM_NAME(msm_ones_job) *job = raw;
    MSM_NAME(msm_worker) w;
    MSM_NAME(msm_carve)(&w, job->memory + worker * job->stride, &MSM_NAME(MSM_ONES_PLAN));
    w.buckets[0] = (MSM_AFFINE){0};
    uint32_t listed = 0;
    for (size_t word = begin; word < end; word++) {
        for (uint64_t bits = job->ones[word]; bits; bits &= bits - 1)
            w.order[listed++] = (uint32_t)(64 * word + (unsigned)__builtin_ctzll(bits));
        if (word + 1 == end || listed + 64 > MSM_ONES_TILE) {
            w.start[0] = listed;
            MSM_NAME(msm_accumulate)(&w, job->points, 1);
            listed = 0;
        }
    }
    MSM_NAME(add_affine)(&job->sums[worker], &job->sums[worker], &w.buckets[0]);
    return OK;
}

static Status MSM_NAME(msm_ones)(MSM_XYZZ *out, const MSM_AFFINE *points, size_t n,
                                 const uint64_t *ones, Pool *pool)
{
    MSM_NAME(msm_ones_job) job = {.points = points, .ones = ones};
    MSM_NAME(msm_worker) shape;
    unsigned threads = pool_threads(pool);
    job.stride = MSM_NAME(msm_carve)(&shape, NULL, &MSM_NAME(MSM_ONES_PLAN));
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

static inline size_t MSM_NAME(msm_bytes)(size_t n_full, unsigned threads)
{
    MsmPlan plan;
    MSM_NAME(msm_worker) shape;
    msm_plan(&plan, n_full, threads, 0);
    size_t full = MSM_NAME(msm_carve)(&shape, NULL, &plan);
    size_t ones = MSM_NAME(msm_carve)(&shape, NULL, &MSM_NAME(MSM_ONES_PLAN));
    return (full > ones ? full : ones) * threads +
           (plan.n_windows * plan.n_groups + threads) * sizeof(MSM_XYZZ);
}

#undef MSM_G
#undef MSM_F
#undef MSM_AFFINE
#undef MSM_XYZZ
#undef MSM_FIELD
#undef MSM_FIELD_ONE
#undef MSM_QUEUE
#undef MSM_CHUNK
#undef MSM_JOIN2
#undef MSM_JOIN
#undef MSM_NAME
#undef MSM_FIELD_OP
