#include <fmt/format.h>

#include "worker/infer.h"
#include "worker/run.h"

namespace tacho {

int infer_from(const std::filesystem::path& /*folder*/, std::span<const std::string> /*words*/) {
  fmt::print(stderr,
             "tacho-worker: built without Boost, so it serves no models; install libboost-dev and "
             "build again\n");
  return kCannotStart;
}

}  // namespace tacho
