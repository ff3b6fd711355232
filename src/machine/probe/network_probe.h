#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "core/record/usage.h"

namespace tacho {

struct NetBytes {
  std::int64_t received = 0;
  std::int64_t sent = 0;
};
// Parses a file net/dev and returns the sum over all interfaces except loopback.
std::optional<NetBytes> parse_net_dev(std::string_view text);

// Network traffic since construction, in the network namespace of the process: that of the whole
// machine unless the process has its own namespace. `root` contains proc/.
class NetworkProbe {
 public:
  explicit NetworkProbe(pid_t pid, const std::filesystem::path& root = "/");

  void look(UsageSample& sample);
  [[nodiscard]] const std::string& problem() const { return problem_; }  // "" if available

 private:
  std::optional<NetBytes> read() const;

  UniqueFd file_;  // kept open: can be read even after the process has ended
  NetBytes before_;
  std::string problem_;
};

}  // namespace tacho
