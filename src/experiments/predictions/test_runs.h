#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/scratch_folder.h"
#include "core/record/run_options.h"
#include "core/store/run_store.h"
#include "machine/probe/host_probe.h"

namespace tacho {

// A training of vgg16 on cifar10 on this machine's CPU, with ten steps per epoch. No run that comes
// with Tacho is of that kind, so predictions follow the runs of the test.
struct TestRun {
  std::string key;
  std::int64_t batch = 64;
  std::vector<double> top1 = {0.5};  // by epoch
};

// The known truth: a step takes a fixed time and one per sample.
inline double true_step(std::int64_t batch) { return 0.02 + 0.001 * static_cast<double>(batch); }

inline RunOrder order_of(const TestRun& run) {
  const auto request = train_request({{"model", "vgg16"},
                                      {"data", "cifar10"},
                                      {"batch", std::to_string(run.batch)},
                                      {"epochs", std::to_string(run.top1.size())}});
  return {.key = run.key, .created_at = 1000, .spec = request->spec};
}

// The finished run: evaluation takes 1 s per epoch, start and end 2 s together.
inline RunRecord record_of(const TestRun& run) {
  constexpr std::int64_t kSteps = 10;
  const double step = true_step(run.batch);
  std::vector<Event> events = {
      {2, RunStarted{.torch_version = "2.1", .host = read_host()}},
      {2, InputReady{.train_samples = kSteps * run.batch, .eval_samples = 1000, .classes = 10}},
      {2, ModelReady{.parameters = 7}}};
  std::int64_t epoch = 0;
  for (const double top1 : run.top1) {
    ++epoch;
    events.push_back({3, StepsDone{.epoch = epoch,
                                   .first_step = kSteps * (epoch - 1) + 1,
                                   .seconds = std::vector(kSteps, step),
                                   .input_seconds = std::vector(kSteps, 0.0),
                                   .loss = std::vector(kSteps, 1.0)}});
    events.push_back({3, EpochDone{.epoch = epoch,
                                   .steps = kSteps,
                                   .samples = kSteps * run.batch,
                                   .train_seconds = kSteps * step,
                                   .top1 = top1,
                                   .eval_seconds = 1}});
  }
  const double seconds = static_cast<double>(epoch) * (kSteps * step + 1);
  events.push_back({4, RunEnded{.wall_seconds = seconds,
                                .peak_memory_bytes = 500'000'000 + 1'000'000 * run.batch}});
  events.push_back({4, EnvironmentExited{.began = 1, .left = 3 + seconds}});
  return fold(order_of(run), events);
}

// An empty home: a speed model fitted by the user would change predictions.
class HomeTest : public testing::Test {
 public:
  HomeTest() {
    ::unsetenv("TACHO_INCLUDE_DISTURBED");
    ::setenv("TACHO_HOME", home_.path().c_str(), 1);
  }
  ~HomeTest() override {
    ::unsetenv("TACHO_HOME");
    ::unsetenv("TACHO_INCLUDE_DISTURBED");
  }

 protected:
  ScratchFolder home_;
};

// An empty store in that home.
class StoreTest : public HomeTest {
 protected:
  void put(const RunRecord& record) {
    const auto id = store_.put(record, home_.path() / "runs" / record.order.key);
    ASSERT_TRUE(id.ok()) << id.error().message;
  }
  void put_batches(std::initializer_list<std::int64_t> batches) {
    for (const std::int64_t batch : batches) {
      put(record_of({.key = "batch-" + std::to_string(batch), .batch = batch}));
    }
  }
  // The rows of runs stay intact.
  void damage_records() {
    ASSERT_TRUE(Database::open(file_)->execute("UPDATE run_records SET record = '{'").ok());
  }

  std::filesystem::path file_ = home_.path() / "store.db";
  RunStore store_ = *RunStore::open(file_);
};

}  // namespace tacho
