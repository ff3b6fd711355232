#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>

#include "base/access_token.h"
#include "base/home.h"
#include "base/signals.h"
#include "cli/commands.h"
#include "cli/dashboard_predictions.h"
#include "serving/dashboard/dashboard.h"

namespace tacho {
namespace {

struct ServeOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8000;
  std::string token;
  std::string token_file;
  bool no_token = false;
  int max_jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<std::string> host_names;
  bool read_only = false;
};

// Returns 128 random bits as 32 characters.
std::string new_token() {
  std::random_device entropy;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", entropy());
  return token;
}

Result<std::string> chosen_token(const ServeOptions& o) {
  if (o.no_token) return std::string();
  if (o.token == "auto") return new_token();
  TACHO_TRY(token, read_access_token(o.token, o.token_file));
  return token.empty() ? new_token() : token;
}

Result<int> serve_runs(const ServeOptions& o, const Context& context) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(token, chosen_token(o));
  ::unsetenv(kTokenVariable);  // the commands that this server starts do not need it
  serve::DashboardOptions options{
      .home = home,
      .program = program_folder() / "tacho",
      .server = {.address = o.address, .port = o.port},
      .access = {.hosts = o.host_names, .token = token, .read_only = o.read_only},
      .max_jobs = o.max_jobs,
      .predictions = std::make_shared<DashboardPredictions>(home)};
  catch_interrupts();
  TACHO_TRY(dashboard, serve::Dashboard::start(options));
  context.print(fmt::format("serving {} on {}\n", home.string(), dashboard->url()));
  std::fflush(stdout);
  context.say("Ctrl-C stops the server");
  while (interrupts() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  dashboard->stop();
  return interrupted_exit_code() == 128 + SIGINT ? kFailure : kSuccess;
}

}  // namespace

void add_serve_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("serve", "serve the dashboard and its HTTP API");
  auto options = std::make_shared<ServeOptions>();
  command->add_option("--port,-p", options->port, "port to listen on; 0 chooses a free one")
      ->capture_default_str();
  command
      ->add_option("--address", options->address,
                   "address to listen on; any but loopback needs a token")
      ->capture_default_str();
  CLI::Option* token = command->add_option("--token", options->token,
                                           "access token, 16 or more letters and digits; other "
                                           "users can see it, so prefer --token-file or "
                                           "TACHO_TOKEN (default: a new one)");
  CLI::Option* token_file =
      command->add_option("--token-file", options->token_file, "file with the access token")
          ->type_name("FILE")
          ->excludes(token);
  command->add_flag("--no-token", options->no_token, "allow every user and program of this machine")
      ->excludes(token)
      ->excludes(token_file);
  command
      ->add_option("--max-jobs", options->max_jobs,
                   "largest number of concurrent runs and sweeps that the dashboard starts")
      ->check(CLI::Range(0, 10'000))
      ->capture_default_str();
  command->add_option("--host-name", options->host_names,
                      "host name that clients use (repeatable)");
  command->add_flag("--read-only", options->read_only, "start and change nothing");
  command->footer(
      "The API is under /api/v1 and described by /api/v1/openapi.json; /metrics is for "
      "Prometheus.");
  command->callback(
      [options, &context] { context.run([&] { return serve_runs(*options, context); }); });
}

}  // namespace tacho
