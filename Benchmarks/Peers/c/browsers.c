// Many browsers of one machine on one thread: opens WebSockets, reads frames of prices, checks each of them, and tells what they took to come.
//   browsers port=N clients=300 seconds=5 [protocol=stockbus|plain] [windows=20] [rows=50] [symbols=1000] [stalled=0] [answers=0] [warm=1] [limit=60]
//            [pid=SERVER] [prices=FILE]
// A browser of `stockbus` speaks Documentation/use/dashboard.md: hello, a pane of `rows` rows, and `ready` after each frame. One of `plain` only
// listens, or with answers=1 says `ready` too: f64 ms, u32 frame, u32 rows, rows × (u32 row, i64 price). Browser i looks at window i % windows.
// `stalled` more of them look at all symbols and read nothing until the measuring is over; every other one says `ready` all the same.
// At the end, when no frame has come for a while, everybody must have the same prices; FILE gets them: symbol, price in 1e-9, updates.
// Prints a line of JSON. A latency is from the frame's time to the return of the read that ended it; a stockbus frame's time is cut to a
// millisecond, so the truth is up to 1 ms less.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { OPENING, SHAKING, OPEN, GONE };
enum { MOST_SYMBOLS = 100000, FRAMES = 1 << 16, AT_ONCE = 64 };
typedef struct { int64_t price; uint64_t updates; uint8_t decimals, known; } Row;
typedef struct {
  int fd, state, stalls, blind, heard, first, rows;
  uint8_t *bytes;
  size_t length, room;
  uint64_t frame, said, frames, skipped, seen, left_out;
  int64_t at;  // when the last frame came, in microseconds
  int *window, shown;
  Row *row;
} Browser;
typedef struct { uint32_t *all; size_t count, room; } Times;

static int port, clients = 300, windows = 20, rows = 50, symbols = 1000, stalled, answers, plain, pid, epoll;
static double seconds = 5, warm = 1, limit = 60;
static Browser *browsers;
static char (*names)[64];
static int measuring, resumed;
static uint64_t frames, all, payload, texts, newest;
static Times latencies, spreads, intervals, ages;
static struct { uint64_t frame; int64_t at; } firsts[FRAMES];

static void fail(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  exit(1);
}

static int64_t clock_us(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static double now(void) { return clock_us(CLOCK_MONOTONIC) * 1e-6; }

static void add(Times *times, int64_t us) {
  if (times->count == times->room) times->all = realloc(times->all, sizeof(uint32_t) * (times->room = times->room * 2 + 4096));
  times->all[times->count++] = us < 0 ? 0 : us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
}

static int ascending(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

// ---- What is read from a frame, within its bounds.

typedef struct { const uint8_t *at, *end; } Reader;

static uint8_t byte(Reader *r) {
  if (r->at >= r->end) fail("a frame ends too early");
  return *r->at++;
}

static uint64_t varint(Reader *r) {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    uint8_t b = byte(r);
    value |= (uint64_t)(b & 127) << shift;
    if (b < 128) return value;
  }
  fail("a number has more than ten bytes");
  return 0;
}

static int64_t svarint(Reader *r) {
  uint64_t z = varint(r);
  return (int64_t)(z >> 1) ^ -(int64_t)(z & 1);
}

static void take(void *to, Reader *r, size_t count) {
  if ((size_t)(r->end - r->at) < count) fail("a frame ends too early");
  memcpy(to, r->at, count);
  r->at += count;
}

// ---- What is sent: masked, as a browser does. A message that the socket does not take whole ends the browser's saying anything.

static int say(Browser *b, int opcode, const void *text, size_t length) {
  uint8_t out[1024];
  size_t at = 0;
  out[at++] = 0x80 | opcode;
  if (length < 126) {
    out[at++] = 0x80 | length;
  } else {
    out[at++] = 0x80 | 126;
    out[at++] = length >> 8;
    out[at++] = length;
  }
  uint8_t mask[4] = {0x37, 0xfa, 0x21, 0x3d};
  memcpy(out + at, mask, 4);
  at += 4;
  for (size_t i = 0; i < length; i++) out[at++] = ((const uint8_t *)text)[i] ^ mask[i & 3];
  return send(b->fd, out, at, MSG_NOSIGNAL) == (ssize_t)at;
}

static void tell(Browser *b, const char *format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (!say(b, 1, text, length) && !b->stalls) fail("a browser cannot send: %s", strerror(errno));
}

// ---- Frames

static void note_row(Browser *b, int64_t number, int64_t price, uint64_t updates, int whole) {
  if (number < 0 || number >= MOST_SYMBOLS) fail("row %ld", (long)number);
  if (number >= symbols) fail("row %ld of %d", (long)number, symbols);
  Row *row = &b->row[number];
  if (row->known && updates < row->updates) fail("row %ld: %lu updates after %lu", (long)number, (unsigned long)updates, (unsigned long)row->updates);
  if (!row->known && !whole) fail("row %ld is not told whole", (long)number);
  // What was before it came is nobody's loss.
  if (row->known) b->left_out += updates - row->updates - (updates > row->updates);
  b->seen += updates > row->updates;
  row->known = 1;
  row->price = price;
  row->updates = updates;
}

static const int64_t units[10] = {1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};

// Returns the greatest age of a row, in ms.
static int64_t read_pane(Browser *b, Reader *r) {
  int pane = byte(r), flags = byte(r);
  uint64_t total = varint(r), from = varint(r);
  if (pane || flags > 1 || total > (uint64_t)symbols || from != (uint64_t)b->first) fail("a pane %d of %lu rows from %lu", pane, (unsigned long)total, (unsigned long)from);
  if (flags & 1) {
    uint64_t count = varint(r);
    int64_t number = 0;
    if (count > (uint64_t)b->rows) fail("%lu rows in a window of %d", (unsigned long)count, b->rows);
    for (uint64_t i = 0; i < count; i++) b->window[i] = number += svarint(r);
    b->shown = count;
  }
  uint64_t count = varint(r);
  if (count > (uint64_t)b->shown) fail("%lu rows in a window of %d", (unsigned long)count, b->shown);
  int64_t number = 0, oldest = 0;
  for (uint64_t i = 0; i < count; i++) {
    number += svarint(r);
    if (number < 0 || number >= symbols) fail("row %ld of %d", (long)number, symbols);
    Row *row = &b->row[number];
    int fields = byte(r);
    uint64_t updates = varint(r);
    int64_t age = svarint(r), price = row->price;
    if (age > oldest) oldest = age;
    if (fields & 64) {
      row->decimals = byte(r);
      byte(r), byte(r);
      if (row->decimals > 9) fail("%d decimals", row->decimals);
    }
    if (fields & 128) {
      char name[64] = "";
      uint64_t length = varint(r);
      if (length >= sizeof name) fail("a name of %lu bytes", (unsigned long)length);
      take(name, r, length);
      if (names[number][0] && strcmp(names[number], name)) fail("row %ld is %s and %s", (long)number, names[number], name);
      strcpy(names[number], name);
    }
    if (fields & 1) price = svarint(r) * units[row->decimals];
    if (fields & 2) svarint(r);
    if (fields & 4) svarint(r);
    if (fields & 8) svarint(r), svarint(r);
    if (fields & 16) svarint(r), svarint(r);
    if (fields & 32) varint(r);
    note_row(b, number, price, updates, fields == 255);
  }
  return oldest;
}

static void read_plain(Browser *b, Reader *r, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t number;
    int64_t price;
    take(&number, r, 4);
    take(&price, r, 8);
    note_row(b, number, price, b->frame, 1);
  }
}

static void leave(Browser *b) {
  b->state = GONE;
  epoll_ctl(epoll, EPOLL_CTL_DEL, b->fd, NULL);
}

static void answer_blindly(uint64_t frame) {
  char text[64];
  int length = snprintf(text, sizeof text, "{\"op\":\"ready\",\"frame\":%lu}", (unsigned long)frame);
  for (int i = clients; i < clients + stalled; i++)
    if (browsers[i].blind && browsers[i].state == OPEN) browsers[i].blind = say(&browsers[i], 1, text, length);
}

static void read_frame(Browser *b, const uint8_t *bytes, size_t length, int64_t at) {
  Reader r = {bytes, bytes + length};
  uint64_t before = b->frame;
  int64_t made, age = 0;
  if (plain) {
    double ms;
    uint32_t number, count;
    take(&ms, &r, 8);
    take(&number, &r, 4);
    take(&count, &r, 4);
    b->frame = number;
    made = (int64_t)(ms * 1000);
    if (before && (answers ? b->frame <= before : b->frame != before + 1)) fail("frame %lu after %lu", (unsigned long)b->frame, (unsigned long)before);
    read_plain(b, &r, count);
    if (answers) tell(b, "{\"op\":\"ready\",\"frame\":%lu}", (unsigned long)b->frame);
  } else {
    int kind = byte(&r);
    byte(&r);
    b->frame = varint(&r);
    made = varint(&r) * 1000;
    uint64_t panes = varint(&r);
    // A frame without panes brings only a text.
    if (kind != 1 || panes > 1) fail("a frame of kind %d with %lu panes", kind, (unsigned long)panes);
    if (b->frame < before) fail("frame %lu after %lu", (unsigned long)b->frame, (unsigned long)before);
    if (panes) age = read_pane(b, &r);
    if (!b->stalls) tell(b, "{\"op\":\"ready\",\"frame\":%lu}", (unsigned long)b->frame);
  }
  if (r.at != r.end) fail("%ld bytes behind a frame", (long)(r.end - r.at));
  if (before && b->frame > before) b->skipped += b->frame - before - 1;
  if (measuring && !b->stalls) {
    frames++;
    b->frames++;
    payload += length;
    add(&latencies, at - made);
    add(&ages, at - made + age * 1000);
    if (b->at) add(&intervals, at - b->at);
    __typeof__(firsts[0]) *first = &firsts[b->frame % FRAMES];
    if (first->frame != b->frame) first->frame = b->frame, first->at = at;
    add(&spreads, at - first->at);
  }
  b->at = at;
  if (b->frame > newest) {
    // The frame before has surely been given by now.
    if (!plain && !resumed && newest) answer_blindly(newest);
    newest = b->frame;
  }
}

// Takes whole WebSocket frames off what was received.
static void read_messages(Browser *b, int64_t at) {
  size_t start = 0;
  while (b->length - start >= 2) {
    const uint8_t *p = b->bytes + start;
    size_t head = 2, length = p[1] & 127;
    if (p[1] & 128 || !(p[0] & 128)) fail("a frame is masked or a part");
    if (length == 126) head = 4;
    if (length == 127) head = 10;
    if (b->length - start < head) break;
    if (head > 2) {
      length = 0;
      for (size_t i = 2; i < head; i++) length = length << 8 | p[i];
    }
    if (b->length - start < head + length) break;
    const uint8_t *body = p + head;
    start += head + length;
    if (measuring && !b->stalls) texts += head;
    switch (p[0] & 15) {
      case 1:
        if (measuring && !b->stalls) texts += length;
        if (memmem(body, length, "\"op\":\"error\"", 12)) fail("%.*s", (int)length, body);
        break;
      case 2:
        read_frame(b, body, length, at);
        b->heard = 1;
        all++;
        break;
      case 8:
        if (!b->stalls) fail("closed with %d: %.*s", length < 2 ? 0 : body[0] << 8 | body[1], length < 2 ? 0 : (int)length - 2, body + 2);
        return leave(b);
      case 9: say(b, 10, body, length); break;
      case 10: break;
      default: fail("opcode %d", p[0] & 15);
    }
  }
  memmove(b->bytes, b->bytes + start, b->length - start);
  b->length -= start;
}

static void greet(Browser *b) {
  char *end = memmem(b->bytes, b->length, "\r\n\r\n", 4);
  if (!end) return;
  size_t head = end + 4 - (char *)b->bytes;
  if (!memmem(b->bytes, head, " 101 ", 5) || !memmem(b->bytes, head, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", 28)) fail("no handshake: %.*s", (int)head, b->bytes);
  memmove(b->bytes, end + 4, b->length -= head);
  b->state = OPEN;
  if (plain) return;
  tell(b, "{\"op\":\"hello\",\"epoch\":null,\"cursor\":0}");
  tell(b, "{\"op\":\"pane\",\"pane\":0,\"view\":{},\"from\":%d,\"count\":%d}", b->first, b->rows);
}

static void arrange(Browser *b, int events) {
  struct epoll_event event = {.events = events, .data.ptr = b};
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, b->fd, &event)) fail("epoll: %s", strerror(errno));
}

static void connect_one(Browser *b) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  b->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (b->fd < 0) fail("socket: %s", strerror(errno));
  int one = 1, small = 4096;
  setsockopt(b->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  // So that a stalled one soon holds up its server.
  if (b->stalls) setsockopt(b->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  if (connect(b->fd, (struct sockaddr *)&to, sizeof to) && errno != EINPROGRESS) fail("connect: %s", strerror(errno));
  struct epoll_event event = {.events = EPOLLOUT, .data.ptr = b};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, b->fd, &event)) fail("epoll: %s", strerror(errno));
}

static void handle(Browser *b) {
  if (b->state == OPENING) {
    char text[512];
    int length = snprintf(text, sizeof text,
                          "GET /live HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s\r\n",
                          port, port, plain ? "" : "Sec-WebSocket-Protocol: stockbus.v1\r\n");
    if (send(b->fd, text, length, MSG_NOSIGNAL) != length) fail("cannot connect: %s", strerror(errno));
    b->state = SHAKING;
    return arrange(b, EPOLLIN);
  }
  if (b->room - b->length < 4096) b->bytes = realloc(b->bytes, b->room = b->room * 2 + 8192);
  ssize_t got = recv(b->fd, b->bytes + b->length, b->room - b->length, 0);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) {
    if (!b->stalls) fail("the server has ended a connection: %s", got ? strerror(errno) : "end of file");
    return leave(b);
  }
  int64_t at = clock_us(CLOCK_REALTIME);
  b->length += got;
  if (b->state == SHAKING) greet(b);
  if (b->state == OPEN) read_messages(b, at);
  // A stalled one has its first frame, and reads nothing more for now.
  if (b->stalls && b->heard && b->state == OPEN && !resumed) arrange(b, 0);
}

static void step(int ms) {
  struct epoll_event events[256];
  int count = epoll_wait(epoll, events, 256, ms);
  for (int i = 0; i < count; i++) handle(events[i].data.ptr);
}

static void during(double span) {
  for (double end = now() + span; now() < end;) step(10);
}

// Connects some, a few at a time, and waits until each has a frame.
static void connect_range(int from, int to) {
  double end = now() + limit;
  int started = from, ready;
  do {
    ready = 0;
    for (int i = from; i < started; i++) ready += browsers[i].heard;
    while (started < to && started - from - ready < AT_ONCE) connect_one(&browsers[started++]);
    step(10);
    if (now() > end) fail("%d of %d browsers have a frame after %.0f s", ready, to - from, limit);
  } while (ready < to - from);
}

// ---- The server

typedef struct { double cpu; long rss, peak; } Server;

static Server server(void) {
  Server s = {0};
  char path[64], line[512];
  if (!pid) return s;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *file = fopen(path, "r");
  unsigned long user = 0, system = 0;
  if (!file || !fgets(line, sizeof line, file)) fail("no server %d", pid);
  sscanf(strrchr(line, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
  fclose(file);
  s.cpu = (double)(user + system) / sysconf(_SC_CLK_TCK);
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    sscanf(line, "VmRSS: %ld", &s.rss);
    sscanf(line, "VmHWM: %ld", &s.peak);
  }
  if (file) fclose(file);
  return s;
}

static double own_cpu(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

// ---- The end

// What has been stalled says `ready` now and then, not for each of the frames that were waiting for it: a server takes so many messages a second.
static void catch_up(void) {
  for (int i = clients; i < clients + stalled && !plain; i++) {
    Browser *b = &browsers[i];
    if (b->state != OPEN || b->said == b->frame) continue;
    b->said = b->frame;
    tell(b, "{\"op\":\"ready\",\"frame\":%lu}", (unsigned long)b->frame);
  }
}

// Until nobody has had a frame for a second and a half.
static void wait_for_quiet(void) {
  double end = now() + limit;
  for (uint64_t before = 0; before != all;) {
    before = all;
    for (int part = 0; part < 15; part++) {
      during(0.1);
      catch_up();
    }
    if (now() > end) fail("frames still come after %.0f s", limit);
  }
}

static void compare(const char *path) {
  FILE *file = path ? fopen(path, "w") : NULL;
  if (path && !file) fail("%s: %s", path, strerror(errno));
  for (int number = 0; number < symbols; number++) {
    const Row *right = NULL;
    for (int i = 0; i < clients + stalled; i++) {
      const Row *row = &browsers[i].row[number];
      if (!row->known || browsers[i].state == GONE) continue;
      if (!right) right = row;
      if (row->price != right->price || row->updates != right->updates)
        fail("browser %d: %s is %ld after %lu updates, elsewhere %ld after %lu", i, names[number], (long)row->price, (unsigned long)row->updates,
             (long)right->price, (unsigned long)right->updates);
    }
    if (!right || !file) continue;
    if (plain) sprintf(names[number], "%d", number);
    fprintf(file, "%s,%ld,%lu\n", names[number], (long)right->price, (unsigned long)right->updates);
  }
  if (file) fclose(file);
}

static void print(const char *name, Times *times) {
  qsort(times->all, times->count, sizeof(uint32_t), ascending);
  double p[4] = {0.5, 0.99, 0.999, 1};
  const char *label[4] = {"p50", "p99", "p999", "max"};
  for (int i = 0; i < 4; i++) {
    size_t at = p[i] * times->count;
    if (at >= times->count) at = times->count - 1;
    printf(",\"%s_%s\":%.3f", name, label[i], times->count ? times->all[at] / 1000.0 : 0);
  }
}

int main(int count, char **arguments) {
  const char *prices = NULL;
  for (int i = 1; i < count; i++) {
    char *value = strchr(arguments[i], '=');
    if (!value) fail("NAME=VALUE: %s", arguments[i]);
    *value++ = 0;
    const char *name = arguments[i];
    struct { const char *name; int *place; } whole[] = {{"port", &port}, {"clients", &clients}, {"windows", &windows}, {"rows", &rows},
                                                       {"symbols", &symbols}, {"stalled", &stalled}, {"answers", &answers},
                                                       {"pid", &pid}};
    struct { const char *name; double *place; } real[] = {{"seconds", &seconds}, {"warm", &warm}, {"limit", &limit}};
    int known = 0;
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
      if (!strcmp(name, whole[k].name)) *whole[k].place = atoi(value), known = 1;
    for (size_t k = 0; k < sizeof real / sizeof *real; k++)
      if (!strcmp(name, real[k].name)) *real[k].place = atof(value), known = 1;
    if (!strcmp(name, "protocol")) plain = !strcmp(value, "plain"), known = 1;
    if (!strcmp(name, "prices")) prices = value, known = 1;
    if (!known) fail("no option %s", name);
  }
  if (port <= 0 || clients < 2 || symbols < 1 || symbols > MOST_SYMBOLS || rows < 1 || rows > symbols || windows < 1) fail("see the head of browsers.c");
  struct rlimit files = {clients + stalled + 64, clients + stalled + 64}, had;
  if (!getrlimit(RLIMIT_NOFILE, &had) && had.rlim_cur < files.rlim_cur && setrlimit(RLIMIT_NOFILE, &files)) fail("too few files may be open");
  epoll = epoll_create1(0);
  names = calloc(symbols, 64);
  browsers = calloc(clients + stalled, sizeof(Browser));
  for (int i = 0; i < clients + stalled; i++) {
    Browser *b = &browsers[i];
    b->stalls = i >= clients;
    b->blind = b->stalls && (i - clients) % 2;
    b->rows = b->stalls ? (symbols < 1000 ? symbols : 1000) : rows;
    b->first = b->stalls || windows < 2 ? 0 : (int)((int64_t)(i % windows) * (symbols - rows) / (windows - 1));
    b->row = calloc(symbols, sizeof(Row));
    b->window = calloc(b->rows, sizeof(int));
  }

  connect_range(0, 1);
  during(1);
  Server one = server();
  connect_range(1, clients);
  if (stalled) connect_range(clients, clients + stalled);
  during(warm);
  for (int i = 0; i < clients; i++) browsers[i].at = 0, browsers[i].skipped = 0;
  Server before = server();
  double cpu = own_cpu(), began = now();
  measuring = 1;
  during(seconds);
  measuring = 0;
  double took = now() - began;
  cpu = own_cpu() - cpu;
  Server after = server();
  uint64_t least = UINT64_MAX, most = 0, skipped = 0;
  for (int i = 0; i < clients; i++) {
    if (browsers[i].frames < least) least = browsers[i].frames;
    if (browsers[i].frames > most) most = browsers[i].frames;
    skipped += browsers[i].skipped;
  }
  if (!least) fail("a browser had no frame while it was measured");

  uint64_t then = newest;
  resumed = 1;
  for (int i = clients; i < clients + stalled; i++)
    if (browsers[i].state == OPEN) arrange(&browsers[i], EPOLLIN);
  catch_up();
  wait_for_quiet();
  if (newest == then) fail("the prices ended before the measuring did");
  compare(prices);
  uint64_t seen = 0, left_out = 0, stalled_left_out = 0;
  int gone = 0;
  for (int i = 0; i < clients + stalled; i++) {
    if (browsers[i].stalls) {
      gone += browsers[i].state == GONE;
      stalled_left_out += browsers[i].left_out;
    } else {
      seen += browsers[i].seen;
      left_out += browsers[i].left_out;
    }
  }
  printf("{\"clients\":%d,\"seconds\":%.3f,\"frames\":%lu,\"all\":%lu,\"rate\":%.1f,\"least\":%lu,\"most\":%lu,\"skipped\":%lu", clients, took, (unsigned long)frames, (unsigned long)all,
         frames / took, (unsigned long)least, (unsigned long)most, (unsigned long)skipped);
  printf(",\"bytes\":%.1f,\"wire\":%.1f", (double)payload / frames, (double)(payload + texts) / clients / took);
  print("latency", &latencies);
  print("spread", &spreads);
  print("interval", &intervals);
  print("price", &ages);
  printf(",\"seen\":%lu,\"left_out\":%lu,\"stalled_left_out\":%lu,\"gone\":%d", (unsigned long)seen, (unsigned long)left_out,
         (unsigned long)stalled_left_out, gone);
  printf(",\"server_cpu\":%.3f,\"client_cpu\":%.3f,\"rss_one\":%ld,\"rss_before\":%ld,\"rss_after\":%ld,\"peak\":%ld}\n", after.cpu - before.cpu, cpu,
         one.rss, before.rss, after.rss, after.peak);
  return 0;
}
