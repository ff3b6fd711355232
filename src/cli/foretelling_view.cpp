#include "cli/foretelling_view.h"

#include <algorithm>

#include "advise/foretell.h"
#include "cli/known_curves.h"
#include "learn/curve_catalog.h"
#include "probe/host_probe.h"
#include "store/ledger.h"

namespace tacho {
namespace {

// A run should not wait for more than a moment.
constexpr std::size_t kMostCurves = 16;

}  // namespace

void ForetellingView::started(std::int64_t id, const RunOrder& order) {
  if (const auto written = write_down(order); !written.ok()) {
    warn_("what this run will do was not foretold: " + written.error().message);
  }
  inner_.started(id, order);
}

void ForetellingView::settle() {
  const auto settled = [&]() -> Result<void> {
    TACHO_TRY(ledger, Ledger::open(file_));
    return ledger.settle();
  }();
  if (!settled.ok()) warn_("the ledger was not settled: " + settled.error().message);
}

Result<void> ForetellingView::write_down(const RunOrder& order) {
  const RunSpec& spec = order.spec;
  if (is_synthetic(spec)) return {};
  TACHO_TRY(known, own_curves(store_, spec.model, spec.data, kMostCurves));
  if (known.empty()) {
    for (Curve& curve : published_curves()) {
      if (curve.setting.model == spec.model && curve.setting.data == spec.data) {
        known.push_back(std::move(curve));
      }
    }
  }
  const Host host = read_host();
  const auto& machine = spec.device == Device::cuda && !host.gpu.empty() ? host.gpu : host.cpu;
  const auto predictions = foretell(order, known, machine, order.created_at);
  if (predictions.empty()) return {};
  TACHO_TRY(ledger, Ledger::open(file_));
  return ledger.put(predictions);
}

}  // namespace tacho
