#include <fmt/format.h>

#include "programs/worker/commands.h"
#include "training/train/serving/export_weights.h"

namespace tacho {

int export_to(const std::filesystem::path& folder, const std::filesystem::path& file,
              std::string_view checkpoint) {
  const auto kind = kCheckpointKinds.parse(checkpoint);
  const auto done = kind.ok() ? export_weights(RunFolder(folder), *kind, file) : kind.error();
  if (done.ok()) {
    fmt::print("wrote {}\n", file.string());
    return 0;
  }
  fmt::print(stderr, "tacho: {}\n", done.error().message);
  return kCannotStart;
}

}  // namespace tacho
