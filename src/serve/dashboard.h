#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/access.h"
#include "http/server.h"
#include "serve/foreteller.h"

namespace tacho::serve {

struct DashboardOptions {
  std::filesystem::path home;
  std::filesystem::path program;  // the tacho that starts runs
  http::ServerOptions server;
  http::AccessRules access;
  int max_jobs = 4;  // that this server started and that are under way
  // Shared with whoever starts it; without one nothing is predicted.
  std::shared_ptr<const Foreteller> foreteller = {};
};

// Everything that is served: the API under /api/v1, /metrics, and the pages.
class Dashboard {
 public:
  // Refuses an address that others can reach unless there is a token.
  static Result<std::unique_ptr<Dashboard>> start(const DashboardOptions& options);
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;
  ~Dashboard();

  // Where a browser finds it, with the token if there is one.
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::uint16_t port() const;
  void stop();

 private:
  class Impl;
  explicit Dashboard(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// "127.0.0.1", "::1", "localhost": only this machine can reach it.
bool is_loopback(const std::string& address);

}  // namespace tacho::serve
