// The limit: typed rows, exact decimals, one core. Every row is read into typed fields; those of the watchlist are written again.
//   rowfilter WATCHLIST INPUT OUTPUT json|csv
// It takes what gen.py writes and nothing else: the keys in that order, no escapes, no blanks. Real programs have to take more.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using u64 = uint64_t;

// A set of names of up to eight bytes.
struct Names {
  static constexpr unsigned size = 4096;
  u64 slots[size] = {};

  static u64 key(const char *name, size_t n) {
    u64 k = 0;
    memcpy(&k, name, n);
    return k;
  }
  static unsigned hash(u64 k) { return (unsigned)((k * 0x9E3779B97F4A7C15ull) >> 52); }
  void add(u64 k) {
    unsigned i = hash(k);
    while (slots[i]) i = (i + 1) & (size - 1);
    slots[i] = k;
  }
  bool has(u64 k) const {
    for (unsigned i = hash(k); slots[i]; i = (i + 1) & (size - 1))
      if (slots[i] == k) return true;
    return false;
  }
};

// The length of a name, up to eight bytes, by its end mark (repeated eight times).
static inline unsigned nameLength(const char *p, u64 mark) {
  u64 w;
  memcpy(&w, p, 8);
  u64 x = w ^ mark;
  return __builtin_ctzll((x - 0x0101010101010101ull) & ~x & 0x8080808080808080ull) >> 3;
}

// Eight digits at once; false where there are not as many.
static inline bool eightDigits(const char *p, u64 &value) {
  u64 w;
  memcpy(&w, p, 8);
  u64 x = w - 0x3030303030303030ull;
  if ((x | (x + 0x7676767676767676ull)) & 0x8080808080808080ull) return false;
  x = (x * 10) + (x >> 8);
  value = (((x & 0x000000FF000000FFull) * 0x000F424000000064ull) + (((x >> 16) & 0x000000FF000000FFull) * 0x0000271000000001ull)) >> 32;
  return true;
}

static inline u64 number(const char *&p) {
  u64 value = 0, eight;
  while (eightDigits(p, eight)) {
    value = value * 100000000 + eight;
    p += 8;
  }
  for (unsigned c; (c = (unsigned char)*p - '0') < 10; p++) value = value * 10 + c;
  return value;
}

template <size_t N> static inline bool take(const char *&p, const char (&text)[N]) {
  if (memcmp(p, text, N - 1)) return false;
  p += N - 1;
  return true;
}

template <size_t N> static inline char *put(char *out, const char (&text)[N]) {
  memcpy(out, text, N - 1);
  return out + N - 1;
}

// One row; `price` is an exact decimal: mantissa and decimals.
struct Row {
  const char *name;
  unsigned nameLength, decimals;
  u64 key, price, size, time;
};

template <bool csv> static inline bool read(const char *&p, Row &row) {
  if (!csv && !take(p, "{\"symbol\":\"")) return false;
  row.name = p;
  row.nameLength = nameLength(p, csv ? 0x2C2C2C2C2C2C2C2Cull : 0x2222222222222222ull);
  u64 w;
  memcpy(&w, p, 8);
  row.key = w & ((1ull << (8 * row.nameLength)) - 1);
  p += row.nameLength;
  if (csv ? !take(p, ",") : !take(p, "\",\"price\":")) return false;
  row.price = number(p);
  row.decimals = 0;
  if (*p == '.') {
    p++;
    for (unsigned c; (c = (unsigned char)*p - '0') < 10; p++, row.decimals++) row.price = row.price * 10 + c;
  }
  if (csv ? !take(p, ",") : !take(p, ",\"size\":")) return false;
  row.size = number(p);
  if (csv ? !take(p, ",") : !take(p, ",\"ts\":")) return false;
  row.time = number(p);
  return csv ? take(p, "\n") : take(p, "}\n");
}

static inline char *putPrice(char *out, const Row &row) {
  char digits[24];
  char *end = std::to_chars(digits, digits + sizeof digits, row.price).ptr;
  size_t n = end - digits;
  if (n <= row.decimals) {  // 0.05 is 5 with two decimals
    *out++ = '0';
    *out++ = '.';
    for (size_t i = n; i < row.decimals; i++) *out++ = '0';
    memcpy(out, digits, n);
    return out + n;
  }
  size_t whole = n - row.decimals;
  memcpy(out, digits, whole);
  out += whole;
  if (row.decimals) {
    *out++ = '.';
    memcpy(out, digits + whole, row.decimals);
    out += row.decimals;
  }
  return out;
}

template <bool csv> static inline char *write(char *out, const Row &row) {
  if (!csv) out = put(out, "{\"symbol\":\"");
  memcpy(out, row.name, row.nameLength);
  out += row.nameLength;
  out = csv ? put(out, ",") : put(out, "\",\"price\":");
  out = putPrice(out, row);
  out = csv ? put(out, ",") : put(out, ",\"size\":");
  out = std::to_chars(out, out + 24, row.size).ptr;
  out = csv ? put(out, ",") : put(out, ",\"ts\":");
  out = std::to_chars(out, out + 24, row.time).ptr;
  return csv ? put(out, "\n") : put(out, "}\n");
}

template <bool csv> static int filter(const Names &names, int input, int output) {
  const size_t block = 1 << 18;
  char *buffer = (char *)aligned_alloc(4096, block + 4096);
  char *out = (char *)malloc(block + 4096);
  size_t written = 0, have = 0;
  u64 rows = 0, hits = 0, bad = 0, sum = 0;
  bool header = csv;
  if (csv) written = put(out, "symbol,price,size,ts\n") - out;
  for (ssize_t got; (got = ::read(input, buffer + have, block - have)) > 0;) {
    size_t n = have + got;
    const char *p = buffer, *end = buffer + n;
    const char *last = (const char *)memrchr(buffer, '\n', n);
    if (!last) {
      have = n;
      continue;
    }
    memset(buffer + n, 0, 64);
    if (header) {
      header = false;
      p = (const char *)memchr(p, '\n', n) + 1;
    }
    while (p <= last) {
      Row row;
      const char *start = p;
      rows++;
      if (!read<csv>(p, row)) {
        bad++;
        p = (const char *)memchr(start, '\n', end - start) + 1;
        continue;
      }
      sum += row.price + row.decimals + row.size + row.time;
      if (!names.has(row.key)) continue;
      hits++;
      written = write<csv>(out + written, row) - out;
      if (written > block - 512) {
        if (::write(output, out, written) < 0) return 1;
        written = 0;
      }
    }
    have = end - p;
    memmove(buffer, p, have);
  }
  if (written && ::write(output, out, written) < 0) return 1;
  printf("{\"rows\":%lu,\"hits\":%lu,\"bad\":%lu,\"sum\":%lu}\n", rows, hits, bad, sum);
  return bad ? 1 : 0;
}

int main(int count, char **arguments) {
  if (count != 5) return fprintf(stderr, "usage: rowfilter WATCHLIST INPUT OUTPUT json|csv\n"), 64;
  static Names names;
  FILE *list = fopen(arguments[1], "r");
  int input = open(arguments[2], O_RDONLY), output = open(arguments[3], O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (!list || input < 0 || output < 0) return perror("rowfilter"), 66;
  for (char line[64]; fgets(line, sizeof line, list);)
    if (size_t n = strcspn(line, "\n")) names.add(Names::key(line, n));
  return strcmp(arguments[4], "csv") ? filter<false>(names, input, output) : filter<true>(names, input, output);
}
