/* The built-in gpu-smoke: runs, results, and captures of machines. */
#define GPU_SMOKE_NO_MAIN
/* NOLINTNEXTLINE(bugprone-suspicious-include): its facts are not for all */
#include "smoke/explain_texts.c"

#include "smoke/doctor.h"

/* ---- the capture: every path that the test opened */

enum { MAX_SEEN = 1 << 16 };

/* Names that matter without being opened: entries with this prefix are kept, as empty files. */
static const struct {
    const char *folder, *start;
} telling_names[] = {
    {"/lib", "ld-musl-"}, {"/mig", "gi"}, {"/jax_plugins", "xla_cuda"}, {"/modules/", "nvidia.ko"}};

const char *const smoke_variables[] = {
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_CTK_LIBCUDA_DIR",
    "NVIDIA_REQUIRE_CUDA",
    "NVIDIA_DISABLE_REQUIRE",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_MPS_PIPE_DIRECTORY",
    "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT",
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    "CUDA_DEVICE_ORDER",
    "CUDA_MODULE_LOADING",
    "CUDA_DISABLE_PTX_JIT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "KUBERNETES_SERVICE_HOST",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PYTHONPATH",
    NULL,
};

/* In the memory pool of the run. */
struct paths {
    const char **path;
    size_t n, room;
};

struct capture {
    struct smoke *s;
    struct paths seen, entries; /* to capture; already in the archive */
    struct tar tar;
    char *error;
};

/* Returns -1 if out of memory. */
static int add_name(struct capture *c, struct paths *to, const char *path)
{
    if (to->n == to->room) {
        size_t room = to->room ? 2 * to->room : 1024;
        const char **more = realloc(to->path, room * sizeof *more);
        if (!more)
            return -1;
        to->path = more;
        to->room = room;
    }
    to->path[to->n++] = text_of(&c->s->host, "%s", path);
    return 0;
}

static void see(void *context, const char *path)
{
    struct capture *c = context;
    if (c->seen.n < MAX_SEEN)
        (void)add_name(c, &c->seen, path);
}

static void sort_paths(struct paths *all)
{
    size_t n = 0;
    qsort(all->path, all->n, sizeof *all->path, by_name);
    for (size_t i = 0; i < all->n; i++)
        if (n == 0 || !same(all->path[n - 1], all->path[i]))
            all->path[n++] = all->path[i];
    all->n = n;
}

/* ---- files: small ones whole, of libraries the identifying parts */

static void add_region(struct tar_region *all, size_t *n, ullong size, ullong at, ullong length)
{
    ullong from = at / 512 * 512, to = at + length;
    if (at >= size || *n == TAR_REGIONS_MAX)
        return;
    to = to > size || to < at ? size : (to + 511) / 512 * 512;
    all[(*n)++] = (struct tar_region){from, (to > size ? size : to) - from};
}

static int by_place(const void *a, const void *b)
{
    const struct tar_region *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Sorts regions and merges adjacent ones. */
static size_t merge_regions(struct tar_region *all, size_t n)
{
    size_t kept = 0;
    qsort(all, n, sizeof *all, by_place);
    for (size_t i = 0; i < n; i++) {
        struct tar_region *last = kept ? &all[kept - 1] : NULL;
        if (!last || all[i].at > last->at + last->size)
            all[kept++] = all[i];
        else if (all[i].at + all[i].size > last->at + last->size)
            last->size = all[i].at + all[i].size - last->at;
    }
    return kept;
}

/* The tables and notes of an ELF file; 0 for any other file. */
static size_t elf_regions(int fd, ullong size, struct tar_region *all)
{
    Elf64_Ehdr head;
    Elf64_Phdr p;
    Elf64_Shdr s;
    size_t n = 0;
    memset(&head, 0, sizeof head);
    if (take(fd, 0, &head, size < sizeof head ? (size_t)size : sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return 0;
    add_region(all, &n, size, 0, sizeof head);
    add_region(all, &n, size, head.e_phoff, 64 * sizeof p);
    add_region(all, &n, size, head.e_shoff, 256 * sizeof s);
    for (unsigned i = 0; i < head.e_phnum && i < 64; i++)
        if (take(fd, head.e_phoff + i * sizeof p, &p, sizeof p) == 0 && p.p_type == PT_NOTE)
            add_region(all, &n, size, p.p_offset, p.p_filesz < 2048 ? p.p_filesz : 2048);
    for (unsigned i = 0; i < head.e_shnum && i < 256; i++)
        if (take(fd, head.e_shoff + i * sizeof s, &s, sizeof s) == 0 && s.sh_type == SHT_NOTE)
            add_region(all, &n, size, s.sh_offset, s.sh_size < 2048 ? s.sh_size : 2048);
    return n;
}

/* The list of architectures that find_archs() found in the framework's library. */
static void add_archs(const struct capture *c, int fd, ullong size, struct tar_region *all,
                      size_t *n)
{
    const char *archs = c->s->facts.framework_archs;
    size_t len = archs ? strlen(archs) : 0;
    char buf[2 * 65536];
    for (ullong at = 0; len && len < 65536 && at < size; at += 65536) {
        ssize_t got = pread(fd, buf, sizeof buf, (off_t)at);
        const char *found = got > 0 ? memmem(buf, (size_t)got, archs, len) : NULL;
        if (found) {
            add_region(all, n, size, at + (ullong)(found - buf), len + 1);
            return;
        }
    }
}

static int is_text_to_redact(const struct capture *c, const char *name)
{
    return c->s->opt.redact && (starts(name, "proc/") || strstr(name, "/cdi/"));
}

/* Line by line, because hiding secrets would also mask line ends. */
static char *redacted(struct smoke *s, const char *text)
{
    struct sink k = {.quoting = PLAIN, .redact = s->opt.redact};
    const char *line;
    char *out = NULL;
    size_t size = 0;
    k.out = open_memstream(&out, &size);
    if (!k.out)
        return NULL;
    if (gethostname(k.name, sizeof k.name - 1))
        k.name[0] = '\0';
    while ((line = list_next(&s->host, &text, "\n"))) {
        put_text(&k, line);
        putc('\n', k.out);
    }
    if (fclose(k.out) == 0)
        return out;
    free(out);
    return NULL;
}

static int add_text(struct capture *c, const char *name, unsigned mode, const char *text)
{
    if (!c->s->opt.redact)
        return tar_bytes(&c->tar, name, mode, text, strlen(text));
    char *clean = redacted(c->s, text);
    int rc = clean ? tar_bytes(&c->tar, name, mode, clean, strlen(clean)) : -1;
    free(clean);
    return rc;
}

/* Copies only the fields that are read: sources and options of mounts may contain private data. */
static int add_mounts(struct capture *c, const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return -1;
    for (size_t i = 0; i < c->s->facts.mounts; i++) {
        const struct mount *m = &c->s->facts.mount[i];
        fprintf(out, "0 0 0:0 / %s %s - %s none rw\n", m->point, m->options, m->type);
    }
    int rc = fclose(out) ? -1 : add_text(c, name, 0444, text);
    free(text);
    return rc;
}

/* Reads at most `most` bytes and adds a NUL; files of /proc and /sys do not report their size. */
static char *read_whole(int fd, size_t most, size_t *size)
{
    char *bytes = malloc(most + 1);
    ssize_t got;
    *size = 0;
    if (!bytes)
        return NULL;
    while (*size < most && (got = read(fd, bytes + *size, most - *size)) > 0)
        *size += (size_t)got;
    bytes[*size] = '\0';
    return bytes;
}

static int add_content(struct capture *c, const char *name, int fd, const struct stat *st)
{
    struct tar_region all[TAR_REGIONS_MAX];
    ullong size = (ullong)st->st_size;
    size_t most = strstr(name, "ld.so.cache") ? MAX_CACHE : MAX_FILE;
    size_t n = elf_regions(fd, size, all);
    if (n && strstr(name, "libtorch_python"))
        add_archs(c, fd, size, all, &n);
    if (!n && size > most)
        add_region(all, &n, size, 0, most);
    if (n)
        return tar_regions(&c->tar, name, st->st_mode & 0777, fd, size, all, merge_regions(all, n));
    char *bytes = read_whole(fd, most, &n);
    if (!bytes)
        return -1;
    int rc = is_text_to_redact(c, name) ? add_text(c, name, st->st_mode & 0777, bytes)
                                        : tar_bytes(&c->tar, name, st->st_mode & 0777, bytes, n);
    free(bytes);
    return rc;
}

/* An unreadable file gets mode 0 in the capture; a special file becomes an empty one. */
static int add_file(struct capture *c, const char *name, const char *full, const struct stat *st)
{
    int fd = -1, rc;
    if (same(name, "proc/self/mountinfo"))
        return add_mounts(c, name);
    if (!S_ISREG(st->st_mode))
        return tar_bytes(&c->tar, name, access(full, W_OK) ? 0444 : 0644, "", 0);
    if (!c->s->host.root || (st->st_mode & 0444))
        fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return tar_bytes(&c->tar, name, 0, "", 0);
    rc = add_content(c, name, fd, st);
    close(fd);
    return rc;
}

/* ---- paths: each link on the way, then the target */

/* Returns 0 for a new name; 1 if it is in the archive, or out of memory. */
static int added_before(struct capture *c, const char *name)
{
    for (size_t i = c->entries.n; i-- > 0;) /* paths are sorted: neighbours came last */
        if (same(c->entries.path[i], name))
            return 1;
    return add_name(c, &c->entries, name) ? 1 : 0;
}

static int add_folder(struct capture *c, const char *real)
{
    if (tar_folder(&c->tar, real + 1))
        return -1;
    for (const char **name = host_list(&c->s->host, "%s", real); *name; name++)
        for (size_t i = 0; i < LENGTH(telling_names); i++) {
            const char *entry = text_of(&c->s->host, "%s/%s", real, *name);
            if (strstr(real, telling_names[i].folder) && starts(*name, telling_names[i].start) &&
                !added_before(c, entry) && tar_bytes(&c->tar, entry + 1, 0444, "", 0))
                return -1;
        }
    return 0;
}

/* Adds one part of a path. 1: a link, now in target; 0: anything else, added if it is last. */
static int add_step(struct capture *c, const char *real, int last, char target[MAX_PATH])
{
    const char *full = text_of(&c->s->host, "%s%s", c->s->host.root ? c->s->host.root : "", real);
    struct stat st;
    if (lstat(full, &st))
        return -1;
    if (S_ISLNK(st.st_mode) && !same(real, "/proc/self")) { /* it differs for each process */
        ssize_t n = readlink(full, target, MAX_PATH - 1);
        if (n <= 0)
            return -1;
        target[n] = '\0';
        return added_before(c, real) || tar_link(&c->tar, real + 1, target) == 0 ? 1 : -2;
    }
    if (!last || added_before(c, real))
        return 0;
    return (S_ISDIR(st.st_mode) ? add_folder(c, real) : add_file(c, real + 1, full, &st)) ? -2 : 0;
}

/* Returns -1 if the archive cannot be written. */
static int add_path(struct capture *c, const char *path)
{
    char real[MAX_PATH] = "", rest[2 * MAX_PATH], left[2 * MAX_PATH], target[MAX_PATH];
    int links = 0;
    format(rest, sizeof rest, "%s", path);
    while (rest[strspn(rest, "/")]) {
        format(left, sizeof left, "%s", rest + strspn(rest, "/"));
        size_t n = strcspn(left, "/"), was = strlen(real);
        format(rest, sizeof rest, "%s", left + n);
        left[n] = '\0';
        if (same(left, "..")) {
            char *slash = strrchr(real, '/');
            *(slash ? slash : real) = '\0';
        }
        if (same(left, "..") || same(left, "."))
            continue;
        if (was + n + 2 > MAX_PATH)
            return 0;
        format(real + was, MAX_PATH - was, "/%s", left);
        int kind = add_step(c, real, !rest[strspn(rest, "/")], target);
        if (kind < 0)
            return kind == -2 ? -1 : 0; /* a missing path is not captured */
        if (kind == 0)
            continue;
        if (++links > MAX_LINKS || strlen(rest) + strlen(target) >= MAX_PATH)
            return 0;
        real[target[0] == '/' ? 0 : was] = '\0';
        format(left, sizeof left, "%s%s", target, rest);
        format(rest, sizeof rest, "%s", left);
    }
    return 0;
}

/* ---- other data: the folder .gpu-smoke */

/* Keeps only lines with an Xid, without the processes that they name, which may be private. */
static void put_kernel_log(const struct facts *f, int redact, FILE *out)
{
    for (size_t i = 0; i < f->xids; i++)
        fprintf(out, "%lld NVRM: Xid (PCI:%s): %d, %s\n", f->xid[i].age, f->xid[i].address,
                f->xid[i].number, redact ? "" : f->xid[i].text);
}

static void put_nodes(const struct facts *f, FILE *out)
{
    for (size_t i = 0; i < f->nodes; i++) {
        const struct node *node = &f->node[i];
        const char *word = NULL;
        for (size_t k = 0; k < LENGTH(open_errors); k++)
            if (open_errors[k].number == node->open_errno)
                word = open_errors[k].name;
        fprintf(out, "%s %c %u 0 %04o ", node->path, node->is_device ? 'c' : 'f', node->major,
                node->mode);
        if (word || node->open_errno < 0)
            fprintf(out, "%s\n", word ? word : "-");
        else
            fprintf(out, "%d\n", node->open_errno);
    }
}

static void put_environ(struct host *h, FILE *out)
{
    for (size_t i = 0; smoke_variables[i]; i++) {
        const char *value = host_env(h, smoke_variables[i]);
        if (value) /* for an address, only that it is set */
            fprintf(out, "%s=%.*s\n", smoke_variables[i], (int)strcspn(value, "\n"),
                    starts(smoke_variables[i], "KUBERNETES") ? "here" : value);
    }
}

static void put_host(const struct facts *f, int redact, FILE *out)
{
    fprintf(out, "machine=%u\nplaces=", f->machine);
    for (size_t i = 0; i < f->places; i++)
        if (same(f->place[i].origin, "default"))
            fprintf(out, "%s ", f->place[i].dir);
    putc('\n', out);
    if (redact && f->hides) /* cannot be derived without UUIDs */
        fprintf(out, "hides=%s\n", f->hides);
    if (redact && f->unseen)
        fprintf(out, "unseen=%s\n", f->unseen);
}

/* The child's output, with marks on what vendor code printed itself. */
static void put_probe(const struct probe *p, FILE *out)
{
    for (const char *line = p->log + strspn(p->log, "\n"); *line; line += strspn(line, "\n")) {
        size_t n = strcspn(line, "\n");
        int told = *line == '\1';
        fprintf(out, "%s%.*s\n", told ? "" : "|", (int)n - told, line + told);
        line += n;
    }
    if (p->signal)
        fprintf(out, "signal %d\n", p->signal);
    if (p->timed_out)
        fputs("timeout\n", out);
}

enum capture_part { NODES, ENVIRON, HOST, SHM, KMSG, CUDA, NVML, N_RECORDS };

static void put_record(const struct capture *c, enum capture_part which, FILE *out)
{
    const struct facts *f = &c->s->facts;
    switch (which) {
    case NODES:
        put_nodes(f, out);
        break;
    case ENVIRON:
        put_environ(&c->s->host, out);
        break;
    case HOST:
        put_host(f, c->s->opt.redact, out);
        break;
    case SHM:
        fprintf(out, "%llu\n", f->shm);
        break;
    case KMSG:
        put_kernel_log(f, c->s->opt.redact, out);
        break;
    default:
        put_probe(which == CUDA ? &c->s->cuda : &c->s->nvml, out);
    }
}

static int add_record(struct capture *c, enum capture_part which)
{
    static const char *const names[N_RECORDS] = {"nodes", "environ", "host", "shm",
                                                 "kmsg",  "cuda",    "nvml"};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return -1;
    put_record(c, which, out);
    int rc = fclose(out)
                 ? -1
                 : add_text(c, text_of(&c->s->host, ".gpu-smoke/%s", names[which]), 0644, text);
    free(text);
    return rc;
}

static int add_all(struct capture *c)
{
    for (enum capture_part i = NODES; i < N_RECORDS; i++)
        if ((i != CUDA || c->s->cuda.ran) && (i != NVML || c->s->nvml.ran) &&
            (i != KMSG || c->s->facts.log_seen) && add_record(c, i))
            return -1;
    for (size_t i = 0; i < c->seen.n; i++)
        if (!starts(c->seen.path[i], "/.gpu-smoke") && add_path(c, c->seen.path[i]))
            return -1;
    return tar_finish(&c->tar);
}

static int capture_write(struct capture *c, const char *path)
{
    c->s->host.seen = NULL; /* records no path that the capture itself opens */
    sort_paths(&c->seen);
    if (tar_create(&c->tar, path, c->error))
        return -1;
    int rc = add_all(c);
    if (rc && !*c->error)
        format(c->error, TAR_ERROR_MAX, "out of memory");
    tar_abandon(&c->tar);
    return rc;
}

/* ---- the machine */

/* Gets model names from the kernel driver if CUDA did not start. */
static void add_models(struct smoke_machine *m, struct host *h)
{
    static const char base[] = "/proc/driver/nvidia/gpus";
    for (const char **name = host_list(h, base); *name && m->gpu_count < SMOKE_GPUS_MAX; name++) {
        const char *text = host_read(h, "%s/%s/information", base, *name),
                   *model = value_of(h, text, "Model", ':');
        if (model)
            format(m->gpus[m->gpu_count++].name, SMOKE_TEXT_MAX, "%.127s",
                   model + strspn(model, " \t"));
    }
}

static void machine_fill(struct smoke_machine *m, struct smoke *s)
{
    const char *version = *s->facts.version ? s->facts.version : said(&s->nvml, "driver");
    format(m->driver, sizeof m->driver, "%.127s", version);
    m->arch = s->facts.machine == EM_AARCH64 ? "aarch64" : "x86_64";
    m->gpu_count = 0;
    for (int i = 0; i < s->cuda.count && i < SMOKE_GPUS_MAX; i++) {
        long long major = number(&s->cuda, i, "cc_major"), minor = number(&s->cuda, i, "cc_minor");
        const char *name = said(&s->cuda, "name %d", i);
        if (!*name)
            continue;
        struct smoke_gpu *gpu = &m->gpus[m->gpu_count++];
        format(gpu->name, sizeof gpu->name, "%.127s", name);
        gpu->compute_capability =
            major > 0 && major < 100 && minor >= 0 && minor < 10 ? (int)(10 * major + minor) : 0;
    }
    if (!m->gpu_count)
        add_models(m, &s->host);
}

/* ---- the run */

/* Children die with us; they leave no unfinished work. */
static void leave(int signal)
{
    _exit(128 + signal);
}

static int run_interruptible(struct smoke *s, int argc, char **argv, FILE *out, FILE *err)
{
    struct sigaction mine = {.sa_handler = leave}, old_int, old_term;
    sigaction(SIGINT, &mine, &old_int);
    sigaction(SIGTERM, &mine, &old_term);
    int rc = smoke_main(s, argc, argv, out, err);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    return rc;
}

int smoke_doctor(struct smoke_machine *machine, int argc, char **argv, const char *capture,
                 FILE *out, FILE *err, tar_error error)
{
    struct smoke *s = calloc(1, sizeof *s);
    struct capture c = {.s = s, .error = error};
    int rc;
    error[0] = machine->driver[0] = '\0';
    machine->gpu_count = 0;
    machine->arch = NULL;
    if (!s) {
        format(error, TAR_ERROR_MAX, "out of memory");
        return -1;
    }
    if (capture) {
        s->host.seen = see;
        s->host.context = &c;
    }
    rc = run_interruptible(s, argc, argv, out, err);
    if (s->facts.h && rc != EXIT_FAILED) {
        if (rc != EXIT_NO_GPU)
            machine_fill(machine, s);
        if (capture && capture_write(&c, capture))
            rc = -1;
    }
    pool_release(&s->host.pool);
    free(c.seen.path);
    free(c.entries.path);
    free(s);
    return rc;
}
