#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "serving/load/load_plan.h"
#include "serving/load/slo.h"

namespace CLI {
class App;
}

namespace tacho {

struct LoadOptions {
  std::string url;
  std::optional<double> rate;
  std::string ramp;
  std::string replay;
  bool poisson = false;
  std::optional<int> connections;
  int threads = 1;
  std::string duration;
  std::string timeout = "10s";
  std::string texts;
  std::string images;
  std::string body;
  std::string content_type = "application/json";
  std::optional<double> zipf;
  std::uint64_t seed = 1;
  std::string token;
  std::string slo;
  std::string instance;
  std::string region;
  std::optional<double> price;
  bool quiet = false;
  bool json = false;
};

void declare(CLI::App& command, LoadOptions& options);
// Parses the words of `tacho load`.
Result<LoadOptions> read_load_words(std::span<const std::string> words);

// A load test. The plan lacks the address of the server, which is looked up when it starts.
struct LoadJob {
  load::Target target;
  load::LoadPlan plan;
  std::optional<load::Slo> slo;
  std::optional<double> first_rate;  // of the search for --slo
  bool poisson = false;
  std::string words;              // "open loop, 200 requests/s"
  std::vector<std::string> argv;  // to be recorded, without the token
};
Result<LoadJob> job_of(const LoadOptions& options);

}  // namespace tacho
