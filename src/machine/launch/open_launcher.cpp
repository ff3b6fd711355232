#include "machine/launch/open_launcher.h"

#include "machine/launch/kubernetes.h"
#include "machine/launch/local.h"
#include "machine/launch/slurm.h"

namespace tacho {

Result<std::unique_ptr<Launcher>> open_launcher(LauncherKind kind,
                                                const LauncherSettings& settings) {
  using Opened = std::unique_ptr<Launcher>;
  if (settings.at_once.value_or(1) < 1) {
    return Error{ErrorCode::usage, "at least one task must be allowed at a time"};
  }
  switch (kind) {
    case LauncherKind::local: {
      TACHO_TRY(machine, limited(this_machine(), settings.options));
      return Opened(std::make_unique<LocalLauncher>(machine, settings.at_once));
    }
    case LauncherKind::slurm: {
      TACHO_TRY(options, slurm_options(settings.options));
      return Opened(std::make_unique<SlurmLauncher>(settings.folder, options, settings.at_once));
    }
    case LauncherKind::kubernetes: {
      TACHO_TRY(options, kubernetes_options(settings.options));
      return Opened(
          std::make_unique<KubernetesLauncher>(settings.folder, options, settings.at_once));
    }
  }
  broken_invariant("unknown kind of launcher");
}

}  // namespace tacho
