"""`tacho infer` with a language model: POST /v1/completions."""

import http.client
import json
import signal
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from http_case import printed
from tacho_case import PATIENCE_SECONDS, wait_until
from test_infer import InferCase

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
WORDS = ("--layers", 2, "--width", 32, "--heads", 4, "--length", 32, "--batch", 8, "--threads", 1,
         "--seed", 1, "--lr", "1e-2", "--no-dropout")


def train(case, model, *more):
    text = case.new_folder() / "text.txt"
    text.write_text(ALPHABET * 200)
    return case.tacho("train", model, "--data", "text", "--data-dir", text, "--tokens", "characters",
                      "--epochs", 2, *WORDS, *more, "--json").json["key"]


class Completions(InferCase):
    """A text that the model has learned by heart; high temperatures make it vary."""
    options = ("--threads", 1, "--max-inputs", 8, "--max-tokens", 100_000)

    def prepare(self):
        type(self).run_key = train(self, "gpt2")

    def complete(self, prompt, expect=200, **fields):
        status, _, body = self.ask("/v1/completions", "POST", {"prompt": prompt, **fields})
        self.assertEqual(status, expect, body)
        return body

    def text(self, prompt, **fields):
        return self.complete(prompt, **fields)["choices"][0]["text"]

    def generated(self, prompt, *options):
        return self.tacho("generate", self.run_key, prompt, *options, "--json").json["text"]

    def stream(self, prompt, **fields):
        """Returns the chunks."""
        _, headers, body = self.ask("/v1/completions", "POST",
                                    {"prompt": prompt, "stream": True, **fields})
        self.assertEqual(headers["Content-Type"], "text/event-stream")
        events = body.decode().split("\n\n")
        self.assertEqual(events[-2:], ["data: [DONE]", ""])
        return [json.loads(event.removeprefix("data: ")) for event in events[:-2]
                if not event.startswith(":")]

    def test_texts_are_those_of_tacho_generate(self):
        answer = self.complete("abc", max_tokens=60, temperature=0)
        self.assertEqual(answer["choices"], [{"text": (ALPHABET * 3)[3:63], "index": 0,
                                              "logprobs": None, "finish_reason": "length"}])
        self.assertEqual(answer["usage"],
                         {"prompt_tokens": 3, "completion_tokens": 60, "total_tokens": 63})
        self.assertEqual(self.text("xyz", max_tokens=50, temperature=0),
                         self.generated("xyz", "--temperature", 0, "--max-tokens", 50))
        self.assertEqual(
            self.text("m", max_tokens=80, temperature=5, top_k=9, top_p=0.9, seed=3),
            self.generated("m", "--max-tokens", 80, "--temperature", 5, "--top-k", 9, "--top-p", 0.9,
                           "--seed", 3))

    def test_prompts_may_be_longer_than_the_model_reads(self):
        prompt = (ALPHABET * 10)[:205]
        self.assertEqual(self.text(prompt, max_tokens=8, temperature=0), "xyzabcde")
        self.assertEqual(self.complete(prompt)["usage"]["prompt_tokens"], 205)

    def test_a_stream_is_the_same_text_in_pieces(self):
        fields = {"max_tokens": 70, "temperature": 5, "seed": 4}
        chunks = self.stream("ab", **fields, stream_options={"include_usage": True})
        texts = [choice["text"] for chunk in chunks for choice in chunk["choices"]]
        self.assertEqual("".join(texts), self.text("ab", **fields))
        self.assertGreater(len(texts), 1)
        self.assertEqual(chunks[-1]["usage"]["completion_tokens"], 70)
        self.assertEqual(chunks[-2]["choices"][0]["finish_reason"], "length")
        self.assertEqual(len({chunk["id"] for chunk in chunks}), 1)

    def test_concurrent_requests_are_answered_as_if_alone(self):
        requests = [{"prompt": (ALPHABET * 3)[i:2 * i + 1], "max_tokens": 40 + 5 * i, "seed": i,
                     "temperature": (0, 1, 5)[i % 3], "top_p": (1, 0.9)[i % 2]} for i in range(24)]
        alone = [self.text(**request) for request in requests]
        steps = self.metric("steps_total")
        with ThreadPoolExecutor(8) as pool:
            together = list(pool.map(lambda request: self.text(**request), requests))
        self.assertEqual(together, alone)
        self.assertLess(self.metric("steps_total") - steps, sum(r["max_tokens"] for r in requests))
        several = self.complete([r["prompt"] for r in requests[:8]], max_tokens=30, temperature=5,
                                seed=7)
        self.assertEqual([choice["text"] for choice in several["choices"]],
                         [self.text(r["prompt"], max_tokens=30, temperature=5, seed=7)
                          for r in requests[:8]])

    def test_seeds_and_stop_strings(self):
        drawn = [self.text("a", max_tokens=30, temperature=5, seed=seed) for seed in (1, 1, 2)]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])
        unseeded = {self.text("a", max_tokens=30, temperature=5) for _ in range(3)}
        self.assertEqual(len(unseeded), 3)
        both = self.complete("a", max_tokens=30, temperature=5, seed=1, n=2)["choices"]
        self.assertEqual([choice["text"] for choice in both], [drawn[0], drawn[2]])
        stopped = self.complete("a", max_tokens=50, temperature=0, stop=["xyz", "klm"], echo=True)
        self.assertEqual(stopped["choices"][0]["text"], "abcdefghij")
        self.assertEqual(stopped["choices"][0]["finish_reason"], "stop")

    def test_invalid_requests_say_why(self):
        for fields, status, why in (
                ({"prompt": "A"}, 422, "the character 'A' does not occur in the training text"),
                ({"prompt": [1]}, 400, "'prompt' must be a string or a list of strings"),
                ({"prompt": ["a"] * 9}, 400, "1 to 8 texts"),
                ({"prompt": "a", "max_tokens": 0}, 400, "'max_tokens' must be between 1 and 100000"),
                ({"prompt": "a", "temperature": "hot"}, 422, "'temperature': not a number"),
                ({"prompt": "a", "logprobs": 1}, 400, "'logprobs' is not supported"),
                ({"prompt": "a", "model": "gpt-4"}, 404, "this server has no model 'gpt-4'"),
                ({}, 422, "'prompt': missing")):
            answered, _, body = self.ask("/v1/completions", "POST", fields)
            self.assertEqual(answered, status, body)
            self.assertIn(why, body["detail"])
            self.assertEqual(body["error"]["message"], body["detail"])
        self.assertEqual(self.ask("/v1/completions", "POST", b"{")[0], 400)
        self.assertEqual(self.ask("/predict", "POST", {"text": ["a"]})[0], 404)
        self.assertEqual(self.ask("/v1/completions", "POST", {"prompt": "a"},
                                  {"Origin": "http://evil.example"})[0], 403)

    def test_a_client_that_disconnects_ends_its_text(self):
        for stream in (False, True):
            before = self.metric("disconnected_total")
            generated = self.metric("generated_tokens_total")
            body = json.dumps({"prompt": "a", "max_tokens": 100_000, "stream": stream})
            client = self.raw((f"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\n"
                               f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                               f"{body}").encode())
            wait_until(lambda: self.metric("generated_tokens_total") > generated, "tokens")
            client.close()
            wait_until(lambda: self.metric("disconnected_total") == before + 1, "end of the text")
            self.assertEqual(self.metric("active_sequences"), 0)
            self.assertLess(self.metric("generated_tokens_total") - generated, 100_000)

    def test_the_server_describes_the_model(self):
        model = self.ask("/model")[2]
        self.assertEqual((model["name"], model["run"], model["input"]),
                         ("gpt2", self.run_key, "documents"))
        self.assertEqual(model["input_shape"], {"vocabulary": 26, "length": 32})
        self.assertEqual(self.ask("/v1/models")[2]["data"][0]["id"], model["model"])
        self.assertEqual(self.complete("a", model=model["model"])["model"], model["model"])
        self.assertIn("/v1/completions", self.ask("/openapi.json")[2]["paths"])
        self.assertIn(b"POST<td>/v1/completions", self.ask("/docs")[2])

    def test_sigterm_finishes_what_was_accepted(self):
        going = self.start("infer", self.run_key, "--port", 0, "--threads", 1)
        port = int(wait_until(lambda: printed(going).partition("127.0.0.1:")[2].partition("/")[0],
                              "address"))
        answers = {}

        def ask(stream):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
            connection.request("POST", "/v1/completions",
                               json.dumps({"prompt": "a", "max_tokens": 1000, "temperature": 0,
                                           "stream": stream}), {"Content-Type": "application/json"})
            response = connection.getresponse()
            answers[stream] = response.status, response.read().decode()
            connection.close()

        def active():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
            connection.request("GET", "/metrics")
            text = connection.getresponse().read()
            connection.close()
            return b"\ntacho_infer_active_sequences 2\n" in text

        threads = [threading.Thread(target=ask, args=(stream,)) for stream in (False, True)]
        for thread in threads:
            thread.start()
        wait_until(active, "two active texts")
        going.signal(signal.SIGTERM)
        for thread in threads:
            thread.join()
        self.assertEqual(going.ended().code, 0)
        expected = (ALPHABET * 40)[1:1001]
        self.assertEqual(json.loads(answers[False][1])["choices"][0]["text"], expected)
        chunks = [json.loads(event.removeprefix("data: "))
                  for event in answers[True][1].split("\n\n") if event.startswith("data: {")]
        self.assertEqual("".join(chunk["choices"][0]["text"] for chunk in chunks), expected)

    def test_llama_is_served_too(self):
        run = train(self, "llama-125m", "--kv-heads", 2)
        going = self.start("infer", run, "--port", 0, "--instances", 2, "--threads", 1)
        port = int(wait_until(lambda: printed(going).partition("127.0.0.1:")[2].partition("/")[0],
                              "address"))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        connection.request("POST", "/v1/completions",
                           json.dumps({"prompt": ["mno", "a", "z"], "max_tokens": 40,
                                       "temperature": 0}), {"Content-Type": "application/json"})
        choices = json.loads(connection.getresponse().read())["choices"]
        connection.close()
        self.assertEqual([choice["text"] for choice in choices],
                         [(ALPHABET * 3)[15:55], (ALPHABET * 3)[1:41], (ALPHABET * 3)[:40]])
        going.signal(signal.SIGTERM)
        self.assertEqual(going.ended().code, 0)

    def test_options_of_classifiers_are_refused(self):
        for words, why in ((("--compat", "fastapi"), "--compat is not for language models"),
                           (("--cache", "redis://127.0.0.1:1"), "--cache with Redis"),
                           (("--max-tokens", 0), "--max-tokens")):
            said = self.tacho("infer", self.run_key, "--port", 0, *words, expect=2)
            self.assertIn(why, said.err)


if __name__ == "__main__":
    unittest.main()
