#include "serving/dashboard/environments.h"

#include <algorithm>
#include <filesystem>

#include "core/record/run_folder.h"
#include "experiments/runner/compare_plan.h"
#include "machine/env/environment.h"
#include "serving/dashboard/run_json.h"
#include "tracing/report/text_report.h"

namespace tacho::serve {
namespace {

constexpr std::size_t kMaxComparisons = 200;  // the newest ones are read
constexpr std::int64_t kLookedInto = 2000;
constexpr std::size_t kMaxShown = 50;

Json engines_json() {
  Json list = Json::array();
  for (const EngineFound& engine : survey_engines()) {
    list.push_back({{"environment", kEnvironmentKinds.of(engine.kind)},
                    {"available", engine.problem.empty()},
                    {"version", engine.version},
                    {"problem", engine.problem},
                    {"images", engine.images}});
  }
  return list;
}

// The environment kinds of a plan, each once, in order.
std::vector<std::string> kinds_of(const ComparePlan& plan) {
  std::vector<std::string> kinds;
  for (const PlannedVariant& variant : plan.variants) {
    std::string kind(kEnvironmentKinds.of(variant.environment.kind));
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(std::move(kind));
  }
  return kinds;
}

Result<Json> comparisons_json(RunStore& store) {
  TACHO_TRY(rows, store.comparisons().list());
  if (rows.size() > kMaxComparisons) rows.resize(kMaxComparisons);
  Json list = Json::array();
  for (const ComparisonRow& row : rows) {
    TACHO_TRY(stored, store.comparisons().find(std::to_string(row.id)));
    if (!stored.plan) continue;
    const auto plan = compare_plan_from_json(*stored.plan);
    if (!plan.ok()) continue;  // written by a newer version
    const auto kinds = kinds_of(*plan);
    if (kinds.size() < 2) continue;
    list.push_back(
        {{"id", row.id}, {"title", row.title}, {"started", row.started}, {"environments", kinds}});
  }
  return list;
}

}  // namespace

Answer Environments::answer(RunStore& store, bool refresh) {
  TACHO_TRY(comparisons, comparisons_json(store));
  const std::lock_guard lock(mutex_);
  if (!engines_ || refresh) engines_ = engines_json();
  return json_answer({{"engines", *engines_}, {"comparisons", std::move(comparisons)}});
}

Answer Environments::cached(const http::Request& request, RunStore& store) {
  TACHO_CHECK(check_not_fresh(request));
  TACHO_CHECK(check_parameters(request, {}));
  return answer(store, false);
}

Answer Environments::refreshed(const http::Request& request, RunStore& store) {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_CHECK(check_empty_body(request));
  return answer(store, true);
}

Answer memory_runs(const http::Request& request, RunStore& store) {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(rows, store.list({.limit = kLookedInto}));
  Json list = Json::array();
  for (const RunRow& row : rows) {
    std::error_code unreadable;
    if (!std::filesystem::exists(RunFolder(row.folder).ops(), unreadable)) continue;
    std::string text;
    append_run(text, row);
    TACHO_TRY(json, parse_json(text));
    list.push_back(std::move(json));
    if (list.size() == kMaxShown) break;
  }
  return json_answer({{"runs", std::move(list)}});
}

}  // namespace tacho::serve
