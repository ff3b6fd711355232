#include "predict/rent/recommendation_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/csv.h"
#include "base/table.h"
#include "base/units.h"

namespace tacho {
namespace {

constexpr std::size_t kMachineColumns = 20;
constexpr std::size_t kGpuColumns = 14;
constexpr std::size_t kLineColumns = 80;
constexpr std::size_t kReasonsShown = 4;

// Formats three significant figures: "1.42", "142".
std::string figure(double value) {
  const double size = std::abs(value);
  const int decimals = size < 0.995 ? 3 : size < 9.95 ? 2 : size < 99.5 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string interval(const Estimate& range) {
  return fmt::format("{} ({}-{})", figure(range.value), figure(range.low), figure(range.high));
}

std::string machine_of(const Plan& plan) {
  const std::string name = plan.instance.cloud + " " + plan.instance.name;
  const std::string count = plan.nodes > 1 ? fmt::format("{}x ", plan.nodes) : "";
  return count + shortened(name, kMachineColumns - count.size());
}

std::string gpus_of(const Plan& plan) {
  if (plan.instance.gpus == 0) return "none";
  return shortened(fmt::format("{} {}", plan.instance.gpus, plan.instance.gpu), kGpuColumns);
}

// Writes `head`, then `text` broken at spaces; further lines are indented by the width of `head`.
std::string wrapped(const std::string& head, const std::string& text) {
  const std::size_t indent = display_width(head);
  std::string out;
  std::string line = head;
  bool fresh = true;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!fresh && display_width(line) + 1 + display_width(word) > kLineColumns) {
      out += line + "\n";
      line = std::string(indent, ' ');
      fresh = true;
    }
    line += (fresh ? "" : " ") + word;
    fresh = false;
    at = end + 1;
  }
  return out + line + "\n";
}

std::string memory_of(const StepPrediction& step) {
  if (!step.memory_bytes) return "not predicted; published trainings used this batch per GPU";
  return human(Bytes{static_cast<std::int64_t>(*step.memory_bytes)}) + " peak per GPU: fits";
}

std::string first_in_full(const Recommendation& made, const Terminal& terminal) {
  const Offer& first = made.offers.front();
  const Plan& plan = first.plan;
  std::string text = fmt::format(
      "{} {} in {}, {} per hour as of {}\n", terminal.bold("first"), plan.instance.name,
      plan.instance.region, fmt::format("${}", figure(first.dollars.value / first.hours.value)),
      plan.instance.date);
  text += fmt::format("  step    {} s, total batch {}, {}, {} workers per GPU\n",
                      interval(first.step.seconds), plan.batch(), kPrecisions.of(plan.precision),
                      plan.workers);
  if (made.requirements.title.empty()) {
    text += wrapped("  epochs  ",
                    fmt::format("{}, based on {}", interval(first.epochs), made.epochs_basis));
  }
  text += "  memory  " + memory_of(first.step) + "\n";
  if (made.requirements.deadline_hours || made.requirements.budget_usd) {
    text += fmt::format("  success {:.0f} % probability of meeting deadline and budget{}\n",
                        100 * first.probability, made.met ? "" : "; no offer is likely to");
  }
  const std::string command = printable(command_of(made.requirements, first));
  const std::string none =
      made.requirements.job.model +
      " is not one of Tacho's models; measure your own program with 'tacho run'";
  return text + wrapped("  run     ", command.empty() ? printable(none) : command);
}

std::string notes(const Recommendation& made, std::size_t shown) {
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    for (const std::string& warning : made.offers[i].warnings) {
      text += wrapped(fmt::format("{:4}  ", i + 1), warning);
    }
  }
  return text;
}

// Lists the most common reasons; a catalog of a thousand machines has too many to show.
std::string excluded_plans(const Recommendation& made) {
  std::vector<std::pair<std::size_t, std::string>> reasons;
  for (const auto& [reason, count] : made.left_out) reasons.emplace_back(count, reason);
  std::ranges::stable_sort(reasons, std::greater(), [](const auto& one) { return one.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(reasons.size(), kReasonsShown); ++i) {
    text += wrapped(fmt::format("{:6}  ", reasons[i].first), printable(reasons[i].second));
  }
  if (reasons.size() > kReasonsShown) {
    text += fmt::format("        and {} more reasons; --json lists all\n",
                        reasons.size() - kReasonsShown);
  }
  return text;
}

Json range_json(const Estimate& range) {
  return {{"value", range.value}, {"low90", range.low}, {"high90", range.high}};
}

Json offer_json(const Recommendation& made, const Offer& offer) {
  const Plan& plan = offer.plan;
  const Instance& instance = plan.instance;
  return {{"cloud", instance.cloud},
          {"region", instance.region},
          {"instance", instance.name},
          {"gpu", instance.gpu},
          {"gpus", instance.gpus},
          {"nodes", plan.nodes},
          {"batch_per_gpu", plan.batch_per_gpu},
          {"batch", plan.batch()},
          {"workers", plan.workers},
          {"precision", kPrecisions.of(plan.precision)},
          {"spot", offer.spot},
          {"price_date", instance.date},
          {"price_source", instance.source},
          {"step_s", range_json(offer.step.seconds)},
          {"epochs", range_json(offer.epochs)},
          {"hours", range_json(offer.hours)},
          {"dollars", range_json(offer.dollars)},
          {"memory_bytes", offer.step.memory_bytes ? Json(*offer.step.memory_bytes) : Json()},
          {"fits", offer.step.fits},
          {"input_share", offer.step.input_share},
          {"comm_share", offer.step.comm_share},
          {"probability", offer.probability},
          {"on_front", offer.on_front},
          {"warnings", offer.warnings},
          {"against_first", offer.against_first},
          {"command", command_of(made.requirements, offer)}};
}

}  // namespace

std::string recommendation_text(const Recommendation& made, std::size_t offers,
                                const Terminal& terminal) {
  const std::size_t shown = std::min(offers, made.offers.size());
  const Requirements& requirements = made.requirements;
  std::string text =
      terminal.bold(shortened(printable(title_of(requirements)), kLineColumns)) + "\n\n";
  Table table({{"", Align::right},
               {"machine", Align::left},
               {"GPUs", Align::left},
               {"batch"},
               {"hours"},
               {"dollars"},
               {"", Align::left}});
  for (std::size_t i = 0; i < shown; ++i) {
    const Offer& offer = made.offers[i];
    table.add({std::to_string(i + 1), machine_of(offer.plan), gpus_of(offer.plan),
               std::to_string(offer.plan.batch_per_gpu), interval(offer.hours),
               figure(offer.dollars.value), offer.on_front ? "*" : ""});
  }
  text += table.text(terminal);
  text += terminal.dim("hours with 90 % interval; * none is both cheaper and faster") + "\n\n";
  text += first_in_full(made, terminal);
  std::string why;
  for (std::size_t i = 1; i < shown; ++i) {
    why += fmt::format("{:4}  {}\n", i + 1, made.offers[i].against_first);
  }
  if (!why.empty()) text += "\n" + terminal.bold("compared with the first") + "\n" + why;
  if (const auto warnings = notes(made, shown); !warnings.empty()) {
    text += "\n" + terminal.bold("warnings") + "\n" + warnings;
  }
  if (!made.left_out.empty())
    text += "\n" + terminal.bold("excluded plans") + "\n" + excluded_plans(made);
  return text;
}

Json to_json(const Recommendation& made) {
  const Requirements& requirements = made.requirements;
  Json json = {{"title", title_of(requirements)},
               {"model", requirements.job.model},
               {"data", requirements.job.data},
               {"target", requirements.target},
               {"epochs_basis", made.epochs_basis}};
  if (requirements.deadline_hours) json["deadline_hours"] = *requirements.deadline_hours;
  if (requirements.budget_usd) json["budget_usd"] = *requirements.budget_usd;
  Json offers = Json::array();
  for (const Offer& offer : made.offers) offers.push_back(offer_json(made, offer));
  json["offers"] = std::move(offers);
  Json reasons = Json::array();
  for (const auto& [reason, count] : made.left_out) {
    reasons.push_back({{"reason", reason}, {"plans", count}});
  }
  json["left_out"] = std::move(reasons);
  return json;
}

std::string recommendation_csv(const Recommendation& made) {
  std::string text =
      csv_line({"rank",         "cloud",         "region",         "instance",      "gpu",
                "gpus",         "nodes",         "batch_per_gpu",  "workers",       "precision",
                "spot",         "step_s",        "step_s_low90",   "step_s_high90", "epochs",
                "epochs_low90", "epochs_high90", "hours",          "hours_low90",   "hours_high90",
                "dollars",      "dollars_low90", "dollars_high90", "memory_bytes",  "probability",
                "on_front",     "against_first", "warnings"});
  std::size_t rank = 0;
  for (const Offer& offer : made.offers) {
    const Plan& plan = offer.plan;
    const Instance& instance = plan.instance;
    std::vector<std::string> cells = {std::to_string(++rank),
                                      instance.cloud,
                                      instance.region,
                                      instance.name,
                                      instance.gpu,
                                      std::to_string(instance.gpus),
                                      std::to_string(plan.nodes),
                                      std::to_string(plan.batch_per_gpu),
                                      std::to_string(plan.workers),
                                      std::string(kPrecisions.of(plan.precision)),
                                      offer.spot ? "1" : "0"};
    for (const Estimate& range : {offer.step.seconds, offer.epochs, offer.hours, offer.dollars}) {
      for (const double value : {range.value, range.low, range.high}) {
        cells.push_back(csv_number(value));
      }
    }
    std::string warnings;
    for (const std::string& warning : offer.warnings) {
      warnings += (warnings.empty() ? "" : "; ") + warning;
    }
    cells.insert(cells.end(), {offer.step.memory_bytes ? csv_number(*offer.step.memory_bytes) : "",
                               csv_number(offer.probability), offer.on_front ? "1" : "0",
                               offer.against_first, warnings});
    text += csv_line(cells);
  }
  return text;
}

}  // namespace tacho
