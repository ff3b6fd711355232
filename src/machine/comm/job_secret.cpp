#include "machine/comm/job_secret.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "base/sha256.h"
#include "base/split.h"

namespace tacho {
namespace {

// Shorter secrets can be guessed; longer text is a mistake.
constexpr std::size_t kShortest = 16;
constexpr std::size_t kLongest = 256;

}  // namespace

std::string new_job_secret() {
  Sha256::Digest bytes{};
  // getrandom() returns requests of up to 256 bytes in full.
  while (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    if (errno != EINTR) broken_invariant("the system has no random bytes");
  }
  return hex(bytes);
}

Result<std::string> parse_job_secret(std::string_view text) {
  const std::string_view secret = trimmed(text);
  const bool plain =
      std::all_of(secret.begin(), secret.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (plain && secret.size() >= kShortest && secret.size() <= kLongest) return std::string(secret);
  return Error{ErrorCode::usage,
               fmt::format("a job secret has {} to {} printable characters without spaces; "
                           "create one with 'openssl rand -hex 32'",
                           kShortest, kLongest)};
}

}  // namespace tacho
