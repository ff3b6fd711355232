#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "base/file.h"
#include "base/home.h"
#include "cli/commands.h"
#include "experiments/predictions/own_runs_here.h"
#include "experiments/predictions/speed_model_files.h"
#include "predict/speed/fit_cpu.h"
#include "predict/speed/fit_own_speed.h"
#include "predict/speed/own_jobs.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

struct FitOptions {
  std::optional<std::string> catalog;
  std::optional<std::string> out;
  std::optional<std::string> own;
  std::optional<std::string> cpu;
};

// Fits the speeds of Tacho's own models, which have a file of their own.
Result<int> fit_own(const FitOptions& o, const Context& context) {
  TACHO_TRY(file, AtomicFile::create(*o.own));
  TACHO_TRY(gpus, GpuCatalog::parse(shipped_gpus_csv()).in("gpus.csv"));
  TACHO_TRY(layers, shipped_own_layers());
  TACHO_TRY(runs, shipped_own_runs());
  TACHO_TRY(published, read_measured_jobs(shipped_throughput_csv()).in("throughput.csv"));
  const auto examples = own_configurations(runs, gpus);
  TACHO_TRY(fitted, fit_own_speed(examples, published, layers, gpus));
  TACHO_CHECK(file.write(own_fit_text(fitted)));
  TACHO_CHECK(file.commit());
  context.print(fmt::format("{}: fitted to {} configurations\n", *o.own, examples.size()));
  return kSuccess;
}

// Fits the cost model of CPUs.
Result<int> fit_cpus(const FitOptions& o, const Context& context) {
  TACHO_TRY(file, AtomicFile::create(*o.cpu));
  TACHO_TRY(layers, shipped_own_layers());
  TACHO_TRY(runs, shipped_own_runs());
  TACHO_TRY(cpus, shipped_cpus());
  TACHO_TRY(examples, cpu_examples(runs, layers, cpus));
  TACHO_TRY(fitted, fit_cpu(examples, layers));
  TACHO_CHECK(file.write(cpu_fit_text(fitted)));
  TACHO_CHECK(file.commit());
  context.print(fmt::format("{}: fitted to {} configurations\n", *o.cpu, examples.size()));
  return kSuccess;
}

Result<int> fit(const FitOptions& o, const Context& context) {
  if (o.own) return fit_own(o, context);
  if (o.cpu) return fit_cpus(o, context);
  TACHO_TRY(home, tacho_home());
  const std::filesystem::path path = o.out ? std::filesystem::path(*o.out) : own_speed_model(home);
  if (!o.out) TACHO_CHECK(make_folders(home));
  // Before the fit, which takes minutes: the file may not be writable.
  TACHO_TRY(file, AtomicFile::create(path));
  TACHO_TRY(published, read_published_jobs(o.catalog));
  TACHO_TRY(runs, shipped_own_runs());
  for (TrainingExample& own :
       own_examples(runs, published.gpus, PointMaker(published.gpus, published.costs))) {
    published.examples.push_back(std::move(own));
  }
  context.say(fmt::format("fitting {} measured jobs", published.examples.size()));
  const auto begun = std::chrono::steady_clock::now();
  TACHO_TRY(model, SpeedModel::learn(std::move(published.examples), {.threads = worker_threads()}));
  TACHO_TRY(text, model.text());
  TACHO_CHECK(file.write(text));
  TACHO_CHECK(file.commit());
  const Seconds took = std::chrono::steady_clock::now() - begun;
  context.print(fmt::format("{}: {}, fitted in {}\n", path.string(),
                            human(Bytes{static_cast<std::int64_t>(text.size())}), human(took)));
  return kSuccess;
}

}  // namespace

void add_fit_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("fit", "fit the prediction model to measured jobs");
  auto o = std::make_shared<FitOptions>();
  command
      ->add_option("--catalog", o->catalog,
                   "folder of published jobs, such as data/catalog (default: built in)")
      ->type_name("FOLDER");
  command
      ->add_option("--out,-o", o->out,
                   "write to this file (default: speed-model.json in $TACHO_HOME)")
      ->type_name("FILE");
  command
      ->add_option("--own", o->own,
                   "fit the speeds of Tacho's own models instead, and write them to this file")
      ->type_name("FILE");
  command
      ->add_option("--cpu", o->cpu, "fit the cost model of CPUs instead, and write it to this file")
      ->type_name("FILE");
  command->callback([o, &context] { context.run([&] { return fit(*o, context); }); });
}

}  // namespace tacho
