#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/subprocess.h"
#include "core/record/environment_spec.h"
#include "machine/env/build_watch.h"

namespace tacho {

// The base of an image.
struct ImageBase {
  enum class Kind {
    made,     // a small Debian, created by mmdebstrap without a registry
    archive,  // a root file system in a tar file
    named,    // an image that the engine has or can fetch
  };
  Kind kind = Kind::made;
  std::string word;  // the file or name
  bool operator==(const ImageBase&) const = default;
};

// Parses the value of --base: "" or "mmdebstrap", a file, or a name.
Result<ImageBase> parse_image_base(const std::string& word);

// The input of mmdebstrap: this machine's release, from the mirrors that its apt uses.
struct BaseRecipe {
  std::string suite;    // "bookworm"
  std::string sources;  // as in sources.list
  std::string proxy;    // "": none
};
Result<BaseRecipe> recipe_of_this_machine();

// Returns the release in the text of /etc/os-release; "" if there is none.
std::string parse_suite(std::string_view os_release);
// Returns the lines for `suite`, its updates and its security updates, from the output of
// `apt-get indextargets --format '$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)'`. Leaves out other
// archives (of a vendor, backports).
std::string parse_sources(std::string_view index_targets, const std::string& suite);

Command base_command(const BaseRecipe& recipe, const std::filesystem::path& sources_file,
                     const std::filesystem::path& archive);

// Returns the archive of a recipe: an existing one in `folder`, unless `rebuild` is set, or a new
// one. `scratch` is a folder for unfinished files.
Result<std::filesystem::path> make_base(const BaseRecipe& recipe, bool rebuild,
                                        const std::filesystem::path& folder,
                                        const std::filesystem::path& scratch,
                                        const BuildWatch& watch);

// Returns true if the archive contains a C library for programs of this machine.
Result<bool> has_c_library(const std::filesystem::path& archive);

// Timestamps in images are not later than this, so that the same content makes the same image.
inline constexpr long kImageTime = 1686355200;  // 2023-06-10, the day of Debian 12

}  // namespace tacho
