#pragma once

#include <cmath>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json_object.h"

namespace tacho {

// The JSON form of a struct, described once for writing and reading:
//
//   void describe(auto&& f, Is<Bar> auto& b) {
//     f("height", b.height);
//     f("colour", Named{b.colour, kColours});
//   }
//
// The description is in the namespace of the struct, not in an unnamed one. A field is a number, a
// text, another described struct, or a list or map of them. A std::optional is written if it has a
// value. All other keys must be present, except with one of the marks below.

template <class T, class Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

// An enumerator, by its name.
template <class Enum, class Table>
struct Named {
  Enum& value;
  const Table& names;
};
template <class Enum, class Table>
Named(Enum&, const Table&) -> Named<Enum, Table>;

// May be absent when read: older files do not have it.
template <class T>
struct Added {
  T value;
};
template <class T>
Added(T&) -> Added<T&>;
template <class Enum, class Table>
Added(Named<Enum, Table>) -> Added<Named<Enum, Table>>;

// Written unless it is empty or 0.
template <class T>
struct IfAny {
  T& value;
};
template <class T>
IfAny(T&) -> IfAny<T>;

// A std::optional that is written as null without a value.
template <class T>
struct OrNull {
  T& value;
};
template <class T>
OrNull(T&) -> OrNull<T>;

// Computed from other fields: not written by FieldWriter, and ignored when read.
struct Derived {};

class FieldWriter;

template <class T>
concept HasFields = requires(FieldWriter& f, const T& value) {
  describe(f, value);
};

template <class T>
inline constexpr bool kIsListOfFields = false;
template <HasFields T>
inline constexpr bool kIsListOfFields<std::vector<T>> = true;

template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;

template <HasFields T>
Json json_of(const T& value);

class FieldWriter {
 public:
  explicit FieldWriter(Json& out) : out_(out) {}

  template <class T>
  void operator()(const char* key, const T& value) {
    if constexpr (HasFields<T>) {
      out_[key] = json_of(value);
    } else if constexpr (kIsListOfFields<T>) {
      Json& list = out_[key] = Json::array();
      for (const auto& item : value) list.push_back(json_of(item));
    } else {
      out_[key] = value;
    }
  }
  template <class T>
  void operator()(const char* key, const std::optional<T>& value) {
    if (value) (*this)(key, *value);
  }
  template <class Enum, class Table>
  void operator()(const char* key, const Named<Enum, Table>& field) {
    out_[key] = field.names.of(field.value);
  }
  template <class T>
  void operator()(const char* key, const Added<T>& field) {
    (*this)(key, field.value);
  }
  template <class T>
  void operator()(const char* key, const IfAny<T>& field) {
    if (field.value != std::remove_const_t<T>{}) (*this)(key, field.value);
  }
  template <class T>
  void operator()(const char* key, const OrNull<T>& field) {
    out_[key] = nullptr;
    (*this)(key, field.value);
  }
  void operator()(const char* /*key*/, const Derived& /*field*/) {}

 private:
  Json& out_;
};

enum class Numbers { any, finite };  // null is read as NaN

// Reads what FieldWriter writes. The first error stays in the JsonObject.
class FieldReader {
 public:
  explicit FieldReader(JsonObject& in, Numbers numbers = Numbers::any)
      : in_(in), numbers_(numbers) {}

  template <class T>
  void operator()(const char* key, T& value) {
    read(key, value, true);
  }
  template <class T>
  void operator()(const char* key, std::optional<T>& value) {
    if (in_.part(key, false) != nullptr) read(key, value.emplace(), true);
  }
  template <class Enum, class Table>
  void operator()(const char* key, const Named<Enum, Table>& field) {
    in_.read_name(key, field.names, field.value);
  }
  template <class T>
  void operator()(const char* key, const Added<T&>& field) {
    read(key, field.value, false);
  }
  template <class Enum, class Table>
  void operator()(const char* key, const Added<Named<Enum, Table>>& field) {
    in_.read_optional_name(key, field.value.names, field.value.value);
  }
  template <class T>
  void operator()(const char* key, const IfAny<T>& field) {
    read(key, field.value, false);
  }
  template <class T>
  void operator()(const char* key, const OrNull<T>& field) {
    (*this)(key, field.value);
  }
  void operator()(const char* key, const Derived& /*field*/) { in_.part(key, false); }

 private:
  template <class T>
  void read(const char* key, T& value, bool required) {
    if constexpr (HasFields<T> || kIsListOfFields<T> || kIsMap<T>) {
      const Json* part = in_.part(key, required);
      if (part != nullptr) read_part(*part, key, value);
    } else {
      required ? in_.read(key, value) : in_.read_optional(key, value);
      if constexpr (std::same_as<T, double>) {
        if (numbers_ == Numbers::finite && !std::isfinite(value)) in_.fail(key, "not a number");
      }
    }
  }
  template <HasFields T>
  void read_part(const Json& part, const std::string& key, T& value) {
    JsonObject inner(part, in_.place() + ": " + key);
    describe(FieldReader(inner, numbers_), value);
    in_.keep(inner.finish());
  }
  template <class T>
  void read_part(const Json& part, const std::string& key, std::vector<T>& list) {
    if (!part.is_array()) return in_.fail(key, "not a list");
    list.clear();
    for (const Json& item : part) {
      T& entry = list.emplace_back();
      read_part(item, key + " " + std::to_string(list.size()), entry);
    }
  }
  template <class T>
  void read_part(const Json& part, const std::string& key, std::map<std::string, T>& map) {
    JsonObject inner(part, in_.place() + ": " + key);
    FieldReader reader(inner, numbers_);
    if (part.is_object()) {
      for (const auto& [name, item] : part.items()) reader(name.c_str(), map[name]);
    }
    in_.keep(inner.finish());
  }

  JsonObject& in_;
  Numbers numbers_;
};

template <HasFields T>
Json json_of(const T& value) {
  Json json = Json::object();
  describe(FieldWriter(json), value);
  return json;
}

// `place` is for error messages. An unknown key is an error, too.
template <HasFields T>
Result<T> read_json(const Json& json, const std::string& place, Numbers numbers = Numbers::any) {
  T value{};
  JsonObject object(json, place);
  describe(FieldReader(object, numbers), value);
  TACHO_CHECK(object.finish());
  return value;
}

}  // namespace tacho
