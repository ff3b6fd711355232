#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "advise/catalog.h"
#include "base/home.h"
#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/load_options.h"
#include "cli/load_view.h"
#include "cli/load_work.h"
#include "cli/run_report.h"
#include "load/load_record.h"
#include "store/run_tables.h"

namespace tacho {
namespace {

using namespace std::chrono_literals;

constexpr const char* kLoadFooter =
    "With --rate, --ramp, --replay or --slo requests are due at moments of their own, whatever "
    "the\n"
    "server does, and a request's time counts from then: what waits behind a stall is seen. "
    "Without\n"
    "them every connection asks again when it has its answer, as wrk and hey do.\n"
    "\n"
    "A file to --replay has a moment in seconds a line, or SECONDS,REQUESTS_PER_S, each rate up "
    "to\n"
    "the next line's moment. Ctrl-C ends a test with what was measured. Each becomes a run.\n"
    "\n"
    "  tacho load http://127.0.0.1:8500 --texts reviews.txt --zipf 1 --rate 200 --duration 30s\n"
    "  tacho load http://127.0.0.1:8500 --texts reviews.txt --slo p99=50ms --instance g4dn.xlarge\n"
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
  return Error{ErrorCode::usage,
               fmt::format("--instance '{}' is not in the catalogue{}; 'tacho catalog ls --all' "
                           "lists it",
                           o.instance, meant.empty() ? "" : fmt::format(" ('{}' is)", meant))};
}

// One test, or a search, and what it says on the way.
class LoadRun {
 public:
  LoadRun(const LoadJob& job, Price price, Context& context, bool quiet)
      : job_(job), price_(std::move(price)), context_(context), quiet_(quiet) {}

  Result<Lab::WorkEnd> carry_out(std::int64_t id, const Lab::EventTeller& tell) {
    if (!quiet_) context_.say(fmt::format("run {}: {}; Ctrl-C ends it", id, job_.words));
    return job_.slo ? search(tell) : test(tell);
  }
  [[nodiscard]] const std::string& more() const { return more_; }

 private:
  Result<Lab::WorkEnd> test(const Lab::EventTeller& tell) {
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

  Result<Lab::WorkEnd> search(const Lab::EventTeller& tell) {
    TACHO_TRY(first, first_rate());
    LoadLine line(context_.err, quiet_);
    const load::RateTest at_rate = [&](double rate) {
      load::LoadPlan plan = job_.plan;
      plan.arrivals = load::ArrivalPlan{
          .profile = load::RateProfile::constant(rate, Seconds(plan.duration).count()),
          .spacing = spacing_,
          .seed = plan.seed};
      // What is far beyond the limit is late, however long it would still take.
      plan.timeout = std::min(plan.timeout, std::max<load::Nanoseconds>(1s, 20 * job_.slo->limit));
      return load::measure(plan, interrupts(), [&](const load::Progress& progress) {
        line.show(fmt::format("{:.4g}/s: {}", rate, progress_words(progress)));
      });
    };
    load::SearchOptions options{.first_rate = first};
    options.lowest_rate = load::lowest_rate_to_tell(*job_.slo, options, job_.plan.duration);
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
    if (found.interrupted) return Lab::WorkEnd{Outcome::cancelled, "ended before it was over"};
    if (!found.best) {
      return Lab::WorkEnd{Outcome::failed, search_sentence(found, *job_.slo)};
    }
    return Lab::WorkEnd{};
  }

  // Half of what a closed loop gets: a rate that is neither far too low nor hopeless.
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

  static Lab::WorkEnd end_of(const LoadMeasured& summary, bool interrupted) {
    if (interrupted) return {Outcome::cancelled, "ended before its time"};
    if (summary.ok == 0) return {Outcome::failed, "no request was answered well"};
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
  Lab lab = context.lab(store, home);
  RunOrder order = new_order(CommandSpec{.argv = job.argv, .trace = false});
  order.key = key;
  LoadRun run(job, price, context, o.quiet || o.json);
  TACHO_TRY(finished, lab.carry_out(order, [&](std::int64_t id, const Lab::EventTeller& tell) {
    return run.carry_out(id, tell);
  }));
  return MadeLoad{std::move(finished), run.more()};
}

void add_load_command(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("load", "how many requests a server takes, and how fast it answers");
  auto options = std::make_shared<LoadOptions>();
  declare(*command, *options);
  command->footer(kLoadFooter);
  command->callback(
      [options, &context] { context.run([&] { return load_server(*options, context); }); });
}

}  // namespace tacho
