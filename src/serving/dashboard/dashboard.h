#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "serving/dashboard/prediction_service.h"
#include "serving/http/access.h"
#include "serving/http/server.h"

namespace tacho::serve {

struct DashboardOptions {
  std::filesystem::path home;
  std::filesystem::path program;  // the `tacho` executable that runs jobs
  http::ServerOptions server;
  http::AccessRules access;
  int max_jobs = 4;  // concurrent jobs that this server started
  // Shared with the caller; predictions are unavailable without one.
  std::shared_ptr<const PredictionService> predictions = {};
};

// The server behind `tacho serve`: the API under /api/v1, /metrics and the pages.
class Dashboard {
 public:
  // Fails for an address that other machines can reach unless there is a token.
  static Result<std::unique_ptr<Dashboard>> start(const DashboardOptions& options);
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;
  ~Dashboard();

  // The URL of the pages, with the token if there is one.
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::uint16_t port() const;
  void stop();

 private:
  class Impl;
  explicit Dashboard(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// True for "127.0.0.1", "::1" and "localhost", which only this machine can reach.
bool is_loopback(const std::string& address);

}  // namespace tacho::serve
