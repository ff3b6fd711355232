"""Questions to the program tacho: recorded runs, predictions, recommendations, comparisons."""

from ._answer import answer, options_of
from ._recorded import runs_of


def runs(where=None, limit=None, **options):
    """The runs of the store, newest first. where: a filter such as "top1>0.85", or several. Other
    arguments are the long options of `tacho runs ls`, such as sort="step_s"."""
    return runs_of(answer("runs", "ls", "--json",
                          *options_of({"where": where, "limit": limit or 0, **options})))


def get_run(run="last"):
    """One run of the store, by its id, its key, or "last"."""
    record, = answer("runs", "export", "--json", "--brief", run)
    return runs_of([record["listed"]], [record])[0]


def predict(model=None, *training, **options):
    """The answer of `tacho predict MODEL --json`. The arguments are the command's long options:
    num_gpus=2 is --num-gpus 2. training: options of `tacho train`, which the command has after --."""
    return answer("predict", "--json", *options_of(options), *([model] if model else []),
                  *_after_dashes(training))


def recommend(**options):
    """The answer of `tacho recommend --json`. The arguments are the command's long options."""
    return answer("recommend", "--json", *options_of(options))


def compare(*training, **options):
    """The answer of `tacho compare --json`. The arguments are the command's long options; training:
    the words that the command has after --, such as "train", "lenet5". May take long: progress is
    shown, and an interrupted comparison is kept."""
    return answer("compare", "--json", *options_of(options), *_after_dashes(training), progress=True)


def _after_dashes(words):
    return ["--", *words] if words else []
