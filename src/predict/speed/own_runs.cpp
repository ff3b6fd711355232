#include "predict/speed/own_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>

#include "predict/speed/memory_margin.h"
#include "predict/speed/parts_model.h"
#include "predict/speed/predictor.h"
#include "predict/speed/run_point.h"

namespace tacho {
namespace {

// More do not improve predictions, and training time grows with their cube.
constexpr std::size_t kMostConfigurations = 300;
constexpr std::size_t kCrossValidations = 8;
// A little more than 90 %, because the tuning has seen the cross-validated runs.
constexpr double kCrossValidatedWithin = 0.92;
constexpr double kSmallestStretch = 1.3;
constexpr double kLargestStretch = 4;

using CrossValidations = std::vector<PartsModel::LeftOut>;

// Returns the factor for deviations so that the cross-validated runs are within.
double stretch_of(const CrossValidations& cross_validated) {
  std::vector<double> surprises;
  surprises.reserve(cross_validated.size());
  for (const auto& one : cross_validated) surprises.push_back(std::abs(one.error) / one.deviation);
  std::ranges::sort(surprises);
  // With few runs, the largest factor is used, so that the interval is not too narrow.
  const auto place = static_cast<std::size_t>(
      std::ceil(kCrossValidatedWithin * (static_cast<double>(surprises.size()) + 1)));
  const double at = place > surprises.size() ? kLargestStretch : surprises[place - 1];
  return std::clamp(at, kSmallestStretch, kLargestStretch);
}

// Merges runs of one configuration into one example.
class Examples {
 public:
  explicit Examples(Figure figure) : figure_(figure) {}

  void add(const RunPoint& point, double value) {
    if (!(value > 0)) return;
    std::string key(reinterpret_cast<const char*>(point.labels.data()), sizeof(point.labels));
    key += fmt::format(" {} {}", point.log_batch, point.log_threads);
    const auto [at, fresh] = places_.try_emplace(std::move(key), examples_.size());
    if (fresh) {
      if (examples_.size() == kMostConfigurations) {
        places_.erase(at);
        return;
      }
      examples_.push_back({point, 0, 0, {}});
    }
    PartsExample& example = examples_[at->second];
    example.log_value =
        (example.log_value * example.repetitions + std::log(value)) / (example.repetitions + 1);
    example.repetitions += 1;
    example.each.push_back(std::log(value));
  }
  [[nodiscard]] const std::vector<PartsExample>& all() const { return examples_; }
  [[nodiscard]] Result<PartsModel> learn() const { return PartsModel::learn(figure_, examples_); }

 private:
  Figure figure_;
  std::vector<PartsExample> examples_;
  std::map<std::string, std::size_t> places_;
};

// torch allocates GPU memory in blocks of at least 2 MiB. Whether each of its two kinds of pools
// needs one more is not predicted: negligible for most models, 10 % for the smallest.
constexpr double kSpareBytes = 2 * 2.0 * 1024 * 1024;

Estimate predicted(const Posterior& posterior, double stretch, double margin) {
  const double middle = posterior.mean + margin;
  const double low = posterior.mean - stretch * posterior.deviation;
  const double high = posterior.mean + stretch * posterior.deviation;
  return {std::exp(middle), std::exp(std::min(low, middle)), std::exp(std::max(high, middle))};
}

constexpr int kUsualPower = 5;  // for models without runs

}  // namespace

class OwnRuns::Learned {
 public:
  static Result<std::unique_ptr<Learned>> from(const std::vector<const OwnRun*>& runs,
                                               const Host& here, const OwnModelCosts& costs) {
    auto out = std::make_unique<Learned>(costs);
    Examples steps(Figure::step);
    Examples memories(Figure::memory);
    for (const OwnRun* run : runs) {
      const auto point = out->points_.add(run->spec, run->host, run->torch_version, run->threads);
      if (!point.ok()) continue;  // a model of another version of Tacho
      const std::size_t before = steps.all().size();
      steps.add(*point, run->step_seconds);
      memories.add(*point, run->memory_bytes);
      if (steps.all().size() > before) ++out->of_model_[run->spec.model];
      out->usual_batch_[run->spec.model].add(point->log_batch);
      out->configurations_ = steps.all().size();
    }
    if (steps.all().empty()) return std::unique_ptr<Learned>();
    out->torch_version_ = runs.front()->torch_version;
    out->host_ = here;
    TACHO_TRY(step, steps.learn());
    TACHO_TRY(step_cross_validated, step.cross_validate(kCrossValidations));
    out->step_stretch_ = stretch_of(step_cross_validated);
    out->step_ = std::make_unique<PartsModel>(std::move(step));
    if (!memories.all().empty()) {
      TACHO_TRY(memory, memories.learn());
      TACHO_TRY(cross_validated, memory.cross_validate(kCrossValidations));
      out->memory_stretch_ = stretch_of(cross_validated);
      out->memory_margin_ = MemoryMargin(cross_validated);
      out->memory_ = std::make_unique<PartsModel>(std::move(memory));
    }
    return out;
  }

  explicit Learned(const OwnModelCosts& costs) : points_(costs) {}

  [[nodiscard]] Result<RunPrediction> predict(const RunSpec& spec) const {
    TACHO_TRY(point, points_.look_up(spec, host_, torch_version_));
    const Posterior step = step_->predict(point);
    const double reach = step_stretch_ * step.deviation;
    if (reach > std::log(kWidestInterval)) {
      return Error{
          ErrorCode::unavailable,
          fmt::format("the runs on this machine are too different: the step time could be off by a "
                      "factor of {:.2g}; train {} once first",
                      std::exp(reach), spec.model)};
    }
    RunPrediction out;
    out.step_seconds = predicted(step, step_stretch_, 0);
    if (memory_) {
      TACHO_TRY(memory, memory_of(spec));
      if (spec.device == Device::cuda) {
        memory.value += kSpareBytes;
        memory.high = std::max(memory.high, memory.value);
      }
      out.memory_bytes = memory;
    }
    const auto same = of_model_.find(spec.model);
    const std::string where = spec.device == Device::cuda ? host_.gpu : host_.cpu;
    out.basis = fmt::format("{} configurations on {}, {} of them of {}", configurations_, where,
                            same == of_model_.end() ? 0 : same->second, spec.model);
    return out;
  }

 private:
  // The median batch of a model's runs.
  class UsualBatch {
   public:
    void add(double log_batch) {
      sum_ += log_batch;
      ++runs_;
    }
    // Returns the exponent of a power of two.
    [[nodiscard]] int power() const {
      return static_cast<int>(std::lround(sum_ / runs_ / std::numbers::ln2));
    }

   private:
    double sum_ = 0;
    int runs_ = 0;
  };

  // Never decreases with the batch: the maximum over all batches from a well-known one up to it, or
  // the minimum down to it. Linear between powers of two.
  [[nodiscard]] Result<Estimate> memory_of(const RunSpec& spec) const {
    const int below = std::bit_width(static_cast<std::uint64_t>(spec.batch)) - 1;
    TACHO_TRY(low, memory_around(spec, below));
    const std::int64_t power = std::int64_t{1} << below;
    if (power == spec.batch) return low;
    TACHO_TRY(high, memory_around(spec, below + 1));
    const double share = static_cast<double>(spec.batch - power) / static_cast<double>(power);
    const auto between = [&](double a, double b) { return a + share * (b - a); };
    return Estimate{between(low.value, high.value), between(low.low, high.low),
                    between(low.high, high.high)};
  }

  [[nodiscard]] Result<Estimate> memory_around(RunSpec spec, int wanted) const {
    const auto known = usual_batch_.find(spec.model);
    int power = known == usual_batch_.end() ? kUsualPower : known->second.power();
    const int step = power <= wanted ? 1 : -1;
    Estimate out;
    for (bool first = true;; power += step, first = false) {
      spec.batch = std::int64_t{1} << power;
      TACHO_TRY(point, points_.look_up(spec, host_, torch_version_));
      const Posterior posterior = memory_->predict(point);
      const auto model = point.labels[RunLabel::model];
      const Estimate here =
          predicted(posterior, memory_stretch_, memory_margin_.of(model, posterior.deviation));
      const auto take = [&](double& value, double next) {
        value = first ? next : step > 0 ? std::max(value, next) : std::min(value, next);
      };
      take(out.value, here.value);
      take(out.low, here.low);
      take(out.high, here.high);
      if (power == wanted) return out;
    }
  }

  RunPoints points_;
  Host host_;
  std::string torch_version_;
  std::map<std::string, std::size_t, std::less<>> of_model_;
  std::map<std::string, UsualBatch, std::less<>> usual_batch_;
  std::size_t configurations_ = 0;
  std::unique_ptr<PartsModel> step_;
  std::unique_ptr<PartsModel> memory_;
  double step_stretch_ = 0;
  double memory_stretch_ = 0;
  MemoryMargin memory_margin_;
};

OwnRuns::OwnRuns() = default;
OwnRuns::OwnRuns(OwnRuns&&) noexcept = default;
OwnRuns& OwnRuns::operator=(OwnRuns&&) noexcept = default;
OwnRuns::~OwnRuns() = default;

bool same_machine(const Host& a, const Host& b, Device device) {
  if (device == Device::cuda) return !a.gpu.empty() && a.gpu == b.gpu;
  return a.cpu == b.cpu && a.cores == b.cores;
}

Result<OwnRuns> OwnRuns::learn(std::span<const OwnRun> runs, const Host& here,
                               const OwnModelCosts& costs) {
  OwnRuns out;
  out.here_ = here;
  for (const Device device : {Device::cpu, Device::cuda}) {
    std::vector<const OwnRun*> mine;
    for (const OwnRun& run : runs) {
      if (run.spec.device == device && same_machine(run.host, here, device)) mine.push_back(&run);
    }
    if (mine.empty()) continue;
    TACHO_TRY(learned, Learned::from(mine, here, costs));
    (device == Device::cuda ? out.cuda_ : out.cpu_) = std::move(learned);
  }
  return out;
}

Result<RunPrediction> OwnRuns::predict(const RunSpec& spec) const {
  const auto& learned = of(spec.device);
  if (!learned) {
    const bool cuda = spec.device == Device::cuda;
    return Error{
        ErrorCode::unavailable,
        fmt::format("no runs on {}; make some with 'tacho train' or 'tacho sweep'",
                    cuda ? (here_.gpu.empty() ? "a GPU of this machine" : here_.gpu) : here_.cpu)};
  }
  return learned->predict(spec);
}

}  // namespace tacho
