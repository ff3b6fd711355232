#include "microbench/memory/answer.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "microbench/memory/arrays.h"

namespace tacho::bandwidth {
namespace {

double normalised(const float* row, std::int64_t width, std::int64_t column) {
  double sum = 0;
  for (std::int64_t x = 0; x < width; ++x) sum += row[x];
  const double mean = sum / static_cast<double>(width);
  double squares = 0;
  for (std::int64_t x = 0; x < width; ++x) squares += (row[x] - mean) * (row[x] - mean);
  return (row[column] - mean) / std::sqrt(squares / static_cast<double>(width) + kEpsilon);
}

bool on_border(std::int64_t place, const Part& p) {
  const std::int64_t y = place / p.columns;
  const std::int64_t x = place % p.columns;
  return y == 0 || y == p.rows - 1 || x == 0 || x == p.columns - 1;
}

}  // namespace

Answer::Answer(const Form& form, const Part& whole, std::int64_t elements, std::int64_t places)
    : form_(form), whole_(whole), elements_(elements) {
  if (form.operation == Operation::reduction) return;
  const std::int64_t count = works_on_rows(form.operation) ? whole.rows * whole.columns : elements;
  const std::int64_t step = std::max<std::int64_t>(1, count / std::max<std::int64_t>(1, places));
  for (std::int64_t at = 0; at < count; at += step) {
    std::int64_t place = at / whole.stride * whole.stride;
    if (form.operation == Operation::stencil && on_border(place, whole)) continue;
    if (form.operation == Operation::scatter) place = whole.index[at];
    places_.push_back(place);
    wanted_.push_back(form.operation == Operation::scatter ? double{whole.a[at]} : expected(place));
  }
}

double Answer::expected(std::int64_t place) const {
  const Part& p = whole_;
  switch (form_.operation) {
    case Operation::copy:
      return p.a[place];
    case Operation::scale:
      return kFactor * p.a[place];
    case Operation::triad:
      return p.a[place] + kFactor * p.b[place];
    case Operation::transpose:
      return p.a[place % p.rows * p.columns + place / p.rows];
    case Operation::gather:
      return p.a[p.index[place]];
    case Operation::stencil: {
      const float* at = p.a + place;
      return 0.25 * (at[-p.columns] + at[p.columns] + at[-1] + at[1]);
    }
    case Operation::normalise:
      return normalised(p.a + place / p.columns * p.columns, p.columns, place % p.columns);
    default:
      return 0;
  }
}

void Answer::poison() {
  const bool overwritten = form_.traffic == in_place;  // reads its output array
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (overwritten) wanted_[i] = -value_of_b(places_[i]);
    whole_.c[places_[i]] =
        overwritten ? value_of_b(places_[i]) : std::numeric_limits<float>::quiet_NaN();
  }
}

Result<void> Answer::check(double sum) const {
  const auto wrong = [&](std::int64_t place, double found, double wanted) {
    return Error{ErrorCode::failed,
                 fmt::format("{}, {}: element {} is {}, expected {}",
                             kOperations.of(form_.operation), form_.name, place, found, wanted)};
  };
  if (form_.operation == Operation::reduction) {
    double wanted = 0;
    for (std::int64_t i = 0; i < elements_; ++i) wanted += whole_.a[i];
    if (sum != wanted) return wrong(0, sum, wanted);
    return {};
  }
  const double allowed = form_.operation == Operation::normalise ? 1e-4 : 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const double found = whole_.c[places_[i]];
    if (!(std::abs(found - wanted_[i]) <= allowed)) return wrong(places_[i], found, wanted_[i]);
  }
  return {};
}

}  // namespace tacho::bandwidth
