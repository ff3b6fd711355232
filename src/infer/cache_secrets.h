#pragma once

#include <string>

#include "base/result.h"
#include "infer/options.h"

namespace tacho::infer {

// What a cache outside this process is kept with. Command lines are seen by everyone on a machine,
// so both may be given by a file or by the environment.
struct CacheSecrets {
  std::string password;  // --cache-password-file or TACHO_REDIS_PASSWORD
  std::string signing;   // --cache-secret-file or TACHO_CACHE_SECRET
};

// "" where one was not given. A file's last line end is not part of it.
Result<CacheSecrets> read_cache_secrets(const InferOptions& options);

}  // namespace tacho::infer
