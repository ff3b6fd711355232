#include "experiments/runner/attempt_search.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "base/units.h"
#include "machine/comm/job_secret.h"

namespace tacho {

AttemptSearch::AttemptSearch(const DistSpec& dist, const Standing& standing,
                             const std::atomic<int>& interrupts, Say say)
    : dist_(dist), standing_(standing), interrupts_(interrupts), say_(std::move(say)) {}

Result<Launch> AttemptSearch::next() {
  if (!standing_.file) return plan_launch(dist_, standing_);
  TACHO_CHECK(check(dist_, standing_));
  TACHO_TRY(point, wait_for_attempt());
  TACHO_TRY(secret, secret_for(point));
  Standing standing = standing_;
  standing.rendezvous = point.address;
  standing.secret = secret;
  joined_ = point.attempt;
  return plan_launch(dist_, standing);
}

Result<MeetingPoint> AttemptSearch::wait_for_attempt() const {
  constexpr std::chrono::milliseconds kLookEvery{200};
  const RendezvousFile& file = *standing_.file;
  const std::chrono::duration<double> timeout(dist_.timeout_s);
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + timeout;
  bool said = false;
  while (true) {
    auto point = file.read();
    // On a network file system, reading may fail while the file is replaced.
    if (!point.ok() && point.error().code != ErrorCode::io) {
      return point.error().in("--rendezvous");
    }
    const bool found = point.ok() && *point;
    if (found && (*point)->attempt != ended_) return **point;
    if (Clock::now() >= deadline) {
      if (!point.ok()) return Error{ErrorCode::failed, point.error().message};
      return Error{
          ErrorCode::failed,
          fmt::format("machine 0 has not {} {} within {:g} s; is its tacho running, and does "
                      "--rendezvous name the same file there?",
                      found ? "begun another attempt in" : "written", file.path().string(),
                      dist_.timeout_s)};
    }
    if (interrupts_ > 0) return Error{ErrorCode::failed, "stopped by the user"};
    if (!std::exchange(said, true)) {
      say_(fmt::format("waiting up to {:g} s for machine 0 to write {}", dist_.timeout_s,
                       file.path().string()));
    }
    std::this_thread::sleep_for(kLookEvery);
  }
}

Result<std::string> AttemptSearch::secret_for(const MeetingPoint& point) const {
  if (!standing_.secret.empty()) return standing_.secret;
  if (!point.secret.empty()) return point.secret;
  return Error{ErrorCode::usage,
               fmt::format("{}: machine 0 was given the job's secret, which is then not in the "
                           "file; set {} to it here, too, or pass --job-secret-file",
                           standing_.file->path().string(), kJobSecretVariable)};
}

bool AttemptSearch::superseded() const {
  if (!standing_.file) return false;
  const auto point = standing_.file->read();
  return point.ok() && *point && (*point)->attempt != joined_;
}

}  // namespace tacho
