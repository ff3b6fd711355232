#pragma once

#include <string_view>

namespace tacho {

// CSS of the HTML report: follows the system's light or dark mode, one column on narrow screens.
inline constexpr std::string_view kHtmlStyle = R"css(
:root { --paper: #fbfbfa; --card: #ffffff; --ink: #1c2126; --soft: #5c6670; --rule: #dfe3e6;
  --line: #2b6cb0; --good: #21743f; --bad: #b3261e; --roof: #8a4b08; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171a; --card: #1d2125; --ink: #e7eaed; --soft: #a2acb5; --rule: #343a40;
    --line: #6db1f2; --good: #6fcf8d; --bad: #ff8a80; --roof: #f0b46c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 20px; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .2rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .6rem; }
p { margin: .2rem 0; }
.soft, figcaption span, .axis, .top, .note { color: var(--soft); }
.ok { color: var(--good); } .bad { color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px;
  margin: 1rem 0; }
.tile, .card, .chart { background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  padding: 10px 14px; margin: 0; }
.tile b { display: block; font-size: 1.25rem; }
svg { display: block; width: 100%; }
.bar { height: 34px; border-radius: 6px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 0; margin: .6rem 0 0;
  list-style: none; }
.legend i { display: inline-block; width: 12px; height: 12px; border-radius: 3px;
  margin-right: 6px; }
.part-input_wait { fill: #e07b39; background: #e07b39; }
.part-host_to_device { fill: #e8b43a; background: #e8b43a; }
.part-forward, .part-compute { fill: #4a90d0; background: #4a90d0; }
.part-backward { fill: #2a5f97; background: #2a5f97; }
.part-optimizer { fill: #55a7a0; background: #55a7a0; }
.part-comm_exposed { fill: #b5484d; background: #b5484d; }
.part-launch_gaps { fill: #d9628f; background: #d9628f; }
.part-sync_gaps { fill: #8e62b8; background: #8e62b8; }
.part-other { fill: #98a0a8; background: #98a0a8; }
.cards { display: grid; gap: 10px; }
.card h3 { margin: 0; font-size: 1rem; }
.card .saving { color: var(--good); font-weight: 600; }
.gauge { position: relative; height: 8px; border-radius: 4px; background: var(--rule);
  margin: 6px 0 8px; overflow: hidden; }
.gauge i, .gauge u { position: absolute; top: 0; bottom: 0; }
.gauge u { background: var(--good); opacity: .35; } .gauge i { background: var(--good); width: 3px; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr));
  gap: 10px; }
.wide { grid-column: 1 / -1; }
.plot { position: relative; border-left: 1px solid var(--rule);
  border-bottom: 1px solid var(--rule); margin-top: 6px; }
.lines { height: 130px; } .tall .lines { height: 280px; }
.top { font-size: 12px; display: block; line-height: 1.2; }
.axis { display: flex; justify-content: space-between; font-size: 12px; }
path { fill: none; vector-effect: non-scaling-stroke; }
.grid { stroke: var(--rule); stroke-width: 1; }
.line { stroke: var(--line); stroke-width: 1.6; stroke-linejoin: round; }
.roof { stroke: var(--roof); stroke-width: 2; }
.dot { stroke: var(--line); stroke-width: 10; stroke-linecap: round; }
.mark { position: absolute; font-size: 12px; transform: translate(8px, -50%); }
.names { columns: 220px; font-size: 13px; margin: .5rem 0 0; padding-left: 1.6rem; }
.scroll { overflow-x: auto; border: 1px solid var(--rule); border-radius: 8px;
  background: var(--card); }
.left:last-child { width: 100%; }
table { border-collapse: collapse; min-width: min(100%, 480px); font-size: 13px;
  font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 4px 10px; white-space: nowrap;
  border-bottom: 1px solid var(--rule); overflow-wrap: normal; }
tr:last-child td { border-bottom: 0; }
th { color: var(--soft); font-weight: 500; }
.left { text-align: left; }
td.left:last-child { max-width: 520px; overflow: hidden; text-overflow: ellipsis; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; }
footer { margin: 2rem 0 1rem; color: var(--soft); font-size: 13px; }
@media (max-width: 600px) { body { padding: 12px; font-size: 14px; }
  td.left:last-child { max-width: 220px; } dl { grid-template-columns: 1fr; }
  dd { margin-bottom: 6px; } }
)css";

}  // namespace tacho
