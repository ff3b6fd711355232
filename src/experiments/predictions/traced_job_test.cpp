#include "experiments/predictions/traced_job.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "experiments/predictions/test_runs.h"
#include "tracing/trace/test_training.h"
#include "tracing/tracefile/gpu_trace_encoder.h"

namespace tacho {
namespace {

using testing::HasSubstr;

const Say kSayNothing = [](std::string_view) {};

GpuTrace training_on(const std::string& gpu, int steps) {
  TestProgram program;
  program.raw().gpus.front().name = gpu;
  TestModel model{.program = program, .layers = 4, .scale = 100 * kUs};
  for (int step = 0; step < steps; ++step) {
    model.input();
    model.forward();
    model.backward();
    model.fused_optimizer();
    program.wait();
  }
  return program.trace();
}

std::string bytes_of(const GpuTrace& trace) {
  GpuTraceEncoder encoder({.process = trace.process, .program = trace.program});
  std::vector<std::uint32_t> names;
  for (const std::string& name : trace.names) names.push_back(encoder.name(name));
  const std::uint32_t shape = encoder.shape(trace.shapes.front());
  for (const TracedGpu& gpu : trace.gpus) encoder.add(gpu);
  for (CallRecord call : trace.calls) {
    call.name = names[call.name];
    encoder.add(call);
  }
  for (KernelRecord kernel : trace.kernels) {
    kernel.name = names[kernel.name];
    kernel.shape = shape;
    encoder.add(kernel);
  }
  for (const CopyRecord& copy : trace.copies) encoder.add(copy);
  encoder.add_end();
  return GpuTraceEncoder::header() + encoder.take_chunk();
}

class TracedJobTest : public StoreTest {
 protected:
  // Adds a run with a folder, without a trace.
  RunFolder add_run(const RunRecord& record) {
    put(record);
    RunFolder folder(home_.path() / "runs" / record.order.key);
    EXPECT_TRUE(make_folders(folder.gpu_traces()).ok());
    return folder;
  }
  void add_traced_run(const GpuTrace& trace) {
    RunRecord record = record_of({.key = "traced"});
    record.order.command = CommandSpec{.argv = {"python3", "train.py"}, .batch = 32};
    record.steps = {};
    record.totals.device_memory_bytes = 60'000'000'000;
    const RunFolder folder = add_run(record);
    ASSERT_TRUE(write_file_atomically(folder.gpu_traces() / "7.tgt", bytes_of(trace)).ok());
  }
  Error refusal(const std::string& handle) {
    const auto job = open_traced_job(store_, handle, kSayNothing);
    return job.ok() ? Error{} : job.error();
  }
};

TEST_F(TracedJobTest, ExplainsWhyARunCannotBeScaled) {
  EXPECT_EQ(refusal("41").message, "no run 41; see 'tacho runs ls'");
  EXPECT_EQ(refusal("41").code, ErrorCode::not_found);
  put(record_of({.key = "without a folder"}));
  EXPECT_THAT(refusal("1").message, HasSubstr("without a folder is missing"));
  EXPECT_EQ(refusal("1").code, ErrorCode::not_found);
  add_run(record_of({.key = "untraced"}));
  EXPECT_EQ(refusal("2").message,
            "run 2 has no GPU trace to scale; make one with 'tacho run -- …' on a machine with an "
            "NVIDIA GPU, or 'tacho train --trace'");
  EXPECT_EQ(refusal("2").code, ErrorCode::usage);
}

TEST_F(TracedJobTest, NeedsSeveralSteps) {
  TestProgram program;
  for (const char* name : {"gemm", "softmax", "copy"}) program.kernel(name, kMs);
  add_traced_run(program.trace());
  EXPECT_EQ(refusal("last").message,
            "run 1: no training step was found in its kernels; let it run for more steps");
}

TEST_F(TracedJobTest, NeedsAGpuOfTheCatalog) {
  add_traced_run(training_on("NVIDIA Made Up", 12));
  EXPECT_THAT(refusal("last").message, HasSubstr("run 1: unknown GPU 'NVIDIA Made Up'"));
}

TEST_F(TracedJobTest, ScalesTheStepToOtherGpus) {
  add_traced_run(training_on("NVIDIA H100 80GB HBM3", 12));
  const auto job = open_traced_job(store_, "last", kSayNothing);
  ASSERT_TRUE(job.ok()) << job.error().message;
  EXPECT_EQ(job->title, "run 1, python3 train.py");
  EXPECT_EQ(job->command, "tacho run -- python3 train.py");
  EXPECT_EQ(job->batch, 32);
  EXPECT_EQ(job->precision, Precision::fp16);

  Plan plan{.instance = {.gpu = "H100-SXM5-80GB", .gpus = 1}, .batch_per_gpu = 32};
  const auto step_on = [&](const std::string& gpu) {
    plan.instance.gpu = gpu;
    return job->predictor->step({}, plan);
  };
  // The kernels of a step take 15.2 ms.
  const auto same = step_on("H100-SXM5-80GB");
  ASSERT_TRUE(same.ok()) << same.error().message;
  EXPECT_NEAR(same->seconds.value, 0.0152, 0.0005);
  EXPECT_TRUE(same->fits);
  EXPECT_EQ(same->memory_bytes, 60e9);
  const auto slower = step_on("A100-SXM4-40GB");
  EXPECT_GT(slower->seconds.value, 1.5 * same->seconds.value);
  EXPECT_FALSE(slower->fits);
  EXPECT_EQ(step_on("Made Up").error().message,
            "no prediction: Made Up is not in the catalog of GPUs");
  plan.instance.gpus = 2;
  EXPECT_THAT(step_on("H100-SXM5-80GB").error().message,
              HasSubstr("no measurements of the exchange between GPUs"));
  plan.instance.gpus = 0;
  EXPECT_EQ(step_on("").error().message, "no prediction: the run needs a GPU");
}

}  // namespace
}  // namespace tacho
