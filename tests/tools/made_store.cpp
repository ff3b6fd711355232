// Fills a store with synthetic runs, for benchmarks and long lists. The same COUNT gives the same
// store.
//   made_store FILE COUNT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <vector>

#include "core/record/metric.h"
#include "core/store/run_store.h"
#include "core/store/sqlite.h"

namespace tacho {
namespace {

// Realistic magnitudes, so that tables and charts look realistic.
std::string value_of(const Metric& metric, int prime) {
  const std::string share = fmt::format("(i * {} % 100003 / 100003.0)", prime);
  switch (metric.unit) {
    case Unit::share:
      return "0.1 + 0.88 * " + share;
    case Unit::seconds:
      return fmt::format("0.002 * exp(6 * {})", share);
    case Unit::bytes:
      return fmt::format("cast(1e8 * exp(5 * {}) AS INTEGER)", share);
    case Unit::bytes_per_second:
      return "1e9 * " + share;
    case Unit::per_second:
      return fmt::format("80 * exp(5 * {})", share);
    case Unit::count:
      return fmt::format("cast(1 + 64 * {} AS INTEGER)", share);
    case Unit::none:
      break;
  }
  return "0.2 + 2.1 * " + share;
}

std::string insert_sql(long long count) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  int prime = 7919;
  for (const Metric& metric : metric::kAll) {
    names.emplace_back(metric.key);
    // One run in twelve failed before it had any metric.
    values.push_back(fmt::format("CASE WHEN i % 12 > 0 THEN {} END", value_of(metric, prime)));
    prime += 2 * 7919 + 6;
  }
  return fmt::format(
      R"sql(
      WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {})
      INSERT INTO runs (key, folder, created_at, model, data, batch, epochs, device, environment,
                        seed, threads, outcome, {})
      SELECT printf('20261115-%06d-%06x', i % 1000000, i * 7919 % 16777213),
             printf('/nowhere/runs/%07d', i), 1.7e9 + i * 60,
             CASE i * 31 % 7 WHEN 0 THEN 'resnet50' WHEN 1 THEN 'lenet5' WHEN 2 THEN 'mnist-cnn'
               WHEN 3 THEN 'vgg16' WHEN 4 THEN 'lstm' WHEN 5 THEN 'distilbert' ELSE 'mlp' END,
             CASE i * 17 % 4 WHEN 0 THEN 'fashion-mnist' WHEN 1 THEN 'cifar10'
               WHEN 2 THEN 'tiny-imagenet' ELSE 'sst2' END,
             1 << (3 + i * 13 % 7), 1 + i * 11 % 30, iif(i * 7 % 3, 'cpu', 'cuda'),
             CASE i * 5 % 4 WHEN 0 THEN 'podman' WHEN 1 THEN 'docker' ELSE 'bare' END,
             i * 3 % 11, 1 << (i % 5),
             CASE WHEN i % 12 > 0 THEN 'ok' WHEN i % 36 THEN 'failed' ELSE 'out_of_memory' END, {}
      FROM numbers;
      INSERT INTO run_records SELECT id, '{{}}' FROM runs)sql",
      count, fmt::join(names, ", "), fmt::join(values, ", "));
}

Result<void> fill(const char* file, long long count) {
  if (const auto made = RunStore::open(file); !made.ok()) return made.error();
  TACHO_TRY(database, Database::open(file));
  TACHO_CHECK(database.execute("PRAGMA cache_size = -500000;" + insert_sql(count)));
  return database.execute("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)");
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  long long count = 0;
  const std::string text = argc == 3 ? argv[2] : "";
  std::from_chars(text.data(), text.data() + text.size(), count);
  if (count <= 0) {
    fmt::print(stderr, "made_store FILE COUNT\n");
    return 2;
  }
  if (const auto done = tacho::fill(argv[1], count); !done.ok()) {
    fmt::print(stderr, "made_store: {}\n", done.error().message);
    return 1;
  }
}
