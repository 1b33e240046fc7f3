// Runs a program and tells what it took: a small parent, because a child's peak memory counts what its parent held when it forked.
//   measured REPORT CPUS|all COMMAND [ARGUMENT…]
// REPORT becomes a line of JSON: wall, user and system seconds, peak memory in KiB, exit status, and the seconds until the first
// byte on standard output, which is passed on.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int count, char **arguments) {
  if (count < 4) return fprintf(stderr, "usage: measured REPORT CPUS|all COMMAND [ARGUMENT...]\n"), 64;
  int out[2];
  if (pipe(out)) return perror("pipe"), 71;
  double began = now();
  pid_t child = fork();
  if (child < 0) return perror("fork"), 71;
  if (child == 0) {
    if (strcmp(arguments[2], "all")) {
      cpu_set_t cpus;
      CPU_ZERO(&cpus);
      for (char *p = strtok(arguments[2], ","); p; p = strtok(NULL, ",")) CPU_SET(atoi(p), &cpus);
      if (sched_setaffinity(0, sizeof cpus, &cpus)) perror("sched_setaffinity");
    }
    dup2(out[1], 1);
    close(out[0]);
    close(out[1]);
    execvp(arguments[3], arguments + 3);
    perror(arguments[3]);
    _exit(127);
  }
  close(out[1]);
  double first = -1;
  char buffer[1 << 16];
  for (ssize_t n; (n = read(out[0], buffer, sizeof buffer)) > 0;) {
    if (first < 0) first = now() - began;
    if (write(1, buffer, n) < 0) break;
  }
  int status;
  struct rusage used;
  if (wait4(child, &status, 0, &used) < 0) return perror("wait4"), 71;
  double wall = now() - began;
  FILE *report = fopen(arguments[1], "w");
  if (!report) return perror(arguments[1]), 73;
  fprintf(report, "{\"wall\":%.6f,\"user\":%.6f,\"system\":%.6f,\"peak_kib\":%ld,\"status\":%d,\"first_byte\":%.6f}\n", wall,
          used.ru_utime.tv_sec + used.ru_utime.tv_usec * 1e-6, used.ru_stime.tv_sec + used.ru_stime.tv_usec * 1e-6, used.ru_maxrss,
          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), first);
  fclose(report);
  return 0;
}
