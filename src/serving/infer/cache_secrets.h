#pragma once

#include <string>

#include "base/result.h"
#include "serving/infer/options.h"

namespace tacho::infer {

// Secrets of a cache outside of this process. Command lines are visible to all users of a machine,
// so they are given by a file or the environment.
struct CacheSecrets {
  std::string password;  // --cache-password-file or TACHO_REDIS_PASSWORD
  std::string signing;   // --cache-secret-file or TACHO_CACHE_SECRET
};

// "" for a missing secret. The trailing line end of a file is not part of it.
Result<CacheSecrets> read_cache_secrets(const InferOptions& options);

}  // namespace tacho::infer
