// A run of a million steps must fit where its first hundred did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <functional>

#include "base/scratch_folder.h"
#include "training/train/quick_paths.h"
#include "training/train/torch_api.h"
#include "training/train/trainer.h"

#ifdef TACHO_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#endif

namespace tacho {
namespace {

constexpr std::int64_t kSteps = 100;  // per epoch
constexpr std::int64_t kSettled = 2;  // epochs until caches and allocators are full
constexpr std::int64_t kEpochs = 12;
constexpr std::int64_t kMost = 256 << 10;  // 256 bytes per step

// Returns the bytes allocated by malloc, including torch's tensors. The resident set would vary by
// a mebibyte, depending on what other tests have left to be returned.
std::int64_t bytes_in_use() {
  const auto info = ::mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

RunSpec spec_of(const std::string& model) {
  RunSpec spec;
  spec.model = model;
  spec.data = kSyntheticData;
  spec.batch = 4;
  spec.epochs = kEpochs;
  spec.train_samples = kSteps * spec.batch - 1;  // the last batch is smaller
  spec.threads = 1;
  spec.optimizer = {.learning_rate = 0.01, .momentum = 0.9};
  return spec;
}

using Measure = std::function<std::int64_t()>;

// Returns the growth over 1,000 steps, including evaluations and checkpoints; measured after every
// epoch.
std::int64_t growth(const RunSpec& spec, const Measure& measure = bytes_in_use,
                    std::int64_t settled_after = kSettled) {
  const ScratchFolder scratch;
  const RunFolder folder(scratch.path() / "run");
  const RunOrder order{"test", 0, spec};
  const ComputePaths paths = quick_paths();
  const std::atomic<bool> stop{false};
  std::int64_t settled = 0;
  std::int64_t last = 0;
  const Report report = [&](const EventBody& body) -> Result<void> {
    const auto* epoch = std::get_if<EpochDone>(&body);
    if (epoch == nullptr) return {};
    last = measure();
    if (epoch->epoch == settled_after) settled = last;
    return {};
  };
  at::set_num_threads(1);
  const auto end = train({order, folder, scratch.path(), paths, report, stop});
  EXPECT_TRUE(end.ok() && end->outcome == Outcome::ok);
  EXPECT_GT(settled, 0);
  return last - settled;
}

class Memory : public testing::TestWithParam<const char*> {};

TEST_P(Memory, DoesNotGrowOverAThousandSteps) { EXPECT_LT(growth(spec_of(GetParam())), kMost); }

INSTANTIATE_TEST_SUITE_P(OfModels, Memory, testing::Values("mlp", "lenet5"));

// Shows that the test would detect a leak.
TEST(MemoryGrowth, DetectsALeakOfOneKibibytePerStep) {
  std::vector<std::string> leaked;
  const auto leak = [&leaked] {
    leaked.emplace_back(kSteps * 1024, 'x');
    return bytes_in_use();
  };
  EXPECT_GT(growth(spec_of("mlp"), leak), kMost);
}

#ifdef TACHO_CUDA
TEST(MemoryGrowth, IsZeroOnAGpu) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU here";
  RunSpec spec = spec_of("mnist-cnn");
  spec.device = Device::cuda;
  const auto in_use = [] {
    return c10::cuda::CUDACachingAllocator::getDeviceStats(0).allocated_bytes[0].current;
  };
  // The smaller last batch of an epoch is captured separately, once it has occurred three times.
  EXPECT_EQ(growth(spec, in_use, 4), 0);
}
#endif

}  // namespace
}  // namespace tacho
