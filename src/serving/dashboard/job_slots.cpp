#include "serving/dashboard/job_slots.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

#include "serving/http/problem.h"

namespace tacho::serve {

Result<UniqueFd> JobSlots::take() const {
  TACHO_CHECK(make_folders(folder_));
  for (int i = 0; i < most_; ++i) {
    const std::filesystem::path file = folder_ / fmt::format("slot-{}", i);
    UniqueFd slot(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!slot) return system_error(file, errno);
    if (::flock(slot.get(), LOCK_EX | LOCK_NB) == 0) return slot;
  }
  return UniqueFd();
}

http::Response JobSlots::refusal() const {
  http::Response response = http::problem(
      429, fmt::format("{} jobs of this server are running, the limit of --max-jobs; try again "
                       "when one has ended",
                       most_));
  response.headers.emplace_back("Retry-After", "30");
  return response;
}

}  // namespace tacho::serve
