#include "train/quick_paths.h"

#include <gtest/gtest.h>

#include "train/torch_api.h"

namespace tacho {
namespace {

// Before the first test, for all that take torch as it is.
class QuickPaths final : public testing::Environment {
 public:
  void SetUp() override { torch_api::enable_mkldnn(quick_paths().mkldnn_convolution); }
};

const auto* const kQuickPaths = testing::AddGlobalTestEnvironment(new QuickPaths);

}  // namespace
}  // namespace tacho
