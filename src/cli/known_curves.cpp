#include "cli/known_curves.h"

namespace tacho {

Result<std::vector<Curve>> own_curves(RunStore& store, const std::string& model,
                                      const std::string& data, std::size_t most) {
  RunQuery query{.limit = static_cast<std::int64_t>(most)};
  std::vector<std::string> wanted = {"outcome=ok", "epochs_done>=3"};
  if (!model.empty()) wanted.insert(wanted.end(), {"model=" + model, "data=" + data});
  for (const std::string& text : wanted) {
    TACHO_TRY(filter, parse_filter(text));
    query.filters.push_back(filter);
  }
  TACHO_TRY(rows, store.list(query));
  std::vector<Curve> curves;
  for (const RunRow& row : rows) {
    const auto run = store.find(row.key);
    // One damaged record does not hide the others.
    if (!run.ok()) continue;
    if (auto curve = curve_of(run->record)) curves.push_back(*std::move(curve));
  }
  return curves;
}

}  // namespace tacho
