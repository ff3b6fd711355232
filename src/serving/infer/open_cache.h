#pragma once

#include <functional>
#include <memory>
#include <string>

#include "serving/infer/cache.h"
#include "serving/infer/options.h"

namespace boost::asio {
class io_context;
}

namespace tacho::infer {

// Opens the cache of the options; nullptr for "none". Called on the thread that runs `io`.
Result<std::unique_ptr<Cache>> open_cache(boost::asio::io_context& io, const InferOptions& options,
                                          const ModelFacts& facts,
                                          std::function<void(const std::string&)> log);

// Checks the address, the secrets and the TLS settings of a Redis, without connecting to it.
Result<void> check_cache(const InferOptions& options);

}  // namespace tacho::infer
