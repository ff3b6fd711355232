#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <optional>

#include "advise/recommendation_view.h"
#include "base/home.h"
#include "cli/commands.h"
#include "cli/recommending.h"

namespace tacho {
namespace {

struct RecommendOptions {
  Wish wish;
  InstanceFilter filter;
  std::string target;
  std::string deadline;
  std::vector<std::string> precisions;
  std::size_t offers = 10;
  bool json = false;
  bool csv = false;
};

Result<double> number_in(std::string_view text, std::string_view what) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) {
    return Error{ErrorCode::usage, fmt::format("{}: '{}' is not a number", what, text)};
  }
  return value;
}

// "top1=0.75", or the number alone.
Result<double> target_of(std::string_view text) {
  constexpr std::string_view kName = "top1=";
  if (text.starts_with(kName)) text.remove_prefix(kName.size());
  TACHO_TRY(target, number_in(text, "--target"));
  if (!(target > 0 && target < 1)) {
    return Error{
        ErrorCode::usage,
        fmt::format("--target: {} is no accuracy; give one between 0 and 1, as top1=0.75", target)};
  }
  return target;
}

// "12h", "90m", "2d", or hours alone.
Result<double> hours_of(std::string_view text) {
  double unit = 1;
  if (!text.empty()) {
    switch (text.back()) {
      case 'm':
        unit = 1.0 / 60;
        break;
      case 'h':
        break;
      case 'd':
        unit = 24;
        break;
      default:
        TACHO_TRY(hours, number_in(text, "--deadline"));
        return hours;
    }
    text.remove_suffix(1);
  }
  TACHO_TRY(amount, number_in(text, "--deadline"));
  return amount * unit;
}

Result<Wish> wish_of(const RecommendOptions& o) {
  Wish wish = o.wish;
  TACHO_TRY(target, target_of(o.target));
  wish.target = target;
  if (!o.deadline.empty()) {
    TACHO_TRY(hours, hours_of(o.deadline));
    wish.deadline_hours = hours;
  }
  if (!o.precisions.empty()) wish.precisions.clear();
  for (const std::string& word : o.precisions) {
    TACHO_TRY(precision, kPrecisions.parse(word));
    wish.precisions.push_back(precision);
  }
  for (const std::int64_t batch : wish.batches) {
    if (batch < 1) return Error{ErrorCode::usage, "--batch: a batch holds at least one sample"};
  }
  return wish;
}

Result<int> recommend_to_user(const RecommendOptions& o, const Context& context) {
  TACHO_TRY(wish, wish_of(o));
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(made, recommend_here(home, store, wish, o.filter));
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
      app.add_subcommand("recommend", "which machine to rent for a target accuracy");
  auto o = std::make_shared<RecommendOptions>();
  command->add_option("--model", o->wish.job.model, "what to train")->required();
  command->add_option("--data", o->wish.job.data, "on which dataset")->required();
  command->add_option("--target", o->target, "accuracy to reach: top1=0.75")->required();
  command->add_option("--deadline", o->deadline, "at the latest in 12h, 90m, 2d");
  command->add_option("--budget", o->wish.budget_usd, "dollars at the most");
  command->add_option("--clouds", o->filter.clouds, "aws,gcp,…,own")->delimiter(',');
  command->add_option("--gpus", o->filter.gpus, "names or their beginnings: A100,L4")
      ->delimiter(',');
  command->add_option("--regions", o->filter.regions, "us-east-1,…")->delimiter(',');
  command->add_option("--max-nodes", o->wish.max_nodes, "machines at the most")
      ->capture_default_str();
  command->add_flag("--spot", o->wish.spot, "at spot prices");
  command->add_option("--precision", o->precisions, "bf16,fp16,tf32,fp32 (any)")->delimiter(',');
  command->add_option("--batch", o->wish.batches, "per GPU: 64,128 (8 to 1024)")->delimiter(',');
  command->add_option("--top", o->offers, "offers to show")->capture_default_str();
  auto* json = command->add_flag("--json", o->json, "as JSON, every offer");
  command->add_flag("--csv", o->csv, "as CSV, every offer")->excludes(json);
  command->callback([=, &context] { context.run([&] { return recommend_to_user(*o, context); }); });
}

}  // namespace tacho
