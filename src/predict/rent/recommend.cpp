#include "predict/rent/recommend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "base/units.h"
#include "core/record/model_catalog.h"
#include "predict/rent/duration_text.h"

namespace tacho {
namespace {

constexpr double kMuch = 0.25;       // share of a step spent waiting that is worth a warning
constexpr double kBadScaling = 0.7;  // share of the ideal speed-up
constexpr std::int64_t kMostWorkers = 16;
// Offers whose time and price differ by less are not worth a choice.
constexpr double kSameTradeOff = 1.01;

double price_of(const Instance& instance, bool spot) {
  return spot && instance.spot_usd_h ? *instance.spot_usd_h : instance.on_demand_usd_h;
}

// Regions do not differ in speed: keeps the cheapest one.
std::vector<Instance> cheapest_regions(const std::vector<Instance>& instances, bool spot) {
  std::map<std::tuple<std::string, std::string, std::string, std::int64_t>, const Instance*> best;
  for (const Instance& one : instances) {
    auto& place = best[{one.cloud, one.name, one.gpu, one.gpus}];
    if (place == nullptr || price_of(one, spot) < price_of(*place, spot)) place = &one;
  }
  std::vector<Instance> kept;
  for (const auto& [key, instance] : best) kept.push_back(*instance);
  return kept;
}

std::vector<std::int64_t> node_counts(std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (std::int64_t nodes = 1; nodes < most; nodes *= 2) counts.push_back(nodes);
  counts.push_back(most);
  return counts;
}

std::vector<Plan> plans_of(const Requirements& requirements,
                           const std::vector<Instance>& instances) {
  std::vector<std::int64_t> batches = requirements.batches;
  if (batches.empty()) batches = {8, 16, 32, 64, 128, 256, 512, 1024};
  std::vector<Plan> plans;
  for (const Instance& instance : cheapest_regions(instances, requirements.spot)) {
    const bool has_gpu = instance.gpus > 0;
    const double processes = has_gpu ? static_cast<double>(instance.gpus) : 1;
    const auto workers = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(instance.vcpus / processes) - 1, 1, kMostWorkers);
    for (const std::int64_t nodes : node_counts(requirements.max_nodes)) {
      // Machines with unknown network are not combined.
      if (nodes > 1 && !instance.network_gbps) continue;
      for (const Precision precision : requirements.precisions) {
        if (!has_gpu && precision != Precision::fp32) continue;
        for (const std::int64_t batch : batches) {
          plans.push_back({instance, nodes, batch, workers, precision});
        }
      }
    }
  }
  return plans;
}

// Returns the probability that a lognormal with this interval is below `limit`.
double probability_below(const Estimate& range, double limit) {
  const double deviation = std::log(range.high / range.low) / (2 * kDeviations90);
  const double off = std::log(limit / range.value);
  if (!(deviation > 0)) return off >= 0 ? 1 : 0;
  return 0.5 * std::erfc(-off / deviation / std::sqrt(2.0));
}

bool meets(const Requirements& requirements, const Offer& offer) {
  return offer.hours.value <= requirements.deadline_hours.value_or(HUGE_VAL) &&
         offer.dollars.value <= requirements.budget_usd.value_or(HUGE_VAL);
}

// With a budget but no deadline, faster is better; otherwise cheaper is better.
bool better(const Requirements& requirements, const Offer& a, const Offer& b) {
  if (meets(requirements, a) != meets(requirements, b)) return meets(requirements, a);
  const bool by_time =
      requirements.budget_usd && !requirements.deadline_hours && meets(requirements, a);
  const auto key = [&](const Offer& offer) {
    return by_time ? std::pair(offer.hours.value, offer.dollars.value)
                   : std::pair(offer.dollars.value, offer.hours.value);
  };
  return key(a) < key(b);
}

Offer offer_of(const Requirements& requirements, const Plan& plan, const StepPrediction& step,
               const EpochsAnswer& answer) {
  Offer offer{.plan = plan,
              .spot = requirements.spot && plan.instance.spot_usd_h.has_value(),
              .step = step,
              .epochs = answer.epochs,
              .options = answer.options};
  const double steps_per_epoch =
      std::ceil(answer.epoch_samples / static_cast<double>(plan.batch()));
  offer.hours = scaled(product(step.seconds, answer.epochs), steps_per_epoch / 3600);
  offer.dollars =
      scaled(offer.hours, price_of(plan.instance, offer.spot) * static_cast<double>(plan.nodes));
  // Errors of time and price are the same, so the joint probability is the lower of the two.
  if (requirements.deadline_hours) {
    offer.probability =
        std::min(offer.probability, probability_below(offer.hours, *requirements.deadline_hours));
  }
  if (requirements.budget_usd) {
    offer.probability =
        std::min(offer.probability, probability_below(offer.dollars, *requirements.budget_usd));
  }
  return offer;
}

void mark_front(std::vector<Offer>& offers) {
  for (Offer& offer : offers) {
    offer.on_front = std::ranges::none_of(offers, [&](const Offer& other) {
      const bool no_worse =
          other.hours.value <= offer.hours.value && other.dollars.value <= offer.dollars.value;
      return no_worse &&
             (other.hours.value < offer.hours.value || other.dollars.value < offer.dollars.value);
    });
  }
}

// Warns about additional machines that bring little.
void warn_of_nodes(std::vector<Offer>& offers) {
  for (Offer& offer : offers) {
    if (offer.plan.nodes == 1) continue;
    const Offer* fewer = nullptr;
    for (const Offer& other : offers) {
      const bool same = other.plan.instance == offer.plan.instance;
      if (!same || other.plan.nodes >= offer.plan.nodes) continue;
      if (fewer == nullptr || other.plan.nodes > fewer->plan.nodes) fewer = &other;
    }
    if (fewer == nullptr) continue;
    const double more =
        static_cast<double>(offer.plan.nodes) / static_cast<double>(fewer->plan.nodes);
    const double faster = fewer->hours.value / offer.hours.value;
    if (faster >= kBadScaling * more) continue;
    offer.warnings.push_back(
        fmt::format("not worth it: {} machines are {:.2g}x as fast as {}, at {:.2g}x the price",
                    offer.plan.nodes, faster, fewer->plan.nodes, more / faster));
  }
}

void warn_of_waiting(Offer& offer) {
  if (offer.step.input_share > kMuch) {
    offer.warnings.push_back(
        fmt::format("not worth it, input-bound: {:.0f} % of a step waits for input from {} "
                    "processors",
                    100 * offer.step.input_share, offer.plan.instance.vcpus));
  }
  if (offer.step.comm_share > kMuch) {
    offer.warnings.push_back(fmt::format(
        "not worth it, communication-bound: {:.0f} % of a step waits for the gradient exchange",
        100 * offer.step.comm_share));
  }
}

std::string change_text(double ratio) {
  const double percent = 100 * (ratio - 1);
  if (std::abs(percent) < 0.5) return "the same";
  return ratio > 2 ? fmt::format("{:.1f}x", ratio) : fmt::format("{:+.0f} %", percent);
}

std::string compared_with_first(const Requirements& requirements, const Offer& first,
                                const Offer& offer) {
  if (meets(requirements, first) && !meets(requirements, offer)) {
    const bool late = offer.hours.value > requirements.deadline_hours.value_or(HUGE_VAL);
    return late ? "misses the deadline" : "above the budget";
  }
  return fmt::format("price {}, time {}", change_text(offer.dollars.value / first.dollars.value),
                     change_text(offer.hours.value / first.hours.value));
}

// Drops offers that are neither faster nor cheaper than a better one with the same GPUs, and
// returns their number. The own machines of the user stay.
std::size_t drop_pointless(std::vector<Offer>& offers) {
  std::vector<Offer> kept;
  for (Offer& offer : offers) {
    const auto covers = [&](const Offer& other) {
      return other.plan.instance.gpu == offer.plan.instance.gpu &&
             other.plan.ranks() == offer.plan.ranks() &&
             other.hours.value <= kSameTradeOff * offer.hours.value &&
             other.dollars.value <= kSameTradeOff * offer.dollars.value;
    };
    const bool own = offer.plan.instance.cloud == kOwnCloud;
    if (own || std::ranges::none_of(kept, covers)) kept.push_back(std::move(offer));
  }
  const std::size_t dropped = offers.size() - kept.size();
  offers = std::move(kept);
  return dropped;
}

// Counts excluded plans by reason.
class Exclusions {
 public:
  void add(const std::string& reason, const Plan& plan) {
    LeftOut& one = by_reason_.try_emplace(reason, LeftOut{.reason = reason}).first->second;
    one.plans += 1;
    one.with_gpu += plan.instance.gpus > 0 ? 1 : 0;
  }
  // What excludes machines with a GPU comes first: the others are rarely worth renting.
  [[nodiscard]] std::vector<LeftOut> most_important_first() const {
    std::vector<LeftOut> all;
    for (const auto& [reason, one] : by_reason_) all.push_back(one);
    std::ranges::stable_sort(all, std::greater(),
                             [](const LeftOut& one) { return std::pair(one.with_gpu, one.plans); });
    return all;
  }

 private:
  std::map<std::string, LeftOut> by_reason_;
};

// The number of epochs by batch; asked before the speed, because without it there is nothing to
// recommend.
using EpochsByBatch = std::map<std::int64_t, Result<EpochsAnswer>>;

Result<EpochsByBatch> epochs_by_batch(const Requirements& requirements,
                                      const std::vector<Plan>& plans,
                                      const EpochPredictor& epochs) {
  EpochsByBatch answers;
  bool any = false;
  for (const Plan& plan : plans) {
    if (answers.contains(plan.batch())) continue;
    const EpochsQuestion question{requirements.job.model, requirements.job.data,
                                  requirements.target, static_cast<double>(plan.batch())};
    any |= answers.emplace(plan.batch(), epochs.epochs(question)).first->second.ok();
  }
  if (!any) return answers.begin()->second.error();
  return answers;
}

Result<void> check(const Requirements& requirements) {
  const auto above_zero = [](const std::optional<double>& value) {
    return !value || (*value > 0 && std::isfinite(*value));
  };
  if (!above_zero(requirements.deadline_hours)) {
    return Error{ErrorCode::usage, "the deadline must be above 0"};
  }
  if (!above_zero(requirements.budget_usd))
    return Error{ErrorCode::usage, "the budget must be above 0"};
  if (requirements.max_nodes < 1 || requirements.max_nodes > 1024) {
    return Error{ErrorCode::usage, "--max-nodes must be between 1 and 1024"};
  }
  return {};
}

}  // namespace

Result<Recommendation> recommend(const Requirements& requirements,
                                 const std::vector<Instance>& instances, const StepPredictor& steps,
                                 const EpochPredictor& epochs) {
  TACHO_CHECK(check(requirements));
  if (instances.empty()) {
    return Error{ErrorCode::not_found, "no machine matches the filters; use fewer of them"};
  }
  const std::vector<Plan> plans = plans_of(requirements, instances);
  if (plans.empty()) {
    return Error{ErrorCode::usage,
                 "no machine supports the given precisions; machines without a GPU need "
                 "fp32"};
  }
  Recommendation made{.requirements = requirements};
  if (requirements.target == 0 && requirements.title.empty()) {
    TACHO_TRY(usual, epochs.usual_target(requirements.job.model, requirements.job.data));
    made.requirements.target = usual.value;
    made.target_basis = usual.basis;
  }
  TACHO_TRY(answers, epochs_by_batch(made.requirements, plans, epochs));
  const auto predictions = steps.steps(requirements.job, plans);
  Exclusions excluded;
  std::map<std::tuple<std::string, std::string, std::string, std::int64_t, std::int64_t>, Offer>
      best;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Plan& plan = plans[i];
    const Result<EpochsAnswer>& answer = answers.at(plan.batch());
    if (!predictions[i].ok()) {
      excluded.add(predictions[i].error().message, plan);
      continue;
    }
    if (!predictions[i]->fits || !answer.ok()) {
      excluded.add(answer.ok() ? "does not fit in the GPU's memory" : answer.error().message, plan);
      continue;
    }
    made.epochs_basis = answer->basis;
    Offer offer = offer_of(requirements, plan, *predictions[i], *answer);
    const Instance& instance = plan.instance;
    const auto key =
        std::tuple(instance.cloud, instance.name, instance.gpu, instance.gpus, plan.nodes);
    const auto place = best.find(key);
    if (place == best.end()) {
      best.emplace(key, std::move(offer));
    } else if (better(requirements, offer, place->second)) {
      place->second = std::move(offer);
    }
  }
  for (auto& [key, offer] : best) made.offers.push_back(std::move(offer));
  made.left_out = excluded.most_important_first();
  if (made.offers.empty()) {
    std::string_view reason = made.left_out.front().reason;
    constexpr std::string_view kAbstention = "no prediction: ";
    if (reason.starts_with(kAbstention)) reason.remove_prefix(kAbstention.size());
    return Error{ErrorCode::unavailable,
                 fmt::format("no prediction for any of {} plans; most common reason: {}",
                             plans.size(), reason)};
  }
  made.met =
      std::ranges::any_of(made.offers, [&](const Offer& one) { return meets(requirements, one); });
  mark_front(made.offers);
  warn_of_nodes(made.offers);
  std::ranges::stable_sort(
      made.offers, [&](const Offer& a, const Offer& b) { return better(requirements, a, b); });
  if (const std::size_t dropped = drop_pointless(made.offers); dropped > 0) {
    made.left_out.push_back(
        {"neither faster nor cheaper than an offer with the same GPUs", dropped, dropped});
  }
  for (Offer& offer : made.offers) {
    warn_of_waiting(offer);
    if (&offer != &made.offers.front()) {
      offer.against_first = compared_with_first(requirements, made.offers.front(), offer);
    }
  }
  return made;
}

Result<void> check_met(const Recommendation& made) {
  if (made.met) return {};
  const Requirements& requirements = made.requirements;
  const auto& offers = made.offers;
  const auto described = [](std::string_view which, const Offer& offer) {
    const Instance& instance = offer.plan.instance;
    return fmt::format("the {}, {}{} {}, takes {} and costs ${}", which,
                       offer.plan.nodes > 1 ? fmt::format("{} x ", offer.plan.nodes) : "",
                       instance.cloud, instance.name, human(Seconds(offer.hours.value * 3600)),
                       three_figures(offer.dollars.value));
  };
  std::string limits;
  std::string nearest;
  if (requirements.deadline_hours) {
    limits = fmt::format("the deadline of {}", human(Seconds(*requirements.deadline_hours * 3600)));
    nearest = described("fastest", *std::ranges::min_element(offers, {}, [](const Offer& offer) {
                          return offer.hours.value;
                        }));
  }
  if (requirements.budget_usd) {
    limits += fmt::format("{}the budget of ${}", limits.empty() ? "" : " and ",
                          three_figures(*requirements.budget_usd));
    nearest += (nearest.empty() ? "" : "; ") +
               described("cheapest", *std::ranges::min_element(offers, {}, [](const Offer& offer) {
                           return offer.dollars.value;
                         }));
  }
  return Error{ErrorCode::unavailable, fmt::format("no machine meets {}; {}", limits, nearest)};
}

std::string title_of(const Requirements& requirements) {
  if (!requirements.title.empty()) return requirements.title;
  return fmt::format("{} on {} to {}{:.4g}", requirements.job.model, requirements.job.data,
                     requirements.metric == TargetMetric::loss ? "a loss of " : "",
                     requirements.target);
}

std::string command_of(const Requirements& requirements, const Offer& offer) {
  if (!requirements.command.empty()) return requirements.command;
  if (!find_model(requirements.job.model).ok()) return "";
  const Plan& plan = offer.plan;
  std::string command =
      fmt::format("tacho train {} --data {} -b {} -e {}", requirements.job.model,
                  requirements.job.data, plan.batch_per_gpu, std::ceil(offer.epochs.high));
  if (!offer.options.empty()) command += " " + offer.options;
  if (requirements.metric == TargetMetric::top1) {
    command += fmt::format(" --target {:.4g}", requirements.target);
  }
  if (plan.instance.gpus > 0) {
    command += fmt::format(" --device cuda --precision {}", kPrecisions.of(plan.precision));
  }
  if (plan.instance.gpus > 1) command += fmt::format(" --nproc {}", plan.instance.gpus);
  if (plan.nodes > 1) {
    command += fmt::format(" --nnodes {} --node-rank 0 --rendezvous HOST:29400", plan.nodes);
  }
  return command + fmt::format(" --workers {}", plan.workers);
}

}  // namespace tacho
