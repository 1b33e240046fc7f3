// What a filtered file says, whatever it is written like: the number of rows, a digest over symbol, price (as a double), size and
// time in their order, and whether the times rise.
//   rowdigest FILE
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using u64 = uint64_t;

struct Digest {
  u64 state = 0xcbf29ce484222325ull;
  void add(const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) state = (state ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ull;
  }
};

// What follows a key of a JSON row; null where it is not there.
static const char *member(const char *row, const char *key) {
  const char *found = strstr(row, key);
  return found ? found + strlen(key) : nullptr;
}

int main(int count, char **arguments) {
  if (count != 2) return fprintf(stderr, "usage: rowdigest FILE\n"), 64;
  FILE *file = fopen(arguments[1], "r");
  if (!file) return perror(arguments[1]), 66;
  setvbuf(file, nullptr, _IOFBF, 1 << 20);
  Digest digest;
  u64 rows = 0, last = 0;
  bool ordered = true;
  char *line = nullptr;
  size_t room = 0;
  while (getline(&line, &room, file) > 0) {
    const char *symbol, *price, *size, *time;
    size_t length;
    if (line[0] == '{') {
      symbol = member(line, "\"symbol\":\"");
      price = member(line, "\"price\":");
      size = member(line, "\"size\":");
      time = member(line, "\"ts\":");
      if (!time) time = member(line, "\"time\":");
      if (!symbol || !price || !size || !time) return fprintf(stderr, "not a row: %s", line), 65;
      length = strcspn(symbol, "\"");
    } else {
      if (!strncmp(line, "symbol,", 7)) continue;
      symbol = line;
      length = strcspn(symbol, ",");
      price = symbol + length + 1;
      size = strchr(price, ',') + 1;
      time = strchr(size, ',') + 1;
    }
    double value = strtod(price, nullptr);
    u64 units = strtoull(size, nullptr, 10), nanoseconds = strtoull(time, nullptr, 10);
    digest.add(symbol, length);
    digest.add(&value, sizeof value);
    digest.add(&units, sizeof units);
    digest.add(&nanoseconds, sizeof nanoseconds);
    ordered = ordered && nanoseconds > last;
    last = nanoseconds;
    rows++;
  }
  printf("{\"rows\":%lu,\"digest\":\"%016lx\",\"ordered\":%s}\n", rows, digest.state, ordered ? "true" : "false");
}
