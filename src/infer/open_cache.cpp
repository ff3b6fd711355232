#include "infer/open_cache.h"

#include <fmt/format.h>

#include "infer/memory_cache.h"

#ifdef TACHO_HIREDIS
#include "infer/redis_cache.h"
#endif

namespace tacho::infer {

Result<void> check_cache(const InferOptions& options) {
#ifndef TACHO_HIREDIS
  if (options.cache.starts_with("redis://")) {
    return Error{ErrorCode::unavailable,
                 "this tacho-worker was built without hiredis and cannot use Redis; take --cache "
                 "memory, or build it where libhiredis-dev is installed"};
  }
#endif
  (void)options;
  return {};
}

Result<std::unique_ptr<Cache>> open_cache(boost::asio::io_context& io, const InferOptions& options,
                                          const ModelFacts& facts,
                                          std::function<void(const std::string&)> log) {
  TACHO_CHECK(check_cache(options));
  if (options.cache == "none") return std::unique_ptr<Cache>();
  if (options.cache == "memory") {
    return std::unique_ptr<Cache>(std::make_unique<MemoryCache>(MemoryCache::Options{
        .bytes = options.cache_mb << 20U, .ttl = std::chrono::seconds(options.cache_ttl_s)}));
  }
#ifdef TACHO_HIREDIS
  TACHO_TRY(place, parse_redis_place(options.cache));
  // Another model, or another way to compute it, finds nothing of this one's.
  std::string prefix = fmt::format("tacho:{}:{}:", facts.digest, facts.computes);
  return std::unique_ptr<Cache>(
      std::make_unique<RedisCache>(io, RedisCache::Options{
                                           .place = place,
                                           .prefix = std::move(prefix),
                                           .classes = facts.labels.size(),
                                           .ttl = std::chrono::seconds(options.cache_ttl_s),
                                           .log = std::move(log),
                                       }));
#else
  (void)io;
  (void)facts;
  (void)log;
  broken_invariant("a cache that check_cache() let through");
#endif
}

}  // namespace tacho::infer
