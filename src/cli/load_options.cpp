#include "cli/load_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "base/parse_number.h"
#include "base/quantity.h"
#include "base/units.h"
#include "cli/usage_message.h"
#include "serving/load/input_set.h"
#include "serving/load/replay_file.h"

namespace tacho {
namespace {

using load::ArrivalPlan;
using load::LoadPlan;
using load::Nanoseconds;
using load::RateProfile;

constexpr double kHighestRate = 10e6;
constexpr double kLongestSeconds = 7 * 24 * 3600.0;

Error load_usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

Result<Nanoseconds> time_in(const std::string& text, const char* option) {
  TACHO_TRY(time, parse_duration(text).in(option));
  if (time.count() < 0.001 || time.count() > kLongestSeconds) {
    return load_usage(fmt::format("{} must be between 1ms and a week", option));
  }
  return std::chrono::duration_cast<Nanoseconds>(time);
}

bool is_rate(double rate) { return std::isfinite(rate) && rate > 0 && rate <= kHighestRate; }

struct Rates {
  double from = 0;
  double to = 0;
};

// "10..500"
Result<Rates> rates_in(const std::string& text) {
  const Error wrong = load_usage(
      fmt::format("--ramp: '{}' is not a valid ramp; write FROM..TO, as in 10..500", text));
  const auto dots = text.find("..");
  if (dots == std::string::npos) return wrong;
  const auto from = parse_number<double>(std::string_view(text).substr(0, dots));
  const auto to = parse_number<double>(std::string_view(text).substr(dots + 2));
  for (const auto& value : {from, to}) {
    if (!value || (*value != 0 && !is_rate(*value))) return wrong;
  }
  return *from + *to > 0 ? Result<Rates>(Rates{*from, *to}) : wrong;
}

Result<std::vector<load::Input>> inputs_of(const LoadOptions& o) {
  if (!o.texts.empty()) return load::read_texts(o.texts);
  if (!o.images.empty()) return load::read_images(o.images);
  if (!o.body.empty()) return load::read_body(o.body, o.content_type);
  return std::vector<load::Input>();
}

Result<void> check(const LoadOptions& o) {
  const int inputs = !o.texts.empty() + !o.images.empty() + !o.body.empty();
  if (inputs > 1) return load_usage("--texts, --images and --body exclude each other; choose one");
  const int loads = o.rate.has_value() + !o.ramp.empty() + !o.replay.empty();
  if (loads > 1) return load_usage("--rate, --ramp and --replay exclude each other; choose one");
  if (!o.slo.empty() && (!o.ramp.empty() || !o.replay.empty())) {
    return load_usage("--slo finds a constant rate; leave out --ramp and --replay");
  }
  if (!o.replay.empty() && !o.duration.empty()) {
    return load_usage("--replay lasts as long as the recording; leave out --duration");
  }
  if (o.poisson && loads == 0 && o.slo.empty()) {
    return load_usage("--poisson needs --rate, --ramp, --replay or --slo");
  }
  if (o.rate && !is_rate(*o.rate))
    return load_usage("--rate must be above 0 and at most 10 million requests/s");
  if (o.connections && (*o.connections < 1 || *o.connections > 100'000)) {
    return load_usage("--connections must be between 1 and 100,000");
  }
  if (o.threads < 1 || o.threads > 256) return load_usage("--threads must be between 1 and 256");
  if (o.zipf && inputs == 0)
    return load_usage("--zipf chooses among inputs; add --texts or --images");
  if (o.zipf && !(*o.zipf >= 0 && *o.zipf <= 10))
    return load_usage("--zipf must be between 0 and 10");
  const bool plain = o.token.find_first_of(" \t\r\n") == std::string::npos;
  if (!plain) return load_usage("--token must not contain spaces");
  if (o.content_type.find_first_of("\r\n") != std::string::npos) {
    return load_usage("--content-type must be a single line");
  }
  if (o.price && !(*o.price > 0 && std::isfinite(*o.price))) {
    return load_usage("--price-per-hour must be above 0");
  }
  if (o.price && !o.instance.empty()) {
    return load_usage("--instance and --price-per-hour exclude each other; choose one");
  }
  if (!o.region.empty() && o.instance.empty()) return load_usage("--region needs --instance");
  return {};
}

// The recorded command line, without the token.
std::vector<std::string> argv_of(const LoadOptions& o) {
  std::vector<std::string> argv = {"tacho", "load", o.url};
  const auto add = [&argv](const char* name, const std::string& value) {
    if (value.empty()) return;
    argv.emplace_back(name);
    argv.push_back(value);
  };
  if (o.rate) add("--rate", fmt::format("{}", *o.rate));
  add("--ramp", o.ramp);
  add("--replay", o.replay);
  if (o.poisson) argv.emplace_back("--poisson");
  if (o.connections) add("--connections", std::to_string(*o.connections));
  if (o.threads != 1) add("--threads", std::to_string(o.threads));
  add("--duration", o.duration);
  add("--timeout", o.timeout == LoadOptions{}.timeout ? "" : o.timeout);
  add("--texts", o.texts);
  add("--images", o.images);
  add("--body", o.body);
  if (!o.body.empty()) add("--content-type", o.content_type);
  if (o.zipf) add("--zipf", fmt::format("{}", *o.zipf));
  if (o.seed != 1) add("--seed", std::to_string(o.seed));
  add("--slo", o.slo);
  add("--instance", o.instance);
  add("--region", o.region);
  if (o.price) add("--price-per-hour", fmt::format("{}", *o.price));
  return argv;
}

// Returns nothing for a closed loop.
Result<std::optional<ArrivalPlan>> arrivals_of(const LoadOptions& o, double seconds) {
  std::optional<ArrivalPlan> plan;
  if (!o.replay.empty()) {
    TACHO_TRY(recorded, load::read_replay(o.replay));
    plan = std::move(recorded);
  } else if (!o.ramp.empty()) {
    TACHO_TRY(rates, rates_in(o.ramp));
    plan = ArrivalPlan{.profile = RateProfile::ramp(rates.from, rates.to, seconds)};
  } else if (o.rate && o.slo.empty()) {
    plan = ArrivalPlan{.profile = RateProfile::constant(*o.rate, seconds)};
  }
  if (plan) {
    plan->seed = o.seed;
    plan->spacing = o.poisson ? load::Spacing::poisson : load::Spacing::even;
  }
  return plan;
}

std::string words_of(const LoadOptions& o, const LoadPlan& plan) {
  std::string load = "closed loop";
  if (!o.slo.empty()) load = "open loop, the highest rate with " + o.slo;
  if (!o.slo.empty() || plan.arrivals) {
    if (o.rate && o.slo.empty()) load = fmt::format("open loop, {} requests/s", *o.rate);
    if (!o.ramp.empty()) load = fmt::format("open loop, {} requests/s", o.ramp);
    if (!o.replay.empty()) load = fmt::format("open loop, {} replayed", o.replay);
    if (o.poisson) load += ", Poisson arrivals";
  }
  return fmt::format("{}, {} connection{}", load, plan.connections,
                     plan.connections == 1 ? "" : "s");
}

}  // namespace

Result<LoadOptions> read_load_words(std::span<const std::string> words) {
  CLI::App command("", "load");
  LoadOptions options;
  declare(command, options);
  try {
    // CLI11 expects them in reverse order.
    command.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& problem) {
    return load_usage("load: " + usage_message(command, problem));
  }
  return options;
}

Result<LoadJob> job_of(const LoadOptions& o) {
  TACHO_CHECK(check(o));
  TACHO_TRY(target, load::parse_target_url(o.url));
  LoadJob job;
  job.target = std::move(target);
  job.argv = argv_of(o);
  if (!o.slo.empty()) {
    TACHO_TRY(slo, load::parse_slo(o.slo).in("--slo"));
    job.slo = std::move(slo);
    job.first_rate = o.rate;
    job.poisson = o.poisson;
  }
  const char* usual = o.slo.empty() ? "10s" : "5s";
  TACHO_TRY(duration, time_in(o.duration.empty() ? usual : o.duration, "--duration"));
  TACHO_TRY(timeout, time_in(o.timeout, "--timeout"));
  TACHO_TRY(arrivals, arrivals_of(o, Seconds(duration).count()));
  LoadPlan& plan = job.plan;
  plan.arrivals = std::move(arrivals);
  plan.duration = duration;
  if (!o.replay.empty()) {
    plan.duration = Nanoseconds(std::llround(plan.arrivals->seconds() * 1e9)) +
                    std::chrono::milliseconds(1);  // the last arrival is due at the end
  }
  plan.timeout = timeout;
  plan.zipf = o.zipf;
  plan.seed = o.seed;
  plan.connections = o.connections.value_or(plan.arrivals || job.slo ? 64 : 16);
  plan.threads = std::min(o.threads, plan.connections);
  TACHO_TRY(inputs, inputs_of(o));
  // 'tacho infer' prints its address with a slash at the end.
  const bool bare = job.target.path.empty() || job.target.path == "/";
  if (bare) job.target.path = inputs.empty() ? "/" : "/predict";
  for (const load::Input& input : inputs) {
    plan.requests.push_back(load::request_bytes(job.target, o.token, &input));
  }
  if (inputs.empty()) {
    plan.requests.push_back(load::request_bytes(job.target, o.token, nullptr));
  }
  job.words = words_of(o, plan);
  return job;
}

void declare(CLI::App& command, LoadOptions& o) {
  command
      .add_option("url", o.url,
                  "http://HOST:PORT/PATH; without a path, inputs are sent to /predict")
      ->required();
  command.option_defaults()->group("Load");
  command.add_option("--rate,-r", o.rate, "requests per second (default: a closed loop)");
  command.add_option("--ramp", o.ramp, "rate that changes linearly, FROM..TO, such as 10..500");
  command.add_option("--replay", o.replay, "file of recorded arrivals, described below")
      ->type_name("FILE");
  command.add_flag("--poisson", o.poisson, "use Poisson arrivals instead of evenly spaced ones");
  command.add_option("--slo", o.slo, "find the highest rate within an objective, such as p99=50ms");
  command.add_option("--duration,-d", o.duration,
                     "duration of the test (default: 10s), or per rate with --slo (default: 5s)");
  command.option_defaults()->group("Requests");
  command.add_option("--texts", o.texts, "file with one text per line, sent as {\"text\":[…]}")
      ->type_name("FILE");
  command.add_option("--images", o.images, "folder of .jpg and .png files")->type_name("FOLDER");
  command.add_option("--body", o.body, "file to send unchanged")->type_name("FILE");
  command.add_option("--content-type", o.content_type, "content type of --body")
      ->capture_default_str();
  command.add_option("--zipf", o.zipf,
                     "choose inputs by Zipf's law with this exponent, such as 1 for words "
                     "(default: in turn)");
  command.add_option("--token", o.token, "access token of the server; never recorded")
      ->envname("TACHO_TOKEN");
  command.option_defaults()->group("Client");
  command.add_option("--connections,-c", o.connections,
                     "largest number of concurrent connections (default: 16 in a closed loop, "
                     "else 64)");
  command.add_option("--threads,-t", o.threads, "threads that send requests")
      ->capture_default_str();
  command.add_option("--timeout", o.timeout, "time after which a request has failed")
      ->capture_default_str();
  command.add_option("--seed", o.seed, "random seed")->capture_default_str();
  command.option_defaults()->group("Price");
  command.add_option("--instance", o.instance,
                     "instance of the server, from 'tacho catalog ls', for the price per million "
                     "requests");
  command.add_option("--region", o.region, "region of --instance (default: the cheapest)");
  command.add_option("--price-per-hour", o.price, "dollars per hour, instead of --instance");
  command.option_defaults()->group("Output");
  command.add_flag("--quiet,-q", o.quiet, "do not show progress");
  command.add_flag("--json", o.json, "print JSON");
}

}  // namespace tacho
