"""What the ranks of a run do on a network of a known rate.

All of it: script/test-network. ctest runs what is quick.
"""

import os
import statistics
import sys
import time
import unittest

from job import Job, steady
from network import Network, NoNetwork
from tacho_case import wait_until

# 1.2 M parameters, 4.8 MB of gradients, and a step of 20 ms without them.
SMALL = ["mnist-cnn", "--data", "synthetic", "--batch", 1]
# 11.7 M parameters, 47 MB.
LARGE = ["resnet18", "--data", "synthetic", "--input", "3x32x32", "--batch", 1]


def of_all(records, rank, figure):
    return [value for record in records for value in steady(record, rank, figure)]


def say(text):
    print(f"  {text}", file=sys.stderr)


class NetworkCase(unittest.TestCase):
    def network(self, machines, mbit):
        try:
            network = Network(machines, mbit)
        except NoNetwork as error:
            reason = f"SKIPPED: this machine lets us make no network namespaces: {error}"
            print(reason, file=sys.stderr)
            self.skipTest(reason)
        self.addCleanup(network.close)
        return network

    def trained(self, network, *args):
        """The record of a run, and what left each machine meanwhile."""
        with Job(network, *args) as job:
            record = job.record()
            return record, job.sent()

    def bytes_a_step(self, network, *args):
        """What left each machine in a step, by the counters of its line, and the record. The
        difference of two runs: both share out the same weights first."""
        few, many = 6, 18
        _, before = self.trained(network, *args, "--steps", few)
        record, after = self.trained(network, *args, "--steps", many)
        return [(b - a) / (many - few) for a, b in zip(before, after)], record


class Bandwidth(NetworkCase):
    """A ring over N machines sends 2 (N-1)/N of the gradients from each; how fast?"""

    # A machine that stands still for longer than the 5 ms a line's bucket holds (a virtual one
    # whose host is busy) loses what the line would have carried. That only ever slows, so one
    # round of several in which the line was filled shows that ranks can; none does if they cannot.
    ROUNDS = 5

    def fills_its_line(self, machines, mbit, *args, part=1.0, least=0.85):
        """part: of the gradients' bytes, that are sent where compression halves them."""
        network = self.network(machines, mbit)
        said = []
        for _ in range(self.ROUNDS):
            line = network.plain_stream()
            record, _ = self.trained(network, *args)
            payload = steady(record, 0, "payload_bytes")[0]
            for rank in range(machines):
                for sent in steady(record, rank, "wire_bytes"):
                    self.assertAlmostEqual(sent, part * 2 * (machines - 1) / machines * payload,
                                           delta=64)
            slowest = min(sum(steady(record, rank, "wire_bytes")) /
                          sum(steady(record, rank, "comm_seconds")) for rank in range(machines))
            used = record["totals"]["system_seconds"] / record["totals"]["wall_seconds"]
            said.append(f"{machines} machines at {mbit} Mbit/s, {payload / 1e6:.1f} MB of "
                        f"gradients: plain TCP {8e-6 * line:.1f} Mbit/s, all-reduce "
                        f"{8e-6 * slowest:.1f}, {100 * slowest / line:.1f} %; rank 0 spends "
                        f"{100 * used:.0f} % of its time in the system")
            say(said[-1])
            # Nobody spins while the line is busy.
            if mbit == 100:
                self.assertLess(used, 0.15)
            if line >= 0.9 * mbit * 125_000 and slowest >= least * line:
                return
        self.fail("in no round was the line filled:\n" + "\n".join(said))

    def test_two_machines_fill_lines_of_100_mbit(self):
        self.fills_its_line(2, 100, *SMALL, "--steps", 25)

    def test_three_machines_fill_lines_of_100_mbit(self):
        self.fills_its_line(3, 100, *SMALL, "--steps", 25)

    def test_rounded_gradients_use_both_directions_of_a_line(self):
        """What rounding itself takes is counted, too."""
        self.fills_its_line(2, 100, *SMALL, "--steps", 25, "--compress", "bf16", part=0.5,
                            least=0.75)

    def test_two_machines_fill_lines_of_1_gbit(self):
        self.fills_its_line(2, 1000, *LARGE, "--steps", 25)

    def test_three_machines_fill_lines_of_1_gbit(self):
        self.fills_its_line(3, 1000, *LARGE, "--steps", 25)


class Overlap(NetworkCase):
    """Gradients travel while the backward pass makes the next."""

    # 3.5 M parameters in 158 tensors, 14 MB: on its way about twice as long as the backward pass.
    DEEP = ["mobilenet_v2", "--data", "synthetic", "--input", "3x64x64", "--batch", 64,
            "--bucket-mb", 1, "--steps", 10]

    def test_most_of_what_the_backward_pass_can_hide_is_hidden(self):
        network = self.network(2, 100)
        together, apart = [], []
        for _ in range(2):  # in alternation, for a machine that is not always as fast
            together.append(self.trained(network, *self.DEEP)[0])
            apart.append(self.trained(network, *self.DEEP, "--no-overlap")[0])
        for rank in range(2):
            backward, comm, exposed, seconds = (
                of_all(together, rank, figure) for figure in
                ("backward_seconds", "comm_seconds", "exposed_seconds", "seconds"))
            slower = statistics.median(of_all(apart, rank, "seconds"))
            hidden = statistics.mean(comm) - statistics.mean(exposed)
            share = hidden / statistics.mean(map(min, comm, backward))
            gained = slower - statistics.median(seconds)
            say(f"rank {rank}: of {statistics.mean(comm):.2f} s of communication and "
                f"{statistics.mean(backward):.2f} s of backward pass a step, {hidden:.2f} s were "
                f"at the same time, {100 * share:.0f} % of what could be; a step of {slower:.2f} s "
                f"became {gained:.2f} s shorter")
            self.assertGreaterEqual(share, 0.6)
            # What the record calls hidden is what the step became shorter by.
            self.assertAlmostEqual(gained, hidden, delta=0.1 * slower)


class Compression(NetworkCase):
    """What is saved by the record is saved on the line."""

    def test_the_promised_bytes_are_sent(self):
        network = self.network(2, 100)
        shares = {"none": 1.0, "bf16": 0.5, "fp16": 0.5, "topk": 0.02}
        for compress, promised in shares.items():
            with self.subTest(compress):
                counted, record = self.bytes_a_step(network, *SMALL, "--compress", compress)
                payload = steady(record, 0, "payload_bytes")[0]
                told = [steady(record, rank, "wire_bytes")[0] for rank in range(2)]
                say(f"{compress}: {payload} bytes of gradients; sent by the record "
                    f"{[f'{100 * sent / payload:.2f} %' for sent in told]}, by the line's counters "
                    f"{[f'{100 * sent / payload:.2f} %' for sent in counted]}")
                for by_record, by_line in zip(told, counted):
                    self.assertAlmostEqual(by_record / payload, promised, delta=0.01 * promised)
                    self.assertAlmostEqual(by_line / by_record, 1, delta=0.05)


class Hierarchy(NetworkCase):
    def test_a_line_carries_what_one_rank_of_a_machine_would_send(self):
        network = self.network(3, 100)
        counted, record = self.bytes_a_step(network, *SMALL, "--nproc", 2)
        self.assertEqual(record["ranks"]["backend"], "shm+gloo")
        self.assertEqual(len(record["rank_steps"]), 6)
        payload = steady(record, 0, "payload_bytes")[0]
        ring = 4 / 3 * payload
        say(f"3 machines of 2 ranks: by the lines' counters "
            f"{[f'{100 * sent / ring:.1f} %' for sent in counted]} of what one rank would send")
        for sent in counted:
            self.assertAlmostEqual(sent / ring, 1, delta=0.05)


class Partition(NetworkCase):
    TIMEOUT = 3

    def ends_together(self, machines):
        """Unplugs the last machine while all train."""
        network = self.network(machines, 100)
        lost = machines - 1
        shm = set(os.listdir("/dev/shm"))
        with Job(network, *SMALL, "--steps", 100_000, "--timeout", self.TIMEOUT) as job:
            wait_until(lambda: any(e["kind"] == "steps" for e in job.events()), "steps")
            network.machines[lost].unplug()
            unplugged = time.monotonic()
            ended = job.ended()
            for machine, end in enumerate(ended):
                took = end.at - unplugged
                say(f"machine {machine} ended after {took:.1f} s: {end.err.strip()}")
                self.assertNotEqual(end.code, 0)
                self.assertLessEqual(took, self.TIMEOUT + 2)
                # Whoever was unplugged sees rank 0 go.
                other = 0 if machine == lost else lost
                self.assertIn(f"no word from rank {other}", end.err)
            self.assertEqual(job.processes(), [])
            self.assertEqual(set(os.listdir("/dev/shm")) - shm, set())

    def test_two_machines_end_within_the_timeout(self):
        self.ends_together(2)

    def test_three_machines_end_within_the_timeout(self):
        self.ends_together(3)


if __name__ == "__main__":
    unittest.main()
