#pragma once

#include <filesystem>
#include <mutex>
#include <optional>

#include "http/message.h"
#include "serve/answer.h"

namespace tacho::serve {

// What `tacho doctor` finds. Trying torch out takes seconds, so the last look is kept.
class Machine {
 public:
  explicit Machine(std::filesystem::path home) : home_(std::move(home)) {}
  // GET /api/v1/machine: the last look, or the first one.
  Answer last(const http::Request& request);
  // POST /api/v1/machine: another look.
  Answer again(const http::Request& request);

 private:
  void look();

  std::filesystem::path home_;
  std::mutex mutex_;  // who asks meanwhile waits for the same look
  std::optional<Json> last_;
};

// GET /api/v1/catalog: models and datasets that a run can name.
Json catalog_json();

}  // namespace tacho::serve
