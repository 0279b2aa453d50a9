// Runs the benchmark arms of workspaces: node test/bench/workspace/main.js
import { measureCommand, measureSessions } from './measure.js'

const { command, cold } = await measureCommand()
console.log(
  `skill_run of true: ${command.toFixed(1)} ms; cold sandboxed run: ${cold.toFixed(1)} ms; ratio ${(command / cold).toFixed(2)} (at most 1.5)`,
)
const { hostMiB, grownMiB, sandboxesMiB, endedMs, recordedMs } = await measureSessions()
console.log(
  `200 interactive commands: ${hostMiB.toFixed(0)} MiB on the host (at most 300), ${grownMiB.toFixed(0)} of them new; ${sandboxesMiB.toFixed(0)} MiB in their sandboxes; ended in ${endedMs.toFixed(0)} ms (at most 1000), recorded after ${recordedMs.toFixed(0)} ms`,
)
process.exit(command / cold <= 1.5 && hostMiB <= 300 && endedMs <= 1000 ? 0 : 1)
