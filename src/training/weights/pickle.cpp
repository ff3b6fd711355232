#include "training/weights/pickle.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/terminal.h"
#include "training/weights/pickle_input.h"
#include "training/weights/pickle_names.h"
#include "training/weights/pickled_tensor.h"

namespace tacho {
namespace {

constexpr std::size_t kMostValues = 2'000'000;
constexpr std::size_t kMostStack = 2'000'000;
constexpr std::size_t kMostTensors = 100'000;
constexpr std::size_t kMostNameBytes = 200;  // of a module or function
constexpr std::uint32_t kMark = 0xFFFFFFFF;  // on the stack

Error broken_pickle(std::string what) { return {ErrorCode::invalid, std::move(what)}; }

Error foreign_name(std::string_view name) {
  return broken_pickle(
      fmt::format("this file calls {:.200}; only state dicts are read: save it "
                  "with torch.save(model.state_dict(), FILE)",
                  printable(name)));
}

class Interpreter {
 public:
  explicit Interpreter(std::string_view bytes) : input_(bytes) {}

  Result<Pickle> run() {
    while (!stopped_) {
      const std::size_t at = input_.position();
      TACHO_TRY(code, input_.number(1));
      const auto done = step(static_cast<unsigned char>(code));
      if (!done.ok()) return done.error().in(fmt::format("byte {} of the pickle", at));
    }
    if (!input_.at_end()) return broken_pickle("bytes follow the end of the pickle");
    return std::move(pickle_);
  }

 private:
  using Index = std::uint32_t;
  struct Operation;

  Result<void> step(unsigned char code);

  // Stack.

  Result<void> push_index(Index index) {
    if (stack_.size() >= kMostStack) return broken_pickle("too many values");
    stack_.push_back(index);
    if (index == kMark) marks_.push_back(stack_.size());
    return {};
  }
  Result<void> push(PickleValue value) {
    if (pickle_.values.size() >= kMostValues) return broken_pickle("too many values");
    pickle_.values.push_back(std::move(value));
    return push_index(static_cast<Index>(pickle_.values.size() - 1));
  }
  // The lowest place that an operation may take values from.
  [[nodiscard]] std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  [[nodiscard]] bool has(std::size_t count) const { return stack_.size() - floor() >= count; }

  Result<std::vector<Index>> pop(std::size_t count) {
    if (!has(count)) return broken_pickle("the pickle's stack is empty");
    std::vector<Index> items(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return items;
  }
  Result<std::vector<Index>> pop_to_mark() {
    if (marks_.empty()) return broken_pickle("a mark is missing");
    TACHO_TRY(items, pop(stack_.size() - marks_.back()));
    stack_.pop_back();
    marks_.pop_back();
    return items;
  }
  [[nodiscard]] const PickleValue& value(Index index) const { return pickle_.values[index]; }

  // Simple values.

  Result<void> protocol() {
    TACHO_TRY(version, input_.number(1));
    if (version < 2 || version > 5) {
      return broken_pickle(fmt::format("pickle protocol {} is not supported", version));
    }
    return {};
  }
  Result<void> frame() {
    TACHO_TRY(skipped, input_.take(8));
    (void)skipped;
    return {};
  }
  Result<void> stop() {
    TACHO_TRY(last, pop(1));
    if (!stack_.empty()) return broken_pickle("values are left at the end of the pickle");
    pickle_.root = last[0];
    stopped_ = true;
    return {};
  }
  Result<void> integer(std::size_t width) {
    TACHO_TRY(bits, input_.number(width));
    const auto wide = static_cast<std::int64_t>(bits);
    return push({.kind = PickleKind::integer,
                 .number = width == 4 ? static_cast<std::int32_t>(wide) : wide});
  }
  Result<void> long_integer() {
    TACHO_TRY(width, input_.number(1));
    if (width > 8) return broken_pickle("an integer has more than 64 bits");
    TACHO_TRY(bits, input_.number(width));
    if (width > 0 && width < 8 && (bits >> (8 * width - 1) & 1U) != 0) bits |= ~0ULL << 8 * width;
    return push({.kind = PickleKind::integer, .number = static_cast<std::int64_t>(bits)});
  }
  Result<void> real() {
    TACHO_TRY(skipped, input_.take(8));
    (void)skipped;
    return push({.kind = PickleKind::real});
  }
  Result<void> text(std::size_t width) {
    TACHO_TRY(length, input_.number(width));
    TACHO_TRY(letters, input_.take(length));
    return push({.kind = PickleKind::text, .text = std::string(letters)});
  }

  // Containers.

  Result<void> tuple(std::size_t count) {
    TACHO_TRY(items, pop(count));
    return push({.kind = PickleKind::tuple, .items = std::move(items)});
  }
  Result<void> tuple_from_mark() {
    TACHO_TRY(items, pop_to_mark());
    return push({.kind = PickleKind::tuple, .items = std::move(items)});
  }
  // Adds an item to a list, or a key and its value to a dict.
  Result<void> append(std::size_t count) {
    TACHO_TRY(items, pop(count));
    return extend(items, count == 1 ? PickleKind::list : PickleKind::dict);
  }
  Result<void> append_from_mark(PickleKind kind) {
    TACHO_TRY(items, pop_to_mark());
    return extend(items, kind);
  }
  Result<void> extend(const std::vector<Index>& items, PickleKind kind) {
    if (!has(1)) return broken_pickle("the pickle's stack is empty");
    PickleValue& target = pickle_.values[stack_.back()];
    if (target.kind != kind || (kind == PickleKind::dict && items.size() % 2 != 0)) {
      return broken_pickle("items do not fit their container");
    }
    target.items.insert(target.items.end(), items.begin(), items.end());
    return {};
  }

  // Memo.

  Result<void> put(std::size_t width) {
    TACHO_TRY(at, input_.number(width));
    return put_at(at);
  }
  Result<void> put_at(std::uint64_t at) {
    if (!has(1)) return broken_pickle("the pickle's stack is empty");
    if (at > memo_.size()) return broken_pickle("a memo entry is out of order");
    if (at == memo_.size()) memo_.push_back(0);
    memo_[at] = stack_.back();
    return {};
  }
  Result<void> get(std::size_t width) {
    TACHO_TRY(at, input_.number(width));
    if (at >= memo_.size()) return broken_pickle("a memo entry is missing");
    return push_index(memo_[at]);
  }

  // Types and functions.

  Result<void> push_global(const std::string& name) {
    if (!is_known_to_pickle(name)) return foreign_name(name);
    return push({.kind = PickleKind::type, .text = name});
  }
  Result<void> global() {
    TACHO_TRY(module, input_.line(kMostNameBytes));
    TACHO_TRY(name, input_.line(kMostNameBytes));
    return push_global(fmt::format("{}.{}", module, name));
  }
  Result<void> stack_global() {
    TACHO_TRY(names, pop(2));
    if (value(names[0]).kind != PickleKind::text || value(names[1]).kind != PickleKind::text) {
      return broken_pickle("a type without a name");
    }
    return push_global(fmt::format("{:.100}.{:.100}", value(names[0]).text, value(names[1]).text));
  }

  Result<void> persistent() {
    TACHO_TRY(top, pop(1));
    TACHO_TRY(storage, pickled_storage(pickle_, value(top[0])));
    pickle_.storages.push_back(std::move(storage));
    return push({.kind = PickleKind::storage,
                 .number = static_cast<std::int64_t>(pickle_.storages.size() - 1)});
  }

  Result<void> reduce() {
    TACHO_TRY(call, pop(2));
    const PickleValue& function = value(call[0]);
    const PickleValue& arguments = value(call[1]);
    if (function.kind != PickleKind::type || arguments.kind != PickleKind::tuple) {
      return broken_pickle("a call of something that is not a function");
    }
    if (function.text == kOrderedDict && arguments.items.empty()) {
      return push({.kind = PickleKind::dict});
    }
    if (function.text == kRebuildTensor) return rebuild(arguments);
    if (function.text == kRebuildParameter &&
        pickled_item(pickle_, arguments, 0, PickleKind::tensor) != nullptr) {
      return push_index(arguments.items[0]);
    }
    return broken_pickle(
        fmt::format("{} is called with other arguments than torch.save writes", function.text));
  }

  Result<void> rebuild(const PickleValue& arguments) {
    if (pickle_.tensors.size() >= kMostTensors) return broken_pickle("too many tensors");
    TACHO_TRY(tensor, pickled_tensor(pickle_, arguments));
    pickle_.tensors.push_back(std::move(tensor));
    return push({.kind = PickleKind::tensor,
                 .number = static_cast<std::int64_t>(pickle_.tensors.size() - 1)});
  }

  // An OrderedDict's attributes: only "_metadata", the versions of its modules.
  Result<void> build() {
    TACHO_TRY(state, pop(1));
    if (!has(1) || value(stack_.back()).kind != PickleKind::dict ||
        value(state[0]).kind != PickleKind::dict) {
      return broken_pickle("attributes of something that is not a dictionary");
    }
    return {};
  }

  PickleInput input_;
  bool stopped_ = false;
  Pickle pickle_;
  std::vector<Index> stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack just after each mark
  std::vector<Index> memo_;
};

struct Interpreter::Operation {
  unsigned char code;
  Result<void> (*execute)(Interpreter&);
};

Result<void> Interpreter::step(unsigned char code) {
  using I = Interpreter;
  static constexpr std::array<Operation, 36> kOperations = {{
      {0x80, [](I& i) { return i.protocol(); }},                                        // PROTO
      {0x95, [](I& i) { return i.frame(); }},                                           // FRAME
      {'.', [](I& i) { return i.stop(); }},                                             // STOP
      {'(', [](I& i) { return i.push_index(kMark); }},                                  // MARK
      {'N', [](I& i) { return i.push({.kind = PickleKind::none}); }},                   // NONE
      {0x88, [](I& i) { return i.push({.kind = PickleKind::boolean, .number = 1}); }},  // NEWTRUE
      {0x89, [](I& i) { return i.push({.kind = PickleKind::boolean}); }},               // NEWFALSE
      {'K', [](I& i) { return i.integer(1); }},                                         // BININT1
      {'M', [](I& i) { return i.integer(2); }},                                         // BININT2
      {'J', [](I& i) { return i.integer(4); }},                                         // BININT
      {0x8a, [](I& i) { return i.long_integer(); }},                                    // LONG1
      {'G', [](I& i) { return i.real(); }},                                             // BINFLOAT
      {'X', [](I& i) { return i.text(4); }},                             // BINUNICODE
      {0x8c, [](I& i) { return i.text(1); }},                            // SHORT_BINUNICODE
      {0x8d, [](I& i) { return i.text(8); }},                            // BINUNICODE8
      {'}', [](I& i) { return i.push({.kind = PickleKind::dict}); }},    // EMPTY_DICT
      {']', [](I& i) { return i.push({.kind = PickleKind::list}); }},    // EMPTY_LIST
      {')', [](I& i) { return i.push({.kind = PickleKind::tuple}); }},   // EMPTY_TUPLE
      {'t', [](I& i) { return i.tuple_from_mark(); }},                   // TUPLE
      {0x85, [](I& i) { return i.tuple(1); }},                           // TUPLE1
      {0x86, [](I& i) { return i.tuple(2); }},                           // TUPLE2
      {0x87, [](I& i) { return i.tuple(3); }},                           // TUPLE3
      {'q', [](I& i) { return i.put(1); }},                              // BINPUT
      {'r', [](I& i) { return i.put(4); }},                              // LONG_BINPUT
      {0x94, [](I& i) { return i.put_at(i.memo_.size()); }},             // MEMOIZE
      {'h', [](I& i) { return i.get(1); }},                              // BINGET
      {'j', [](I& i) { return i.get(4); }},                              // LONG_BINGET
      {'a', [](I& i) { return i.append(1); }},                           // APPEND
      {'s', [](I& i) { return i.append(2); }},                           // SETITEM
      {'e', [](I& i) { return i.append_from_mark(PickleKind::list); }},  // APPENDS
      {'u', [](I& i) { return i.append_from_mark(PickleKind::dict); }},  // SETITEMS
      {'c', [](I& i) { return i.global(); }},                            // GLOBAL
      {0x93, [](I& i) { return i.stack_global(); }},                     // STACK_GLOBAL
      {'Q', [](I& i) { return i.persistent(); }},                        // BINPERSID
      {'R', [](I& i) { return i.reduce(); }},                            // REDUCE
      {'b', [](I& i) { return i.build(); }},                             // BUILD
  }};
  for (const Operation& operation : kOperations) {
    if (operation.code == code) return operation.execute(*this);
  }
  return broken_pickle(
      fmt::format("operation {} (0x{:02x}) does not occur in a state dict; save it "
                  "with torch.save(model.state_dict(), FILE)",
                  pickle_operation(code), code));
}

}  // namespace

Result<Pickle> read_pickle(std::string_view bytes) { return Interpreter(bytes).run(); }

}  // namespace tacho
