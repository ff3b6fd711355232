#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "base/file.h"
#include "base/home.h"
#include "cli/commands.h"
#include "cli/own_runs_here.h"
#include "cli/speed_model_files.h"
#include "predict/own_jobs.h"

namespace tacho {
namespace {

struct FitOptions {
  std::optional<std::string> catalog;
  std::optional<std::string> out;
};

Result<int> fit(const FitOptions& o, const Context& context) {
  TACHO_TRY(home, tacho_home());
  const std::filesystem::path path = o.out ? std::filesystem::path(*o.out) : own_speed_model(home);
  if (!o.out) TACHO_CHECK(make_folders(home));
  // Now rather than when all is learned: it may not be possible there.
  TACHO_TRY(file, AtomicFile::create(path));
  TACHO_TRY(published, read_published_jobs(o.catalog));
  TACHO_TRY(runs, shipped_own_runs());
  for (Lesson& own :
       own_lessons(runs, published.gpus, PointMaker(published.gpus, published.costs))) {
    published.lessons.push_back(std::move(own));
  }
  context.say(fmt::format("learning from {} measured jobs", published.lessons.size()));
  const auto begun = std::chrono::steady_clock::now();
  TACHO_TRY(model, SpeedModel::learn(std::move(published.lessons), {.threads = worker_threads()}));
  TACHO_TRY(text, model.text());
  TACHO_CHECK(file.write(text));
  TACHO_CHECK(file.commit());
  const Seconds took = std::chrono::steady_clock::now() - begun;
  context.print(fmt::format("{}: {}, learned in {}\n", path.string(),
                            human(Bytes{static_cast<std::int64_t>(text.size())}), human(took)));
  return kSuccess;
}

}  // namespace

void add_fit_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("fit", "learn from measured jobs how fast others will be");
  auto o = std::make_shared<FitOptions>();
  command->add_option("--catalog", o->catalog,
                      "folder of published figures, as data/catalog (what comes with Tacho)");
  command->add_option("--out,-o", o->out, "the model's file (speed-model.json in Tacho's home)");
  command->callback([o, &context] { context.run([&] { return fit(*o, context); }); });
}

}  // namespace tacho
