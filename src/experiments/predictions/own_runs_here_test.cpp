#include "experiments/predictions/own_runs_here.h"

#include <gmock/gmock.h>

#include "experiments/predictions/test_runs.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

using OwnRunsHereTest = StoreTest;

TEST_F(OwnRunsHereTest, DisturbedRunsAreLeftOutByDefault) {
  put(record_of({.key = "good", .batch = 32}));
  RunRecord disturbed = record_of({.key = "disturbed", .batch = 64});
  disturbed.disturbed = {"other programs took 40 % of the processors"};
  put(disturbed);
  const auto runs = stored_own_runs(store_);
  ASSERT_THAT(*runs, SizeIs(1));
  EXPECT_EQ(runs->front().spec.batch, 32);
  EXPECT_EQ(runs->front().step_seconds, true_step(32));
  EXPECT_THAT(*stored_own_runs(store_, true), SizeIs(2));
  ASSERT_EQ(::setenv("TACHO_INCLUDE_DISTURBED", "0", 1), 0);
  EXPECT_THAT(*stored_own_runs(store_), SizeIs(1));
  ASSERT_EQ(::setenv("TACHO_INCLUDE_DISTURBED", "1", 1), 0);
  EXPECT_THAT(*stored_own_runs(store_), SizeIs(2));
}

TEST_F(OwnRunsHereTest, AnAbstentionSaysThatDisturbedRunsWereLeftOut) {
  RunRecord disturbed = record_of({.key = "disturbed", .batch = 64});
  disturbed.disturbed = {"other programs took 40 % of the processors"};
  put(disturbed);
  std::size_t left_out = 0;
  EXPECT_THAT(*stored_own_runs(store_, false, &left_out), SizeIs(0));
  auto learned = OwnRuns::learn({}, {.cpu = "Made CPU"}, *shipped_own_model_costs());
  const auto refused =
      predictor_by(*std::move(learned), left_out)->run(order_of({.key = "new"}).spec);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message,
              HasSubstr("; 1 run was left out because other programs used the machine, "
                        "TACHO_INCLUDE_DISTURBED=1 includes it"));
  EXPECT_EQ(with_left_out({ErrorCode::failed, "no"}, 0).message, "no");
}

TEST_F(OwnRunsHereTest, DamagedAndFailedRunsAreSkipped) {
  put(record_of({.key = "damaged"}));
  damage_records();
  RunRecord failed = record_of({.key = "failed"});
  failed.outcome = Outcome::out_of_memory;
  put(failed);
  put(record_of({.key = "sound"}));
  EXPECT_THAT(*stored_own_runs(store_), SizeIs(1));
}

TEST_F(OwnRunsHereTest, StoredRunsComeBeforeThoseThatComeWithTacho) {
  put(record_of({.key = "own"}));
  const auto known = known_own_runs(store_);
  ASSERT_TRUE(known.ok()) << known.error().message;
  EXPECT_EQ(known->front().spec.model, "vgg16");
  EXPECT_EQ(known->size(), 1 + shipped_own_runs()->size());
}

TEST_F(OwnRunsHereTest, MeasurementsAreRunsOnGpusOfTheCatalog) {
  put(record_of({.key = "on the CPU"}));
  RunRecord record = record_of({.key = "on a GPU", .batch = 64});
  record.order.spec.device = Device::cuda;
  record.started->host.gpu = "NVIDIA H200";
  put(record);
  record.order.key = "on an unknown GPU";
  record.started->host.gpu = "NVIDIA Made Up";
  put(record);
  const auto jobs = own_measurements(store_, *GpuCatalog::parse(shipped_gpus_csv()));
  ASSERT_THAT(*jobs, SizeIs(1));
  EXPECT_EQ(jobs->front().job.gpu, "H200-SXM-141GB");
  EXPECT_EQ(jobs->front().job.model, "vgg16");
  EXPECT_DOUBLE_EQ(jobs->front().samples_per_s, 64 / true_step(64));
}

TEST_F(OwnRunsHereTest, PredictsARunFromRunsOnThisMachine) {
  put_batches({16, 32, 128, 256});
  const auto predictor = open_run_predictor(store_);
  ASSERT_TRUE(predictor.ok()) << predictor.error().message;
  const auto prediction = (*predictor)->run(order_of({.key = "new", .batch = 64}).spec);
  ASSERT_TRUE(prediction.ok()) << prediction.error().message;
  EXPECT_NEAR(prediction->step_seconds.value / true_step(64), 1, 0.15);
  ASSERT_TRUE(prediction->memory_bytes);
  EXPECT_NEAR(prediction->memory_bytes->value / 564e6, 1, 0.15);
  EXPECT_THAT(prediction->basis, HasSubstr("4 of them of vgg16"));
}

TEST_F(OwnRunsHereTest, WithoutRunsTheCostModelOfCpusAnswers) {
  const auto predictor = MachineRuns::learn({}, {.cpu = "Neoverse-N1", .cores = 2});
  ASSERT_TRUE(predictor.ok()) << predictor.error().message;
  RunSpec spec = order_of({.key = "new", .batch = 64}).spec;
  const auto prediction = predictor->predict(spec);
  ASSERT_TRUE(prediction.ok()) << prediction.error().message;
  EXPECT_THAT(prediction->basis, HasSubstr("cost model"));
  EXPECT_THAT(prediction->basis, HasSubstr("assumed for Neoverse-N1"));
  EXPECT_GT(prediction->step_seconds.high, 1.5 * prediction->step_seconds.value);
  spec.device = Device::cuda;
  EXPECT_THAT(predictor->predict(spec).error().message, HasSubstr("no runs on a GPU"));
}

TEST_F(OwnRunsHereTest, AbstainsWithoutRunsOnThisMachine) {
  auto learned = OwnRuns::learn({}, {.cpu = "Made CPU"}, *shipped_own_model_costs());
  ASSERT_TRUE(learned.ok()) << learned.error().message;
  const auto refused = predictor_by(*std::move(learned))->run(order_of({.key = "new"}).spec);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_EQ(refused.error().message,
            "no runs on Made CPU; make some with 'tacho train' or 'tacho sweep'");
}

}  // namespace
}  // namespace tacho
