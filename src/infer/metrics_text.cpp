#include "infer/metrics_text.h"

#include <fmt/format.h>

#include "http/metrics.h"

namespace tacho::infer {
namespace {

template <class Number>
void add(std::string& text, std::string_view kind, std::string_view name, std::string_view help,
         Number value) {
  text +=
      fmt::format("# HELP tacho_infer_{0} {1}\n# TYPE tacho_infer_{0} {2}\ntacho_infer_{0} {3}\n",
                  name, help, kind, value);
}

}  // namespace

std::string metrics_text(const Standing& s) {
  std::string text;
  const auto counter = [&](std::string_view name, std::string_view help, auto value) {
    add(text, "counter", name, help, value);
  };
  const auto gauge = [&](std::string_view name, std::string_view help, auto value) {
    add(text, "gauge", name, help, value);
  };
  gauge("ready", "1 where requests are taken.", s.ready ? 1 : 0);
  if (s.model != nullptr) {
    text += fmt::format(
        "# HELP tacho_infer_model_info The model that is served.\n"
        "# TYPE tacho_infer_model_info gauge\n"
        "tacho_infer_model_info{{name=\"{}\",digest=\"{}\",run=\"{}\"}} 1\n",
        http::label_text(s.model->name), http::label_text(s.model->digest),
        http::label_text(s.model->run));
  }
  gauge("requests_waiting", "Requests whose answer is still to come.", s.desk.waiting);
  gauge("queue_inputs", "Inputs that wait to be computed.", s.batches.queued);
  counter("refused_total", "Requests refused because too much waited.", s.desk.refused);
  counter("too_late_total", "Requests whose deadline passed.", s.desk.too_late);
  counter("failed_total", "Inputs that could not be computed.", s.desk.failed);
  counter("batches_total", "Batches that were computed.", s.batches.batches);
  counter("samples_total", "Inputs that were computed.", s.batches.samples);
  counter("tokens_total", "Tokens of texts that were computed; images count 1.", s.batches.tokens);
  counter("padded_tokens_total", "The same with what batches were filled up with.",
          s.batches.padded_tokens);
  counter("compute_seconds_total", "Time that batches took.", s.batches.compute_seconds);
  counter("cache_hits_total", "Inputs whose answer was in the cache.", s.desk.hits);
  counter("cache_misses_total", "Inputs whose answer was not.", s.desk.misses);
  counter("joined_total", "Inputs that shared the computing of an equal one.", s.desk.joined);
  gauge("cache_up", "1 where the cache answers; also where there is none to fail.",
        s.cache.usable ? 1 : 0);
  counter("cache_timeouts_total", "Look-ups that were given up.", s.cache.timeouts);
  counter("cache_lost_total", "Connections to the cache that ended.", s.cache.lost);
  counter("cache_unkept_total", "Answers the cache could not keep.", s.cache.unkept);
  counter("cache_unusable_total", "Entries that were no answers of this model.", s.cache.unusable);
  counter("cache_evicted_total", "Entries that made room for others.", s.cache.evicted);
  if (s.cache.entries >= 0) gauge("cache_entries", "In memory.", s.cache.entries);
  if (s.cache.bytes >= 0) gauge("cache_bytes", "In memory.", s.cache.bytes);
  return text;
}

}  // namespace tacho::infer
