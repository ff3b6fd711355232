#include "predict/rent/recommend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/csv_table.h"
#include "predict/rent/recommendation_view.h"

namespace tacho {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

// Known truth: "g4" is a GPU of 400 samples per second, and each additional machine adds 2 ms per
// step.
class KnownSteps final : public StepPredictor {
 public:
  Result<StepPrediction> step(const Job&, const Plan& plan) const override {
    if (plan.precision != Precision::fp32) {
      return Error{ErrorCode::unavailable, "only fp32 was measured"};
    }
    const double speed = 100 * (plan.instance.gpu[1] - '0');
    const double compute = static_cast<double>(plan.batch_per_gpu) / speed;
    const double travel = 0.002 * static_cast<double>(plan.nodes - 1);
    StepPrediction step;
    step.seconds = {compute + travel, (compute + travel) / 1.1, (compute + travel) * 1.1};
    step.memory_bytes = 1e7 * static_cast<double>(plan.batch_per_gpu);
    step.fits = plan.batch_per_gpu <= 256;
    step.comm_share = travel / (compute + travel);
    step.input_share = plan.instance.vcpus < 4 ? 0.5 : 0;
    return step;
  }
};

class KnownEpochs final : public EpochPredictor {
 public:
  Result<EpochsAnswer> epochs(const EpochsQuestion& question) const override {
    if (question.target > 0.9) return Error{ErrorCode::unavailable, "no prediction: too high"};
    const double value = 10 * (1 + question.batch / 10000);
    return EpochsAnswer{{value, value / 1.2, value * 1.2}, 100000, "the truth"};
  }
  Result<UsualTarget> usual_target(const std::string&, const std::string& data) const override {
    if (data == "nothing") return Error{ErrorCode::unavailable, "no prediction: never trained"};
    return UsualTarget{0.7, "usual here"};
  }
};

Instance instance(std::string name, std::string gpu, std::int64_t gpus, double price,
                  std::string region = "r") {
  return {.cloud = "aws",
          .region = std::move(region),
          .name = std::move(name),
          .gpu = std::move(gpu),
          .gpus = gpus,
          .vcpus = 32,
          .memory_gib = 100,
          .network_gbps = 100,
          .on_demand_usd_h = price,
          .spot_usd_h = price / 3,
          .date = "2026-08-22",
          .source = "x"};
}

const Requirements kRequirements{.job = {"lenet5", "fashion-mnist"}, .target = 0.8};

Recommendation made_of(const Requirements& requirements, const std::vector<Instance>& instances) {
  auto made = recommend(requirements, instances, KnownSteps(), KnownEpochs());
  EXPECT_TRUE(made.ok()) << made.error().message;
  return *made;
}

TEST(Recommend, PutsTheCheapestFirstWithItsTimeAndPrice) {
  const auto made =
      made_of(kRequirements, {instance("slow", "g2", 1, 1), instance("fast", "g4", 1, 3)});
  ASSERT_EQ(made.offers.size(), 2U);
  const Offer& first = made.offers[0];
  EXPECT_EQ(first.plan.instance.name, "slow");
  // The smallest batch needs the fewest epochs and is not slower here.
  EXPECT_EQ(first.plan.batch_per_gpu, 8);
  const double epochs = 10 * (1 + 8.0 / 10000);
  EXPECT_NEAR(first.hours.value, epochs * 100000 / 200 / 3600, 1e-9);
  EXPECT_NEAR(first.dollars.value, first.hours.value, 1e-9);
  const double width = std::hypot(std::log(1.1), std::log(1.2));
  EXPECT_NEAR(first.hours.high / first.hours.value, std::exp(width), 1e-9);
  EXPECT_EQ(made.offers[1].against_first, "price +50 %, time -50 %");
  EXPECT_TRUE(made.offers[0].on_front && made.offers[1].on_front);
}

TEST(Recommend, MeetsTheDeadlineFirstAndWithABudgetPrefersSpeed) {
  const std::vector<Instance> two = {instance("slow", "g2", 1, 1), instance("fast", "g4", 1, 3)};
  Requirements requirements = kRequirements;
  requirements.deadline_hours = 1;
  const auto in_time = made_of(requirements, two);
  EXPECT_EQ(in_time.offers[0].plan.instance.name, "fast");
  EXPECT_GT(in_time.offers[0].probability, 0.9);
  EXPECT_EQ(in_time.offers[1].against_first, "misses the deadline");
  EXPECT_LT(in_time.offers[1].probability, 0.05);

  Requirements rich = kRequirements;
  rich.budget_usd = 100;
  EXPECT_EQ(made_of(rich, two).offers[0].plan.instance.name, "fast");
  rich.budget_usd = 2;
  EXPECT_EQ(made_of(rich, two).offers[0].plan.instance.name, "slow");
}

TEST(Recommend, UsesTheCheapestRegionAndTheSpotPriceOnRequest) {
  Requirements requirements = kRequirements;
  const std::vector<Instance> two = {instance("a", "g2", 1, 2, "expensive"),
                                     instance("a", "g2", 1, 1, "cheap")};
  const auto made = made_of(requirements, two);
  ASSERT_EQ(made.offers.size(), 1U);
  EXPECT_EQ(made.offers[0].plan.instance.region, "cheap");
  requirements.spot = true;
  EXPECT_NEAR(made_of(requirements, two).offers[0].dollars.value, made.offers[0].dollars.value / 3,
              1e-9);
}

TEST(Recommend, WarnsOfPoorOffers) {
  Requirements requirements = kRequirements;
  requirements.max_nodes = 4;
  requirements.batches = {4};
  Instance starved = instance("starved", "g8", 8, 1);
  starved.vcpus = 2;
  const auto made = made_of(requirements, {instance("a", "g9", 8, 1), starved});
  const auto of = [&](const std::string& name, std::int64_t nodes) {
    return *std::ranges::find_if(made.offers, [&](const Offer& offer) {
      return offer.plan.instance.name == name && offer.plan.nodes == nodes;
    });
  };
  EXPECT_TRUE(of("a", 1).warnings.empty());
  EXPECT_THAT(of("a", 4).warnings, Contains(StartsWith("not worth it: 4 machines")));
  EXPECT_THAT(of("a", 4).warnings, Contains(StartsWith("not worth it, communication-bound: 57 %")));
  EXPECT_THAT(of("starved", 1).warnings, Contains(StartsWith("not worth it, input-bound: 50 %")));
}

TEST(Recommend, CountsExcludedPlansByReason) {
  const auto made = made_of(kRequirements, {instance("a", "g2", 1, 1)});
  ASSERT_EQ(made.left_out.size(), 2U);
  EXPECT_EQ(made.left_out[0].reason, "only fp32 was measured");
  EXPECT_EQ(made.left_out[0].plans, 16U);
  EXPECT_EQ(made.left_out[1].reason, "does not fit in the GPU's memory");
  EXPECT_EQ(made.left_out[1].plans, 2U);
}

// Predicts no machine: says why for each.
class NoSteps final : public StepPredictor {
 public:
  Result<StepPrediction> step(const Job&, const Plan& plan) const override {
    const bool has_gpu = plan.instance.gpus > 0;
    return Error{ErrorCode::unavailable, has_gpu ? "unknown GPU" : "machines without a GPU"};
  }
};

TEST(Recommend, TheReasonIsWhatMattered) {
  const std::vector<Instance> machines = {instance("a", "g2", 1, 1), instance("b", "", 0, 1),
                                          instance("c", "", 0, 1), instance("d", "", 0, 1)};
  Requirements requirements = kRequirements;
  requirements.precisions = {Precision::fp32};
  EXPECT_THAT(recommend(requirements, machines, NoSteps(), KnownEpochs()).error().message,
              HasSubstr("most common reason: unknown GPU"));
  // Without a number of epochs the machines do not matter.
  requirements.target = 0.95;
  EXPECT_EQ(recommend(requirements, machines, NoSteps(), KnownEpochs()).error().message,
            "no prediction: too high");
}

TEST(Recommend, TakesAndNamesTheUsualTarget) {
  Requirements requirements = kRequirements;
  requirements.target = 0;
  const auto made = made_of(requirements, {instance("a", "g2", 1, 1)});
  EXPECT_EQ(made.requirements.target, 0.7);
  EXPECT_THAT(recommendation_text(made, 1, Terminal(-1)),
              StartsWith("lenet5 on fashion-mnist to 0.7\ntarget 0.7: usual here\n"));
  EXPECT_THAT(made.offers[0].plan.instance.name, "a");
  requirements.job.data = "nothing";
  EXPECT_EQ(recommend(requirements, {instance("a", "g2", 1, 1)}, KnownSteps(), KnownEpochs())
                .error()
                .message,
            "no prediction: never trained");
}

TEST(Recommend, OffersEachTradeOffOnce) {
  Instance bigger = instance("same-gpu-more-memory", "g2", 1, 1.2);
  bigger.memory_gib = 500;
  Instance own = instance("here", "g2", 1, 5);
  own.cloud = "own";
  const auto made = made_of(kRequirements, {instance("a", "g2", 1, 1), bigger, own,
                                            instance("b", "g4", 1, 3), instance("c", "g2", 2, 2)});
  std::vector<std::string> names;
  for (const Offer& offer : made.offers) names.push_back(offer.plan.instance.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("a", "here", "b", "c"));
  EXPECT_EQ(made.left_out.back().reason,
            "neither faster nor cheaper than an offer with the same GPUs");
  EXPECT_EQ(made.left_out.back().plans, 1U);
}

TEST(Recommend, AbstainsWithTheMostCommonReason) {
  const std::vector<Instance> one = {instance("a", "g2", 1, 1)};
  Requirements requirements = kRequirements;
  requirements.target = 0.95;
  EXPECT_EQ(recommend(requirements, one, KnownSteps(), KnownEpochs()).error().message,
            "no prediction: too high");
  requirements = kRequirements;
  requirements.precisions = {Precision::bf16};
  EXPECT_THAT(recommend(requirements, one, KnownSteps(), KnownEpochs()).error().message,
              HasSubstr("most common reason: only fp32 was measured"));
  EXPECT_FALSE(recommend(kRequirements, {}, KnownSteps(), KnownEpochs()).ok());
  requirements = kRequirements;
  requirements.deadline_hours = -1;
  EXPECT_EQ(recommend(requirements, one, KnownSteps(), KnownEpochs()).error().code,
            ErrorCode::usage);
}

TEST(Recommend, MachinesWithoutAGpuNeedFp32) {
  Requirements requirements = kRequirements;
  requirements.precisions = {Precision::bf16};
  const auto none = recommend(requirements, {instance("a", "", 0, 1)}, KnownSteps(), KnownEpochs());
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("need fp32"));
}

TEST(Recommend, NamesTheFastestOfferIfNoneMeetsTheDeadline) {
  const std::vector<Instance> two = {instance("slow", "g2", 1, 1), instance("fast", "g4", 1, 3)};
  Requirements requirements = kRequirements;
  requirements.deadline_hours = 1.0 / 60;
  const auto late = made_of(requirements, two);
  EXPECT_FALSE(late.met);
  EXPECT_EQ(to_json(late)["met"], false);
  EXPECT_EQ(check_met(late).error().message,
            "no machine meets the deadline of 1 min 00 s; the fastest, aws fast, takes 41 min 42 s "
            "and costs $2.08");
  requirements.budget_usd = 1;
  EXPECT_THAT(check_met(made_of(requirements, two)).error().message,
              HasSubstr("and the budget of $1.00; the fastest, aws fast, takes 41 min 42 s and "
                        "costs $2.08; the cheapest, aws slow, takes"));
  requirements.deadline_hours = 1e6;
  requirements.budget_usd = 1e6;
  EXPECT_TRUE(check_met(made_of(requirements, two)).ok());
}

// Predicts plans with a minimum batch.
class StepsFrom final : public StepPredictor {
 public:
  StepsFrom(std::int64_t least, double seconds) : least_(least), seconds_(seconds) {}
  Result<StepPrediction> step(const Job&, const Plan& plan) const override {
    if (plan.batch_per_gpu < least_) return Error{ErrorCode::unavailable, "too small"};
    StepPrediction step;
    step.seconds = {seconds_, seconds_, seconds_};
    return step;
  }

 private:
  std::int64_t least_;
  double seconds_;
};

TEST(StepPredictors, OneSourceAnswersForAllPlans) {
  const auto steps_of = [](std::int64_t least) {
    std::vector<std::unique_ptr<StepPredictor>> both;
    both.push_back(std::make_unique<StepsFrom>(least, 1));
    both.push_back(std::make_unique<StepsFrom>(0, 2));
    const Instance machine = instance("a", "g2", 1, 1);
    return StepPredictors(std::move(both))
        .steps({}, {{.instance = machine, .batch_per_gpu = 8},
                    {.instance = machine, .batch_per_gpu = 64}});
  };
  const auto some = steps_of(32);
  EXPECT_FALSE(some[0].ok());
  EXPECT_EQ(some[1]->seconds.value, 1);
  const auto none = steps_of(1000);
  EXPECT_EQ(none[0]->seconds.value, 2);
}

TEST(Recommend, PrintsTheCommandOfAnOffer) {
  Requirements requirements = kRequirements;
  requirements.batches = {64};
  requirements.max_nodes = 2;
  const auto made = made_of(requirements, {instance("a", "g2", 8, 1)});
  EXPECT_EQ(command_of(requirements, made.offers[0]),
            "tacho train lenet5 --data fashion-mnist -b 64 -e 13 --target 0.8 --device cuda "
            "--precision fp32 --nproc 8 --workers 3");
  EXPECT_THAT(command_of(requirements, made.offers[1]),
              HasSubstr("--nproc 8 --nnodes 2 --node-rank 0 --rendezvous HOST:29400"));
  requirements.job.model = "bert_large";
  EXPECT_EQ(command_of(requirements, made.offers[0]), "");
}

TEST(Recommend, PrintsWithinEightyColumnsAndAsJsonAndCsv) {
  Requirements requirements = kRequirements;
  requirements.max_nodes = 2;
  requirements.deadline_hours = 3;
  const auto made = made_of(
      requirements,
      {instance("a-name-that-is-really-far-too-long", "g2", 8, 1), instance("b", "g4", 1, 300)});
  std::istringstream lines(recommendation_text(made, 10, Terminal(-1)));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80U) << line;
  const auto similar =
      made_of(kRequirements, {instance("gpu-l40s_1gpu-16vcpu-1152gb", "g2", 1, 1),
                              instance("gpu-l40s_1gpu-16vcpu-9952gb", "g4", 1, 9)});
  const std::string text = recommendation_text(similar, 10, Terminal(-1));
  EXPECT_THAT(text, HasSubstr("1152gb"));
  std::istringstream similar_lines(text);
  for (std::string line; std::getline(similar_lines, line);) EXPECT_LE(display_width(line), 80U);
  EXPECT_THAT(text, HasSubstr("9952gb")) << "names are not cut to the same letters";
  const Json json = to_json(made);
  EXPECT_EQ(json["offers"].size(), made.offers.size());
  EXPECT_EQ(json["offers"][0]["hours"]["value"], made.offers[0].hours.value);
  const std::string csv = recommendation_csv(made);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(csv, '\n')), made.offers.size() + 1);
}

}  // namespace
}  // namespace tacho
