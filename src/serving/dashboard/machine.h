#pragma once

#include <filesystem>
#include <mutex>
#include <optional>

#include "serving/dashboard/answer.h"
#include "serving/http/message.h"

namespace tacho::serve {

// The results of `tacho doctor`. Trying torch takes seconds, so they are cached.
class Machine {
 public:
  explicit Machine(std::filesystem::path home) : home_(std::move(home)) {}
  // GET /api/v1/machine: the cached results; examines the machine on the first call.
  Answer cached(const http::Request& request);
  // POST /api/v1/machine: examines the machine refreshed.
  Answer refreshed(const http::Request& request);

 private:
  void refresh();

  std::filesystem::path home_;
  std::mutex mutex_;  // held while examining: concurrent requests share the result
  std::optional<Json> findings_;
};

// GET /api/v1/catalog: the models and datasets for runs.
Json catalog_json();

}  // namespace tacho::serve
