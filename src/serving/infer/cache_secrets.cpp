#include "serving/infer/cache_secrets.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/file.h"

namespace tacho::infer {
namespace {

Result<std::string> secret_from(const std::string& file, const char* variable) {
  if (file.empty()) {
    const char* value = std::getenv(variable);
    return std::string(value == nullptr ? "" : value);
  }
  TACHO_TRY(secret, read_file(file));
  while (secret.ends_with('\n') || secret.ends_with('\r')) secret.pop_back();
  if (secret.empty()) return Error{ErrorCode::usage, fmt::format("{} is empty", file)};
  return secret;
}

}  // namespace

Result<CacheSecrets> read_cache_secrets(const InferOptions& options) {
  TACHO_TRY(
      password,
      secret_from(options.cache_password_file, "TACHO_REDIS_PASSWORD").in("--cache-password-file"));
  TACHO_TRY(signing,
            secret_from(options.cache_secret_file, "TACHO_CACHE_SECRET").in("--cache-secret-file"));
  return CacheSecrets{std::move(password), std::move(signing)};
}

}  // namespace tacho::infer
