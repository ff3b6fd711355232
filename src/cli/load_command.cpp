#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/home.h"
#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/load_options.h"
#include "cli/load_view.h"
#include "cli/load_work.h"
#include "cli/run_report.h"
#include "core/store/run_tables.h"
#include "predict/rent/catalog.h"
#include "serving/load/load_record.h"

namespace tacho {
namespace {

using namespace std::chrono_literals;

constexpr const char* kLoadFooter =
    "With --rate, --ramp, --replay or --slo, requests are sent on schedule, whatever the server\n"
    "does, and latency counts from the scheduled time, so a stall shows in every request after\n"
    "it. Without them, every connection sends its next request after the answer, as wrk and hey\n"
    "do.\n"
    "\n"
    "Each line of a --replay file is the time of a request in seconds, or SECONDS,REQUESTS_PER_S,\n"
    "a rate that holds until the time of the next line. Ctrl-C ends a test and keeps what was\n"
    "measured. Every test is recorded as a run.\n"
    "\n"
    "  tacho load http://127.0.0.1:8500 --texts reviews.txt --zipf 1 --rate 200\n"
    "  tacho load http://127.0.0.1:8500 --texts reviews.txt --slo p99=50ms\n"
    "  tacho load http://127.0.0.1:8000/metrics --connections 50";

struct Price {
  std::string machine;
  std::optional<double> usd_per_hour;
};

Result<Price> price_of(const LoadOptions& o, const std::filesystem::path& home) {
  if (o.instance.empty()) return Price{"", o.price};
  TACHO_TRY(all, Catalog(home).instances());
  InstanceFilter filter;
  if (!o.region.empty()) filter.regions.push_back(o.region);
  TACHO_TRY(instances, Catalog::filtered(all, filter));
  const Instance* found = nullptr;
  std::vector<std::string_view> names;
  for (const Instance& one : instances) {
    names.push_back(one.name);
    if (one.name != o.instance) continue;
    if (found == nullptr || one.on_demand_usd_h < found->on_demand_usd_h) found = &one;
  }
  if (found != nullptr) return Price{found->name, found->on_demand_usd_h};
  const auto meant = nearest(o.instance, names);
  return Error{
      ErrorCode::usage,
      fmt::format("--instance: unknown instance '{}'{} ('tacho catalog ls --all' lists them)",
                  o.instance, meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant))};
}

// One load test, or the search for --slo, with its progress line.
class LoadRun {
 public:
  LoadRun(const LoadJob& job, Price price, Context& context, bool quiet)
      : job_(job), price_(std::move(price)), context_(context), quiet_(quiet) {}

  Result<Runner::WorkEnd> carry_out(std::int64_t id, const Runner::EventTeller& tell) {
    if (!quiet_) context_.say(fmt::format("run {}: {}; Ctrl-C stops it", id, job_.words));
    return job_.slo ? search(tell) : test(tell);
  }
  [[nodiscard]] const std::string& more() const { return more_; }

 private:
  Result<Runner::WorkEnd> test(const Runner::EventTeller& tell) {
    LoadLine line(context_.err, quiet_);
    TACHO_TRY(measured, load::measure(job_.plan, interrupts(), [&](const load::Progress& progress) {
                line.show(progress_words(progress));
              }));
    line.clear();
    for (const FiguresSeen& seen : series_of(measured)) TACHO_CHECK(tell(seen));
    const LoadMeasured summary = completed(summary_of(measured));
    TACHO_CHECK(tell(summary));
    const auto& arrivals = job_.plan.arrivals;
    if (arrivals && (arrivals->recorded || !arrivals->profile.is_constant())) {
      more_ = "\n" + course_table(measured, context_.out);
    }
    return end_of(summary, measured.interrupted);
  }

  Result<Runner::WorkEnd> search(const Runner::EventTeller& tell) {
    TACHO_TRY(first, first_rate());
    LoadLine line(context_.err, quiet_);
    const load::RateTest at_rate = [&](double rate) {
      load::LoadPlan plan = job_.plan;
      plan.arrivals = load::ArrivalPlan{
          .profile = load::RateProfile::constant(rate, Seconds(plan.duration).count()),
          .spacing = spacing_,
          .seed = plan.seed};
      // A request far beyond the limit counts as late; there is no need to wait for its answer.
      plan.timeout = std::min(plan.timeout, std::max<load::Nanoseconds>(1s, 20 * job_.slo->limit));
      return load::measure(plan, interrupts(), [&](const load::Progress& progress) {
        line.show(fmt::format("{:.4g}/s: {}", rate, progress_words(progress)));
      });
    };
    load::SearchOptions options{.first_rate = first};
    options.lowest_rate = load::lowest_testable_rate(*job_.slo, options, job_.plan.duration);
    TACHO_TRY(found, load::find_highest_rate(*job_.slo, options, at_rate, {}));
    line.clear();
    for (const FiguresSeen& seen : series_of(found)) TACHO_CHECK(tell(seen));
    more_ =
        "\n" + search_table(found, context_.out) + "\n" + search_sentence(found, *job_.slo) + "\n";
    const load::Measured nothing;
    LoadMeasured summary =
        completed(summary_of(found.best ? found.trials[*found.best].measured : nothing));
    summary.slo = job_.slo->words;
    summary.fails_from_per_s = found.fails_from;
    TACHO_CHECK(tell(summary));
    if (found.interrupted)
      return Runner::WorkEnd{Outcome::cancelled, "stopped before the search was complete"};
    if (!found.best) {
      return Runner::WorkEnd{Outcome::failed, search_sentence(found, *job_.slo)};
    }
    return Runner::WorkEnd{};
  }

  // Returns half the rate of a closed loop, which is neither far too low nor far too high.
  Result<double> first_rate() {
    if (job_.first_rate) return *job_.first_rate;
    load::LoadPlan plan = job_.plan;
    plan.duration = 2s;
    plan.connections = std::min(plan.connections, 16);
    plan.threads = std::min(plan.threads, plan.connections);
    TACHO_TRY(measured, load::measure(plan, interrupts(), {}));
    return std::max(1.0, measured.requests_per_s / 2);
  }

  [[nodiscard]] LoadMeasured completed(LoadMeasured summary) const {
    summary.url = job_.target.url();
    summary.load = job_.words;
    summary.connections = job_.plan.connections;
    summary.machine = price_.machine;
    summary.usd_per_hour = price_.usd_per_hour;
    return summary;
  }

  static Runner::WorkEnd end_of(const LoadMeasured& summary, bool interrupted) {
    if (interrupted) return {Outcome::cancelled, "stopped before the test was complete"};
    if (summary.ok == 0) return {Outcome::failed, "no request succeeded"};
    return {};
  }

  const LoadJob& job_;
  Price price_;
  Context& context_;
  bool quiet_;
  load::Spacing spacing_ = job_.poisson ? load::Spacing::poisson : load::Spacing::even;
  std::string more_;
};

Result<int> load_server(const LoadOptions& o, Context& context) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  catch_interrupts();
  TACHO_TRY(made, make_load(o, new_run_key(), store, home, context));
  if (o.json) {
    context.print(json_text(record_json(made.run.id, made.run.record), 1) + "\n");
  } else {
    context.print(run_report(made.run.id, made.run.record, context.out) + made.more);
  }
  return made.run.record.outcome == Outcome::ok ? kSuccess : kFailure;
}

}  // namespace

Result<MadeLoad> make_load(const LoadOptions& o, const std::string& key, RunStore& store,
                           const std::filesystem::path& home, Context& context) {
  TACHO_TRY(job, job_of(o));
  TACHO_TRY(price, price_of(o, home));
  TACHO_TRY(server, load::find_server(job.target));
  job.plan.server = server;
  Runner runner = context.runner(store, home);
  RunOrder order = new_order(CommandSpec{.argv = job.argv, .trace = false});
  order.key = key;
  LoadRun run(job, price, context, o.quiet || o.json);
  TACHO_TRY(finished,
            runner.carry_out(order, [&](std::int64_t id, const Runner::EventTeller& tell) {
              return run.carry_out(id, tell);
            }));
  return MadeLoad{std::move(finished), run.more()};
}

void add_load_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("load", "load-test a server: throughput and latency");
  auto options = std::make_shared<LoadOptions>();
  declare(*command, *options);
  command->footer(kLoadFooter);
  command->callback(
      [options, &context] { context.run([&] { return load_server(*options, context); }); });
}

}  // namespace tacho
