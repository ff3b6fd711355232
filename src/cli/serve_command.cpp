#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <random>
#include <thread>

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
                 "--token needs 16 or more letters and digits; 'auto' makes one up"};
  }
  return {};
}

Result<int> serve_runs(const ServeOptions& o, const Context& context) {
  TACHO_TRY(home, tacho_home());
  serve::DashboardOptions options{.home = home,
                                  .program = program_folder() / "tacho",
                                  .server = {.address = o.address, .port = o.port},
                                  .access = {.hosts = o.host_names,
                                             .token = o.token == "auto" ? made_up_token() : o.token,
                                             .read_only = o.read_only},
                                  .foreteller = std::make_shared<DashboardForeteller>(home)};
  TACHO_CHECK(check_token(options.access.token));
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
                   "of this machine to listen on; any but its own loopback needs --token")
      ->capture_default_str();
  command->add_option("--token", options->token,
                      "who has it may use the server; 'auto' makes one up and prints it");
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
