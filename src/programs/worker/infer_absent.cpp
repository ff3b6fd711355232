#include <fmt/format.h>

#include "programs/worker/commands.h"

namespace tacho {

int infer_from(const std::filesystem::path& /*folder*/, std::span<const std::string> /*words*/) {
  fmt::print(stderr,
             "tacho-worker: built without Boost, so it cannot serve models; install libboost-dev "
             "and rebuild\n");
  return kCannotStart;
}

}  // namespace tacho
