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
#include "predict/accuracy/target.h"
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

// Parses "30s", "90m", "12h", "2d", or a number of hours.
Result<double> hours_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits = {
      {{"min", 1.0 / 60}, {"s", 1.0 / 3600}, {"m", 1.0 / 60}, {"h", 1}, {"d", 24}}};
  const auto unit =
      std::ranges::find_if(kUnits, [&](const auto& u) { return text.ends_with(u.first); });
  const bool named = unit != kUnits.end();
  if (named) text.remove_suffix(unit->first.size());
  const auto amount = parse_number(text, "--deadline");
  if (!amount.ok())
    return Error{ErrorCode::usage, "--deadline: give a time such as 12h, 90m or 2d"};
  return *amount * (named ? unit->second : 1);
}

Result<Requirements> requirements_of(const RecommendOptions& o) {
  Requirements requirements = o.requirements;
  if (o.from_run.empty()) {
    if (requirements.job.model.empty() || requirements.job.data.empty()) {
      return Error{ErrorCode::usage,
                   "give --model and --data, as in --model resnet50 --data imagenet; or a traced "
                   "run with --from-run"};
    }
    if (o.steps) return Error{ErrorCode::usage, "--steps needs --from-run"};
    if (!o.target.empty()) {
      TACHO_TRY(target, read_target(o.target));
      requirements.target = target.value;
      requirements.metric = target.metric;
    }
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
  Result<UsualTarget> usual_target(const std::string& /*model*/,
                                   const std::string& /*data*/) const override {
    return UsualTarget{};
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
  if (job.batch && !requirements.batches.empty() &&
      requirements.batches != std::vector{*job.batch}) {
    return Error{ErrorCode::usage,
                 fmt::format("--batch: the run's batch is {}; its steps say nothing about others",
                             *job.batch)};
  }
  if (requirements.batches.size() > 1) {
    return Error{ErrorCode::usage, "--batch with --from-run is the batch of the run: give one"};
  }
  requirements.batch_known = job.batch.has_value() || !requirements.batches.empty();
  if (requirements.batches.empty()) requirements.batches = {job.batch.value_or(1)};
  const auto samples = static_cast<double>(requirements.batches.front());
  return recommend(requirements, instances, *job.predictor,
                   GivenSteps(static_cast<double>(steps) * samples));
}

Result<int> recommend_to_user(const RecommendOptions& o, const Context& context) {
  TACHO_TRY(requirements, requirements_of(o));
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(made, o.from_run.empty() ? recommend_here(home, store, requirements, o.filter)
                                     : recommend_by_run(o, requirements, home, store, context));
  TACHO_CHECK(check_met(made));
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
  command->add_option("--target", o->target,
                      "accuracy or loss to reach: top1=0.75, loss=0.3 (default: what trainings of "
                      "this pair usually reach)");
  command
      ->add_option("--from-run", o->from_run,
                   "run that was traced on a GPU, instead of --model, --data and --target")
      ->type_name("RUN");
  command->add_option("--steps", o->steps,
                      "number of steps for --from-run (default: those of the run)");
  command->add_option("--deadline", o->deadline, "longest time, such as 12h, 90m or 2d");
  command->add_option("--budget", o->requirements.budget_usd, "highest cost in dollars");
  command->add_option("--clouds", o->filter.clouds, "clouds: aws,gcp,azure,…,own")->delimiter(',');
  command->add_option("--gpus", o->filter.gpus, "GPUs, by name or beginning: A100,L4")
      ->delimiter(',');
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
