#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "predict/speed/cpu_cost.h"
#include "predict/speed/own_runs.h"

namespace tacho {

// What no measured run on a CPU has in common with a job. Each has its own interval.
enum class CpuNovelty : std::uint8_t { pair, machine, model, both };
inline constexpr std::size_t kCpuNovelties = 4;
inline constexpr Names<CpuNovelty, kCpuNovelties> kCpuNoveltyNames{
    "novelty",
    {{{CpuNovelty::pair, "pair"},  // the model was measured on other machines only
      {CpuNovelty::machine, "machine"},
      {CpuNovelty::model, "model"},
      {CpuNovelty::both, "both"}}}};

// Everything that is learned from runs on CPUs. Reaches are half widths of 90 % intervals, in
// logarithms.
struct CpuFit {
  CpuRates rates;
  std::map<std::string, double> models;  // deviations of measured models, in logarithms
  EnumArray<CpuNovelty, double, kCpuNovelties> reach{};
  double doubling_reach = 0;  // by each doubling of cores beyond the measured ones
  double most_cores = 1;
  double memory_reach = 0;
  double configurations = 0;
  std::vector<std::string> machines;
};

// Predicts trainings of Tacho's own models on CPUs that have no or few runs.
class CpuSpeed {
 public:
  CpuSpeed(OwnLayers layers, CpuFit fit);

  // A machine with what its own runs say about it.
  struct Calibrated {
    CpuMachine machine;
    double shift = 0;   // of log seconds
    double models = 0;  // that were measured on it
  };
  // Uses those of `runs` that were made on a CPU `here`, for the rate of its products, too.
  [[nodiscard]] Calibrated calibrated(CpuMachine machine, const Host& here,
                                      std::span<const OwnRun> runs) const;

  // Abstains with ErrorCode::unavailable and the reason. Neither time nor memory decrease with the
  // batch, and more cores are not slower.
  [[nodiscard]] Result<RunPrediction> predict(const RunSpec& spec, const Calibrated& on) const;

  [[nodiscard]] const CpuFit& fit() const { return fit_; }
  [[nodiscard]] const OwnLayers& layers() const { return layers_; }

 private:
  [[nodiscard]] double seconds(const OwnNetwork& network, double batch, double cores,
                               const CpuMachine& machine) const;
  [[nodiscard]] double reach(const std::string& model, double cores, const Calibrated& on) const;

  OwnLayers layers_;
  CpuFit fit_;
  std::set<LayerKind> kinds_;  // of the measured models
};

// Returns the rate of a large matrix product per core, measured in runs on `here`; 0 if unknown.
double measured_product_gflops(const Host& here, std::span<const OwnRun> runs);

// The file data/model/cpu_speed.json.
std::string cpu_fit_text(const CpuFit& fit);
Result<CpuFit> read_cpu_fit(std::string_view text);

}  // namespace tacho
