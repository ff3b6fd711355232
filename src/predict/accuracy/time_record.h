#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// A published training that reached a target, with its time.
struct TimeRecord {
  std::string model;
  std::string data;
  std::string metric;  // "top1", "mlm"
  double target = 0;
  std::string recipe;
  std::string system;
  std::string gpu;
  double gpus = 1;
  double nodes = 1;
  std::optional<double> batch;  // of all GPUs
  double epoch_samples = 0;
  double epochs = 0;
  double hours = 0;
  std::string source;
};

// Reads the format of data/catalog/time_to_accuracy.csv.
Result<std::vector<TimeRecord>> read_time_records(std::string_view csv);

// Returns the records that come with Tacho.
std::vector<TimeRecord> published_time_records();

}  // namespace tacho
