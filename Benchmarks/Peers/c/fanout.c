// fanout RATE ROWS SYMBOLS FRAMES RECORD: as little as one core can do to push prices: one thread, one write a frame, one read of what the browser
// says of it. What browsers.c calls `plain`, and as Peers/python/websockets_fanout.py; who has not said `ready` misses the frame, but
// not the last one, and a socket that is full is passed over. The handshake knows the one key of browsers.c. Prints its port.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096 };
typedef struct { int fd, is_open, is_ready; uint32_t told; } Client;

static uint32_t frame;
static uint8_t *out;
static size_t whole;
static volatile sig_atomic_t ended;

static void end(int signal) {
  (void)signal;
  ended = 1;
}

static void give(Client *client) {
  client->is_ready = send(client->fd, out, whole, MSG_NOSIGNAL) != (ssize_t)whole;
  client->told = frame;
}

static double clock_s(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static uint64_t mixed(uint64_t i) {
  uint64_t z = (i + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  return z ^ z >> 31;
}

int main(int count, char **arguments) {
  if (count < 6) return fprintf(stderr, "usage: fanout RATE ROWS SYMBOLS FRAMES RECORD\n"), 64;
  double rate = atof(arguments[1]);
  uint32_t rows = atoi(arguments[2]), symbols = atoi(arguments[3]), frames = atoi(arguments[4]);
  int64_t *prices = calloc(symbols, sizeof(int64_t));
  static Client clients[MOST];
  int known = 0, one = 1;
  signal(SIGINT, end);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), epoll = epoll_create1(0);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof at;
  struct epoll_event event = {.events = EPOLLIN};
  if (bind(listener, (struct sockaddr *)&at, size) || listen(listener, 256) || getsockname(listener, (struct sockaddr *)&at, &size) ||
      epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event))
    return perror("fanout"), 71;
  printf("%d\n", ntohs(at.sin_port));
  fflush(stdout);

  size_t length = 16 + 12 * (size_t)rows, head = length < 126 ? 2 : length < 65536 ? 4 : 10;
  uint8_t in[4096];
  out = malloc(whole = head + length);
  out[0] = 0x82;
  out[1] = head == 2 ? length : head == 4 ? 126 : 127;
  for (size_t i = 2; i < head; i++) out[i] = length >> 8 * (head - 1 - i);
  double due = clock_s(CLOCK_MONOTONIC);
  while (!ended) {
    double now = clock_s(CLOCK_MONOTONIC);
    if (frame < frames && now >= due) {
      frame++;
      for (uint32_t i = 0; i < symbols; i++) prices[i] = (int64_t)(5000 + mixed((uint64_t)frame * symbols + i) % 45000) * 10000000;
      double ms = clock_s(CLOCK_REALTIME) * 1e3;
      memcpy(out + head, &ms, 8);
      memcpy(out + head + 8, &frame, 4);
      memcpy(out + head + 12, &rows, 4);
      for (uint32_t i = 0; i < rows; i++) {
        memcpy(out + head + 16 + 12 * (size_t)i, &i, 4);
        memcpy(out + head + 20 + 12 * (size_t)i, &prices[i], 8);
      }
      for (int i = 0; i < known; i++)
        if (clients[i].is_ready) give(&clients[i]);
      due += 1 / rate;
      if (due < now) due = now;
      if (frame == frames) {
        FILE *record = fopen(arguments[5], "w");
        if (!record) return perror(arguments[5]), 73;
        for (uint32_t i = 0; i < rows; i++) fprintf(record, "%u,%ld,%u\n", i, (long)prices[i], frames);
        fclose(record);
      }
      continue;
    }
    struct epoll_event events[256];
    int wait = frame < frames ? (int)((due - now) * 1e3) : 100;
    int many = epoll_wait(epoll, events, 256, wait);
    for (int k = 0; k < many; k++) {
      Client *client = events[k].data.ptr;
      if (!client) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        if (fd < 0 || known == MOST) continue;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        client = &clients[known++];
        client->fd = fd;
        struct epoll_event its = {.events = EPOLLIN, .data.ptr = client};
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &its);
        continue;
      }
      ssize_t got = recv(client->fd, in, sizeof in, 0);
      if (got <= 0 && errno == EAGAIN) continue;
      if (got <= 0) {
        client->is_ready = 0;
        epoll_ctl(epoll, EPOLL_CTL_DEL, client->fd, NULL);
        close(client->fd);
        continue;
      }
      if (!client->is_open) {
        static const char welcome[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                      "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
        client->is_open = send(client->fd, welcome, sizeof welcome - 1, MSG_NOSIGNAL) > 0;
      }
      client->is_ready = 1;
      if (frame == frames && client->told != frame) give(client);
    }
  }
  return 0;
}
