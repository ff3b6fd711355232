#include "comm/job_secret.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "base/sha256.h"

namespace tacho {
namespace {

// A secret that can be tried out is none; a longer line than this is not a secret but a mistake.
constexpr std::size_t kShortest = 16;
constexpr std::size_t kLongest = 256;
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

}  // namespace

std::string new_job_secret() {
  Sha256::Digest bytes{};
  // So few bytes come whole, once the system's source is ready.
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
               fmt::format("a job secret has {} to {} letters, digits or signs, without blanks; "
                           "make one with 'openssl rand -hex 32'",
                           kShortest, kLongest)};
}

}  // namespace tacho
