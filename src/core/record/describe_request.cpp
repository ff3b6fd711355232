#include "core/record/describe_request.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/json_fields.h"

namespace tacho {
namespace {

Result<void> within(std::string_view what, std::int64_t value, std::int64_t most) {
  if (value >= 1 && value <= most) return {};
  return Error{ErrorCode::usage,
               fmt::format("{} must be between 1 and {}, not {}", what, most, value)};
}

}  // namespace

Result<DescribeRequest> describe_request(std::string_view model) {
  TACHO_TRY(info, find_model(model));
  return DescribeRequest{
      .model = std::string(model), .sample = info->sample, .optimizer = info->optimizer};
}

Result<void> read_image_shape(std::string_view text, SampleShape& out) {
  const Error wrong{
      ErrorCode::usage,
      fmt::format("--input takes CHANNELSxHEIGHTxWIDTH as in 3x224x224, not '{}'", text)};
  std::array<std::int64_t, 3> sides{};
  for (std::int64_t& side : sides) {
    if (&side != &sides.front()) {
      if (!text.starts_with('x')) return wrong;
      text.remove_prefix(1);
    }
    const auto read = std::from_chars(text.data(), text.data() + text.size(), side);
    if (read.ec != std::errc()) return wrong;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  }
  if (!text.empty()) return wrong;
  out.channels = sides[0];
  out.height = sides[1];
  out.width = sides[2];
  return {};
}

Result<void> check(const DescribeRequest& request) {
  TACHO_TRY(model, find_model(request.model));
  TACHO_CHECK(within("--batch", request.batch, 1'000'000));
  TACHO_CHECK(within("--classes", request.sample.classes, 1'000'000));
  if (model->input == InputKind::image) {
    if (request.sample.length != 0) {
      return Error{ErrorCode::usage,
                   fmt::format("{} reads images: --length is for text", request.model)};
    }
    TACHO_CHECK(within("--input: channels", request.sample.channels, 1024));
    TACHO_CHECK(within("--input: height", request.sample.height, 4096));
    return within("--input: width", request.sample.width, 4096);
  }
  if (request.sample.channels != 0) {
    return Error{ErrorCode::usage,
                 fmt::format("{} reads text: --input is for images", request.model)};
  }
  TACHO_CHECK(within("vocabulary", request.sample.vocabulary, 10'000'000));
  return within("--length", request.sample.length, 65536);
}

void describe(auto&& f, Is<DescribeRequest> auto& r) {
  f("model", r.model);
  f("batch", r.batch);
  f("precision", Named{r.precision, kPrecisions});
  f("channels", r.sample.channels);
  f("height", r.sample.height);
  f("width", r.sample.width);
  f("length", r.sample.length);
  f("vocabulary", r.sample.vocabulary);
  f("classes", r.sample.classes);
  f("optimizer", Named{r.optimizer.kind, kOptimizers});
  f("momentum", r.optimizer.momentum);
}

Json to_json(const DescribeRequest& request) { return json_of(request); }

Result<DescribeRequest> describe_request_from_json(const Json& json) {
  return read_json<DescribeRequest>(json, "describe request");
}

}  // namespace tacho
