// Structures that keep symbols in the order of their prices: processor time an update.
//   orderfeed STRUCTURE SYMBOLS small|random SECONDS
// set, btree: no ranks. index: sorted array with an index by symbol. walk: the same, walking from the old place. buckets: buckets
// of up to 256 with a Fenwick tree over their counts. All but set and btree answer the rank.
#include <absl/container/btree_set.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <set>
#include <string>
#include <vector>

using u64 = uint64_t;
using u32 = uint32_t;

// A price in 1/10,000 and a symbol, as one number in their order.
static inline u64 packed(int64_t price, u32 symbol) { return ((u64)price << 20) | symbol; }
static inline u32 symbolOf(u64 key) { return key & 0xFFFFF; }

// The first place that is not below the key; without branches.
static inline size_t lowerBound(const u64 *a, size_t n, u64 key) {
  const u64 *base = a;
  while (n > 1) {
    size_t half = n / 2;
    base = (base[half - 1] < key) ? base + half : base;
    n -= half;
  }
  return (base - a) + (n == 1 && *base < key);
}

struct Set {
  std::set<u64> s;
  void build(std::vector<u64> &keys) { s.insert(keys.begin(), keys.end()); }
  size_t update(u64 from, u64 to) {
    auto node = s.extract(from);
    node.value() = to;
    return s.insert(std::move(node)).position == s.begin();
  }
  std::vector<u64> all() const { return {s.begin(), s.end()}; }
};

struct BTree {
  absl::btree_set<u64> s;
  void build(std::vector<u64> &keys) { s.insert(keys.begin(), keys.end()); }
  size_t update(u64 from, u64 to) {
    s.erase(from);
    return *s.insert(to).first & 1;
  }
  std::vector<u64> all() const { return {s.begin(), s.end()}; }
};

struct Index {
  std::vector<u64> a;
  std::vector<u32> at;
  void build(std::vector<u64> &keys) {
    a = keys;
    std::sort(a.begin(), a.end());
    at.resize(a.size());
    for (size_t i = 0; i < a.size(); i++) at[symbolOf(a[i])] = i;
  }
  void set(size_t i, u64 key) {
    a[i] = key;
    at[symbolOf(key)] = i;
  }
  size_t update(u64, u64 to) {
    size_t from = at[symbolOf(to)], i;
    if (to > a[from]) {
      i = from + lowerBound(a.data() + from, a.size() - from, to) - 1;
      for (size_t j = from; j < i; j++) set(j, a[j + 1]);
    } else {
      i = lowerBound(a.data(), from, to);
      for (size_t j = from; j > i; j--) set(j, a[j - 1]);
    }
    set(i, to);
    return i;
  }
  std::vector<u64> all() const { return a; }
};

struct Walk : Index {
  size_t update(u64, u64 to) {
    size_t i = at[symbolOf(to)];
    for (; i + 1 < a.size() && a[i + 1] < to; i++) set(i, a[i + 1]);
    for (; i > 0 && a[i - 1] > to; i--) set(i, a[i - 1]);
    set(i, to);
    return i;
  }
};

struct Buckets {
  static constexpr size_t half = 128;
  struct Bucket {
    u32 n;
    u64 keys[2 * half];
  };
  std::vector<Bucket *> buckets;
  std::vector<u64> highest;
  std::vector<u32> counts; // A Fenwick tree.

  static Bucket *made() { return (Bucket *)aligned_alloc(64, (sizeof(Bucket) + 63) / 64 * 64); }
  void build(std::vector<u64> &keys) {
    std::sort(keys.begin(), keys.end());
    for (size_t i = 0; i < keys.size(); i += half) {
      Bucket *b = made();
      b->n = std::min(half, keys.size() - i);
      memcpy(b->keys, &keys[i], b->n * sizeof(u64));
      buckets.push_back(b);
      highest.push_back(b->keys[b->n - 1]);
    }
    recount();
  }
  void recount() {
    counts.assign(buckets.size() + 1, 0);
    for (size_t i = 0; i < buckets.size(); i++) {
      counts[i + 1] += buckets[i]->n;
      size_t j = (i + 1) + ((i + 1) & -(i + 1));
      if (j < counts.size()) counts[j] += counts[i + 1];
    }
  }
  void count(size_t i, int d) {
    for (size_t j = i + 1; j < counts.size(); j += j & -j) counts[j] += d;
  }
  u32 before(size_t i) const {
    u32 sum = 0;
    for (; i; i -= i & -i) sum += counts[i];
    return sum;
  }
  size_t bucket(u64 key) const { return std::min(lowerBound(highest.data(), highest.size(), key), highest.size() - 1); }
  void erase(u64 key) {
    size_t i = bucket(key);
    Bucket *b = buckets[i];
    size_t at = lowerBound(b->keys, b->n, key);
    memmove(b->keys + at, b->keys + at + 1, (b->n - at - 1) * sizeof(u64));
    b->n--;
    if (b->n == 0 && buckets.size() > 1) {
      free(b);
      buckets.erase(buckets.begin() + i);
      highest.erase(highest.begin() + i);
      return recount();
    }
    count(i, -1);
    if (b->n && at == b->n) highest[i] = b->keys[b->n - 1];
  }
  size_t insert(u64 key) {
    size_t i = bucket(key);
    Bucket *b = buckets[i];
    size_t at = lowerBound(b->keys, b->n, key);
    memmove(b->keys + at + 1, b->keys + at, (b->n - at) * sizeof(u64));
    b->keys[at] = key;
    b->n++;
    if (at == b->n - 1) highest[i] = key;
    if (b->n < 2 * half) {
      count(i, 1);
      return before(i) + at;
    }
    Bucket *next = made();
    next->n = half;
    memcpy(next->keys, b->keys + half, half * sizeof(u64));
    b->n = half;
    highest[i] = b->keys[half - 1];
    buckets.insert(buckets.begin() + i + 1, next);
    highest.insert(highest.begin() + i + 1, next->keys[half - 1]);
    recount();
    i = bucket(key);
    return before(i) + lowerBound(buckets[i]->keys, buckets[i]->n, key);
  }
  size_t update(u64 from, u64 to) {
    erase(from);
    return insert(to);
  }
  std::vector<u64> all() const {
    std::vector<u64> keys;
    for (Bucket *b : buckets) keys.insert(keys.end(), b->keys, b->keys + b->n);
    return keys;
  }
};

static double processorSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

template <class Structure> static int measure(size_t symbols, bool jumps, double seconds) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<int64_t> anyPrice(50'000, 9'000'000);
  std::normal_distribution<double> step(0, 0.0004);
  const size_t moves = 1 << 20;
  std::vector<int64_t> prices(symbols), targets(moves);
  std::vector<u32> who(moves);
  std::vector<double> steps(moves);
  for (auto &price : prices) price = anyPrice(random);
  for (size_t i = 0; i < moves; i++) {
    who[i] = random() % symbols;
    targets[i] = anyPrice(random);
    steps[i] = step(random);
  }
  std::vector<u64> keys(symbols);
  for (u32 i = 0; i < symbols; i++) keys[i] = packed(prices[i], i);
  Structure structure;
  structure.build(keys);

  size_t next = 0, ranks = 0, updates = 0;
  auto update = [&](size_t count) {
    for (; count; count--) {
      u32 symbol = who[next];
      int64_t price = jumps ? targets[next] : std::max<int64_t>(10'000, (int64_t)(prices[symbol] * (1 + steps[next])));
      ranks += structure.update(packed(prices[symbol], symbol), packed(price, symbol));
      prices[symbol] = price;
      next = (next + 1) & (moves - 1);
    }
  };
  // The arrays move up to a million places at a jump: few updates then.
  bool slow = symbols >= 100'000 && !std::is_same_v<Structure, Buckets> && !std::is_same_v<Structure, BTree> && !std::is_same_v<Structure, Set>;
  update(slow ? 200 : 20'000);
  double began = processorSeconds(), now;
  do {
    size_t chunk = slow ? 64 : symbols >= 100'000 ? 1024 : 16'384;
    update(chunk);
    updates += chunk;
    now = processorSeconds();
  } while (now - began < seconds);

  std::vector<u64> all = structure.all();
  bool ordered = all.size() == symbols;
  for (size_t i = 0; i < all.size(); i++)
    ordered = ordered && (i == 0 || all[i - 1] < all[i]) && (int64_t)(all[i] >> 20) == prices[symbolOf(all[i])];
  printf("{\"ns\":%.3f,\"updates\":%zu,\"ranks\":%zu,\"in_order\":%s}\n", (now - began) / updates * 1e9, updates, ranks, ordered ? "true" : "false");
  return ordered ? 0 : 1;
}

int main(int count, char **arguments) {
  if (count != 5) return fprintf(stderr, "usage: orderfeed set|btree|index|walk|buckets SYMBOLS small|random SECONDS\n"), 64;
  std::string name = arguments[1];
  size_t symbols = atol(arguments[2]);
  bool jumps = arguments[3][0] == 'r';
  double seconds = atof(arguments[4]);
  if (name == "set") return measure<Set>(symbols, jumps, seconds);
  if (name == "btree") return measure<BTree>(symbols, jumps, seconds);
  if (name == "index") return measure<Index>(symbols, jumps, seconds);
  if (name == "walk") return measure<Walk>(symbols, jumps, seconds);
  if (name == "buckets") return measure<Buckets>(symbols, jumps, seconds);
  return 64;
}
