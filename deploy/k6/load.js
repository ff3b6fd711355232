// The load test of 'tacho load' for k6: an open load of texts chosen by Zipf's law, errors and
// refused requests counted separately, the objective as a threshold.
//   k6 run -e URL=http://127.0.0.1:8500/predict -e TEXTS=reviews.txt -e RATE=200 deploy/k6/load.js
// Other variables: DURATION=30s, ZIPF=1 (0: uniform), TO=800 (ramp from RATE), CONNECTIONS=64,
// SLO_P99_MS=50, TIMEOUT=10s, TOKEN.
import http from "k6/http";
import { check } from "k6";
import { Counter, Rate } from "k6/metrics";
import { SharedArray } from "k6/data";

const url = __ENV.URL || "http://127.0.0.1:8500/predict";
const rate = Number(__ENV.RATE || 100);
const to = Number(__ENV.TO || rate);
const duration = __ENV.DURATION || "30s";
const connections = Number(__ENV.CONNECTIONS || 64);
const exponent = Number(__ENV.ZIPF || 1);
const limit = Number(__ENV.SLO_P99_MS || 50);

const bodies = new SharedArray("bodies", () => {
  const lines = __ENV.TEXTS ? open(__ENV.TEXTS).split("\n") : ["a fine film", "a waste of time"];
  const texts = lines.map((line) => line.trim()).filter((line) => line !== "");
  return texts.map((text) => JSON.stringify({ text: [text] }));
});

// Cumulative sums of the weights 1/k^exponent; the first line is the most frequent.
const upTo = new SharedArray("zipf", () => {
  let sum = 0;
  return bodies.map((_, at) => (sum += Math.pow(at + 1, -exponent)));
});

function chosen() {
  const wanted = Math.random() * upTo[upTo.length - 1];
  let low = 0;
  let high = upTo.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (upTo[middle] > wanted) high = middle;
    else low = middle + 1;
  }
  return bodies[low];
}

const refused = new Counter("refused");
const cached = new Rate("cached");

const scenario = { preAllocatedVUs: connections, maxVUs: connections, timeUnit: "1s" };
export const options = {
  discardResponseBodies: false,
  scenarios: {
    load: to === rate
      ? { executor: "constant-arrival-rate", rate, duration, ...scenario }
      : { executor: "ramping-arrival-rate", startRate: rate, stages: [{ target: to, duration }],
          ...scenario },
  },
  summaryTrendStats: ["med", "p(90)", "p(99)", "p(99.9)", "max"],
  thresholds: {
    http_req_duration: [`p(99)<${limit}`],
    http_req_failed: ["rate<0.01"],
    // Requests without a free connection are not sent.
    dropped_iterations: ["count<1"],
  },
};

const headers = { "Content-Type": "application/json" };
if (__ENV.TOKEN) headers.Authorization = `Bearer ${__ENV.TOKEN}`;

export default function () {
  const answer = http.post(url, chosen(), { headers, timeout: __ENV.TIMEOUT || "10s" });
  if (answer.status === 503) refused.add(1);
  const well = check(answer, { "answered well": (a) => a.status >= 200 && a.status < 400 });
  if (well) cached.add(String(answer.body).includes('"cached":true'));
}
