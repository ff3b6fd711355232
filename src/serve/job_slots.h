#pragma once

#include <filesystem>

#include "base/file.h"
#include "base/result.h"
#include "http/message.h"

namespace tacho::serve {

// How many jobs the dashboard may have under way at once. A slot is a locked file that the job
// keeps open, so the system frees it when the job's last process ends; a server that was started
// again, and another one on the same home folder, count the same jobs.
class JobSlots {
 public:
  JobSlots(std::filesystem::path folder, int most) : folder_(std::move(folder)), most_(most) {}

  // To be inherited by the job; none where all are taken.
  [[nodiscard]] Result<UniqueFd> take() const;
  // The answer to a request for one more.
  [[nodiscard]] http::Response refusal() const;

 private:
  std::filesystem::path folder_;
  int most_;
};

}  // namespace tacho::serve
