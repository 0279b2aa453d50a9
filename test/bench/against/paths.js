// The hot paths on which builds are compared. `open` starts what an arm needs, with a folder that
// `fill` has written. A sample takes long enough for a clock of 10 ms, and is short enough that both
// builds meet the same load of the machine.
import { join } from 'node:path'
import { generateSkills } from '../generate-skills.js'
import { readEndedMs } from '../processes.js'
import { runSkills } from '../run-skills.js'
import { startServe } from '../serve/start.js'
import { NAME, writeProject } from '../testing/project.js'
import { measureMs } from '../turns.js'
import { callRpc } from '../warm/echo.js'
import { openRuns } from './runs.js'
import { measureSample } from './sample.js'

const project = (dir) => writeProject(dir, 8)
const skills = (count) => (dir) => generateSkills(join(dir, 'skills'), count)

export const PATHS = [
  { name: 'warm runs', open: openRuns({ warm: true, calls: 6, atOnce: 1 }) },
  { name: 'warm runs, eight at once', open: openRuns({ warm: true, calls: 16, atOnce: 8 }) },
  { name: 'cold runs', open: openRuns({ warm: false, calls: 2, atOnce: 1 }) },
  { name: 'skills exec', fill: project, open: openCommand(['exec', NAME, '--arg', 'n=1']) },
  { name: 'skills test, 8 cases', fill: project, open: openCommand(['test', '--filter', 'many']) },
  { name: 'skills lint, 100 skills', fill: skills(100), open: openCommand(['lint', '--json']) },
  { name: 'skills list, 1,000 skills', fill: skills(1000), open: openCommand(['list', '--json']) },
  { name: 'start of a server', fill: project, open: openServerStart },
]

function openCommand(argv) {
  return ({ root, dir }) => ({
    measure: async () =>
      await measureSample(
        async () => await runSkills(dir, { bin: findBin(root), argv }),
        readEndedMs,
      ),
  })
}

/** Wall time until the first response, CPU time until the exit of the server. */
function openServerStart({ root, dir }) {
  const call = { id: '1', method: 'list_skills', params: {} }
  const measure = async () => {
    const before = readEndedMs()
    let server
    const wall = await measureMs(async () => {
      server = await startServe(dir, { bin: findBin(root) })
      const { result, error } = await callRpc(server.port, call)
      if (result === undefined) throw new Error(`list_skills failed: ${error?.message}`)
    })
    await server.stop()
    return { wall, cpu: readEndedMs() - before }
  }
  return { measure }
}

const findBin = (root) => join(root, 'bin/skills.js')
