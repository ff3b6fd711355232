#include "infer/options.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/nearest.h"
#include "infer/redis_place.h"

namespace tacho::infer {
namespace {

using Set = Result<void> (*)(InferOptions&, std::string_view);

template <class Number>
Result<void> read(std::string_view text, Number least, Number most, Number& out) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || !(value >= least && value <= most)) {
    return Error{ErrorCode::usage,
                 fmt::format("'{}' is not a number from {} to {}", text, least, most)};
  }
  out = value;
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
    Option{{"--port", "N", "0 takes any that is free (8500)"},
           [](O& o, Text t) { return read<std::uint16_t>(t, 0, 65535, o.port); }},
    Option{{"--address", "ADDRESS",
            "to listen on; any but loopback needs --token or --open "
            "(127.0.0.1)"},
           [](O& o, Text t) {
             o.address = t;
             return Result<void>();
           }},
    Option{{"--token", "TOKEN", "who has it may ask; 16 or more letters and digits"},
           [](O& o, Text t) {
             o.token = t;
             return Result<void>();
           }},
    Option{{"--open", "", "anyone who reaches the address may ask: for containers and clusters"},
           [](O& o, Text) {
             o.open = true;
             return Result<void>();
           }},
    Option{{"--host-name", "NAME", "a name the server goes by, where it is reached by one"},
           [](O& o, Text t) {
             o.host_names.emplace_back(t);
             return Result<void>();
           }},
    Option{{"--device", "DEVICE", "cpu or cuda (cpu)"},
           [](O& o, Text t) -> Result<void> {
             TACHO_TRY(device, kDevices.parse(t));
             o.device = device;
             return {};
           }},
    Option{{"--precision", "PRECISION", "fp32, or bf16 on cuda (fp32)"},
           [](O& o, Text t) -> Result<void> {
             TACHO_TRY(precision, kPrecisions.parse(t));
             o.precision = precision;
             return {};
           }},
    Option{{"--instances", "N", "batches that are computed at a time (1)"},
           [](O& o, Text t) { return read(t, 1, 64, o.instances); }},
    Option{{"--threads", "N", "CPU threads of each instance (all cores, divided)"},
           [](O& o, Text t) { return read(t, 1, 1024, o.threads); }},
    Option{{"--max-batch", "N", "inputs computed together, at most (32)"},
           [](O& o, Text t) { return read<std::size_t>(t, 1, 4096, o.max_batch); }},
    Option{{"--max-delay-ms", "MS", "that an input waits for others, at most (1)"},
           [](O& o, Text t) { return read(t, 0.0, 1000.0, o.max_delay_ms); }},
    Option{{"--queue", "N", "inputs that may wait; then 503 (1024 texts, 256 images)"},
           [](O& o, Text t) { return read<std::size_t>(t, 1, 1'000'000, o.queue); }},
    Option{{"--deadline-ms", "MS", "for an answer; then 504 (2000)"},
           [](O& o, Text t) { return read(t, 1.0, 3.6e6, o.deadline_ms); }},
    Option{{"--max-body-kb", "N", "of a request; then 413 (1024 for text, 8192 for images)"},
           [](O& o, Text t) { return read<std::size_t>(t, 1, 1 << 20, o.max_body_kb); }},
    Option{{"--max-inputs", "N", "texts or images in one request (256)"},
           [](O& o, Text t) { return read<std::size_t>(t, 1, 100'000, o.max_inputs); }},
    Option{{"--max-words", "N", "of a text, for models that are trained on uncut texts (1024)"},
           [](O& o, Text t) { return read<std::size_t>(t, 1, 1'000'000, o.max_words); }},
    Option{{"--max-megapixels", "N", "of an image; a larger one is not decoded (25)"},
           [](O& o, Text t) { return read<std::int64_t>(t, 1, 100, o.max_megapixels); }},
    Option{{"--cache", "WHERE", "none, memory or redis[s]://HOST:PORT[/DATABASE] (memory)"},
           [](O& o, Text t) {
             o.cache = t;
             return Result<void>();
           }},
    Option{{"--cache-ttl", "SECONDS", "that an answer is kept (3600)"},
           [](O& o, Text t) { return read<std::int64_t>(t, 1, 31'536'000, o.cache_ttl_s); }},
    Option{{"--cache-mb", "N", "that the cache in memory may take (64)"},
           [](O& o, Text t) { return read<std::size_t>(t, 1, 1 << 20, o.cache_mb); }},
    Option{{"--cache-password-file", "FILE",
            "file with the password of Redis (or TACHO_REDIS_PASSWORD)"},
           [](O& o, Text t) {
             o.cache_password_file = t;
             return Result<void>();
           }},
    Option{{"--cache-secret-file", "FILE",
            "file with a secret that signs answers in Redis (or TACHO_CACHE_SECRET)"},
           [](O& o, Text t) {
             o.cache_secret_file = t;
             return Result<void>();
           }},
    Option{{"--cache-ca", "FILE", "whose certificates rediss:// trusts (the system's)"},
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
  const bool plain = o.token.find_first_not_of(
                         "0123456789abcdefghijklmnopqrstuvwxyz"
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~") == std::string::npos;
  if (!plain || (!o.token.empty() && o.token.size() < 16)) {
    return Error{ErrorCode::usage, "--token needs 16 or more letters and digits"};
  }
  if (o.open && !o.token.empty()) {
    return Error{ErrorCode::usage, "--open and --token contradict each other; leave one out"};
  }
  if (!is_loopback(o.address) && o.token.empty() && !o.open) {
    return Error{ErrorCode::usage,
                 fmt::format("others could ask at {}: give them a --token, or say --open where "
                             "anyone may",
                             o.address)};
  }
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
  TACHO_CHECK(check(options));
  return options;
}

Result<void> check(const InferOptions& o) {
  TACHO_CHECK(check_access(o));
  if (o.precision != Precision::fp32 &&
      (o.device != Device::cuda || o.precision != Precision::bf16)) {
    return Error{ErrorCode::usage, "--precision is fp32, or bf16 with --device cuda"};
  }
  if (o.cache != "none" && o.cache != "memory") {
    if (!is_redis_url(o.cache)) {
      return Error{ErrorCode::usage,
                   fmt::format("--cache is none, memory or redis://HOST:PORT, not '{}'", o.cache)};
    }
    TACHO_TRY(place, parse_redis_place(o.cache).in("--cache"));
    (void)place;
  }
  return {};
}

}  // namespace tacho::infer
