#include "serving/infer/options.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/access_token.h"
#include "base/nearest.h"
#include "base/parse_number.h"
#include "serving/infer/redis_address.h"

namespace tacho::infer {
namespace {

using Set = Result<void> (*)(InferOptions&, std::string_view);

template <class Number>
Result<void> read(std::string_view text, Number least, Number most, Number& out) {
  const auto value = parse_number<Number>(text);
  if (!value || !(*value >= least && *value <= most)) {
    return Error{ErrorCode::usage,
                 fmt::format("'{}' is not a number from {} to {}", text, least, most)};
  }
  out = *value;
  return {};
}

template <class Number>
Result<void> read(std::string_view text, Number least, Number most, std::optional<Number>& out) {
  Number value{};
  TACHO_CHECK(read(text, least, most, value));
  out = value;
  return {};
}

struct Option {
  OptionInfo info;
  Set set;
};

using O = InferOptions;
using Text = std::string_view;

constexpr std::array kOptions = {
    Option{{"--port", "N", "port to listen on; 0 chooses a free one (default: 8500)"},
           [](O& o, Text t) { return read<std::uint16_t>(t, 0, 65535, o.port); }},
    Option{{"--address", "ADDRESS",
            "address to listen on; any but loopback needs a token or --open "
            "(default: 127.0.0.1)"},
           [](O& o, Text t) {
             o.address = t;
             return Result<void>();
           }},
    Option{{"--token", "TOKEN",
            "access token, 16 or more letters and digits; other users can see it, so prefer "
            "--token-file or TACHO_TOKEN"},
           [](O& o, Text t) {
             o.token = t;
             return Result<void>();
           }},
    Option{{"--token-file", "FILE", "file with the access token"},
           [](O& o, Text t) {
             o.token_file = t;
             return Result<void>();
           }},
    Option{{"--open", "", "answer everyone who reaches the address, for containers and clusters"},
           [](O& o, Text) {
             o.open = true;
             return Result<void>();
           }},
    Option{{"--host-name", "NAME", "host name that clients use (repeatable)"},
           [](O& o, Text t) {
             o.host_names.emplace_back(t);
             return Result<void>();
           }},
    Option{{"--compat", "NAME",
            "answer in another form: fastapi takes bodies without a content type as JSON and "
            "answers {\"predictions\": [[{\"label\", \"score\"}]]} (default: none)"},
           [](O& o, Text t) -> Result<void> {
             TACHO_TRY(compat, kCompats.parse(t));
             o.compat = compat;
             return {};
           }},
    Option{{"--checkpoint", "WHICH",
            "checkpoint to serve: last, or best of a run with --keep best (default: last)"},
           [](O& o, Text t) -> Result<void> {
             TACHO_TRY(checkpoint, kCheckpointKinds.parse(t));
             o.checkpoint = checkpoint;
             return {};
           }},
    Option{{"--device", "DEVICE", "device: cpu or cuda (default: cpu)"},
           [](O& o, Text t) -> Result<void> {
             TACHO_TRY(device, kDevices.parse(t));
             o.device = device;
             return {};
           }},
    Option{{"--precision", "PRECISION", "precision: fp32, or bf16 on cuda (default: fp32)"},
           [](O& o, Text t) -> Result<void> {
             TACHO_TRY(precision, kPrecisions.parse(t));
             o.precision = precision;
             return {};
           }},
    Option{{"--instances", "N", "number of batches computed in parallel (default: 1)"},
           [](O& o, Text t) { return read(t, 1, 64, o.instances); }},
    Option{{"--threads", "N", "CPU threads per instance (default: all cores, divided)"},
           [](O& o, Text t) { return read(t, 1, 1024, o.threads); }},
    Option{{"--max-batch", "N", "largest batch (default: 32)"},
           [](O& o, Text t) { return read<std::size_t>(t, 1, 4096, o.max_batch); }},
    Option{{"--max-delay-ms", "MS", "longest time that an input waits for a batch (default: 1)"},
           [](O& o, Text t) { return read(t, 0.0, 1000.0, o.max_delay_ms); }},
    Option{{"--queue", "N",
            "inputs that may wait before 503 is answered (default: 1024 texts, 256 images or "
            "completions)"},
           [](O& o, Text t) { return read<std::size_t>(t, 1, 1'000'000, o.queue); }},
    Option{{"--deadline-ms", "MS",
            "time for an answer before 504 is answered (default: 2000, language models: 60000)"},
           [](O& o, Text t) { return read(t, 1.0, 3.6e6, o.deadline_ms); }},
    Option{{"--max-body-kb", "N",
            "largest request before 413 is answered (default: 1024 for text, 8192 for images)"},
           [](O& o, Text t) { return read<std::size_t>(t, 1, 1 << 20, o.max_body_kb); }},
    Option{{"--max-inputs", "N", "largest number of texts or images per request (default: 256)"},
           [](O& o, Text t) { return read<std::size_t>(t, 1, 100'000, o.max_inputs); }},
    Option{{"--max-tokens", "N", "longest completion that a request may ask for (default: 4096)"},
           [](O& o, Text t) { return read<std::int64_t>(t, 1, 1'000'000, o.max_tokens); }},
    Option{
        {"--max-words", "N", "longest text, for models without a maximum length (default: 1024)"},
        [](O& o, Text t) { return read<std::size_t>(t, 1, 1'000'000, o.max_words); }},
    Option{{"--max-megapixels", "N", "largest image; a larger one is refused (default: 25)"},
           [](O& o, Text t) { return read<std::int64_t>(t, 1, 100, o.max_megapixels); }},
    Option{{"--cache", "WHERE",
            "cache: none, memory or redis[s]://HOST:PORT[/DATABASE] (default: memory)"},
           [](O& o, Text t) {
             o.cache = t;
             return Result<void>();
           }},
    Option{{"--cache-ttl", "SECONDS", "time that an answer is cached (default: 3600)"},
           [](O& o, Text t) { return read<std::int64_t>(t, 1, 31'536'000, o.cache_ttl_s); }},
    Option{{"--cache-mb", "N", "size of the memory cache in MB (default: 64)"},
           [](O& o, Text t) { return read<std::size_t>(t, 1, 1 << 20, o.cache_mb); }},
    Option{{"--cache-password-file", "FILE",
            "file with the Redis password (or set TACHO_REDIS_PASSWORD)"},
           [](O& o, Text t) {
             o.cache_password_file = t;
             return Result<void>();
           }},
    Option{{"--cache-secret-file", "FILE",
            "file with the secret that signs answers in Redis (or set TACHO_CACHE_SECRET)"},
           [](O& o, Text t) {
             o.cache_secret_file = t;
             return Result<void>();
           }},
    Option{{"--cache-ca", "FILE",
            "file with the CA certificates for rediss:// (default: the system's)"},
           [](O& o, Text t) {
             o.cache_ca_file = t;
             return Result<void>();
           }},
};

constexpr auto kInfos = [] {
  std::array<OptionInfo, kOptions.size()> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kOptions[i].info;
  return infos;
}();

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

Result<void> check_access(const InferOptions& o) {
  if (!is_loopback(o.address) && o.token.empty() && !o.open) {
    return Error{ErrorCode::usage,
                 fmt::format("{} can be reached from other machines; set a token with --token-file "
                             "or TACHO_TOKEN, or answer everyone with --open",
                             o.address)};
  }
  return {};
}

// Reads the token from its file or the environment if it is not an option.
Result<void> complete_token(InferOptions& o) {
  const bool has_file = !o.token_file.empty();
  if (has_file && !o.token.empty()) {
    return Error{ErrorCode::usage, "--token and --token-file exclude each other; leave one out"};
  }
  if (o.open && (has_file || !o.token.empty())) {
    return Error{ErrorCode::usage, fmt::format("--open and {} contradict each other; leave one out",
                                               has_file ? "--token-file" : "--token")};
  }
  if (o.open) return {};
  TACHO_TRY(token, read_access_token(o.token, o.token_file));
  o.token = token;
  return {};
}

}  // namespace

std::span<const OptionInfo> infer_options() { return kInfos; }

Result<InferOptions> parse_infer_options(std::span<const std::string> words) {
  InferOptions options;
  std::vector<std::string_view> known;
  for (const Option& option : kOptions) known.push_back(option.info.name);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto* const option = std::ranges::find(
        kOptions, name, [](const Option& candidate) { return candidate.info.name; });
    if (option == kOptions.end())
      return Error{ErrorCode::usage, unknown_name("option", name, known)};
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = word.substr(equals + 1);
    } else if (!option->info.value.empty()) {
      if (++i == words.size()) {
        return Error{ErrorCode::usage, fmt::format("{} needs a {}", name, option->info.value)};
      }
      value = words[i];
    }
    TACHO_CHECK(option->set(options, value).in(name));
  }
  TACHO_CHECK(complete_token(options));
  TACHO_CHECK(check(options));
  return options;
}

Result<void> check(const InferOptions& o) {
  TACHO_CHECK(check_access(o));
  if (o.precision != Precision::fp32 &&
      (o.device != Device::cuda || o.precision != Precision::bf16)) {
    return Error{ErrorCode::usage, "--precision must be fp32, or bf16 with --device cuda"};
  }
  if (o.cache != "none" && o.cache != "memory") {
    if (!is_redis_url(o.cache)) {
      return Error{
          ErrorCode::usage,
          fmt::format("--cache must be none, memory or redis://HOST:PORT, not '{}'", o.cache)};
    }
    TACHO_TRY(address, parse_redis_url(o.cache).in("--cache"));
    (void)address;
  }
  return {};
}

Result<void> check(const InferOptions& o, InputKind input) {
  if (input != InputKind::documents) return {};
  const auto refused = [](std::string_view option) {
    return Error{ErrorCode::usage,
                 fmt::format("{} is not for language models; leave it out", option)};
  };
  if (o.compat != Compat::none) return refused("--compat");
  if (o.precision != Precision::fp32) return refused("--precision bf16");
  if (is_redis_url(o.cache)) return refused("--cache with Redis");
  return {};
}

std::chrono::milliseconds deadline_of(const InferOptions& o, InputKind input) {
  const double usual = input == InputKind::documents ? 60'000 : 2000;
  return std::chrono::milliseconds(static_cast<std::int64_t>(o.deadline_ms.value_or(usual)));
}

}  // namespace tacho::infer
