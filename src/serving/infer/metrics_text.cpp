#include "serving/infer/metrics_text.h"

#include <fmt/format.h>

#include "serving/http/metrics.h"

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

std::string metrics_text(const ServerState& s) {
  std::string text;
  const auto counter = [&](std::string_view name, std::string_view help, auto value) {
    add(text, "counter", name, help, value);
  };
  const auto gauge = [&](std::string_view name, std::string_view help, auto value) {
    add(text, "gauge", name, help, value);
  };
  gauge("ready", "1 if requests are accepted.", s.ready ? 1 : 0);
  if (s.model != nullptr) {
    text += fmt::format(
        "# HELP tacho_infer_model_info The served model.\n"
        "# TYPE tacho_infer_model_info gauge\n"
        "tacho_infer_model_info{{name=\"{}\",digest=\"{}\",run=\"{}\"}} 1\n",
        http::label_text(s.model->name), http::label_text(s.model->digest),
        http::label_text(s.model->run));
  }
  if (const auto& g = s.generator) {
    gauge("queue_inputs", "Texts that wait to be continued.", g->queued);
    gauge("active_sequences", "Texts that are continued together.", g->active);
    counter("refused_total", "Requests refused because the queue was full.", s.refused);
    counter("too_late_total", "Texts whose deadline passed.", g->too_late);
    counter("disconnected_total", "Texts whose client disconnected.", g->unwanted);
    counter("failed_total", "Texts that could not be continued.", g->failed);
    counter("prompt_tokens_total", "Tokens of prompts that were read.", g->prompt_tokens);
    counter("generated_tokens_total", "Generated tokens.", g->generated_tokens);
    counter("steps_total", "Computed steps, each one token of all active texts.", g->steps);
    counter("compute_seconds_total", "Time spent computing.", g->compute_seconds);
    return text;
  }
  gauge("requests_waiting", "Requests without an answer yet.", s.queue.waiting);
  gauge("queue_inputs", "Inputs in the queue.", s.batches.queued);
  counter("refused_total", "Requests refused because the queue was full.", s.queue.refused);
  counter("too_late_total", "Requests whose deadline passed.", s.queue.too_late);
  counter("failed_total", "Inputs that could not be computed.", s.queue.failed);
  counter("batches_total", "Computed batches.", s.batches.batches);
  counter("samples_total", "Computed inputs.", s.batches.samples);
  counter("tokens_total", "Computed tokens; an image counts as 1.", s.batches.tokens);
  counter("padded_tokens_total", "Computed tokens with padding.", s.batches.padded_tokens);
  counter("compute_seconds_total", "Time spent computing batches.", s.batches.compute_seconds);
  counter("cache_hits_total", "Inputs found in the cache.", s.queue.hits);
  counter("cache_misses_total", "Inputs not found in the cache.", s.queue.misses);
  counter("joined_total", "Inputs that shared the computation of an equal one.", s.queue.joined);
  gauge("cache_up", "1 if the cache answers, or without one.", s.cache.usable ? 1 : 0);
  counter("cache_timeouts_total", "Look-ups that timed out.", s.cache.timeouts);
  counter("cache_lost_total", "Lost connections to the cache.", s.cache.lost);
  counter("cache_unkept_total", "Answers that could not be stored.", s.cache.unkept);
  counter("cache_unusable_total", "Invalid cache entries.", s.cache.unusable);
  counter("cache_evicted_total", "Evicted entries.", s.cache.evicted);
  if (s.cache.entries >= 0) gauge("cache_entries", "Entries in memory.", s.cache.entries);
  if (s.cache.bytes >= 0) gauge("cache_bytes", "Bytes in memory.", s.cache.bytes);
  return text;
}

}  // namespace tacho::infer
