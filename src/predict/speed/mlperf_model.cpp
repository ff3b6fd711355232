#include "predict/speed/mlperf_model.h"

#include <algorithm>
#include <cctype>

namespace tacho {
namespace {

bool is_numeral(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The latest release, named by year and month ("22.04"), or round ("v4.0").
struct Named {
  int year = 0;
  int round = 0;
};

Named latest(const std::string& text) {
  Named out;
  for (std::size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', dot + 1)) {
    std::size_t begin = dot;
    while (begin > 0 && is_numeral(text[begin - 1])) --begin;
    const std::size_t digits = dot - begin;
    const int number = digits > 0 && digits < 3 ? std::stoi(text.substr(begin, digits)) : 0;
    if (digits == 2) out.year = std::max(out.year, number);
    if (digits == 1 && begin > 0 && text[begin - 1] == 'v') out.round = std::max(out.round, number);
  }
  return out;
}

bool is_retinanet(const TrainingJob& job, const GpuSpec& gpu) {
  const Named named = latest(job.framework);
  if (named.year >= 22 || named.round >= 2) return true;
  if (gpu.architecture == "Hopper" || gpu.architecture == "Blackwell") return true;
  const bool by_mxnet = job.framework.find("MXNet") != std::string::npos;
  return named.year == 0 && !by_mxnet && gpu.architecture != "Volta" &&
         job.batch_per_gpu.value_or(64) < 64;
}

}  // namespace

std::string meant_model(const TrainingJob& job, const GpuSpec& gpu) {
  if (job.model != "SSD (MLPerf)") return job.model;
  return is_retinanet(job, gpu) ? "ssd_retinanet" : "ssd300_resnet34";
}

}  // namespace tacho
