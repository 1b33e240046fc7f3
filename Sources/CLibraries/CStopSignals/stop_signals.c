#define _GNU_SOURCE
#include "stop_signals.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static int ends[2] = {-1, -1};
static atomic_int is_caught;
static atomic_int is_listened_to;
// Nanoseconds of the monotonic clock; 0 before the first signal.
static atomic_llong first;

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// Uses only functions that POSIX allows in a handler.
static void keep(int number) {
  int saved = errno;
  long long time = now(), before = 0;
  int is_first = atomic_compare_exchange_strong(&first, &before, time);
  // `timeout` and some shells signal a process and then its group: a repetition within a tenth of a second is the same request.
  if (!is_first && !atomic_load(&is_listened_to) && time - before > 100000000LL) {
    signal(number, SIG_DFL);
    raise(number);  // blocked until the handler returns
  } else {
    unsigned char byte = (unsigned char)number;
    // A full pipe holds thousands of signals, so losing one does not matter.
    if (write(ends[1], &byte, 1) < 0) { }
  }
  errno = saved;
}

int stockbus_catch_stop_signals(void) {
  if (atomic_exchange(&is_caught, 1)) return ends[0];
  int made[2];
  if (pipe(made) != 0) return -1;
  for (int i = 0; i < 2; i++) {
    // Above the numbers of the standard streams, which may be closed and opened later.
    int fd = fcntl(made[i], F_DUPFD_CLOEXEC, 10);
    close(made[i]);
    if (fd >= 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    ends[i] = fd;
  }
  if (ends[0] < 0 || ends[1] < 0) return -1;
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction action;
    if (numbers[i] == SIGHUP && sigaction(SIGHUP, 0, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    memset(&action, 0, sizeof action);
    action.sa_handler = keep;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(numbers[i], &action, 0);
  }
  return ends[0];
}

void stockbus_set_listening(int is_listening) { atomic_store(&is_listened_to, is_listening); }

void stockbus_fill_standard_streams(void) {
  for (int fd = 0; fd < 3; fd++) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // Reading fails as if the stream were closed; writes are discarded. The lower numbers are open, so this becomes `fd`.
    int opened = open("/dev/null", fd == 0 ? O_WRONLY : O_RDWR);
    if (opened >= 0 && opened != fd) close(opened);
  }
}

#if defined(__GLIBC__) || defined(__APPLE__)
static const char *const commands[] = {"run", "watch", "open", "print", "echo"};

// Dumps core if the system is set up for it, but without Swift's crash report.
static void die(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

static int is_our_program(const char *path) {
  const char *slash = strrchr(path, '/');
  return strcmp(slash ? slash + 1 : path, "stockbus") == 0;
}

// Both systems pass the program's arguments to code that runs before main. A sanitizer is not initialised by then.
__attribute__((no_sanitize("address", "thread", "undefined")))
static void catch_early(int argc, char **argv, char **environment) {
  (void)environment;
  stockbus_fill_standard_streams();
  if (argc < 1 || !is_our_program(argv[0])) return;
  for (unsigned i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
    if (strcmp(argv[1], commands[i]) == 0) {
      stockbus_catch_stop_signals();
      return;
    }
  signal(SIGQUIT, die);
}

#if defined(__APPLE__)
__attribute__((constructor)) static void before_main(int argc, char **argv, char **environment) { catch_early(argc, argv, environment); }
#else
// Before the constructors of the libraries, because Swift's treats SIGQUIT as a crash if it is not caught yet.
__attribute__((section(".preinit_array"), used)) static void (*const before_main)(int, char **, char **) = catch_early;
#endif
#endif
