#pragma once

#include <filesystem>

#include "base/file.h"
#include "base/result.h"
#include "serving/http/message.h"

namespace tacho::serve {

// Limits the concurrent jobs of the dashboard. A slot is a locked file that the job keeps open, so
// the system frees it when the job's last process ends. A restarted server, and another server on
// the same home, count the same jobs.
class JobSlots {
 public:
  JobSlots(std::filesystem::path folder, int most) : folder_(std::move(folder)), most_(most) {}

  // Returns a descriptor for the job to inherit; an empty one if all slots are taken.
  [[nodiscard]] Result<UniqueFd> take() const;
  // The response when all slots are taken.
  [[nodiscard]] http::Response refusal() const;

 private:
  std::filesystem::path folder_;
  int most_;
};

}  // namespace tacho::serve
