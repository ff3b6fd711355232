#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "record/usage.h"

namespace tacho {

struct NetBytes {
  std::int64_t received = 0;
  std::int64_t sent = 0;
};
// The sum over all interfaces of a file net/dev but the loopback.
std::optional<NetBytes> parse_net_dev(std::string_view text);

// What went through the network, since this was made: of the namespace the process was in then,
// so of the whole machine if it has no other. `root` holds proc/.
class NetworkProbe {
 public:
  explicit NetworkProbe(pid_t pid, const std::filesystem::path& root = "/");

  void look(UsageSample& sample);
  [[nodiscard]] const std::string& problem() const { return problem_; }  // "" if it is told

 private:
  std::optional<NetBytes> read() const;

  UniqueFd file_;  // kept open: it tells of the namespace also when the process is gone
  NetBytes before_;
  std::string problem_;
};

}  // namespace tacho
