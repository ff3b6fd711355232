#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "core/record/model_catalog.h"
#include "core/record/precision.h"
#include "core/record/run_spec.h"

namespace tacho::infer {

// The form of answers: Tacho's own, or that of the FastAPI servers in many tutorials.
enum class Compat { none, fastapi };
inline constexpr Names<Compat, 2> kCompats{
    "form of answers", {{{Compat::none, "none"}, {Compat::fastapi, "fastapi"}}}};

struct InferOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8500;
  std::string token;
  std::string token_file;
  bool open = false;
  std::vector<std::string> host_names;
  Compat compat = Compat::none;

  CheckpointKind checkpoint = CheckpointKind::last;
  Device device = Device::cpu;
  Precision precision = Precision::fp32;
  int instances = 1;
  std::optional<int> threads;  // per instance

  std::size_t max_batch = 32;
  double max_delay_ms = 1;
  std::optional<std::size_t> queue;        // default: 1024 texts, 256 images or completions
  std::optional<double> deadline_ms;       // default: 2000, 60,000 for language models
  std::optional<std::size_t> max_body_kb;  // default: 1024 for text, 8192 for images
  std::size_t max_inputs = 256;
  std::size_t max_words = 1024;
  std::int64_t max_tokens = 4096;
  std::int64_t max_megapixels = 25;

  std::string cache = "memory";
  std::int64_t cache_ttl_s = 3600;
  std::size_t cache_mb = 64;
  std::string cache_password_file;
  std::string cache_secret_file;
  std::string cache_ca_file;
};

// One option of the command line.
struct OptionInfo {
  std::string_view name;   // "--max-batch"
  std::string_view value;  // "N"; "" for a flag
  std::string_view help;
};
std::span<const OptionInfo> infer_options();

// Parses "--port 8500 --open". The token may also come from --token-file or $TACHO_TOKEN.
Result<InferOptions> parse_infer_options(std::span<const std::string> words);

// Refuses options that contradict each other.
Result<void> check(const InferOptions& options);
// Refuses options that a model with this input does not have.
Result<void> check(const InferOptions& options, InputKind input);

// How long an answer may take.
std::chrono::milliseconds deadline_of(const InferOptions& options, InputKind input);

}  // namespace tacho::infer
