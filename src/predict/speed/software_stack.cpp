#include "predict/speed/software_stack.h"

#include <array>
#include <utility>

namespace tacho {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Ordered: a submission that names several uses the first for most of its models.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kFrameworks = {
    {{"torch", "pytorch"},
     {"tensorflow", "tensorflow"},
     {"mxnet", "mxnet"},
     {"paddle", "paddle"},
     {"oneflow", "oneflow"},
     {"mindspore", "mindspore"},
     {"hugectr", "hugectr"},
     {"jax", "jax"}}};

std::string framework_of(const std::string& text) {
  for (const auto& [part, name] : kFrameworks) {
    if (text.find(part) != std::string::npos) return std::string(name);
  }
  return text.starts_with("tf") ? "tensorflow" : "other";
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Returns the text in the last brackets, without a date.
std::string remark_of(const std::string& text) {
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos) return {};
  const std::size_t open = text.rfind('(', close);
  if (open == std::string::npos) return {};
  std::string remark = text.substr(open + 1, close - open - 1);
  const std::size_t date = remark.find(" 20");
  if (date != std::string::npos && has(remark.substr(date), "-")) remark.resize(date);
  return remark;
}

std::string scripts_of(const std::string& text) {
  if (has(text, "release") || has(text, "ngc m") || has(text, "mlperf")) return "mlperf";
  std::string remark = remark_of(text);
  if (!remark.empty()) return remark;
  if (has(text, "torchvision")) return "torchvision";
  if (has(text, "ngc")) return "mlperf";
  return {};
}

}  // namespace

SoftwareStack software_stack(std::string_view text) {
  SoftwareStack out;
  if (text.empty()) return out;
  out.release = lower(text);
  out.framework = framework_of(out.release);
  const std::string scripts = scripts_of(out.release);
  // MLPerf submissions name every framework that they use for their many models.
  if (scripts == "mlperf") out.framework = "mlperf";
  out.stack = scripts == "mlperf" ? scripts : out.framework + "|" + scripts;
  return out;
}

}  // namespace tacho
