#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "serve/answer.h"

namespace tacho::serve {

// Answers that stay right until the state they were made of changes. The least recently used go
// first. Any thread may ask; two that ask the same at once may both make it.
class AnswerCache {
 public:
  explicit AnswerCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // The answer under `key` made in `state`, or a new one. Errors are not kept, nor what is asked
  // under a long key: no page asks like that.
  Answer get(const std::string& key, std::int64_t state, const std::function<Answer()>& make);
  // What it holds of memory, with keys, headers and what the containers need themselves.
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Kept {
    std::string key;
    std::int64_t state;
    http::Response response;
    std::size_t bytes;
  };
  using Recent = std::list<Kept>;
  std::optional<http::Response> find(const std::string& key, std::int64_t state);
  void keep(const std::string& key, std::int64_t state, const http::Response& response);
  void drop(Recent::iterator kept);

  std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::int64_t state_ = 0;  // of the last answer that was kept
  Recent recent_;           // the last used first
  std::unordered_map<std::string_view, Recent::iterator> by_key_;  // by the keys of `recent_`
};

// Of everything about the request that an answer may depend on.
std::string cache_key(const http::Request& request);

}  // namespace tacho::serve
