#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "machine/comm/job_secret.h"
#include "machine/comm/rendezvous_file.h"

namespace tacho {

// The rendezvous file of one attempt. The destructor removes it, unless another attempt has
// replaced it.
class Announcement {
 public:
  static Result<Announcement> make(const RendezvousFile& file, const Address& address,
                                   const std::string& secret) {
    constexpr std::size_t kIdLength = 16;
    Announcement made(file, new_job_secret().substr(0, kIdLength));
    TACHO_CHECK(file.write({made.attempt_, address, secret}));
    return made;
  }
  Announcement(Announcement&& other) noexcept
      : file_(std::move(other.file_)), attempt_(std::exchange(other.attempt_, {})) {}
  Announcement& operator=(Announcement&&) = delete;
  ~Announcement() {
    if (!attempt_.empty()) file_.remove(attempt_);
  }

 private:
  Announcement(RendezvousFile file, std::string attempt)
      : file_(std::move(file)), attempt_(std::move(attempt)) {}

  RendezvousFile file_;
  std::string attempt_;
};

}  // namespace tacho
