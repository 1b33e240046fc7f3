// simdjson's on-demand parser: JSON lines with the keys in any order; every row's four fields are read, those of the watchlist
// written again.
//   simdfilter WATCHLIST INPUT OUTPUT
// Prices go through double and back, the shortest form that reads the same.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <simdjson.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <unordered_set>

using namespace simdjson;

static char *put(char *out, std::string_view text) {
  memcpy(out, text.data(), text.size());
  return out + text.size();
}

int main(int count, char **arguments) {
  if (count != 4) return fprintf(stderr, "usage: simdfilter WATCHLIST INPUT OUTPUT\n"), 64;
  // By the first eight bytes, as in rowfilter.cpp: the names are shorter.
  static uint64_t names[4096] = {};
  auto hash = [](uint64_t k) { return (unsigned)((k * 0x9E3779B97F4A7C15ull) >> 52); };
  auto key = [](std::string_view name) {
    uint64_t k = 0;
    memcpy(&k, name.data(), name.size() > 8 ? 8 : name.size());
    return k;
  };
  FILE *list = fopen(arguments[1], "r");
  int input = open(arguments[2], O_RDONLY), output = open(arguments[3], O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (!list || input < 0 || output < 0) return perror("simdfilter"), 66;
  for (char line[64]; fgets(line, sizeof line, list);)
    if (size_t n = strcspn(line, "\n")) {
      unsigned i = hash(key({line, n}));
      while (names[i]) i = (i + 1) & 4095;
      names[i] = key({line, n});
    }
  auto has = [&](uint64_t k) {
    for (unsigned i = hash(k); names[i]; i = (i + 1) & 4095)
      if (names[i] == k) return true;
    return false;
  };

  const size_t block = 1 << 18;
  char *buffer = (char *)malloc(block + SIMDJSON_PADDING), *out = (char *)malloc(block + 4096);
  size_t written = 0, have = 0;
  uint64_t rows = 0, hits = 0, sum = 0;
  ondemand::parser parser;
  for (ssize_t got; (got = read(input, buffer + have, block - have)) > 0;) {
    size_t n = have + got;
    char *last = (char *)memrchr(buffer, '\n', n);
    if (!last) {
      have = n;
      continue;
    }
    size_t use = last + 1 - buffer;
    ondemand::document_stream rowsOfBlock;
    if (auto error = parser.iterate_many(buffer, use, block).get(rowsOfBlock)) return fprintf(stderr, "error %d\n", error), 1;
    for (auto row : rowsOfBlock) {
      ondemand::object object = row.get_object();
      std::string_view symbol = object["symbol"].get_string();
      double price = object["price"].get_double();
      uint64_t size = object["size"].get_uint64(), time = object["ts"].get_uint64();
      rows++;
      sum += size + time;
      if (!has(key(symbol))) continue;
      hits++;
      char *end = put(put(put(out + written, "{\"symbol\":\""), symbol), "\",\"price\":");
      end = put(std::to_chars(end, end + 32, price).ptr, ",\"size\":");
      end = put(std::to_chars(end, end + 24, size).ptr, ",\"ts\":");
      end = put(std::to_chars(end, end + 24, time).ptr, "}\n");
      written = end - out;
      if (written > block - 512) {
        if (write(output, out, written) < 0) return 1;
        written = 0;
      }
    }
    have = n - use;
    memmove(buffer, buffer + use, have);
  }
  if (written && write(output, out, written) < 0) return 1;
  printf("{\"rows\":%lu,\"hits\":%lu,\"sum\":%lu}\n", rows, hits, sum);
}
