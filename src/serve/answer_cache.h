#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "serve/answer.h"

namespace tacho::serve {

// Answers that stay right until the state they were made of changes. The least recently used go
// first. Any thread may ask; two that ask the same at once may both make it.
class AnswerCache {
 public:
  explicit AnswerCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // The answer under `key` made in `state`, or a new one. Errors are not kept.
  Answer get(const std::string& key, std::int64_t state, const std::function<Answer()>& make);

 private:
  struct Kept {
    std::string key;
    std::int64_t state;
    http::Response response;
  };
  std::optional<http::Response> find(const std::string& key, std::int64_t state);
  void keep(const std::string& key, std::int64_t state, const http::Response& response);

  std::size_t most_bytes_;
  std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::list<Kept> recent_;  // the last used first
  std::unordered_map<std::string, std::list<Kept>::iterator> by_key_;
};

// Of everything about the request that an answer may depend on.
std::string cache_key(const http::Request& request);

}  // namespace tacho::serve
