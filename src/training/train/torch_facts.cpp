#include "training/train/torch_facts.h"

#include "training/train/guarded.h"
#include "training/train/torch_api.h"

namespace tacho {

std::string torch_version() { return torch_api::version(); }

std::int64_t cuda_device_count() {
  const auto count = guarded([]() -> Result<std::int64_t> {
    return torch::cuda::is_available() ? static_cast<std::int64_t>(torch::cuda::device_count()) : 0;
  });
  return count.ok() ? *count : 0;
}

}  // namespace tacho
