#include "predict/speed/prediction_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/csv.h"
#include "base/units.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 5> kAdded = {"samples_per_s", "low90", "high90", "in_domain",
                                                    "reason"};

std::string figure(double value) { return fmt::format("{:.6g}", value); }

std::string speed(double samples_per_s) {
  return samples_per_s >= 1000 ? human_count(samples_per_s) : fmt::format("{:.3g}", samples_per_s);
}

}  // namespace

std::string predictions_csv(const CsvRecords& records,
                            const std::vector<std::optional<Prediction>>& predictions) {
  // Replaces columns of these names, such as measurements or an earlier prediction.
  std::vector<std::size_t> kept;
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < records.headings.size(); ++i) {
    if (std::ranges::find(kAdded, records.headings[i]) != kAdded.end()) continue;
    kept.push_back(i);
    cells.push_back(records.headings[i]);
  }
  cells.insert(cells.end(), kAdded.begin(), kAdded.end());
  std::string out = csv_line(cells);
  for (std::size_t row = 0; row < records.rows.size(); ++row) {
    cells.clear();
    for (const std::size_t i : kept) cells.push_back(records.rows[row].cells[i]);
    if (const auto& p = predictions[row]; p && !p->known()) {
      cells.insert(cells.end(), {"", "", "", "false", p->reason});
    } else if (p) {
      cells.insert(cells.end(),
                   {figure(p->samples_per_s.value), figure(p->samples_per_s.low),
                    figure(p->samples_per_s.high), p->in_domain ? "true" : "false", p->reason});
    } else {
      cells.insert(cells.end(), {"", "", "", "false", "not a GPU, so there is no data sheet"});
    }
    out += csv_line(cells);
  }
  return out;
}

std::string prediction_text(const TrainingJob& job, const GpuSpec& gpu,
                            const Prediction& prediction) {
  const auto& [arithmetic, memory, optimizer, launch, exchange] = prediction.shares;
  std::string out =
      fmt::format("{} on {:g} × {}{}\n", job.model, job.num_gpus, gpu.name,
                  job.num_nodes > 1 ? fmt::format(" in {:g} nodes", job.num_nodes) : "");
  out += fmt::format("  speed    {} samples/s   (90 %: {} … {})\n",
                     speed(prediction.samples_per_s.value), speed(prediction.samples_per_s.low),
                     speed(prediction.samples_per_s.high));
  out += fmt::format("  step     {}\n", human(Seconds(prediction.step_seconds)));
  if (prediction.memory_known) {
    out += fmt::format("  memory   {:.1f} of {:g} GB per GPU: {}\n", prediction.memory_gb,
                       gpu.memory_gb, prediction.fits ? "fits" : "does not fit");
  } else {
    out += "  memory   unknown, because the model's cost is unknown\n";
  }
  out += fmt::format(
      "  parts    arithmetic {:.0f} %, memory traffic {:.0f} %, optimizer {:.0f} %, launches "
      "{:.0f} %, "
      "exchange {:.0f} %\n",
      100 * arithmetic, 100 * memory, 100 * optimizer, 100 * launch, 100 * exchange);
  out += fmt::format("  software {}\n", prediction.software);
  if (!prediction.in_domain) out += fmt::format("  warning  {}\n", prediction.reason);
  return out;
}

Json prediction_json(const TrainingJob& job, const Prediction& prediction) {
  const auto seconds = [&](double share) { return share * prediction.step_seconds; };
  const StepShares& shares = prediction.shares;
  return Json{{"model", job.model},
              {"gpu", job.gpu},
              {"num_gpus", job.num_gpus},
              {"num_nodes", job.num_nodes},
              {"batch_per_gpu", job.batch_per_gpu ? Json(*job.batch_per_gpu) : Json()},
              {"precision", job.precision},
              {"software", prediction.software},
              {"samples_per_s", prediction.samples_per_s.value},
              {"low90", prediction.samples_per_s.low},
              {"high90", prediction.samples_per_s.high},
              {"step_seconds", prediction.step_seconds},
              {"memory_gb", prediction.memory_gb},
              {"fits", prediction.fits},
              {"in_domain", prediction.in_domain},
              {"reason", prediction.reason},
              {"modelled_seconds",
               {{"compute", seconds(shares.arithmetic)},
                {"memory", seconds(shares.memory)},
                {"optimizer", seconds(shares.optimizer)},
                {"launch", seconds(shares.launch)},
                {"exchange", seconds(shares.exchange)}}}};
}

}  // namespace tacho
