#pragma once

#include <filesystem>

#include "http/message.h"
#include "serve/answer.h"
#include "serve/job_slots.h"
#include "serve/store_pool.h"

namespace tacho::serve {

// Sweeps: what they are made of, how far they are; started, ended and gone on with, each by a tacho
// of its own, which outlives this one.
class Sweeps {
 public:
  Sweeps(std::filesystem::path home, std::filesystem::path program, StorePool& stores,
         const JobSlots& slots)
      : home_(std::move(home)), program_(std::move(program)), stores_(stores), slots_(slots) {}

  // GET /api/v1/sweeps
  Answer list(const http::Request& request) const;
  // GET /api/v1/sweeps/{sweep}: its grid and every run of it, or its results as CSV.
  Answer one(const http::Request& request) const;
  // POST /api/v1/sweeps: a grid's text. Only trainings: a grid that names a program could run
  // anything for whoever reaches this server.
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

// An error names what may not be asked for over HTTP.
Result<void> check_grid(const std::string& text);

}  // namespace tacho::serve
