import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { AGENT, FULL } from './families.js'
import { SKILL, TASKS } from './tasks.js'

const DIST = process.env.BENCH_DIST ?? fileURLToPath(new URL('../../../dist', import.meta.url))
const load = async (path) => await import(pathToFileURL(join(DIST, path)))

/**
 * Tokens of these tasks by the profile `full` at commit 0024aa2d, before the families of tools became one: `npm run
 * bench:transcripts` with BENCH_DIST on a build of it.
 */
const BEFORE = { name: 'full, before', definitions: 110_960, answers: 44_477 }
const MOST_OF_BEFORE = 2 / 3

/**
 * Counts the tokens of 40 tasks with a scripted model, by two families of tools, and checks that each task ends in the
 * same files. Every task is a conversation: its definitions count once, and all answers.
 */
export async function printTranscripts() {
  const { createRuntime, loadConfig } = await load('index.js')
  const { createAgentSession, localHost } = await load('agent/index.js')
  const count = await (await load('core/tokens/count-tokens.js')).openTokenizer('o200k')
  const work = mkdtempSync(join(tmpdir(), 'skills-bench-transcripts-'))
  try {
    writeSkill(join(work, 'skills/report'))
    const context = { cwd: work, env: { HOME: work, PATH: process.env.PATH } }
    const flags = { roots: [join(work, 'skills')] }
    const { config } = await loadConfig({ ...context, flags, noFiles: true })
    const runtime = createRuntime({ config })
    const host = localHost(runtime, { call: context })
    const open = (id, tools) => createAgentSession({ host, id, tools })
    const read = async (session, ref) =>
      (await runtime.workspaceRead({ session, ref }, context)).content
    const full = await measure(FULL, { name: 'full, today', open, read, count })
    const isOther = process.env.BENCH_DIST !== undefined
    const agent = isOther ? undefined : await measure(AGENT, { name: 'agent', open, read, count })
    return printRows([BEFORE, full, agent].filter((row) => row !== undefined))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function measure(family, { name, open, read, count }) {
  const sum = { name, definitions: 0, answers: 0, byTool: new Map() }
  for (const [at, task] of TASKS.entries()) {
    const id = `${name}-${at}`
    const session = open(id, family.tools)
    sum.definitions += count(JSON.stringify((await session.tools()).map(toDefinition)))
    const call = async (tool, args) => {
      const { text, value } = await session.call({ id: tool, name: tool, arguments: args })
      sum.answers += count(text)
      sum.byTool.set(tool, (sum.byTool.get(tool) ?? 0) + count(text))
      return value
    }
    await call('skill_load', { skill: 'demo.report' })
    await task.play(family.create(call))
    for (const [ref, expected] of Object.entries(task.files)) {
      const content = await read(id, ref)
      if (content === expected) continue
      throw new Error(`${task.kind}, ${name}: ${ref} has ${JSON.stringify(content)}`)
    }
    await session.end()
  }
  return sum
}

/** What a model gets of a tool. */
function toDefinition({ name, description, parameters }) {
  return { name, description, parameters }
}

function printRows(rows) {
  const of = ({ definitions, answers }) => definitions + answers
  console.log(`\nTokens of ${TASKS.length} tasks of an agent, with the same files at the end`)
  for (const row of rows) {
    const numbers = [row.definitions, row.answers, of(row)].map((each) => String(each).padStart(8))
    const share = `${((of(row) / of(BEFORE)) * 100).toFixed(1)} %`
    console.log(`${row.name.padEnd(14)} definitions, answers, sum: ${numbers.join('')}  ${share}`)
    const tools = [...(row.byTool ?? [])].sort(([, a], [, b]) => b - a)
    if (tools.length > 0) console.log(`  ${tools.map((each) => each.join(' ')).join(', ')}`)
  }
  const agent = rows.find(({ name }) => name === 'agent')
  if (agent === undefined) return []
  const median = of(agent) / of(BEFORE)
  console.log(
    `at most ${MOST_OF_BEFORE.toFixed(3)}: ${median <= MOST_OF_BEFORE ? 'holds' : 'DOES NOT HOLD'}`,
  )
  return [{ arm: 'tokens of 40 tasks, of those before', median, limit: MOST_OF_BEFORE }]
}

function writeSkill(folder) {
  for (const [path, content] of Object.entries(SKILL)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}
