#include "serving/dashboard/answer_cache.h"

namespace tacho::serve {
namespace {

constexpr std::size_t kLongestKey = 2048;
// The nodes of the list and of the map, with the allocator's overhead.
constexpr std::size_t kNodeBytes = 192;

std::size_t bytes_of(const std::string& key, const http::Response& response) {
  std::size_t bytes = kNodeBytes + sizeof(http::Response) + key.size() +
                      response.content_type.size() + response.body.size();
  for (const auto& [name, value] : response.headers) {
    bytes += sizeof(http::Field) + name.size() + value.size();
  }
  return bytes;
}

}  // namespace

Answer AnswerCache::get(const std::string& key, std::int64_t state,
                        const std::function<Answer()>& make) {
  if (auto found = find(key, state)) return *std::move(found);
  Answer answer = make();
  if (answer.ok() && !answer->source && key.size() <= kLongestKey) keep(key, state, *answer);
  return answer;
}

std::optional<http::Response> AnswerCache::find(const std::string& key, std::int64_t state) {
  const std::lock_guard lock(mutex_);
  const auto at = by_key_.find(key);
  if (at == by_key_.end() || at->second->state != state) return std::nullopt;
  recent_.splice(recent_.begin(), recent_, at->second);
  return at->second->response;
}

void AnswerCache::keep(const std::string& key, std::int64_t state, const http::Response& response) {
  const std::lock_guard lock(mutex_);
  if (state != state_) {  // the other entries are stale
    by_key_.clear();
    recent_.clear();
    bytes_ = 0;
    state_ = state;
  }
  if (const auto old = by_key_.find(key); old != by_key_.end()) drop(old->second);
  const std::size_t bytes = bytes_of(key, response);
  if (bytes > most_bytes_ / 4) return;
  recent_.push_front({key, state, response, bytes});
  by_key_[recent_.front().key] = recent_.begin();
  bytes_ += bytes;
  while (bytes_ > most_bytes_) drop(std::prev(recent_.end()));
}

void AnswerCache::drop(Recent::iterator entry) {
  bytes_ -= entry->bytes;
  by_key_.erase(entry->key);
  recent_.erase(entry);
}

std::size_t AnswerCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::string cache_key(const http::Request& request) {
  std::string key;
  for (const std::string& segment : request.segments) key += segment + '\0';
  for (const auto& [name, value] : request.query) key += '\1' + name + '\0' + value;
  return key;
}

}  // namespace tacho::serve
