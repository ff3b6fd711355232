"""Ranks on a network with a known rate.

script/test-network runs all tests, ctest only the quick ones.
"""

import os
import statistics
import sys
import time
import unittest

from job import Job, steady
from network import Network, NoNetwork
from tacho_case import wait_until

# 1.2 M parameters, 4.8 MB of gradients, 20 ms per step without communication.
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
            reason = f"SKIPPED: cannot create network namespaces: {error}"
            print(reason, file=sys.stderr)
            self.skipTest(reason)
        self.addCleanup(network.close)
        return network

    def trained(self, network, *args):
        """Trains; returns the record and the bytes that each machine sent."""
        with Job(network, *args) as job:
            record = job.record()
            return record, job.sent()

    def bytes_per_step(self, network, *args):
        """Bytes that each machine sent per step by the counters of its link, and the record. Uses the
        difference of two runs, since both broadcast the same weights first."""
        few, many = 6, 18
        _, before = self.trained(network, *args, "--steps", few)
        record, after = self.trained(network, *args, "--steps", many)
        return [(b - a) / (many - few) for a, b in zip(before, after)], record


class Bandwidth(NetworkCase):
    """In a ring of N machines, each sends 2 (N-1)/N of the gradients at the rate of its link."""

    # A virtual machine that pauses for longer than the 5 ms of the link's token bucket loses
    # bandwidth. Pauses only slow down, so one round in which the link was filled shows that ranks
    # can fill it.
    ROUNDS = 5

    def fills_its_link(self, machines, mbit, *args, part=1.0, least=0.85):
        """part: share of the gradients' bytes that is sent, 0.5 with 16-bit compression."""
        network = self.network(machines, mbit)
        results = []
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
            results.append(f"{machines} machines at {mbit} Mbit/s, {payload / 1e6:.1f} MB of "
                           f"gradients: plain TCP {8e-6 * line:.1f} Mbit/s, all-reduce "
                           f"{8e-6 * slowest:.1f}, {100 * slowest / line:.1f} %; rank 0 spends "
                           f"{100 * used:.0f} % of its time in the system")
            say(results[-1])
            # Ranks do not spin while the link is busy.
            if mbit == 100:
                self.assertLess(used, 0.15)
            if line >= 0.9 * mbit * 125_000 and slowest >= least * line:
                return
        self.fail("the link was not filled in any round:\n" + "\n".join(results))

    def test_two_machines_fill_links_of_100_mbit(self):
        self.fills_its_link(2, 100, *SMALL, "--steps", 25)

    def test_three_machines_fill_links_of_100_mbit(self):
        self.fills_its_link(3, 100, *SMALL, "--steps", 25)

    def test_rounded_gradients_use_both_directions_of_a_link(self):
        """The time of rounding is included."""
        self.fills_its_link(2, 100, *SMALL, "--steps", 25, "--compress", "bf16", part=0.5,
                            least=0.75)

    def test_two_machines_fill_links_of_1_gbit(self):
        self.fills_its_link(2, 1000, *LARGE, "--steps", 25)

    def test_three_machines_fill_links_of_1_gbit(self):
        self.fills_its_link(3, 1000, *LARGE, "--steps", 25)


class Overlap(NetworkCase):
    """Communication overlaps with the backward pass."""

    # 3.5 M parameters in 158 tensors, 14 MB: sending takes about twice as long as the backward pass.
    DEEP = ["mobilenet_v2", "--data", "synthetic", "--input", "3x64x64", "--batch", 64,
            "--bucket-mb", 1, "--steps", 10]

    def test_most_of_the_possible_overlap_is_reached(self):
        network = self.network(2, 100)
        overlapped, separate = [], []
        for _ in range(2):  # in alternation, since the speed of the machine varies
            overlapped.append(self.trained(network, *self.DEEP)[0])
            separate.append(self.trained(network, *self.DEEP, "--no-overlap")[0])
        for rank in range(2):
            backward, comm, exposed, seconds = (
                of_all(overlapped, rank, figure) for figure in
                ("backward_seconds", "comm_seconds", "exposed_seconds", "seconds"))
            slower = statistics.median(of_all(separate, rank, "seconds"))
            hidden = statistics.mean(comm) - statistics.mean(exposed)
            share = hidden / statistics.mean(map(min, comm, backward))
            gained = slower - statistics.median(seconds)
            say(f"rank {rank}: of {statistics.mean(comm):.2f} s of communication and "
                f"{statistics.mean(backward):.2f} s of backward pass per step, {hidden:.2f} s overlapped, "
                f"{100 * share:.0f} % of the maximum; a step of {slower:.2f} s became "
                f"{gained:.2f} s shorter")
            self.assertGreaterEqual(share, 0.6)
            # The hidden time in the record equals the time saved per step.
            self.assertAlmostEqual(gained, hidden, delta=0.1 * slower)


class Compression(NetworkCase):
    """The bytes in the record are those on the link."""

    def test_compression_sends_the_expected_bytes(self):
        network = self.network(2, 100)
        shares = {"none": 1.0, "bf16": 0.5, "fp16": 0.5, "topk": 0.02}
        for compress, expected in shares.items():
            with self.subTest(compress):
                counted, record = self.bytes_per_step(network, *SMALL, "--compress", compress)
                payload = steady(record, 0, "payload_bytes")[0]
                recorded = [steady(record, rank, "wire_bytes")[0] for rank in range(2)]
                say(f"{compress}: {payload} bytes of gradients; sent by the record "
                    f"{[f'{100 * sent / payload:.2f} %' for sent in recorded]}, by the link's counters "
                    f"{[f'{100 * sent / payload:.2f} %' for sent in counted]}")
                for by_record, by_link in zip(recorded, counted):
                    self.assertAlmostEqual(by_record / payload, expected, delta=0.01 * expected)
                    self.assertAlmostEqual(by_link / by_record, 1, delta=0.05)


class Hierarchy(NetworkCase):
    def test_a_machine_with_two_ranks_sends_as_much_as_one_rank(self):
        network = self.network(3, 100)
        counted, record = self.bytes_per_step(network, *SMALL, "--nproc", 2)
        self.assertEqual(record["ranks"]["backend"], "shm+gloo")
        self.assertEqual(len(record["rank_steps"]), 6)
        payload = steady(record, 0, "payload_bytes")[0]
        ring = 4 / 3 * payload
        say(f"3 machines with 2 ranks: by the links' counters "
            f"{[f'{100 * sent / ring:.1f} %' for sent in counted]} of what one rank would send")
        for sent in counted:
            self.assertAlmostEqual(sent / ring, 1, delta=0.05)


class Partition(NetworkCase):
    TIMEOUT = 3

    def ends_together(self, machines):
        """Disconnects the last machine during training."""
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
                # The disconnected machine loses rank 0.
                other = 0 if machine == lost else lost
                self.assertIn(f"no message from rank {other}", end.err)
            self.assertEqual(job.processes(), [])
            self.assertEqual(set(os.listdir("/dev/shm")) - shm, set())

    def test_two_machines_end_within_the_timeout(self):
        self.ends_together(2)

    def test_three_machines_end_within_the_timeout(self):
        self.ends_together(3)


if __name__ == "__main__":
    unittest.main()
