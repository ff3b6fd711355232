"""The changes that a trial of `tacho try` makes to a PyTorch program from outside.

Each notices whether it took effect: `effect` says what it changed, and stays empty otherwise. `keep` says
how to make the same change in the program."""

import ast
import difflib
import functools
import inspect
import os
import sys
import sysconfig
import weakref

from tacho_trial import wrap

LIBRARIES = tuple({sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib")}
                  | {os.path.dirname(os.path.abspath(__file__)), "/usr/lib/python3", "<"})


class Change:
    name = effect = keep = ""
    missing = "it was not used"  # why there is no effect

    def apply(self, torch):
        """After the program has imported torch."""
        self.torch = torch

    def optimizer_made(self, optimizer):
        pass


class Tf32(Change):
    name = "tf32"
    missing = "no GPU with TF32, or already in use"
    keep = "torch.set_float32_matmul_precision('high')"

    def optimizer_made(self, optimizer):
        torch = self.torch
        if not any(p.is_cuda for group in optimizer.param_groups for p in group["params"]):
            return
        if torch.cuda.get_device_capability()[0] >= 8 and not torch.backends.cuda.matmul.allow_tf32:
            torch.set_float32_matmul_precision("high")
            torch.backends.cudnn.allow_tf32 = True
            self.effect = "float32 products in TF32"


class CudnnBenchmark(Change):
    name = "cudnn-benchmark"
    missing = "no convolution on a GPU, or already in use"
    keep = "torch.backends.cudnn.benchmark = True"

    def optimizer_made(self, optimizer):
        backend = self.torch.backends.cudnn
        if any(p.is_cuda for p in convolutions(optimizer)) and not backend.benchmark:
            backend.benchmark = True
            self.effect = "cuDNN measures its algorithms"


class ChannelsLast(Change):
    name = "channels-last"
    missing = "no convolution in another layout"
    keep = "model = model.to(memory_format=torch.channels_last)"

    def optimizer_made(self, optimizer):
        changed = 0
        for weight in convolutions(optimizer):
            if not weight.is_contiguous(memory_format=self.torch.channels_last):
                weight.data = weight.data.contiguous(memory_format=self.torch.channels_last)
                changed += 1
        if changed:
            self.effect = f"{changed} convolutions"


class ModelChange(Change):
    """Changes the forward() of each module that the program calls by itself in its first step."""

    def apply(self, torch):
        super().apply(torch)
        self._depth = 0
        self._seen = weakref.WeakSet()
        self._plain = torch.nn.Module.__call__
        wrap(torch.nn.Module, "__call__", self._call)

    def _call(self, call, module, *args, **kwargs):
        if self._depth == 0 and module.training and any(p.requires_grad for p in module.parameters()):
            if module not in self._seen:
                self._seen.add(module)
                self.change(module)
        self._depth += 1
        try:
            return call(module, *args, **kwargs)
        finally:
            self._depth -= 1

    def optimizer_made(self, optimizer):
        if not getattr(type(optimizer).step, "tacho_first", False):
            wrap(type(optimizer), "step", self._after_first_step)
            type(optimizer).step.tacho = type(optimizer).step.tacho_first = True

    def _after_first_step(self, step, optimizer, *args, **kwargs):
        result = step(optimizer, *args, **kwargs)  # may call the model, in a closure
        self.torch.nn.Module.__call__ = self._plain  # calls cost nothing more from now on
        return result


class Bf16(ModelChange):
    name = "bf16"
    missing = "no float32 model without autocast"

    def change(self, module):
        torch = self.torch
        weight = next(p for p in module.parameters() if p.requires_grad)
        if weight.dtype != torch.float32 or torch.is_autocast_enabled() or is_compiled(module):
            return
        kind, forward = weight.device.type, module.forward

        @functools.wraps(forward)
        def in_bf16(*args, **kwargs):
            with torch.autocast(kind, torch.bfloat16):
                result = forward(*args, **kwargs)
            return result.float() if isinstance(result, torch.Tensor) else result
        module.forward = in_bf16
        self.effect = join(self.effect, type(module).__name__)
        self.keep = f"with torch.autocast('{kind}', torch.bfloat16):  # around the forward pass"


class Compile(ModelChange):
    mode = "default"
    missing = "needs PyTorch 2 and a model that is not compiled yet"
    keep = "model = torch.compile(model)"

    def change(self, module):
        if hasattr(self.torch, "compile") and not is_compiled(module):
            module.forward = self.torch.compile(module.forward, mode=self.mode)
            self.effect = join(self.effect, type(module).__name__)


class CompileReduceOverhead(Compile):
    mode = "reduce-overhead"
    keep = "model = torch.compile(model, mode='reduce-overhead')"


class CompileMaxAutotune(Compile):
    mode = "max-autotune"
    keep = "model = torch.compile(model, mode='max-autotune')"


class FusedOptimizer(Change):
    name = "fused-optimizer"
    missing = "no optimizer with a fused form on this device"

    def apply(self, torch):
        super().apply(torch)
        for kind in (torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD, torch.optim.Adagrad):
            if "fused" in inspect.signature(kind).parameters:
                wrap(kind, "__init__", self._make)

    def _make(self, make, optimizer, *args, **kwargs):
        given = args[0] if args else kwargs.pop("params", None)
        if any(kwargs.get(name) for name in ("fused", "foreach", "capturable", "differentiable")):
            return make(optimizer, given, *args[1:], **kwargs)
        given = self._copied(given)  # a generator can be read only once
        try:
            # Another copy, because a failed attempt changes the groups.
            made = make(optimizer, self._copied(given), *args[1:], **{**kwargs, "fused": True})
        except RuntimeError:  # not on this device
            vars(optimizer).pop("_step_supports_amp_scaling", None)
            return make(optimizer, given, *args[1:], **kwargs)
        self.effect = join(self.effect, type(optimizer).__name__)
        self.keep = self.keep or diff_of_call(type(optimizer).__name__, {"fused": True})
        return made

    def _copied(self, groups):
        if isinstance(groups, self.torch.Tensor) or not hasattr(groups, "__iter__"):
            return groups  # refused by the optimizer, or by PyTorch
        return [dict(one, params=self._copied(one["params"])) if isinstance(one, dict) else one for one in groups]


class SetToNone(Change):
    name = "set-to-none"
    missing = "already the default of this PyTorch"
    keep = "optimizer.zero_grad(set_to_none=True)"

    def apply(self, torch):
        for kind in (torch.optim.Optimizer, torch.nn.Module):
            if inspect.signature(kind.zero_grad).parameters["set_to_none"].default is False:
                wrap(kind, "zero_grad", self._zero)

    def _zero(self, zero, owner, set_to_none=True):
        self.effect = "gradients are freed instead of filled with zeros"
        return zero(owner, set_to_none=True)


class LoaderChange(Change):
    """Changes the arguments of each DataLoader."""

    def apply(self, torch):
        super().apply(torch)
        self._signature = inspect.signature(torch.utils.data.DataLoader.__init__)
        wrap(torch.utils.data.DataLoader, "__init__", self._make)

    def _make(self, make, loader, *args, **kwargs):
        given = self._signature.bind_partial(loader, *args, **kwargs).arguments
        given.pop("self")
        more = self.arguments(given)
        if more:
            self.keep = self.keep or diff_of_call("DataLoader", more)
            self.made_with(more)
        return make(loader, **{**given, **more})

    def made_with(self, more):
        self.effect = join(self.effect, ", ".join(f"{name}={value}" for name, value in more.items()))


class Workers(LoaderChange):
    name = "loader-workers"
    missing = "no DataLoader without workers"

    def arguments(self, given):
        from torch.utils.data import IterableDataset
        if given.get("num_workers", 0) or isinstance(given["dataset"], IterableDataset):
            return {}
        ranks = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
        workers = max(1, min(8, len(os.sched_getaffinity(0)) // ranks - 1))
        return {"num_workers": workers, "persistent_workers": True}


class Prefetch(LoaderChange):
    name = "loader-prefetch"
    missing = "no DataLoader with workers"

    def arguments(self, given):
        if not given.get("num_workers", 0):
            return {}
        more = {"prefetch_factor": 2 * (given.get("prefetch_factor") or 2)}
        if not given.get("persistent_workers", False):
            more["persistent_workers"] = True
        return more


class PinMemory(LoaderChange):
    name = "pinned-memory"
    missing = "no batch of a DataLoader is copied to a GPU, or already pinned"

    def apply(self, torch):
        super().apply(torch)
        wrap(torch.Tensor, "to", self._copy_to)
        wrap(torch.Tensor, "cuda", self._copy)

    def arguments(self, given):
        return {} if given.get("pin_memory", False) else {"pin_memory": True}

    def made_with(self, more):
        note = "tensor.to(device, non_blocking=True)"
        self.keep = self.keep if note in self.keep else f"{self.keep}\n{note}"

    def _copy_to(self, copy, tensor, *args, **kwargs):
        to = args[0] if args else kwargs.get("device")
        if isinstance(to, int) and not isinstance(to, bool) or (
                isinstance(to, (str, self.torch.device)) and self.torch.device(to).type == "cuda"):
            return self._copy(copy, tensor, *args, **kwargs)
        return copy(tensor, *args, **kwargs)

    def _copy(self, copy, tensor, *args, **kwargs):
        loads = self.torch.utils.data.get_worker_info() is not None  # where CUDA must not be used
        if not loads and len(args) < 2 and tensor.device.type == "cpu" and tensor.is_pinned():
            kwargs.setdefault("non_blocking", True)
            self.effect = "pin_memory=True, non_blocking=True" if self.keep else ""
        return copy(tensor, *args, **kwargs)


def convolutions(optimizer):
    """The weights of two-dimensional convolutions, and not those of one pixel and one channel."""
    return [p for group in optimizer.param_groups for p in group["params"]
            if p.dim() == 4 and p.shape[1:] != (1, 1, 1)]


def is_compiled(module):
    return type(module).__name__ == "OptimizedModule" or getattr(module, "_compiled_call_impl", None)


def join(before, after):
    return before if after in before.split(", ") else f"{before}, {after}" if before else after


def diff_of_call(function, arguments):
    """The lines of the program's call of this function, with these arguments added, as a diff."""
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(LIBRARIES):
        frame = frame.f_back
    if frame is None:
        return ""
    file, number = frame.f_code.co_filename, frame.f_lineno
    try:
        with open(file, encoding="utf-8") as source:
            lines = source.read().splitlines(keepends=True)
        changed = with_arguments(lines, call_at(lines, function, number), arguments)
        ast.parse("".join(changed))
    except Exception:  # of a program in any form; then only its line is named
        words = ", ".join(f"{name}={value}" for name, value in arguments.items())
        return f"{os.path.basename(file)}:{number}: {words}"
    name = os.path.relpath(file)
    return "".join(difflib.unified_diff(lines, changed, name, name, n=0)).rstrip("\n")


def call_at(lines, function, number):
    """The only call of the function in this line, in a form to which arguments can be added."""
    call, = (node for node in ast.walk(ast.parse("".join(lines))) if isinstance(node, ast.Call)
             and node.lineno <= number <= node.end_lineno
             and ast.unparse(node.func).split(".")[-1] == function)
    hidden = any(isinstance(one, (ast.Starred, ast.GeneratorExp)) for one in call.args)
    if hidden or len(call.args) > 3 or any(keyword.arg is None for keyword in call.keywords):
        raise ValueError("its arguments are not all to be seen")
    return call


def with_arguments(lines, call, arguments):
    """Edits from the end, so that earlier positions stay right. Columns of ast count bytes."""
    raw = [text.encode() for text in lines]
    edits = []
    for keyword in call.keywords:
        if keyword.arg in arguments:
            value = keyword.value
            if value.lineno == value.end_lineno:
                edits.append((value.lineno, value.col_offset, value.end_col_offset,
                              str(arguments[keyword.arg])))
    given = {keyword.arg for keyword in call.keywords}
    added = ", ".join(f"{name}={value}" for name, value in arguments.items() if name not in given)
    if added:
        last = max((*call.args, *(keyword.value for keyword in call.keywords)), default=None,
                   key=lambda node: (node.end_lineno, node.end_col_offset))
        if last is not None:
            edits.append((last.end_lineno, last.end_col_offset, last.end_col_offset, ", " + added))
    for number, begin, end, words in sorted(edits, reverse=True):
        text = raw[number - 1]
        raw[number - 1] = text[:begin] + words.encode() + text[end:]
    return [text.decode() for text in raw]


CHANGES = {
    "tf32": Tf32,
    "cudnn-benchmark": CudnnBenchmark,
    "channels-last": ChannelsLast,
    "bf16": Bf16,
    "compile": Compile,
    "compile-reduce-overhead": CompileReduceOverhead,
    "compile-max-autotune": CompileMaxAutotune,
    "fused-optimizer": FusedOptimizer,
    "set-to-none": SetToNone,
    "loader-workers": Workers,
    "loader-prefetch": Prefetch,
    "pinned-memory": PinMemory,
}
for _name, _kind in CHANGES.items():
    _kind.name = _name
