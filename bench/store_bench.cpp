// A store of 100,000 runs: a page of 50 must take less than 50 ms for every filter and order. Every
// result is compared with a plain scan of the table that uses no index.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/scratch_folder.h"
#include "core/store/run_store.h"

namespace tacho {
namespace {

constexpr int kRuns = 100'000;

template <class T>
T must(Result<T> result) {
  if (!result.ok()) broken_invariant(result.error().message);
  return *std::move(result);
}

// Most runs succeed; one in ten has no metrics; one in 20,000 has a unique model.
std::string insert_runs() {
  std::vector<std::string> names;
  std::vector<std::string> values;
  int prime = 7919;
  for (const Metric& metric : metric::kAll) {
    names.emplace_back(metric.key);
    values.push_back(fmt::format("CASE WHEN i % 10 > 0 THEN i * {} % 100003 / 1e5 END", prime));
    prime += 2 * 7919 + 6;
  }
  return fmt::format(
      R"sql(
      WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {})
      INSERT INTO runs (key, folder, created_at, model, data, batch, epochs, device, environment,
                        seed, threads, outcome, {})
      SELECT printf('20261115-%06d-%06x', i, i * 7919 % 16777213),
             printf('/home/someone/.local/share/tacho/runs/20261115-%06d', i), 1.7e9 + i * 60,
             CASE i % 20000 WHEN 7 THEN 'rare' ELSE
               'model' || (i * 31 % 7) END,
             'data' || (i * 17 % 5), 1 << (i * 13 % 10), 1 + i * 11 % 100,
             iif(i * 7 % 3, 'cpu', 'cuda'), 'environment' || (i * 5 % 6), i * 3 % 11, 1 + i % 64,
             CASE i % 10 WHEN 0 THEN iif(i % 100, 'failed', 'out_of_memory') ELSE 'ok' END, {}
      FROM numbers)sql",
      kRuns, fmt::join(names, ", "), fmt::join(values, ", "));
}

struct Fixture {
  ScratchFolder folder;
  std::filesystem::path file = folder.path() / "store.db";
  RunStore store = must(RunStore::open(file));
  Database database = must(Database::open(file));

  Fixture() {
    const auto filled = database.execute("PRAGMA cache_size = -500000;" + insert_runs());
    if (!filled.ok()) broken_invariant(filled.error().message);
  }
};

Fixture& fixture() {
  static Fixture filled;
  return filled;
}

std::vector<std::int64_t> by_plain_scan(const RunQuery& query) {
  std::string where = "1";
  for (const Filter& filter : query.filters) {
    where += fmt::format(" AND {} {} ?", filter.column->name, kRelations.of(filter.relation));
  }
  Statement scan = must(fixture().database.prepare(fmt::format(
      "SELECT id FROM runs NOT INDEXED WHERE {0} ORDER BY {1} IS NULL, {1} {2}, id {2} "
      "LIMIT {3} OFFSET {4}",
      where, query.sort, query.descending ? "DESC" : "ASC", query.limit, query.offset)));
  for (const Filter& filter : query.filters) {
    std::visit([&](const auto& value) { scan.bind(value); }, filter.value);
  }
  std::vector<std::int64_t> ids;
  while (must(scan.step())) ids.push_back(scan.integer(0));
  return ids;
}

void time_query(benchmark::State& state, const RunQuery& query) {
  std::vector<RunRow> rows;
  RunStore& store = fixture().store;
  for (auto _ : state) rows = must(store.list(query));
  std::vector<std::int64_t> ids(rows.size());
  std::ranges::transform(rows, ids.begin(), &RunRow::id);
  if (ids != by_plain_scan(query)) state.SkipWithError("wrong answer");
}

void sort_by(benchmark::State& state) {
  const Column& column = run_columns()[static_cast<std::size_t>(state.range(0))];
  const bool descending = state.range(1) != 0;
  state.SetLabel(fmt::format("{} {}", column.name, descending ? "descending" : "ascending"));
  time_query(state, {.sort = std::string(column.name), .descending = descending});
}
BENCHMARK(sort_by)
    ->ArgsProduct({benchmark::CreateDenseRange(0, std::ssize(run_columns()) - 1, 1), {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->MinTime(0.05);

struct Question {
  std::vector<std::string_view> filters;
  std::string_view sort;
  std::int64_t offset = 0;
};
// Common matches, rare ones and none; filters that agree with the order and filters that oppose it.
const std::array kQuestions = {
    Question{{"model=model3"}, "id"},
    Question{{"model=rare"}, "id"},
    Question{{"model=rare"}, "wall_s"},
    Question{{"model=none"}, "wall_s"},
    Question{{"outcome=ok"}, "id"},
    Question{{"outcome=ok"}, "samples_per_s"},
    Question{{"outcome!=ok"}, "wall_s"},
    Question{{"outcome=out_of_memory"}, "peak_memory"},
    Question{{"batch>=64"}, "step_s"},
    Question{{"batch>=64"}, "batch"},
    Question{{"top1>0.8"}, "wall_s"},
    Question{{"top1>0"}, "top1"},
    Question{{"top1<0.00001"}, "top1"},
    Question{{"id<=10"}, "id"},
    Question{{"created_at<1700000600"}, "created_at"},
    Question{{"model=model3", "outcome=ok", "batch>=64"}, "samples_per_s"},
    Question{{"outcome=ok", "batch>=1", "top1>0", "wall_s>0"}, "step_s"},
    Question{{"outcome=ok", "batch>=1", "wall_s>0", "step_s>0.99999"}, "id"},
    Question{{}, "wall_s", kRuns - 50},
};

void ask(benchmark::State& state) {
  const Question& question = kQuestions.at(static_cast<std::size_t>(state.range(0)));
  RunQuery query{.sort = std::string(question.sort), .offset = question.offset};
  for (const auto text : question.filters) query.filters.push_back(must(parse_filter(text)));
  state.SetLabel(fmt::format("{} by {}, from {}", fmt::join(question.filters, ", "), question.sort,
                             question.offset));
  time_query(state, query);
}
BENCHMARK(ask)
    ->DenseRange(0, std::ssize(kQuestions) - 1)
    ->Unit(benchmark::kMillisecond)
    ->MinTime(0.2);

// Measures 'tacho runs ls': a process with an empty cache.
void open_and_list(benchmark::State& state) {
  const auto& file = fixture().file;
  for (auto _ : state) {
    RunStore store = must(RunStore::open(file));
    benchmark::DoNotOptimize(must(store.list({.sort = "wall_s"})));
  }
}
BENCHMARK(open_and_list)->Unit(benchmark::kMillisecond);

void count_with_filter(benchmark::State& state) {
  const RunQuery query{.filters = {must(parse_filter("outcome=ok"))}};
  std::int64_t count = 0;
  RunStore& store = fixture().store;
  for (auto _ : state) count = must(store.count(query));
  if (count != kRuns / 10 * 9) state.SkipWithError("wrong answer");
}
BENCHMARK(count_with_filter)->Unit(benchmark::kMillisecond);

void put_and_find(benchmark::State& state) {
  RunStore& store = fixture().store;
  RunRecord record;
  record.order.key = "20270101-000000-abcdef";
  record.steps = {std::vector(1000, 0.0625), std::vector(1000, 0.0), std::vector(1000, 2.5), {}};
  for (auto _ : state) {
    const auto id = must(store.put(record, "/runs/a"));
    if (must(store.find("last")).row.id != id) state.SkipWithError("wrong answer");
  }
}
BENCHMARK(put_and_find)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacho
