#include "base/access_token.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/file.h"

namespace tacho {
namespace {

constexpr std::size_t kShortestToken = 16;

Result<std::string> token_in(const std::string& file) {
  TACHO_TRY(text, read_file(file, Bytes{4096}));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  if (text.empty()) {
    return Error{ErrorCode::usage, fmt::format("{} is empty; write a token into it", file)};
  }
  return text;
}

bool is_usable(const std::string& token) {
  constexpr const char* kAllowed =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~";
  return token.empty() ||
         (token.size() >= kShortestToken && token.find_first_not_of(kAllowed) == std::string::npos);
}

}  // namespace

Result<std::string> read_access_token(const std::string& option, const std::string& file) {
  std::string token = option;
  if (!file.empty()) {
    TACHO_TRY(text, token_in(file).in("--token-file"));
    token = text;
  } else if (token.empty()) {
    const char* set = std::getenv(kTokenVariable);
    if (set != nullptr) token = set;
  }
  if (!is_usable(token)) {
    return Error{
        ErrorCode::usage,
        fmt::format("an access token needs {} or more letters and digits", kShortestToken)};
  }
  return token;
}

}  // namespace tacho
