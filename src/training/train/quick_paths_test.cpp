#include "training/train/quick_paths.h"

#include <gtest/gtest.h>

#include "training/train/torch_api.h"

namespace tacho {
namespace {

// Runs before the first test, for all tests that use torch's defaults.
class QuickPaths final : public testing::Environment {
 public:
  void SetUp() override { torch_api::enable_mkldnn(quick_paths().mkldnn_convolution); }
};

const auto* const kQuickPaths = testing::AddGlobalTestEnvironment(new QuickPaths);

}  // namespace
}  // namespace tacho
