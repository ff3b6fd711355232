#include "training/data/fetch/meta_mat.h"

#include <fmt/format.h>
#include <matio.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "base/split.h"
#include "training/data/fetch/child_process.h"
#include "training/data/fetch/table_text.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSynsets = 100'000;
constexpr const char* kNothing = "-";  // a missing number

struct CloseMat {
  void operator()(mat_t* file) const { ::Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { ::Mat_VarFree(variable); }
};

template <class T>
double first_as(const matvar_t& field) {
  T value{};
  if (field.nbytes < sizeof(T)) return NAN;
  std::memcpy(&value, field.data, sizeof(T));
  return static_cast<double>(value);
}

double first_number(const matvar_t& field) {
  switch (field.data_type) {
    case MAT_T_DOUBLE:
      return first_as<double>(field);
    case MAT_T_SINGLE:
      return first_as<float>(field);
    case MAT_T_INT8:
      return first_as<std::int8_t>(field);
    case MAT_T_UINT8:
      return first_as<std::uint8_t>(field);
    case MAT_T_INT16:
      return first_as<std::int16_t>(field);
    case MAT_T_UINT16:
      return first_as<std::uint16_t>(field);
    case MAT_T_INT32:
      return first_as<std::int32_t>(field);
    case MAT_T_UINT32:
      return first_as<std::uint32_t>(field);
    default:
      return NAN;
  }
}

std::string number_text(matvar_t& synsets, const char* name, std::size_t index) {
  const matvar_t* field = ::Mat_VarGetStructFieldByName(&synsets, name, index);
  if (field == nullptr || field->data == nullptr || field->class_type == MAT_C_CHAR) {
    return kNothing;
  }
  const double value = first_number(*field);
  const bool whole = value >= 0 && value < 1e9 && value == std::floor(value);
  return whole ? fmt::format("{:.0f}", value) : kNothing;
}

// MATLAB stores characters in one byte or as UTF-16; rare ones become question marks.
std::string field_text(matvar_t& synsets, const char* name, std::size_t index) {
  const matvar_t* field = ::Mat_VarGetStructFieldByName(&synsets, name, index);
  if (field == nullptr || field->data == nullptr || field->class_type != MAT_C_CHAR) return "";
  const auto* bytes = static_cast<const char*>(field->data);
  if (field->data_size == 1) return clean_words({bytes, field->nbytes});
  std::string text;
  for (std::size_t at = 0; at + 1 < field->nbytes && field->data_size == 2; at += 2) {
    std::uint16_t unit = 0;
    std::memcpy(&unit, bytes + at, sizeof(unit));
    text += unit < 0x80 ? static_cast<char>(unit) : '?';
  }
  return clean_words(text);
}

// Returns one line per synset, with fields separated by tabs, or an error message that begins with
// "!".
std::string synsets_as_text(const fs::path& file) {
  const std::unique_ptr<mat_t, CloseMat> mat(::Mat_Open(file.c_str(), MAT_ACC_RDONLY));
  if (!mat) return "!not a MATLAB file";
  const std::unique_ptr<matvar_t, FreeVariable> synsets(::Mat_VarRead(mat.get(), "synsets"));
  if (!synsets || synsets->class_type != MAT_C_STRUCT || synsets->data == nullptr) {
    return "!has no struct array 'synsets'";
  }
  std::size_t count = 1;
  for (int i = 0; i < synsets->rank; ++i) {
    if (synsets->dims[i] > kMaxSynsets) return "!has too many synsets";
    count = std::min(count * synsets->dims[i], kMaxSynsets);
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", number_text(*synsets, "ILSVRC2012_ID", i),
                        number_text(*synsets, "num_children", i),
                        number_text(*synsets, "num_train_images", i),
                        field_text(*synsets, "WNID", i), field_text(*synsets, "words", i));
  }
  return text;
}

Result<std::optional<std::int64_t>> optional_count(std::string_view text) {
  if (text == kNothing) return std::optional<std::int64_t>();
  TACHO_TRY(count, parse_count(text));
  return std::optional<std::int64_t>(count);
}

Result<Synset> parse_synset(std::string_view line) {
  TACHO_TRY(number, optional_count(next_column(line)));
  TACHO_TRY(children, optional_count(next_column(line)));
  TACHO_TRY(train_images, optional_count(next_column(line)));
  Synset synset{.children = children.value_or(0), .train_images = train_images};
  synset.id = next_column(line);
  synset.words = line;
  if (!number || *number == 0)
    return Error{ErrorCode::invalid, "its ILSVRC2012_ID is not a number"};
  if (!is_wordnet_id(synset.id)) {
    return Error{ErrorCode::invalid, fmt::format("its WNID '{}' is not valid", synset.id)};
  }
  synset.number = *number;
  return synset;
}

}  // namespace

Result<std::vector<Synset>> read_meta_mat(const fs::path& file) {
  auto text = run_in_child([&file] { return synsets_as_text(file); });
  if (!text.ok()) return text.error();
  if (text->starts_with('!')) return Error{ErrorCode::invalid, text->substr(1)};
  std::vector<Synset> synsets;
  for (const std::string_view line : lines_of(*text)) {
    auto synset = parse_synset(line);
    if (!synset.ok()) {
      return synset.error().in(fmt::format("synset {}", synsets.size() + 1));
    }
    synsets.push_back(*std::move(synset));
  }
  return synsets;
}

}  // namespace tacho
