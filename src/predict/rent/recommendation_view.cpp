#include "predict/rent/recommendation_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/csv.h"
#include "base/table.h"
#include "base/units.h"
#include "base/wrapped_text.h"
#include "predict/rent/duration_text.h"

namespace tacho {
namespace {

constexpr std::size_t kLineColumns = 80;
constexpr std::size_t kGapColumns = 2;      // between the columns of a table
constexpr std::size_t kFewestColumns = 12;  // for the name of a machine
constexpr std::size_t kReasonsShown = 4;

// Azure's names without their common beginning, which fill the column otherwise.
std::string machine_of(const Plan& plan) {
  constexpr std::string_view kAzure = "Standard_";
  const std::string& name = plan.instance.name;
  const bool azure = plan.instance.cloud == "azure" && name.starts_with(kAzure);
  return (plan.nodes > 1 ? fmt::format("{}x ", plan.nodes) : "") + plan.instance.cloud + " " +
         (azure ? name.substr(kAzure.size()) : name);
}

constexpr std::string_view kFurtherLine = "  ";

// Breaks a long name after punctuation: names that were cut would look the same.
std::vector<std::string> lines_of(std::string name, std::size_t columns) {
  std::vector<std::string> lines;
  while (name.size() > columns) {
    const std::size_t mark = name.find_last_of(" _-:.", columns - 1);
    const bool breaks = mark != std::string::npos && mark >= kFurtherLine.size();
    const std::size_t end = breaks ? mark + 1 : columns;
    lines.push_back(name.substr(0, end));
    name.replace(0, end, kFurtherLine);
  }
  lines.push_back(std::move(name));
  return lines;
}

std::string gpus_of(const Plan& plan) {
  if (plan.instance.gpus == 0) return "none";
  return fmt::format("{} {}", plan.instance.gpus, plan.instance.gpu);
}

std::string batch_of(const Requirements& requirements, std::int64_t batch) {
  return requirements.batch_known ? std::to_string(batch) : "-";
}

// Writes `head`, then `text`; further lines are indented by the width of `head`.
std::string wrapped(const std::string& head, const std::string& text) {
  return head + hanging(text, display_width(head), kLineColumns);
}

std::string memory_of(const StepPrediction& step) {
  if (!step.memory_bytes) return "not predicted; published trainings used this batch per GPU";
  return human(Bytes{static_cast<std::int64_t>(*step.memory_bytes)}) + " peak per GPU: fits";
}

std::string first_in_full(const Recommendation& made, const Terminal& terminal) {
  const Offer& first = made.offers.front();
  const Plan& plan = first.plan;
  std::string text =
      fmt::format("{} {} in {}, {} per hour as of {}\n", terminal.bold("first"), plan.instance.name,
                  plan.instance.region,
                  fmt::format("${}", three_figures(first.dollars.value / first.hours.value)),
                  plan.instance.date);
  text += wrapped(
      "  step    ",
      fmt::format(
          "{}{}, {}, {} workers per GPU", duration_text(first.step.seconds),
          made.requirements.batch_known ? fmt::format(", total batch {}", plan.batch()) : "",
          kPrecisions.of(plan.precision), plan.workers));
  if (!first.step.software.empty()) text += wrapped("  with    ", printable(first.step.software));
  if (made.requirements.title.empty()) {
    text += wrapped("  epochs  ",
                    fmt::format("{} ({}-{}), based on {}", three_figures(first.epochs.value),
                                three_figures(first.epochs.low), three_figures(first.epochs.high),
                                made.epochs_basis));
  }
  text += "  memory  " + memory_of(first.step) + "\n";
  if (made.requirements.deadline_hours || made.requirements.budget_usd) {
    text += fmt::format("  success {:.0f} % probability of meeting deadline and budget\n",
                        100 * first.probability);
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

// Lists the most important reasons; a catalog of a thousand machines has too many to show.
std::string excluded_plans(const Recommendation& made) {
  const auto& reasons = made.left_out;
  std::string text;
  for (std::size_t i = 0; i < std::min(reasons.size(), kReasonsShown); ++i) {
    text += wrapped(fmt::format("{:6}  ", reasons[i].plans), printable(reasons[i].reason));
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
          {"software", offer.step.software},
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
      terminal.bold(shortened(printable(title_of(requirements)), kLineColumns)) + "\n";
  if (!made.target_basis.empty()) {
    text += wrapped("target ", fmt::format("{:.4g}: {}", requirements.target, made.target_basis));
  }
  text += "\n";
  Table table({{"", Align::right},
               {"machine", Align::left},
               {"GPUs", Align::left},
               {"batch"},
               {"time", Align::left},
               {"dollars"},
               {"", Align::left}});
  // The cells of an offer besides its machine, which gets the rest of the line.
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> widths = {0, 4, 5, 4, 7, 1};  // of the headings, without the machine
  for (std::size_t i = 0; i < shown; ++i) {
    const Offer& offer = made.offers[i];
    rows.push_back({std::to_string(i + 1), gpus_of(offer.plan),
                    batch_of(requirements, offer.plan.batch_per_gpu),
                    duration_text(scaled(offer.hours, 3600)), three_figures(offer.dollars.value),
                    offer.on_front ? "*" : ""});
    for (std::size_t k = 0; k < widths.size(); ++k) {
      widths[k] = std::max(widths[k], display_width(rows[i][k]));
    }
  }
  const std::size_t taken =
      std::accumulate(widths.begin(), widths.end(), widths.size() * kGapColumns);
  const std::size_t columns = kLineColumns - std::min(taken, kLineColumns - kFewestColumns);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto machine = lines_of(machine_of(made.offers[i].plan), columns);
    std::vector<std::string> row = rows[i];
    row.insert(row.begin() + 1, machine.front());
    table.add(row);
    for (std::size_t k = 1; k < machine.size(); ++k) {
      table.add({"", machine[k], "", "", "", "", ""});
    }
  }
  text += table.text(terminal);
  text += terminal.dim("time with 90 % interval; * none is both cheaper and faster") + "\n\n";
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
               {"metric", kTargetMetrics.of(requirements.metric)},
               {"epochs_basis", made.epochs_basis},
               {"met", made.met}};
  if (!made.target_basis.empty()) json["target_basis"] = made.target_basis;
  if (requirements.deadline_hours) json["deadline_hours"] = *requirements.deadline_hours;
  if (requirements.budget_usd) json["budget_usd"] = *requirements.budget_usd;
  Json offers = Json::array();
  for (const Offer& offer : made.offers) offers.push_back(offer_json(made, offer));
  json["offers"] = std::move(offers);
  Json reasons = Json::array();
  for (const LeftOut& one : made.left_out) {
    reasons.push_back({{"reason", one.reason}, {"plans", one.plans}});
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
