#include "predict/own_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>

#include "predict/memory_lean.h"
#include "predict/parts_model.h"
#include "predict/predictor.h"
#include "predict/run_point.h"

namespace tacho {
namespace {

// More do not tell more, and learning takes their cube.
constexpr std::size_t kMostConfigurations = 300;
constexpr std::size_t kRehearsals = 8;
// A little more than the 90 % that are promised: the tuning has seen what is rehearsed.
constexpr double kRehearsedWithin = 0.92;
constexpr double kSmallestStretch = 1.3;
constexpr double kLargestStretch = 4;

using Rehearsals = std::vector<PartsModel::LeftOut>;

// Of deviations to either side, so that what was rehearsed lies within.
double stretch_of(const Rehearsals& rehearsed) {
  std::vector<double> surprises;
  surprises.reserve(rehearsed.size());
  for (const auto& one : rehearsed) surprises.push_back(std::abs(one.error) / one.deviation);
  std::ranges::sort(surprises);
  // Of few, the largest that is allowed: what is not known is not narrow.
  const auto place = static_cast<std::size_t>(
      std::ceil(kRehearsedWithin * (static_cast<double>(surprises.size()) + 1)));
  const double at = place > surprises.size() ? kLargestStretch : surprises[place - 1];
  return std::clamp(at, kSmallestStretch, kLargestStretch);
}

// Runs of one configuration are one lesson.
class Lessons {
 public:
  explicit Lessons(Figure figure) : figure_(figure) {}

  void add(const RunPoint& point, double value) {
    if (!(value > 0)) return;
    std::string key(reinterpret_cast<const char*>(point.labels.data()), sizeof(point.labels));
    key += fmt::format(" {} {}", point.log_batch, point.log_threads);
    const auto [at, fresh] = places_.try_emplace(std::move(key), lessons_.size());
    if (fresh) {
      if (lessons_.size() == kMostConfigurations) {
        places_.erase(at);
        return;
      }
      lessons_.push_back({point, 0, 0, {}});
    }
    PartsLesson& lesson = lessons_[at->second];
    lesson.log_value =
        (lesson.log_value * lesson.repetitions + std::log(value)) / (lesson.repetitions + 1);
    lesson.repetitions += 1;
    lesson.each.push_back(std::log(value));
  }
  [[nodiscard]] const std::vector<PartsLesson>& all() const { return lessons_; }
  [[nodiscard]] Result<PartsModel> learn() const { return PartsModel::learn(figure_, lessons_); }

 private:
  Figure figure_;
  std::vector<PartsLesson> lessons_;
  std::map<std::string, std::size_t> places_;
};

// torch takes a GPU's memory in blocks of 2 MiB at least. Whether one more of them is needed for
// either kind of its pools is not foretold: nothing for most models, a tenth for the smallest.
constexpr double kSpareBytes = 2 * 2.0 * 1024 * 1024;

Foretold foretold(const Belief& belief, double stretch, double lean) {
  const double middle = belief.mean + lean;
  const double low = belief.mean - stretch * belief.deviation;
  const double high = belief.mean + stretch * belief.deviation;
  return {std::exp(middle), std::exp(std::min(low, middle)), std::exp(std::max(high, middle))};
}

constexpr int kUsualPower = 5;  // of a model that was not run

}  // namespace

class OwnRuns::Learned {
 public:
  static Result<std::unique_ptr<Learned>> from(const std::vector<const OwnRun*>& runs,
                                               const Host& here, const OwnModelCosts& costs) {
    auto out = std::make_unique<Learned>(costs);
    Lessons steps(Figure::step);
    Lessons memories(Figure::memory);
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
    TACHO_TRY(step_rehearsed, step.rehearse(kRehearsals));
    out->step_stretch_ = stretch_of(step_rehearsed);
    out->step_ = std::make_unique<PartsModel>(std::move(step));
    if (!memories.all().empty()) {
      TACHO_TRY(memory, memories.learn());
      TACHO_TRY(rehearsed, memory.rehearse(kRehearsals));
      out->memory_stretch_ = stretch_of(rehearsed);
      out->memory_lean_ = MemoryLean(rehearsed);
      out->memory_ = std::make_unique<PartsModel>(std::move(memory));
    }
    return out;
  }

  explicit Learned(const OwnModelCosts& costs) : points_(costs) {}

  [[nodiscard]] Result<RunForecast> predict(const RunSpec& spec) const {
    TACHO_TRY(point, points_.look_up(spec, host_, torch_version_));
    const Belief step = step_->believe(point);
    const double reach = step_stretch_ * step.deviation;
    if (reach > std::log(kWidestInterval)) {
      return Error{
          ErrorCode::unavailable,
          fmt::format("this machine's runs are too unlike it: a step may be {:.2g} times off; "
                      "one run of {} would tell",
                      std::exp(reach), spec.model)};
    }
    RunForecast out;
    out.step_seconds = foretold(step, step_stretch_, 0);
    if (memory_) {
      TACHO_TRY(memory, memory_of(spec));
      if (spec.device == Device::cuda) {
        memory.value += kSpareBytes;
        memory.high90 = std::max(memory.high90, memory.value);
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
  // Where the batches that a model was run with have their middle.
  class UsualBatch {
   public:
    void add(double log_batch) {
      sum_ += log_batch;
      ++runs_;
    }
    // As a power of two.
    [[nodiscard]] int power() const {
      return static_cast<int>(std::lround(sum_ / runs_ / std::numbers::ln2));
    }

   private:
    double sum_ = 0;
    int runs_ = 0;
  };

  // Never less for a larger batch: the most of all batches from one that is well known up to it,
  // the least of those down to it. Between powers of two the straight line, which rises as both
  // ends do.
  [[nodiscard]] Result<Foretold> memory_of(const RunSpec& spec) const {
    const int below = std::bit_width(static_cast<std::uint64_t>(spec.batch)) - 1;
    TACHO_TRY(low, memory_around(spec, below));
    const std::int64_t power = std::int64_t{1} << below;
    if (power == spec.batch) return low;
    TACHO_TRY(high, memory_around(spec, below + 1));
    const double share = static_cast<double>(spec.batch - power) / static_cast<double>(power);
    const auto between = [&](double a, double b) { return a + share * (b - a); };
    return Foretold{between(low.value, high.value), between(low.low90, high.low90),
                    between(low.high90, high.high90)};
  }

  [[nodiscard]] Result<Foretold> memory_around(RunSpec spec, int wanted) const {
    const auto known = usual_batch_.find(spec.model);
    int power = known == usual_batch_.end() ? kUsualPower : known->second.power();
    const int step = power <= wanted ? 1 : -1;
    Foretold out;
    for (bool first = true;; power += step, first = false) {
      spec.batch = std::int64_t{1} << power;
      TACHO_TRY(point, points_.look_up(spec, host_, torch_version_));
      const Belief belief = memory_->believe(point);
      const auto model = point.labels[RunLabel::model];
      const Foretold here =
          foretold(belief, memory_stretch_, memory_lean_.of(model, belief.deviation));
      const auto take = [&](double& value, double next) {
        value = first ? next : step > 0 ? std::max(value, next) : std::min(value, next);
      };
      take(out.value, here.value);
      take(out.low90, here.low90);
      take(out.high90, here.high90);
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
  MemoryLean memory_lean_;
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

Result<RunForecast> OwnRuns::predict(const RunSpec& spec) const {
  const auto& learned = of(spec.device);
  if (!learned) {
    const bool cuda = spec.device == Device::cuda;
    return Error{
        ErrorCode::unavailable,
        fmt::format("no run on {} is known; 'tacho train' or 'tacho sweep' makes some",
                    cuda ? (here_.gpu.empty() ? "a GPU of this machine" : here_.gpu) : here_.cpu)};
  }
  return learned->predict(spec);
}

}  // namespace tacho
