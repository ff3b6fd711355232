#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>

#include "base/file.h"
#include "base/home.h"
#include "cli/commands.h"
#include "cli/dashboard_foreteller.h"
#include "cli/interrupts.h"
#include "serve/dashboard.h"

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

// 128 bits that nobody can guess, as 32 characters.
std::string made_up_token() {
  std::random_device entropy;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", entropy());
  return token;
}

Result<void> check_token(const std::string& token) {
  const bool plain = token.find_first_not_of(
                         "0123456789abcdefghijklmnopqrstuvwxyz"
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~") == std::string::npos;
  if (!plain || (!token.empty() && token.size() < 16)) {
    return Error{ErrorCode::usage,
                 "a token needs 16 or more letters and digits; without --token one is made up"};
  }
  return {};
}

constexpr const char* kTokenVariable = "TACHO_TOKEN";

Result<std::string> chosen_token(const ServeOptions& o) {
  const char* set = std::getenv(kTokenVariable);
  const std::string given = set == nullptr ? "" : set;
  ::unsetenv(kTokenVariable);  // the jobs that this server starts have no use for it
  if (o.no_token) return std::string();
  if (!o.token_file.empty()) {
    TACHO_TRY(text, read_file(o.token_file, Bytes{4096}));
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    if (!text.empty()) return text;
    return Error{ErrorCode::usage, o.token_file + " is empty; write a token into it"};
  }
  if (o.token == "auto") return made_up_token();
  if (!o.token.empty()) return o.token;
  return given.empty() ? made_up_token() : given;
}

Result<int> serve_runs(const ServeOptions& o, const Context& context) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(token, chosen_token(o));
  TACHO_CHECK(check_token(token));
  serve::DashboardOptions options{
      .home = home,
      .program = program_folder() / "tacho",
      .server = {.address = o.address, .port = o.port},
      .access = {.hosts = o.host_names, .token = token, .read_only = o.read_only},
      .max_jobs = o.max_jobs,
      .foreteller = std::make_shared<DashboardForeteller>(home)};
  catch_interrupts();
  TACHO_TRY(dashboard, serve::Dashboard::start(options));
  context.print(fmt::format("serving {} on {}\n", home.string(), dashboard->url()));
  std::fflush(stdout);
  context.say("Ctrl-C ends it");
  while (interrupts() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  dashboard->stop();
  return kSuccess;
}

}  // namespace

void add_serve_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("serve", "the dashboard and its HTTP API, in a browser");
  auto options = std::make_shared<ServeOptions>();
  command->add_option("--port,-p", options->port, "0 takes any that is free")
      ->capture_default_str();
  command
      ->add_option("--address", options->address,
                   "of this machine to listen on; any but its own loopback needs a token")
      ->capture_default_str();
  CLI::Option* token = command->add_option(
      "--token", options->token, "access token; other users can see it, so prefer --token-file");
  CLI::Option* token_file =
      command->add_option("--token-file", options->token_file, "a file that holds the token")
          ->excludes(token);
  command
      ->add_flag("--no-token", options->no_token,
                 "serves every user and program of this machine, without a token")
      ->excludes(token)
      ->excludes(token_file);
  command
      ->add_option("--max-jobs", options->max_jobs,
                   "most runs and sweeps the dashboard may start at once")
      ->check(CLI::Range(0, 10'000))
      ->capture_default_str();
  command->add_option("--host-name", options->host_names,
                      "a name the server goes by, where it is reached by one; repeatable");
  command->add_flag("--read-only", options->read_only, "shows, and starts or changes nothing");
  command->footer(
      "The API is under /api/v1, its description at /api/v1/openapi.json; Prometheus reads "
      "/metrics.");
  command->callback(
      [options, &context] { context.run([&] { return serve_runs(*options, context); }); });
}

}  // namespace tacho
