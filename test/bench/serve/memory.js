// Measures the memory of a server over 100,000 calls of every kind that needs no sandbox: after a
// forced collection at the end of each quarter, compared with the first quarter.
import { join } from 'node:path'
import { generateSkills } from '../generate-skills.js'
import { createTemporaryFolder } from '../temporary-folder.js'
import { load, encodeRequest } from './load.js'
import { startServe } from './start.js'

const CALLS = 100_000
const LIMIT = 1.15
const CONNECTIONS = 16
/** Reports the memory of the process that loads it. */
const HOOK = `process.on('message', () => {
  for (let at = 0; at < 3; at++) globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send({ heap: heapUsed + external, rss })
})
process.channel.unref()`

const CALLS_OF = [
  ['list_skills', {}],
  ['list_skills', { namespace: 'group3', detail: 'summary', limit: 20 }],
  ['describe_skill', { name: 'group0.skill0' }],
  ['read_skill_file', { name: 'group1.skill1', path: 'SKILL.md' }],
  ['execute_skill', { name: 'group1.skill1' }],
  ['run_code', { language: 'python', code: 'x', mount_skills: ['no.such'] }],
  ['read_blob', { blob_id: 'blob:00000000000000000000000000000000' }],
  ['load_skills_protocol_guide', {}],
  ['no_such_method', {}],
]

export async function measureMemory() {
  const dir = createTemporaryFolder('memory')
  generateSkills(join(dir, 'skills'), 1000)
  const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`
  const server = await startServe(dir, { node: ['--expose-gc', '--import', hook] })
  const { port } = server
  let sent = 0
  const next = () => {
    const [method, params] = CALLS_OF[sent % CALLS_OF.length]
    // Ids, names and cursors that never repeat: the server must not retain anything for them.
    const id = `call-${(sent += 1)}`
    const named = sent % 7 === 0 ? { ...params, namespace: id } : params
    return encodeRequest(port, JSON.stringify({ jsonrpc: '2.0', id, method, params: named }))
  }
  const run = (calls) => {
    const isDone = (answered) => answered + CONNECTIONS > calls
    return load({ port, next, connections: CONNECTIONS, isDone })
  }
  // Compiled code and caches of the start stay.
  await run(5000)
  const quarters = []
  for (let quarter = 0; quarter < 4; quarter++) {
    await run(CALLS / 4)
    quarters.push(await ask(server.child))
  }
  await server.stop()
  const ratio = (kind) => Math.round((quarters[3][kind] / quarters[0][kind]) * 1000) / 1000
  const mib = (bytes) => Math.round(bytes / 1024 ** 2)
  return {
    arm: 'memory, 100,000 calls',
    unit: 'x the first quarter',
    max: Math.max(ratio('heap'), ratio('rss')),
    limit: LIMIT,
    heapMiB: quarters.map(({ heap }) => mib(heap)),
    rssMiB: quarters.map(({ rss }) => mib(rss)),
  }
}

function ask(child) {
  return new Promise((resolve) => {
    child.once('message', resolve)
    child.send('memory')
  })
}
