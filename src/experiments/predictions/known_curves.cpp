#include "experiments/predictions/known_curves.h"

#include <algorithm>
#include <iterator>

#include "experiments/predictions/corpus_curves.h"
#include "predict/accuracy/curve_catalog.h"

namespace tacho {
namespace {

constexpr std::size_t kFewestEpochs = 3;

Result<std::vector<RunRecord>> records_where(RunStore& store,
                                             const std::vector<std::string>& wanted,
                                             std::size_t most) {
  RunQuery query{.limit = static_cast<std::int64_t>(most)};
  for (const std::string& text : wanted) {
    TACHO_TRY(filter, parse_filter(text));
    query.filters.push_back(filter);
  }
  TACHO_TRY(rows, store.list(query));
  std::vector<RunRecord> records;
  for (const RunRow& row : rows) {
    auto run = store.find(row.key);
    if (run.ok()) records.push_back(std::move(run->record));
  }
  return records;
}

}  // namespace

Result<std::vector<RunRecord>> own_records(RunStore& store, const std::string& model,
                                           const std::string& data, std::size_t most) {
  return records_where(store, {"outcome=ok", "model=" + model, "data=" + data}, most);
}

std::vector<Curve> curves_of(const std::vector<RunRecord>& records) {
  std::vector<Curve> curves;
  for (const RunRecord& record : records) {
    if (record.epochs.size() < kFewestEpochs) continue;
    if (auto curve = curve_of(record)) curves.push_back(*std::move(curve));
  }
  return curves;
}

Result<std::vector<Curve>> own_curves(RunStore& store, const std::string& model,
                                      const std::string& data, std::size_t most) {
  std::vector<std::string> wanted = {"outcome=ok", "epochs_done>=3"};
  if (!model.empty()) wanted.insert(wanted.end(), {"model=" + model, "data=" + data});
  TACHO_TRY(records, records_where(store, wanted, most));
  return curves_of(records);
}

std::vector<Curve> shipped_curves() {
  std::vector<Curve> curves = corpus_curves();
  for (auto more : {published_curves(), published_results()}) {
    std::ranges::move(more, std::back_inserter(curves));
  }
  return curves;
}

}  // namespace tacho
