#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/subprocess.h"
#include "env/build_watch.h"
#include "record/environment_spec.h"

namespace tacho {

// What an image is built upon.
struct ImageBase {
  enum class Kind {
    made,     // a small Debian, made here by mmdebstrap: no registry is asked
    archive,  // a root file system in a tar file
    named,    // an image the engine knows or can fetch
  };
  Kind kind = Kind::made;
  std::string word;  // the file or the name
  bool operator==(const ImageBase&) const = default;
};

// Of what stands behind --base: "" or "mmdebstrap", a file, or a name.
Result<ImageBase> parse_image_base(const std::string& word);

// How mmdebstrap makes the base: this machine's release, from the mirrors its own apt uses.
struct BaseRecipe {
  std::string suite;    // "bookworm"
  std::string sources;  // as in sources.list
  std::string proxy;    // "" is none
};
Result<BaseRecipe> recipe_of_this_machine();

// Of /etc/os-release; "" if it does not say.
std::string parse_suite(std::string_view os_release);
// The lines for `suite`, its updates and its security updates, from what
// `apt-get indextargets --format '$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)'` prints. Other
// archives (of a vendor, backports) are left out.
std::string parse_sources(std::string_view index_targets, const std::string& suite);

Command base_command(const BaseRecipe& recipe, const std::filesystem::path& sources_file,
                     const std::filesystem::path& archive);

// The archive of a recipe, from `folder` where it was made before, unless it is to be made `anew`.
// `scratch` is a folder for what is half made.
Result<std::filesystem::path> make_base(const BaseRecipe& recipe, bool anew,
                                        const std::filesystem::path& folder,
                                        const std::filesystem::path& scratch,
                                        const BuildWatch& watch);

// Whether programs for this machine's C library find one in the archive.
Result<bool> has_c_library(const std::filesystem::path& archive);

// Times in images are not after this, so that the same content makes the same image.
inline constexpr long kImageTime = 1686355200;  // 2023-06-10, the day of Debian 12

}  // namespace tacho
