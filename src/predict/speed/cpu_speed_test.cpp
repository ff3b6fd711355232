#include "predict/speed/cpu_speed.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/random.h"
#include "core/record/classifier_catalog.h"
#include "core/record/run_options.h"
#include "predict/speed/cpu_catalog.h"
#include "predict/speed/fit_cpu.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

using testing::HasSubstr;

const OwnLayers& cpu_layers() {
  static const OwnLayers read =
      *OwnLayers::parse(shipped_own_layers_csv(), *OwnModelCosts::parse(shipped_own_models_csv()));
  return read;
}

const CpuSpeed& shipped_cpu() {
  static const CpuSpeed speed(cpu_layers(), *read_cpu_fit(shipped_cpu_speed()));
  return speed;
}

const std::vector<CpuExample>& measured_on_cpus() {
  static const std::vector<CpuExample> measured = *cpu_examples(
      *read_own_runs(shipped_corpus()), cpu_layers(), *CpuCatalog::parse(shipped_cpus_csv()));
  return measured;
}

RunSpec cpu_spec(const std::string& model, std::int64_t batch) {
  return train_request({{"model", model},
                        {"batch", std::to_string(batch)},
                        {"device", "cpu"},
                        {"data", "synthetic"}})
      ->spec;
}

CpuSpeed::Calibrated made_cpu(double cores, double gflops = 50) {
  return {.machine = {
              .name = "Made", .cores = cores, .nominal_gflops = gflops, .product_gflops = gflops}};
}

double reach_in(const RunPrediction& made) {
  return std::log(made.step_seconds.high / made.step_seconds.value);
}

TEST(CpuSpeed, BreaksNoLawOfPhysicsOnAnyMachine) {
  Random random = Random::scattered(1);
  for (int i = 0; i < 3000; ++i) {
    const auto& models = classifier_catalog();
    const auto at =
        static_cast<std::size_t>(random.between(0, 1) * static_cast<double>(models.size()));
    const std::string model(models[at].name);
    const double cores = std::ceil(random.between(0, 4));
    const double rate = random.between(5, 200);
    const auto batch = static_cast<std::int64_t>(std::exp(random.between(0, 7)));
    const RunSpec spec = cpu_spec(model, batch);
    const auto made = shipped_cpu().predict(spec, made_cpu(cores, rate));
    ASSERT_TRUE(made.ok()) << made.error().message;
    const Estimate& step = made->step_seconds;
    const OwnNetwork network = *cpu_layers().of(model, sample_size(spec));
    const double least = shortest_cpu_step(network, static_cast<double>(batch), cores,
                                           made_cpu(cores, rate).machine);
    ASSERT_GE(step.low, least) << model;
    ASSERT_LE(step.low, step.value);
    ASSERT_LT(step.value, step.high);
    const auto larger = shipped_cpu().predict(cpu_spec(model, batch + 1), made_cpu(cores, rate));
    ASSERT_GE(larger->step_seconds.value, step.value) << model;
    ASSERT_GE(larger->memory_bytes.value, made->memory_bytes.value) << model;
    const auto more = shipped_cpu().predict(spec, made_cpu(cores + 1, rate));
    ASSERT_LE(more->step_seconds.value, step.value) << model;
    const auto faster = shipped_cpu().predict(spec, made_cpu(cores, 2 * rate));
    ASSERT_LE(faster->step_seconds.value, step.value) << model;
  }
}

TEST(CpuSpeed, KnowsLessAboutNewModelsAssumedRatesAndMoreCores) {
  const RunSpec known = cpu_spec("lenet5", 64);
  const RunSpec fresh = cpu_spec("resnet152", 64);
  const double base = reach_in(*shipped_cpu().predict(known, made_cpu(2)));
  EXPECT_GE(reach_in(*shipped_cpu().predict(fresh, made_cpu(2))), base);
  EXPECT_GT(reach_in(*shipped_cpu().predict(known, made_cpu(8))), base);
  auto assumed = made_cpu(2);
  assumed.machine.rate_reach = 0.4;
  EXPECT_GT(reach_in(*shipped_cpu().predict(known, assumed)), base);
  const auto refused = shipped_cpu().predict(known, made_cpu(1e9));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("'tacho bench probe'"));
}

TEST(CpuSpeed, RefusesWhatWasNotMeasured) {
  RunSpec half = cpu_spec("lenet5", 64);
  half.precision = Precision::bf16;
  EXPECT_THAT(shipped_cpu().predict(half, made_cpu(2)).error().message, HasSubstr("fp32"));
  RunSpec two = cpu_spec("lenet5", 64);
  two.dist.ranks_per_node = 2;
  EXPECT_THAT(shipped_cpu().predict(two, made_cpu(2)).error().message, HasSubstr("one process"));
}

// A machine on which all models take twice as long as predicted.
TEST(CpuSpeed, RunsOfAMachineCorrectAndNarrowThePrediction) {
  const Host host{.cpu = "Made", .cores = 2};
  const RunSpec asked = cpu_spec("resnet18", 32);
  CpuMachine assumed = made_cpu(2).machine;
  assumed.rate_reach = 0.4;
  std::vector<OwnRun> runs;
  for (const char* model : {"mlp", "lenet5", "lstm", "mnist-cnn"}) {
    const RunSpec spec = cpu_spec(model, 64);
    const double seconds = shipped_cpu().predict(spec, made_cpu(2))->step_seconds.value;
    runs.push_back({.spec = spec,
                    .host = host,
                    .threads = 2,
                    .step_seconds = 2 * seconds,
                    .product_gflops = 100});
  }
  const auto before = *shipped_cpu().predict(asked, {assumed});
  const auto calibrated = shipped_cpu().calibrated(assumed, host, runs);
  EXPECT_DOUBLE_EQ(calibrated.machine.product_gflops, 50);
  const auto after = *shipped_cpu().predict(asked, calibrated);
  EXPECT_NEAR(after.step_seconds.value / before.step_seconds.value, std::pow(2, 0.8), 0.01);
  EXPECT_LT(reach_in(after), reach_in(before));
  EXPECT_THAT(after.basis, HasSubstr("corrected by runs of 4 models here"));
  const auto elsewhere = shipped_cpu().calibrated(assumed, {.cpu = "Other", .cores = 2}, runs);
  EXPECT_EQ(elsewhere.models, 0);
}

TEST(CpuFit, IsTheSameAfterWritingAndReading) {
  const CpuFit read = *read_cpu_fit(shipped_cpu_speed());
  EXPECT_EQ(cpu_fit_text(read), shipped_cpu_speed());
  EXPECT_FALSE(read_cpu_fit("{}").ok());
}

TEST(FitCpu, DisturbedRunsAreNotAmongTheExamples) {
  for (const CpuExample& one : measured_on_cpus()) {
    EXPECT_THAT(one.machine, testing::Not(HasSubstr(", 1 cores"))) << one.run.spec.model;
  }
}

TEST(FitCpu, IntervalsContainHeldOutModels) {
  const auto scores = *evaluate_cpu(measured_on_cpus(), cpu_layers());
  const auto model =
      std::ranges::find(scores, std::string("CPU: a model"), &OwnSpeedScore::held_out);
  ASSERT_NE(model, scores.end());
  EXPECT_EQ(model->count + model->abstained, measured_on_cpus().size());
  EXPECT_GE(model->coverage, 0.80);
  EXPECT_LE(model->coverage, 0.98);
}

// A machine with known rates: the fit finds them again from the times of its steps.
TEST(FitCpu, FindsTheRatesOfAMadeMachine) {
  CpuRates truth = shipped_cpu().fit().rates;
  truth[CpuRate::convolution] *= 0.8;
  truth[CpuRate::launch] *= 1.5;
  std::vector<CpuExample> made = measured_on_cpus();
  for (CpuExample& one : made) {
    one.seconds = {cpu_step(one.network, static_cast<double>(one.run.spec.batch),
                            static_cast<double>(one.run.threads), one.rate, truth)};
  }
  const CpuFit found = *fit_cpu_rates(made);
  for (const auto& [rate, name] : kCpuRateNames.table) {
    EXPECT_NEAR(found.rates[rate] / truth[rate], 1, 0.15) << name;
  }
}

TEST(CpuCatalog, KnowsMachinesByTheirNames) {
  const CpuCatalog cpus = *CpuCatalog::parse(shipped_cpus_csv());
  const auto rented = cpus.of_instance("c7i.4xlarge", 16);
  ASSERT_TRUE(rented);
  EXPECT_EQ(rented->cores, 8);
  EXPECT_DOUBLE_EQ(rented->product_gflops, 0.5 * 64 * 2.4);
  EXPECT_EQ(rented->rate_basis, "assumed for Xeon Sapphire Rapids");
  EXPECT_EQ(cpus.of_instance("c6g.xlarge", 4)->cores, 4);
  EXPECT_EQ(cpus.of_instance("Standard_D16as_v5", 16)->rate_basis, "assumed for EPYC Milan");
  EXPECT_FALSE(cpus.of_instance("z99.large", 4));
  const auto named = cpus.of_host({.cpu = "Neoverse-N1", .cores = 2}, "neon");
  const auto unnamed = cpus.of_host({.cpu = "Made", .cores = 2}, "avx2");
  EXPECT_EQ(named->nominal_gflops, 40);
  EXPECT_GT(unnamed->rate_reach, named->rate_reach);
  EXPECT_FALSE(cpus.of_host({.cpu = "Made"}, ""));
  EXPECT_FALSE(CpuCatalog::parse("kind\ncpu\n").ok());
}

}  // namespace
}  // namespace tacho
