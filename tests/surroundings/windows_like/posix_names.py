"""What Windows does not have: modules, and names in modules that it has. From the conditions in the stubs of Python."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MODULES = _words(
    "fcntl resource pwd grp spwd crypt termios tty pty posix syslog nis readline curses _posixsubprocess _posixshmem"
)

OS = _words("""
    O_ACCMODE O_ASYNC O_CLOEXEC O_DIRECT O_DIRECTORY O_DSYNC O_EVTONLY O_EXEC O_EXLOCK O_FSYNC O_LARGEFILE O_NDELAY O_NOATIME
    O_NOCTTY O_NOFOLLOW O_NOFOLLOW_ANY O_NONBLOCK O_PATH O_RSYNC O_SEARCH O_SHLOCK O_SYMLINK O_SYNC O_TMPFILE
    F_LOCK F_TEST F_TLOCK F_ULOCK WNOHANG WUNTRACED WCONTINUED WCOREDUMP WEXITSTATUS WIFEXITED WIFSIGNALED WIFSTOPPED WTERMSIG
    RTLD_GLOBAL RTLD_LAZY RTLD_LOCAL RTLD_NOW SEEK_DATA SEEK_HOLE environb getenvb
    chflags chown chroot confstr copy_file_range ctermid eventfd fchdir fchmod fchown fdatasync fork forkpty fpathconf fstatvfs
    fwalk getegid geteuid getgid getgrouplist getgroups getloadavg getpgid getpgrp getpriority getrandom getresgid getresuid getsid
    getuid getxattr initgroups killpg lchflags lchmod lchown listxattr lockf login_tty major makedev memfd_create minor mkfifo mknod
    nice openpty pathconf pidfd_open pipe2 posix_fadvise posix_fallocate posix_openpt posix_spawn posix_spawnp pread preadv pwrite
    pwritev readv register_at_fork removexattr sched_getaffinity sched_setaffinity sched_getscheduler sched_setscheduler sched_yield
    sendfile setegid seteuid setgid setgroups setns setpgid setpgrp setpriority setregid setresgid setresuid setreuid setsid setuid
    setxattr splice statvfs sync sysconf tcgetpgrp tcsetpgrp ttyname uname unshare wait wait3 wait4 waitid writev get_blocking
    set_blocking
    """)

SIGNAL = _words("""
    SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGHUP SIGIO SIGIOT SIGKILL SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMIN
    SIGSTKFLT SIGSTOP SIGSYS SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ ITIMER_PROF
    ITIMER_REAL ITIMER_VIRTUAL SIG_BLOCK SIG_SETMASK SIG_UNBLOCK alarm getitimer pause pidfd_send_signal pthread_kill
    pthread_sigmask setitimer siginterrupt sigpending sigtimedwait sigwait sigwaitinfo
    """)

ARGUMENTS = _words("start_new_session preexec_fn pass_fds process_group dir_fd src_dir_fd dst_dir_fd umask")

# and what only Windows has
WINDOWS_MODULES = _words("msvcrt winreg _winapi winsound")
WINDOWS_NAMES = _words("WinDLL windll O_BINARY O_NOINHERIT O_TEMPORARY STARTUPINFO CREATE_NEW_PROCESS_GROUP")
