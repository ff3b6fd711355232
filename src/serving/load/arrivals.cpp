#include "serving/load/arrivals.h"

#include <cmath>

namespace tacho::load {
namespace {

// Every lane draws all gaps and keeps its share of the arrivals, so that the number of lanes does
// not change what is sent.
class ProfileArrivals final : public Arrivals {
 public:
  ProfileArrivals(const ArrivalPlan& plan, Lane lane)
      : profile_(plan.profile), spacing_(plan.spacing), random_(plan.seed, 0), lane_(lane) {
    skip(lane.index);
  }

  std::optional<double> next() override {
    due_ += gap();
    const auto second = profile_.second_of(due_ - (spacing_ == Spacing::even ? 0.5 : 0));
    skip(lane_.of - 1);
    return second;
  }

 private:
  double gap() { return spacing_ == Spacing::even ? 1.0 : -std::log(1 - random_.between(0, 1)); }
  void skip(int count) {
    for (int i = 0; i < count; ++i) due_ += gap();
  }

  RateProfile profile_;
  Spacing spacing_;
  Random random_;
  Lane lane_;
  double due_ = 0;  // requests of all lanes
};

class RecordedArrivals final : public Arrivals {
 public:
  RecordedArrivals(std::shared_ptr<const std::vector<double>> times, Lane lane)
      : times_(std::move(times)),
        at_(static_cast<std::size_t>(lane.index)),
        of_(static_cast<std::size_t>(lane.of)) {}

  std::optional<double> next() override {
    if (at_ >= times_->size()) return std::nullopt;
    const double second = (*times_)[at_];
    at_ += of_;
    return second;
  }

 private:
  std::shared_ptr<const std::vector<double>> times_;
  std::size_t at_;
  std::size_t of_;
};

}  // namespace

double ArrivalPlan::seconds() const {
  if (recorded) return recorded->empty() ? 0 : recorded->back();
  return profile.seconds();
}

double ArrivalPlan::requests() const {
  return recorded ? static_cast<double>(recorded->size()) : profile.requests();
}

std::unique_ptr<Arrivals> ArrivalPlan::arrivals(Lane lane) const {
  if (recorded) return std::make_unique<RecordedArrivals>(recorded, lane);
  return std::make_unique<ProfileArrivals>(*this, lane);
}

}  // namespace tacho::load
