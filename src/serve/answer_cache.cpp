#include "serve/answer_cache.h"

namespace tacho::serve {

Answer AnswerCache::get(const std::string& key, std::int64_t state,
                        const std::function<Answer()>& make) {
  if (auto found = find(key, state)) return *std::move(found);
  Answer answer = make();
  if (answer.ok() && !answer->source) keep(key, state, *answer);
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
  if (const auto old = by_key_.find(key); old != by_key_.end()) {
    bytes_ -= old->second->response.body.size();
    recent_.erase(old->second);
    by_key_.erase(old);
  }
  if (response.body.size() > most_bytes_ / 4) return;
  recent_.push_front({key, state, response});
  by_key_[key] = recent_.begin();
  bytes_ += response.body.size();
  while (bytes_ > most_bytes_) {
    bytes_ -= recent_.back().response.body.size();
    by_key_.erase(recent_.back().key);
    recent_.pop_back();
  }
}

std::string cache_key(const http::Request& request) {
  std::string key;
  for (const std::string& segment : request.segments) key += segment + '\0';
  for (const auto& [name, value] : request.query) key += '\1' + name + '\0' + value;
  return key;
}

}  // namespace tacho::serve
