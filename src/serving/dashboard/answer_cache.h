#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "serving/dashboard/answer.h"

namespace tacho::serve {

// Caches answers until the state they were computed from changes. Evicts the least recently used
// first. Thread-safe; two threads that request the same key at the same time may both compute it.
class AnswerCache {
 public:
  explicit AnswerCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Returns the answer for `key` in `state`, from the cache or from `make`. Errors, streamed
  // answers and answers with long keys, which no page requests, are not cached.
  Answer get(const std::string& key, std::int64_t state, const std::function<Answer()>& make);
  // Memory in use, with keys, headers and the containers' overhead.
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Entry {
    std::string key;
    std::int64_t state;
    http::Response response;
    std::size_t bytes;
  };
  using Recent = std::list<Entry>;
  std::optional<http::Response> find(const std::string& key, std::int64_t state);
  void keep(const std::string& key, std::int64_t state, const http::Response& response);
  void drop(Recent::iterator entry);

  std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::int64_t state_ = 0;                                         // of the last cached answer
  Recent recent_;                                                  // most recently used first
  std::unordered_map<std::string_view, Recent::iterator> by_key_;  // keys are views into `recent_`
};

// Covers everything in the request that an answer may depend on.
std::string cache_key(const http::Request& request);

}  // namespace tacho::serve
