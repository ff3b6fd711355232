#include "cli/env_build_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>

#include "base/home.h"
#include "base/units.h"
#include "base/version.h"
#include "machine/env/image_build.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

struct BuildOptions {
  std::string engine;
  std::string base;
  std::string tag{kTachoImage};
  bool new_base = false;
  bool json = false;
};

// Shows the current step and its time on one line of standard error that is updated; without a
// terminal, prints one line per step.
class StepLine {
 public:
  explicit StepLine(const Terminal& terminal) : terminal_(terminal) {}
  ~StepLine() { clear(); }
  StepLine(const StepLine&) = delete;
  StepLine& operator=(const StepLine&) = delete;

  void begin(std::string_view step) {
    clear();
    step_ = step;
    began_ = Clock::now();
    if (!terminal_.interactive()) fmt::print(stderr, "{}\n", step_);
  }
  void tick(std::string_view last_line) {
    const Seconds so_far = Clock::now() - began_;
    if (!terminal_.interactive() || so_far < std::chrono::milliseconds(300)) return;
    const std::string line = fmt::format("{}  {}  {}", step_, human_clock(so_far), last_line);
    fmt::print(stderr, "\r{}\x1b[K",
               shortened(line, static_cast<std::size_t>(std::max(terminal_.columns() - 1, 1))));
    std::fflush(stderr);
    shown_ = true;
  }
  void clear() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
  }

 private:
  const Terminal& terminal_;
  std::string step_;
  Clock::time_point began_;
  bool shown_ = false;
};

Result<int> build_command(const BuildOptions& o, const Context& context) {
  TACHO_TRY(kind, kEnvironmentKinds.parse(o.engine));
  TACHO_TRY(home, tacho_home());
  const auto began = Clock::now();
  TACHO_TRY(built, build_with_progress({.kind = kind,
                                        .base = o.base,
                                        .new_base = o.new_base,
                                        .image = o.tag,
                                        .home = home,
                                        .programs = program_folder()},
                                       context));
  const Seconds took = Clock::now() - began;
  if (o.json) {
    const Json json{
        {"environment", built.facts.engine},  {"engine_version", built.facts.engine_version},
        {"image", built.facts.image},         {"word", built.word},
        {"digest", built.facts.image_digest}, {"size_bytes", built.size.count},
        {"tacho_version", kVersion},          {"commit", kCommit},
        {"wall_seconds", took.count()}};
    context.print(json_text(json, 1) + "\n");
    return kSuccess;
  }
  context.print(
      fmt::format("{} image {} of tacho {} is ready: {}, built in {}\n{}\nuse it with   "
                  "-E {}\n",
                  built.facts.engine, built.facts.image, kVersion, human(built.size), human(took),
                  built.facts.image_digest, built.word));
  return kSuccess;
}

}  // namespace

Result<BuiltImage> build_with_progress(const ImageOrder& order, const Context& context) {
  StepLine line(context.err);
  catch_interrupts();
  return build_image(order, {.begin = [&](std::string_view step) { line.begin(step); },
                             .tick = [&](std::string_view last_line) { line.tick(last_line); },
                             .stopped = [] { return interrupts() > 0; }});
}

void add_env_build_command(CLI::App& env, Context& context) {
  auto o = std::make_shared<BuildOptions>();
  CLI::App* command =
      env.add_subcommand("build", "build a container image with tacho-worker and its libraries");
  command
      ->add_option("engine", o->engine,
                   "container engine: podman, docker, apptainer, singularity or charliecloud")
      ->required();
  command->add_option(
      "--base", o->base,
      "tar archive of a root file system, or an image (default: Debian by mmdebstrap)");
  command->add_flag("--new-base", o->new_base, "build the Debian base again, with current updates");
  command->add_option("--tag", o->tag, "name of the image")->capture_default_str();
  command->add_flag("--json", o->json, "print JSON");
  command->callback([=, &context] { context.run([&] { return build_command(*o, context); }); });
}

}  // namespace tacho
