#include "serving/infer/open_cache.h"

#include <fmt/format.h>

#include "base/hmac.h"
#include "serving/infer/cache_secrets.h"
#include "serving/infer/memory_cache.h"
#include "serving/infer/redis_cache.h"

namespace tacho::infer {
namespace {

Result<RedisCache::Options> redis_options(const InferOptions& options) {
  RedisCache::Options redis;
  TACHO_TRY(address, parse_redis_url(options.cache));
  TACHO_TRY(secrets, read_cache_secrets(options));
  if (address.password.empty()) address.password = std::move(secrets.password);
  if (address.tls) {
    TACHO_TRY(streams, tls_streams(address.host, options.cache_ca_file).in("--cache-ca"));
    redis.streams = std::move(streams);
  }
  redis.address = std::move(address);
  redis.signing_key = std::move(secrets.signing);
  redis.ttl = std::chrono::seconds(options.cache_ttl_s);
  return redis;
}

}  // namespace

Result<void> check_cache(const InferOptions& options) {
  if (!is_redis_url(options.cache)) return {};
  TACHO_CHECK(redis_options(options));
  return {};
}

Result<std::unique_ptr<Cache>> open_cache(boost::asio::io_context& io, const InferOptions& options,
                                          const ModelFacts& facts,
                                          std::function<void(const std::string&)> log) {
  if (options.cache == "none") return std::unique_ptr<Cache>();
  if (options.cache == "memory") {
    return std::unique_ptr<Cache>(std::make_unique<MemoryCache>(MemoryCache::Options{
        .bytes = options.cache_mb << 20U, .ttl = std::chrono::seconds(options.cache_ttl_s)}));
  }
  TACHO_TRY(redis, redis_options(options));
  // Separates models and ways to compute them.
  redis.prefix = fmt::format("tacho:{}:{}:", facts.digest, facts.computes);
  // Servers of the same model derive the same key; without the model it cannot be computed.
  redis.signing_key = hmac_sha256_hex(facts.secret, redis.signing_key);
  redis.classes = facts.labels.size();
  redis.log = std::move(log);
  return std::unique_ptr<Cache>(std::make_unique<RedisCache>(io, std::move(redis)));
}

}  // namespace tacho::infer
