"""Runs a program in a temporary Slurm cluster:  with_slurm.py PROGRAM [ARGUMENT…]"""

import os
import subprocess
import sys
import tempfile

from slurm_cluster import SlurmCluster, why_not


def main(command):
    if reason := why_not():
        if os.environ.get("TACHO_COMPONENTS") == "required" and os.geteuid() == 0:
            sys.exit(f"Slurm is required here: {reason}")
        print(f"SKIPPED: no Slurm cluster here: {reason}")
        return 0
    cluster = SlurmCluster.start()
    # Temporary folders of the program are removed with the cluster.
    environment = {**cluster.within(os.environ), "TMPDIR": str(cluster.folder)}
    code = subprocess.run(command, env=environment).returncode
    if code != 0:
        print(f"the cluster's log:\n{cluster.log()}", file=sys.stderr)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
