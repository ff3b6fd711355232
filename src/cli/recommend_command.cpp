#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "base/home.h"
#include "cli/commands.h"
#include "cli/target_option.h"
#include "experiments/predictions/recommending.h"
#include "experiments/predictions/traced_job.h"
#include "predict/rent/catalog.h"
#include "predict/rent/recommendation_view.h"

namespace tacho {
namespace {

struct RecommendOptions {
  Requirements requirements;
  InstanceFilter filter;
  std::string target;
  std::string deadline;
  std::vector<std::string> precisions;
  std::string from_run;
  std::optional<std::int64_t> steps;
  std::size_t offers = 10;
  bool json = false;
  bool csv = false;
};

// Parses "12h", "90m", "2d", or a number of hours.
Result<double> hours_of(std::string_view text) {
  constexpr std::array<std::pair<char, double>, 3> kUnits = {
      {{'m', 1.0 / 60}, {'h', 1}, {'d', 24}}};
  const auto unit =
      std::ranges::find_if(kUnits, [&](const auto& u) { return text.ends_with(u.first); });
  const bool named = unit != kUnits.end();
  if (named) text.remove_suffix(1);
  const auto amount = parse_number(text, "--deadline");
  if (!amount.ok())
    return Error{ErrorCode::usage, "--deadline: give a time such as 12h, 90m or 2d"};
  return *amount * (named ? unit->second : 1);
}

Result<Requirements> requirements_of(const RecommendOptions& o) {
  Requirements requirements = o.requirements;
  if (o.from_run.empty()) {
    if (requirements.job.model.empty() || requirements.job.data.empty() || o.target.empty()) {
      return Error{
          ErrorCode::usage,
          "give --model, --data and --target, as in --model resnet50 --data imagenet --target "
          "top1=0.75; or a traced run with --from-run"};
    }
    if (o.steps) return Error{ErrorCode::usage, "--steps needs --from-run"};
    TACHO_TRY(target, parse_target(o.target));
    requirements.target = target;
  }
  if (!o.deadline.empty()) {
    TACHO_TRY(hours, hours_of(o.deadline));
    requirements.deadline_hours = hours;
  }
  if (!o.precisions.empty()) requirements.precisions.clear();
  for (const std::string& word : o.precisions) {
    TACHO_TRY(precision, kPrecisions.parse(word));
    requirements.precisions.push_back(precision);
  }
  for (const std::int64_t batch : requirements.batches) {
    if (batch < 1 || batch > kLargestBatch) {
      return Error{ErrorCode::usage,
                   fmt::format("--batch must be between 1 and {}", kLargestBatch)};
    }
  }
  return requirements;
}

// Treats the given number of steps as one epoch.
class GivenSteps final : public EpochPredictor {
 public:
  explicit GivenSteps(double samples) : samples_(samples) {}
  Result<EpochsAnswer> epochs(const EpochsQuestion& /*question*/) const override {
    return EpochsAnswer{{1, 1, 1}, samples_, "its steps"};
  }

 private:
  double samples_;
};

Result<Recommendation> recommend_by_run(const RecommendOptions& o, Requirements requirements,
                                        const std::filesystem::path& home, RunStore& store,
                                        const Context& context) {
  TACHO_TRY(catalog, Catalog(home).instances());
  TACHO_TRY(instances, Catalog::filtered(std::move(catalog), o.filter));
  TACHO_TRY(job, open_traced_job(store, o.from_run, context.sayer()));
  const std::int64_t steps = o.steps.value_or(job.steps);
  if (steps < 1) return Error{ErrorCode::usage, "--steps must be at least 1"};
  requirements.title = fmt::format("{}: {} steps", job.title, steps);
  requirements.command = job.command;
  requirements.precisions = {job.precision};
  requirements.batches = {job.batch};
  return recommend(requirements, instances, *job.predictor,
                   GivenSteps(static_cast<double>(steps) * static_cast<double>(job.batch)));
}

Result<int> recommend_to_user(const RecommendOptions& o, const Context& context) {
  TACHO_TRY(requirements, requirements_of(o));
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(made, o.from_run.empty() ? recommend_here(home, store, requirements, o.filter)
                                     : recommend_by_run(o, requirements, home, store, context));
  if (o.json) {
    context.print(json_text(to_json(made), 1) + "\n");
  } else {
    context.print(o.csv ? recommendation_csv(made)
                        : recommendation_text(made, o.offers, context.out));
  }
  return kSuccess;
}

}  // namespace

void add_recommend_command(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("recommend", "find the cheapest instance for a target accuracy");
  auto o = std::make_shared<RecommendOptions>();
  command->add_option("--model", o->requirements.job.model, "model to train");
  command->add_option("--data", o->requirements.job.data, "dataset");
  command->add_option("--target", o->target, "accuracy to reach, such as top1=0.75");
  command
      ->add_option("--from-run", o->from_run,
                   "run that was traced on a GPU, instead of --model, --data and --target")
      ->type_name("RUN");
  command->add_option("--steps", o->steps,
                      "number of steps for --from-run (default: those of the run)");
  command->add_option("--deadline", o->deadline, "latest end, such as 12h, 90m or 2d");
  command->add_option("--budget", o->requirements.budget_usd, "highest cost in dollars");
  command->add_option("--clouds", o->filter.clouds, "clouds: aws,gcp,azure,…,own")->delimiter(',');
  command->add_option("--gpus", o->filter.gpus, "GPUs, by name or prefix: A100,L4")->delimiter(',');
  command->add_option("--regions", o->filter.regions, "regions: us-east-1,…")->delimiter(',');
  command->add_option("--max-nodes", o->requirements.max_nodes, "largest number of machines")
      ->capture_default_str();
  command->add_flag("--spot", o->requirements.spot, "use spot prices");
  command
      ->add_option("--precision", o->precisions, "precisions: bf16,fp16,tf32,fp32 (default: all)")
      ->delimiter(',');
  command
      ->add_option("--batch", o->requirements.batches,
                   "samples per step and GPU: 64,128 (default: 8 to 1024)")
      ->delimiter(',');
  command->add_option("--top", o->offers, "number of offers to show")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  auto* json = command->add_flag("--json", o->json, "print JSON, with all offers");
  command->add_flag("--csv", o->csv, "print CSV, with all offers")->excludes(json);
  command->callback([=, &context] { context.run([&] { return recommend_to_user(*o, context); }); });
}

}  // namespace tacho
