#pragma once

#include <filesystem>

#include "serving/dashboard/answer.h"
#include "serving/dashboard/job_slots.h"
#include "serving/dashboard/store_pool.h"
#include "serving/http/message.h"

namespace tacho::serve {

// Lists, starts, cancels and resumes sweeps. Each runs in a separate `tacho` that outlives this
// process.
class Sweeps {
 public:
  Sweeps(std::filesystem::path home, std::filesystem::path program, StorePool& stores,
         const JobSlots& slots)
      : home_(std::move(home)), program_(std::move(program)), stores_(stores), slots_(slots) {}

  // GET /api/v1/sweeps
  Answer list(const http::Request& request) const;
  // GET /api/v1/sweeps/{sweep}: its grid and all its tasks, or its results as CSV.
  Answer one(const http::Request& request) const;
  // POST /api/v1/sweeps: the text of a grid. Trainings only: a grid with a command would let any
  // client run any program.
  Answer start(const http::Request& request) const;
  // POST …/cancel and …/resume
  Answer cancel(const http::Request& request) const;
  Answer resume(const http::Request& request) const;

 private:
  [[nodiscard]] Answer drive(std::vector<std::string> words, int status) const;

  std::filesystem::path home_;
  std::filesystem::path program_;
  StorePool& stores_;
  const JobSlots& slots_;
};

// Rejects a grid that may not be started over HTTP and names the offending option.
Result<void> check_grid(const std::string& text);

}  // namespace tacho::serve
