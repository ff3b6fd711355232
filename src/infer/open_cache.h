#pragma once

#include <functional>
#include <memory>
#include <string>

#include "infer/cache.h"
#include "infer/options.h"

namespace boost::asio {
class io_context;
}

namespace tacho::infer {

// The cache that the options name; nullptr for "none". On the thread that runs `io`.
Result<std::unique_ptr<Cache>> open_cache(boost::asio::io_context& io, const InferOptions& options,
                                          const ModelFacts& facts,
                                          std::function<void(const std::string&)> log);

// Whether a Redis could be used as they say: its address, its secrets, TLS.
Result<void> check_cache(const InferOptions& options);

}  // namespace tacho::infer
