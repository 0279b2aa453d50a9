// The library as a program uses it, with generated skills.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const DIST = process.env.BENCH_DIST ?? fileURLToPath(new URL('../../../dist', import.meta.url))
const load = async (path) => await import(pathToFileURL(join(DIST, path)))

export const agent = await load('agent/index.js')
export const { anthropicSkills } = await load('agent/adapters/anthropic.js')
const { createRuntime, loadConfig } = await load('index.js')

/** Counts tokens as `skills tokens` does. */
export async function openTokenizer() {
  return await (await load('core/tokens/count-tokens.js')).openTokenizer('o200k')
}

export const work = mkdtempSync(join(tmpdir(), 'skills-bench-prompt-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

/** Opens the skills of a folder, and a host for sessions over them. */
export async function openSkills(root) {
  const env = { HOME: work, PATH: process.env.PATH }
  const { config } = await loadConfig({ cwd: work, env, flags: { roots: [root] }, noFiles: true })
  const runtime = createRuntime({ config, cacheDir: null })
  const host = agent.localHost(runtime)
  const skills = []
  for (const { name } of await host.skills()) {
    if (name === 'skills.protocol.guide') continue
    skills.push({ name, docs: await runtime.skillListDocs({ skill: name }) })
  }
  return { host, skills }
}
