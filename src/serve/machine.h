#pragma once

#include <filesystem>
#include <mutex>
#include <optional>

#include "http/message.h"
#include "serve/answer.h"

namespace tacho::serve {

// GET /api/v1/machine: what `tacho doctor` finds. Trying torch out takes seconds, so the last look
// is kept until a fresh one is asked for.
class Machine {
 public:
  explicit Machine(std::filesystem::path home) : home_(std::move(home)) {}
  Answer examined(const http::Request& request);

 private:
  std::filesystem::path home_;
  std::mutex mutex_;  // who asks meanwhile waits for the same look
  std::optional<Json> last_;
};

// GET /api/v1/catalog: models and datasets that a run can name.
Json catalog_json();

}  // namespace tacho::serve
