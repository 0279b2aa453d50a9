// A runtime in a folder of its own, from the build; with tsx from the sources.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const from =
  process.env.BENCH_SOURCE === undefined ? ['../../../dist', 'js'] : ['../../../src', 'ts']
const load = async (path) => await import(`${from[0]}/${path}.${from[1]}`)

export const { loadConfig } = await load('core/config/load-config')
export const { createRuntime } = await load('core/runtime')
export const { performRun } = await load('core/runs/perform-run')

export const work = mkdtempSync(join(tmpdir(), 'skills-bench-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
mkdirSync(join(work, 'skills/demo'), { recursive: true })
writeFileSync(
  join(work, 'skills/demo/SKILL.md'),
  '---\nname: demo\ndescription: Demonstrates.\n---\n# Demo\n',
)

export const call = { cwd: work, env: { PATH: process.env.PATH } }

export async function openRuntime(flags = {}) {
  const env = { ...call.env, HOME: work }
  const given = { 'directories.data': join(work, 'data'), roots: [join(work, 'skills')], ...flags }
  const { config } = await loadConfig({ cwd: work, env, noFiles: true, flags: given })
  return createRuntime({ config })
}

export const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
