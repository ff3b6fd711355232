#include "training/train/ops/op_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "training/train/ops/step_part.h"

namespace tacho {
namespace {

// Text of many lengths has many shapes. Beyond this number of rows, operators are summed by name
// only.
constexpr std::size_t kMostRows = 4096;
constexpr std::size_t kMostShapesShown = 6;

// 64 bits: a collision among a few thousand rows occurs once in 10^12 runs.
class Hash {
 public:
  void add(std::uint64_t value) {
    value_ = (value_ ^ value) * 0x9E3779B97F4A7C15U;
    value_ ^= value_ >> 32U;
  }
  // Hashes the characters: names of autograd's nodes are allocated for every call.
  void add(const char* text) {
    std::size_t left = std::strlen(text);
    add(left);
    for (std::uint64_t word = 0; left > 0; text += sizeof word) {
      word = 0;
      std::memcpy(&word, text, std::min(left, sizeof word));
      add(word);
      left -= std::min(left, sizeof word);
    }
  }
  void add(const at::Tensor& tensor) {
    if (!tensor.defined()) return add(UINT64_MAX);
    add(static_cast<std::uint64_t>(tensor.scalar_type()) << 8U |
        static_cast<std::uint64_t>(tensor.dim()));
    for (const std::int64_t side : tensor.sizes()) add(static_cast<std::uint64_t>(side));
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x243F6A8885A308D3U;
};

template <class Values, class Visit>
void each_tensor(const Values& values, const Visit& visit) {
  for (const c10::IValue& value : values) {
    if (value.isTensor()) {
      visit(value.toTensor());
    } else if (value.isList()) {
      for (const c10::IValue& item : value.toListRef()) {
        if (!item.isTensor()) break;
        visit(item.toTensor());
      }
    }
  }
}

void add_traced(const at::Tensor& tensor, std::vector<TracedTensor>& out) {
  if (!tensor.defined() || !tensor.has_storage()) return;
  TracedTensor traced;
  traced.identity = tensor.storage().data_ptr().get();
  traced.shape = tensor.sizes().vec();
  // A broadcast bias is read once.
  traced.bytes = static_cast<std::int64_t>(std::min(tensor.nbytes(), tensor.storage().nbytes()));
  traced.is_float = tensor.is_floating_point();
  out.push_back(std::move(traced));
}

std::string shapes_text(const std::vector<TracedTensor>& tensors) {
  std::string text;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (i > 0) text += ' ';
    if (i == kMostShapesShown) return text + "…";
    text += fmt::format("[{}]", fmt::join(tensors[i].shape, ", "));
  }
  return text;
}

// Returns a readable name. Tacho's functions are instances of a torch template; each node's name is
// also contained in that of the engine's work around it.
std::string shown_name(std::string_view name) {
  constexpr std::string_view kEngine = "autograd::engine::evaluate_function";
  constexpr std::string_view kOurs = "CppNode<";
  if (name.starts_with(kEngine)) return "autograd::engine";
  const std::size_t at = name.find(kOurs);
  if (at == std::string_view::npos) return std::string(name);
  name = name.substr(at + kOurs.size());
  name = name.substr(0, name.rfind('>'));
  const std::size_t last = name.rfind("::");
  return fmt::format("tacho::{}Backward",
                     last == std::string_view::npos ? name : name.substr(last + 2));
}

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// An operator that only calls others did no work itself: its work counts unless those it called
// account for most of it.
double own(double whole, double by_others) { return 2 * by_others < whole ? whole : 0; }

}  // namespace

OpPhase OpTable::phase_of(const at::RecordFunction& function) const {
  const OpPhase around = frames_.empty() ? phase_ : frames_.back().phase;
  switch (function.scope()) {
    case at::RecordScope::BACKWARD_FUNCTION:
      return OpPhase::backward;
    case at::RecordScope::USER_SCOPE:
      return StepPart::phase_of(function.name()).value_or(around);
    default:
      return around;
  }
}

void OpTable::begin(const at::RecordFunction& function) {
  Frame frame;
  frame.phase = phase_of(function);
  // A part of a step is not an operator.
  if (function.scope() != at::RecordScope::USER_SCOPE) frame.row = row_for(function, frame.phase);
  // Last, so that the time spent here does not count.
  frame.began = Clock::now();
  frames_.push_back(frame);
}

void OpTable::end(const at::RecordFunction& function) {
  const auto now = Clock::now();
  const Frame frame = frames_.back();
  frames_.pop_back();
  if (frame.row == kNoRow) return;
  const RowIndex index = row_with_results(frame.row, function);
  Row& row = rows_[index];
  const auto total = now - frame.began;
  OpWork mine = {own(row.work.flops, frame.by_others.flops),
                 own(row.work.bytes, frame.by_others.bytes)};
  // A product reads its factors, even if other operators prepared them.
  if (mine.flops > 0) mine.bytes = row.work.bytes;
  if (row.step.calls++ == 0) touched_.push_back(index);
  row.step.self += total - frame.within_others;
  row.step.total += total;
  row.step.work.flops += mine.flops;
  row.step.work.bytes += mine.bytes;
  if (frames_.empty()) return;
  Frame& caller = frames_.back();
  caller.within_others += total;
  caller.by_others.flops += frame.by_others.flops + mine.flops;
  caller.by_others.bytes += frame.by_others.bytes + mine.bytes;
}

double OpTable::keep_step() {
  Clock::duration within{};
  for (const RowIndex index : touched_) {
    const Sums step = std::exchange(rows_[index].step, {});
    Sums& kept = identities_[index].kept;
    kept.calls += step.calls;
    kept.self += step.self;
    kept.total += step.total;
    kept.work.flops += step.work.flops;
    kept.work.bytes += step.work.bytes;
    within += step.self;
  }
  touched_.clear();
  return seconds(within);
}

void OpTable::drop_step() {
  for (const RowIndex index : touched_) rows_[index].step = {};
  touched_.clear();
}

void OpTable::add_rows_to(std::vector<OpRow>& rows) const {
  for (const Identity& row : identities_) {
    if (row.kept.calls == 0) continue;
    rows.push_back({shown_name(row.op.name), row.shapes, row.phase, row.kept.calls,
                    seconds(row.kept.self), seconds(row.kept.total), row.kept.work.flops,
                    row.kept.work.bytes});
  }
}

OpTable::RowIndex OpTable::row_for(const at::RecordFunction& function, OpPhase phase) {
  Hash hash;
  hash.add(function.name());
  hash.add(static_cast<std::uint64_t>(phase));
  const std::uint64_t by_name = hash.value();
  each_tensor(function.inputs(), [&](const at::Tensor& tensor) { hash.add(tensor); });
  if (const RowIndex known = find(hash.value()); known != kNoRow) return known;
  if (rows_.size() < kMostRows) return add_row(hash.value(), function, phase);
  if (const RowIndex known = find(by_name); known != kNoRow) return known;
  const RowIndex rest = add_row(by_name, function, phase);
  rows_[rest].holds_the_rest = true;
  identities_[rest].shapes = "…";
  return rest;
}

OpTable::RowIndex OpTable::add_row(std::uint64_t key, const at::RecordFunction& function,
                                   OpPhase phase) {
  Identity identity;
  identity.phase = phase;
  identity.op.name = function.name();
  identity.op.kind = op_kind(identity.op.name);
  each_tensor(function.inputs(), [&](const at::Tensor& t) { add_traced(t, identity.op.inputs); });
  identity.shapes = shapes_text(identity.op.inputs);
  identities_.push_back(std::move(identity));
  rows_.emplace_back();
  const auto index = static_cast<RowIndex>(rows_.size() - 1);
  if (2 * ++keys_ > slots_.size()) {
    const auto before =
        std::exchange(slots_, std::vector<Slot>(std::max<std::size_t>(512, 2 * slots_.size())));
    for (const Slot& slot : before) {
      if (slot.row != kNoRow) enter(slot);
    }
  }
  enter({key, index});
  return index;
}

// Returns the row of these inputs with the current result shapes.
OpTable::RowIndex OpTable::row_with_results(RowIndex first, const at::RecordFunction& function) {
  if (rows_[first].holds_the_rest) return first;
  Hash hash;
  each_tensor(function.outputs(), [&](const at::Tensor& tensor) { hash.add(tensor); });
  RowIndex index = first;
  while (rows_[index].has_ended && rows_[index].results != hash.value()) {
    if (rows_[index].other == kNoRow) {
      if (rows_.size() >= kMostRows) return first;
      rows_[index].other = static_cast<RowIndex>(rows_.size());
      rows_.emplace_back();
      identities_.push_back(identities_[first]);
      identities_.back().kept = {};
    }
    index = rows_[index].other;
  }
  if (!rows_[index].has_ended) learn_results(index, hash.value(), function);
  return index;
}

void OpTable::learn_results(RowIndex index, std::uint64_t results,
                            const at::RecordFunction& function) {
  TracedOp& op = identities_[index].op;
  std::vector<bool> defined;
  op.outputs.clear();
  each_tensor(function.outputs(), [&](const at::Tensor& tensor) {
    defined.push_back(tensor.defined());
    add_traced(tensor, op.outputs);
  });
  // Autograd's nodes report no results: their work is that of the operators they call.
  const bool is_node = function.scope() == at::RecordScope::BACKWARD_FUNCTION;
  Row& row = rows_[index];
  row.work = is_node ? OpWork{} : work_of(op, defined);
  row.results = results;
  row.has_ended = true;
}

OpTable::RowIndex OpTable::find(std::uint64_t key) const {
  if (slots_.empty()) return kNoRow;
  for (std::size_t at = key;; ++at) {
    const Slot& slot = slots_[at & (slots_.size() - 1)];
    if (slot.row == kNoRow || slot.key == key) return slot.row;
  }
}

void OpTable::enter(const Slot& slot) {
  std::size_t at = slot.key;
  while (slots_[at & (slots_.size() - 1)].row != kNoRow) ++at;
  slots_[at & (slots_.size() - 1)] = slot;
}

}  // namespace tacho
