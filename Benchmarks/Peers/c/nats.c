// libnats with JetStream; prints a line of JSON.
//   nats publish URL STREAM MESSAGES SIZE WINDOW   numbered messages to the subject STREAM, at most WINDOW without an acknowledgement
//   nats latency URL STREAM MESSAGES RATE SIZE     how long a message takes from one connection through the stream to another
#define _GNU_SOURCE
#include <nats/nats.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    natsStatus status = (call);                                                          \
    if (status != NATS_OK) {                                                             \
      fprintf(stderr, "%s: %s\n", #call, natsStatus_GetText(status));                    \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

static long long now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void failed(jsCtx *js, jsPubAckErr *error, void *closure) {
  fprintf(stderr, "not acknowledged: %s\n", error->ErrText);
  exit(1);
}

static natsConnection *connect_to(const char *url, bool asap) {
  natsOptions *options;
  natsConnection *connection;
  CHECK(natsOptions_Create(&options));
  CHECK(natsOptions_SetURL(options, url));
  // Each message at once, in place of a thread that writes what has gathered.
  CHECK(natsOptions_SetSendAsap(options, asap));
  CHECK(natsConnection_Connect(&connection, options));
  return connection;
}

static jsCtx *jetstream(natsConnection *connection, long window) {
  jsOptions options;
  jsCtx *js;
  CHECK(jsOptions_Init(&options));
  options.PublishAsync.MaxPending = window;
  options.PublishAsync.StallWait = 60000;
  options.PublishAsync.ErrHandler = failed;
  CHECK(natsConnection_JetStream(&js, connection, &options));
  return js;
}

static void number(char *payload, long n) {
  char digits[13];
  snprintf(digits, sizeof digits, "%012ld", n);
  memcpy(payload, digits, 12);
}

static int publish(char **a) {
  long count = atol(a[4]), size = atol(a[5]);
  jsCtx *js = jetstream(connect_to(a[2], false), atol(a[6]));
  char *payload = malloc(size);
  memset(payload, 'x', size);
  long long began = now(CLOCK_MONOTONIC), worked = now(CLOCK_PROCESS_CPUTIME_ID);
  for (long i = 0; i < count; i++) {
    number(payload, i);
    CHECK(js_PublishAsync(js, a[3], payload, size, NULL));
  }
  jsPubOptions options;
  CHECK(jsPubOptions_Init(&options));
  options.MaxWait = 60000;
  CHECK(js_PublishAsyncComplete(js, &options));
  printf("{\"messages\":%ld,\"seconds\":%.9f,\"cpu\":%.9f}\n", count, (now(CLOCK_MONOTONIC) - began) / 1e9,
    (now(CLOCK_PROCESS_CPUTIME_ID) - worked) / 1e9);
  return 0;
}

static long long *taken;
static long expected;
static atomic_long came;

// The payload is a number and the time.
static void receive(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure) {
  long long time = now(CLOCK_MONOTONIC), sent;
  long n;
  if (sscanf(natsMsg_GetData(message), "%12ld %lld", &n, &sent) != 2 || n != atomic_load(&came)) {
    fprintf(stderr, "message %ld is another\n", atomic_load(&came));
    exit(1);
  }
  taken[n] = time - sent;
  atomic_fetch_add(&came, 1);
  natsMsg_Destroy(message);
}

static int by_size(const void *a, const void *b) {
  long long x = *(const long long *)a, y = *(const long long *)b;
  return x < y ? -1 : x > y;
}

static int latency(char **a) {
  expected = atol(a[4]);
  long rate = atol(a[5]), size = atol(a[6]);
  taken = malloc(expected * sizeof *taken);
  jsCtx *from = jetstream(connect_to(a[2], true), 65536), *to = jetstream(connect_to(a[2], true), 65536);
  jsSubOptions options;
  CHECK(jsSubOptions_Init(&options));
  options.Ordered = true;
  natsSubscription *subscription;
  CHECK(js_Subscribe(&subscription, to, a[3], receive, NULL, NULL, &options, NULL));
  char *payload = malloc(size);
  long long begin = now(CLOCK_MONOTONIC);
  for (long i = 0; i < expected; i++) {
    long long due = begin + i * 1000000000ll / rate;
    struct timespec t = {due / 1000000000, due % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    memset(payload, ' ', size);
    snprintf(payload, size, "%012ld %lld", i, now(CLOCK_MONOTONIC));
    CHECK(js_PublishAsync(from, a[3], payload, size, NULL));
  }
  long long end = now(CLOCK_MONOTONIC) + 10000000000ll;
  while (atomic_load(&came) < expected) {
    if (now(CLOCK_MONOTONIC) > end) return fprintf(stderr, "%ld of %ld came\n", atomic_load(&came), expected), 1;
    nats_Sleep(1);
  }
  // The first quarter is the warm-up.
  long long *rest = taken + expected / 4;
  long many = expected - expected / 4;
  qsort(rest, many, sizeof *rest, by_size);
  printf("{\"trips\":%ld,\"p50\":%lld,\"p99\":%lld,\"p999\":%lld}\n", expected, rest[many / 2], rest[many * 99 / 100], rest[many * 999 / 1000]);
  return 0;
}

int main(int count, char **arguments) {
  if (count == 7 && !strcmp(arguments[1], "publish")) return publish(arguments);
  if (count == 7 && !strcmp(arguments[1], "latency")) return latency(arguments);
  return fprintf(stderr, "usage: nats publish URL STREAM MESSAGES SIZE WINDOW | nats latency URL STREAM MESSAGES RATE SIZE\n"), 64;
}
