// bars.c COUNT: bars of a minute with exact average prices, as little as one core can do for them: no bus, no late trades, no sessions.
// Prints a line of JSON with the processor's seconds and sums of the bars.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SYMBOLS = 1000 };
typedef struct { uint32_t symbol; int64_t price, size, time; } Trade;
typedef struct { int64_t open, high, low, close, volume, minute, count; __int128 turnover; } Bar;
static long bars;
static int64_t prices, volume, vwap;

// SplitMix64: number i of its sequence.
static uint64_t mixed(uint64_t i) {
  uint64_t z = (i + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

static void take(const Bar *bar) {
  // Rounded half to even; all numbers are positive.
  int64_t average = (int64_t)(bar->turnover / bar->volume);
  int64_t twice = 2 * (int64_t)(bar->turnover % bar->volume);
  if (twice > bar->volume || (twice == bar->volume && average & 1)) average++;
  bars++;
  prices += bar->open + 2 * bar->high + 3 * bar->low + 4 * bar->close;
  volume += bar->volume;
  vwap += average;
}

static double cpu(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int count, char **arguments) {
  long trades = count > 1 ? atol(arguments[1]) : 0;
  Trade *all = malloc(sizeof(Trade) * (trades + 1));
  Bar *own = calloc(SYMBOLS, sizeof(Bar));
  if (trades <= 0 || !all || !own) return 1;
  for (long i = 0; i < trades; i++) {
    uint64_t random = mixed(i);
    int64_t cents = 10000 + i / 4096 % 500 + (int64_t)((random >> 48) % 21);
    all[i] = (Trade){random % SYMBOLS, cents * 10000000, 1 + (int64_t)((random >> 32) % 999), 1719840600000000000 + i * 4680000};
  }
  double began = cpu();
  for (long i = 0; i < trades; i++) {
    Bar *bar = &own[all[i].symbol];
    int64_t minute = all[i].time / 60000000000, price = all[i].price;
    if (minute != bar->minute) {
      if (bar->count) take(bar);
      *bar = (Bar){price, price, price, price, 0, minute, 0, 0};
    }
    if (price > bar->high) bar->high = price;
    if (price < bar->low) bar->low = price;
    bar->close = price;
    bar->volume += all[i].size;
    bar->turnover += (__int128)price * all[i].size;
    bar->count++;
  }
  for (int i = 0; i < SYMBOLS; i++)
    if (own[i].count) take(&own[i]);
  printf("{\"cpu\":%f,\"events\":%ld,\"bars\":%ld,\"prices\":%ld,\"volume\":%ld,\"vwap\":%ld}\n", cpu() - began, trades, bars, (long)prices,
         (long)volume, (long)vwap);
}
