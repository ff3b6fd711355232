#include "serving/dashboard/run_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <string_view>

#include "base/json_object.h"
#include "core/record/metric.h"

namespace tacho::serve {
namespace {

void append_text(std::string& out, std::string_view text) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
  if (!plain) {
    out += json_text(Json(text));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

// Appends the shortest text that parses to the same number.
template <class Number>
void append_number(std::string& out, Number value) {
  if constexpr (std::floating_point<Number>) {
    if (!std::isfinite(value)) {
      out += "null";
      return;
    }
  }
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

// `,"key":` of every metric.
const std::array<std::string, metric::kAll.size()>& metric_names() {
  static const auto kNames = [] {
    std::array<std::string, metric::kAll.size()> names;
    std::ranges::transform(metric::kAll, names.begin(), [](const Metric& metric) {
      return ",\"" + std::string(metric.key) + "\":";
    });
    return names;
  }();
  return kNames;
}

}  // namespace

void append_run(std::string& out, const RunRow& row) {
  const auto text = [&](std::string_view name, std::string_view value) {
    out += name;
    append_text(out, value);
  };
  const auto number = [&](std::string_view name, auto value) {
    out += name;
    append_number(out, value);
  };
  number(R"({"id":)", row.id);
  text(R"(,"key":)", row.key);
  number(R"(,"created_at":)", row.created_at);
  text(R"(,"name":)", row.name);
  text(R"(,"project":)", row.project);
  text(R"(,"tags":)", row.tags);
  out += row.archived ? R"(,"archived":true)" : R"(,"archived":false)";
  text(R"(,"model":)", row.model);
  text(R"(,"data":)", row.data);
  text(R"(,"device":)", row.device);
  text(R"(,"environment":)", row.environment);
  text(R"(,"image":)", row.image);
  text(R"(,"image_digest":)", row.image_digest);
  text(R"(,"outcome":)", kOutcomes.of(row.outcome));
  number(R"(,"batch":)", row.batch);
  number(R"(,"epochs":)", row.epochs);
  number(R"(,"seed":)", row.seed);
  out += R"(,"threads":)";
  if (row.threads) {
    append_number(out, *row.threads);
  } else {
    out += "null";
  }
  out += R"(,"metrics":{)";
  const auto& names = metric_names();
  bool first = true;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!row.metrics[i]) continue;
    number(std::string_view(names[i]).substr(first ? 1 : 0), *row.metrics[i]);
    first = false;
  }
  out += "}}";
}

}  // namespace tacho::serve
