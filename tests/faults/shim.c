/* Fails or kills at the Nth file operation below one folder. Loaded with LD_PRELOAD; see harness.py.
 *
 *   SHOAL_FAULT_FOLDER   operations on files below this folder count
 *   SHOAL_FAULT_COUNTER  a file of COUNTERS 64-bit numbers, shared by all processes: [0] operations, [1] faults, then one per name
 *   SHOAL_FAULT_AT       which operation, counted from 1; 0: none, only count
 *   SHOAL_FAULT_MODE     "kill", or the number of an errno to return
 *   SHOAL_FAULT_STICKY   "1": every operation from the Nth on fails, as on a disk that stays full
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TOTAL, FIRED, WRITE, SYNC, RENAME, CREATE, TRUNCATE, MKDIR, UNLINK, BYTES, COUNTERS };

static uint64_t *counters;
static char folder[PATH_MAX];
static size_t folder_size;
static uint64_t fault_at;
static int fault_errno; /* 0: kill */
static int sticky;

__attribute__((constructor)) static void begin(void) {
    const char *where = getenv("SHOAL_FAULT_FOLDER"), *counter = getenv("SHOAL_FAULT_COUNTER");
    const char *at = getenv("SHOAL_FAULT_AT"), *mode = getenv("SHOAL_FAULT_MODE"), *stick = getenv("SHOAL_FAULT_STICKY");
    if (!where || !counter || !realpath(where, folder)) return;
    folder_size = strlen(folder);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, counter, O_RDWR | O_CLOEXEC, 0);
    if (fd < 0) return;
    void *shared = mmap(NULL, COUNTERS * sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (shared == MAP_FAILED) return;
    fault_at = at ? strtoull(at, NULL, 10) : 0;
    fault_errno = mode && strcmp(mode, "kill") ? atoi(mode) : 0;
    sticky = stick && !strcmp(stick, "1");
    counters = shared;
}

/* For a process that runs many faults one after the other in forked children: set the next one and start counting anew. */
void shoal_fault_set(uint64_t at, int error, int from_then_on) {
    if (!counters) return;
    memset(counters, 0, COUNTERS * sizeof *counters);
    fault_at = at;
    fault_errno = error;
    sticky = from_then_on;
}

static int below(const char *path) {
    return !strncmp(path, folder, folder_size) && (path[folder_size] == '/' || path[folder_size] == 0);
}

static int below_fd(int fd) {
    char link[64], target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target - 1);
    if (size <= 0) return 0;
    target[size] = 0;
    return below(target);
}

static int below_at(int dir, const char *path) {
    char full[PATH_MAX];
    if (path[0] == '/') return below(path);
    if (dir != AT_FDCWD) return below_fd(dir);
    if (!getcwd(full, sizeof full)) return 0;
    return below(full); /* a relative path that climbs out of the folder is not used by the tests */
}

/* 1: the operation must fail with the errno that is now set */
static int fault(int name, int counts) {
    if (!counters || !counts) return 0;
    int kills_only = name == MKDIR || name == UNLINK;
    if (kills_only && fault_errno) return 0; /* tidying up may fail after the release stands; killing there is another matter */
    uint64_t number = __atomic_add_fetch(&counters[TOTAL], 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&counters[name], 1, __ATOMIC_SEQ_CST);
    if (!fault_at || number < fault_at || (number > fault_at && !sticky)) return 0;
    __atomic_add_fetch(&counters[FIRED], 1, __ATOMIC_SEQ_CST);
    if (!fault_errno) {
        syscall(SYS_kill, (pid_t)syscall(SYS_getpid), SIGKILL);
        for (;;) pause();
    }
    errno = fault_errno;
    return 1;
}

/* Bytes that really went out, so that a test can tell whether any writer gets past us. */
static ssize_t wrote(int mine, ssize_t size) {
    if (mine && size > 0) __atomic_add_fetch(&counters[BYTES], (uint64_t)size, __ATOMIC_SEQ_CST);
    return size;
}

#define REAL(kind, name, ...)                                        \
    static kind (*real)(__VA_ARGS__);                                \
    if (!real) real = (kind(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    int mine = counters && below_fd(fd);
    return fault(WRITE, mine) ? -1 : wrote(mine, real(fd, data, size));
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    int mine = counters && below_fd(fd);
    return fault(WRITE, mine) ? -1 : wrote(mine, real(fd, data, size, at));
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
    int mine = counters && below_fd(fd);
    return fault(WRITE, mine) ? -1 : wrote(mine, real(fd, data, size, at));
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    int mine = counters && below_fd(fd);
    return fault(WRITE, mine) ? -1 : wrote(mine, real(fd, parts, count));
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
    REAL(ssize_t, pwritev, int, const struct iovec *, int, off_t);
    int mine = counters && below_fd(fd);
    return fault(WRITE, mine) ? -1 : wrote(mine, real(fd, parts, count, at));
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
    REAL(ssize_t, pwritev64, int, const struct iovec *, int, off64_t);
    int mine = counters && below_fd(fd);
    return fault(WRITE, mine) ? -1 : wrote(mine, real(fd, parts, count, at));
}
ssize_t sendfile(int out, int in, off_t *at, size_t size) {
    REAL(ssize_t, sendfile, int, int, off_t *, size_t);
    int mine = counters && below_fd(out);
    return fault(WRITE, mine) ? -1 : wrote(mine, real(out, in, at, size));
}
ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t size, unsigned flags) {
    REAL(ssize_t, copy_file_range, int, off64_t *, int, off64_t *, size_t, unsigned);
    int mine = counters && below_fd(out);
    return fault(WRITE, mine) ? -1 : wrote(mine, real(in, in_at, out, out_at, size, flags));
}
int fsync(int fd) {
    REAL(int, fsync, int);
    return fault(SYNC, counters && below_fd(fd)) ? -1 : real(fd);
}
int fdatasync(int fd) {
    REAL(int, fdatasync, int);
    return fault(SYNC, counters && below_fd(fd)) ? -1 : real(fd);
}
int ftruncate(int fd, off_t size) {
    REAL(int, ftruncate, int, off_t);
    return fault(TRUNCATE, counters && below_fd(fd)) ? -1 : real(fd, size);
}
int ftruncate64(int fd, off64_t size) {
    REAL(int, ftruncate64, int, off64_t);
    return fault(TRUNCATE, counters && below_fd(fd)) ? -1 : real(fd, size);
}
int fallocate(int fd, int mode, off_t at, off_t size) {
    REAL(int, fallocate, int, int, off_t, off_t);
    return fault(TRUNCATE, counters && below_fd(fd)) ? -1 : real(fd, mode, at, size);
}
int posix_fallocate(int fd, off_t at, off_t size) {
    REAL(int, posix_fallocate, int, off_t, off_t);
    return fault(TRUNCATE, counters && below_fd(fd)) ? errno : real(fd, at, size);
}
int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    return fault(RENAME, counters && below_at(AT_FDCWD, to)) ? -1 : real(from, to);
}
int renameat(int from_dir, const char *from, int to_dir, const char *to) {
    REAL(int, renameat, int, const char *, int, const char *);
    return fault(RENAME, counters && below_at(to_dir, to)) ? -1 : real(from_dir, from, to_dir, to);
}
int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags) {
    REAL(int, renameat2, int, const char *, int, const char *, unsigned);
    return fault(RENAME, counters && below_at(to_dir, to)) ? -1 : real(from_dir, from, to_dir, to, flags);
}
int link(const char *from, const char *to) {
    REAL(int, link, const char *, const char *);
    return fault(RENAME, counters && below_at(AT_FDCWD, to)) ? -1 : real(from, to);
}
int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) {
    REAL(int, linkat, int, const char *, int, const char *, int);
    return fault(RENAME, counters && below_at(to_dir, to)) ? -1 : real(from_dir, from, to_dir, to, flags);
}
int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    return fault(MKDIR, counters && below_at(AT_FDCWD, path)) ? -1 : real(path, mode);
}
int mkdirat(int dir, const char *path, mode_t mode) {
    REAL(int, mkdirat, int, const char *, mode_t);
    return fault(MKDIR, counters && below_at(dir, path)) ? -1 : real(dir, path, mode);
}
int unlink(const char *path) {
    REAL(int, unlink, const char *);
    return fault(UNLINK, counters && below_at(AT_FDCWD, path)) ? -1 : real(path);
}
int unlinkat(int dir, const char *path, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    return fault(UNLINK, counters && below_at(dir, path)) ? -1 : real(dir, path, flags);
}
int rmdir(const char *path) {
    REAL(int, rmdir, const char *);
    return fault(UNLINK, counters && below_at(AT_FDCWD, path)) ? -1 : real(path);
}

static mode_t mode_of(int flags, va_list rest) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; }

#define OPEN(name)                                                                                                      \
    int name(const char *path, int flags, ...) {                                                                        \
        va_list rest;                                                                                                   \
        va_start(rest, flags);                                                                                          \
        mode_t mode = mode_of(flags, rest);                                                                             \
        va_end(rest);                                                                                                   \
        REAL(int, name, const char *, int, ...);                                                                        \
        return fault(CREATE, counters && (flags & O_CREAT) && below_at(AT_FDCWD, path)) ? -1 : real(path, flags, mode); \
    }
#define OPENAT(name)                                                                                                     \
    int name(int dir, const char *path, int flags, ...) {                                                                \
        va_list rest;                                                                                                    \
        va_start(rest, flags);                                                                                           \
        mode_t mode = mode_of(flags, rest);                                                                              \
        va_end(rest);                                                                                                    \
        REAL(int, name, int, const char *, int, ...);                                                                    \
        return fault(CREATE, counters && (flags & O_CREAT) && below_at(dir, path)) ? -1 : real(dir, path, flags, mode);  \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

/* libc opens these files by itself, past `open` */
#define FOPEN(name)                                                                                             \
    FILE *name(const char *path, const char *mode) {                                                            \
        REAL(FILE *, name, const char *, const char *);                                                         \
        return fault(CREATE, counters && strpbrk(mode, "wa+") && below_at(AT_FDCWD, path)) ? NULL : real(path, mode); \
    }
FOPEN(fopen)
FOPEN(fopen64)
