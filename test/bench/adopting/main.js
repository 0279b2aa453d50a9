// How many scripts of public Agent Skills start in the sandbox at the first try? Plain skills are
// adopted in memory, and each script whose parser of arguments is known is started with --help.
// The table has one row for each reason. After `npm run build`:
//   node test/bench/adopting/main.js <folder with clones> [--seconds 240] [--install] [--list]
// --install locks and installs the packages of each skill first, as "skills deps" does. pip reads its
// own settings: PIP_INDEX_URL may name an index on this disk.
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { explainStart } from './explain-start.js'

const dist = async (path) => await import(new URL(`../../../dist/${path}`, import.meta.url).href)
const { planAdoption } = await dist('core/adopting/plan-adoption.js')
const { readEntryAt } = await dist('core/skills/repository/open-repository.js')
const { runCodeWithEntries } = await dist('core/methods/run-code/handler.js')
const { isScriptCandidate } = await dist('core/adopting/script-program.js')
const { listSourceFiles } = await dist('core/skills/manifest/read-source.js')
const { manageDependencies } = await dist('core/skills/dependencies/manage.js')
const { lockDependencies } = await dist('core/skills/dependencies/authoring/lock-dependencies.js')
const { loadConfig } = await dist('core/config/load-config.js')
const { createRuntime } = await dist('core/runtime.js')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '240' },
    install: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})
const [root = ''] = positionals.map((each) => resolve(each))
const endsAt = Date.now() + Number(values.seconds) * 1000
const WORKERS = 2
const TIMEOUT_MS = 30_000

/** The adapter of the skill starts the script, as it does for a command. */
const CODE = `import importlib

def main(args):
    adapter = importlib.import_module("skills." + args["module"])
    done = adapter.start(args["command"], args["words"])
    printed = (done.stdout + b"\\n" + done.stderr).decode("utf-8", "replace")
    return {"status": done.returncode, "printed": printed.strip()[-3000:]}
`

const home = mkdtempSync(join(tmpdir(), 'skills-adopting-'))
const env = { ...process.env, HOME: home, XDG_CACHE_HOME: undefined, XDG_DATA_HOME: undefined }
const { config } = await loadConfig({ cwd: home, env })
const runtime = createRuntime({ config })
const call = { cwd: home, env }
const pool = await runtime.keepWarm(call)

const rows = new Map()
const counts = { tried: 0, skills: 0, scripts: 0, started: 0 }
const seen = new Set()
const pending = listSkills(root)
const total = pending.length
process.once('SIGTERM', () => {
  printTable()
  process.exit(1)
})
await Promise.all(Array.from({ length: WORKERS }, work))
await pool.stop()
rmSync(home, { recursive: true, force: true })
printTable()

async function work() {
  for (let dir = pending.pop(); dir !== undefined && Date.now() < endsAt; dir = pending.pop()) {
    await trySkill(dir).catch((error) => add(`not adopted: ${error.message}`, dir))
  }
}

/** Folders with a SKILL.md and no manifest, in an order that depends on their names only. */
function listSkills(folder) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.name === 'SKILL.md')
    .map((each) => each.parentPath ?? each.path)
  const key = (dir) => createHash('sha256').update(relative(folder, dir)).digest('hex')
  // Only these can have a script whose parser is known.
  const parses = (dir) => (file) =>
    isScriptCandidate(file) &&
    file.type === 'file' &&
    /argparse|click|typer|commander|yargs|minimist|parseArgs|getopts/.test(
      readFileSync(join(dir, file.path), 'utf8'),
    )
  return found
    .filter((dir) => listSourceFiles(dir).files.some(parses(dir)))
    .toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

async function trySkill(found) {
  const dir = values.install ? join(home, String(counts.tried++), basename(found)) : found
  if (values.install) cpSync(found, dir, { recursive: true, verbatimSymlinks: true })
  const entry = await readEntryAt(dir).catch(() => undefined)
  if (entry === undefined) return
  const { name, version } = entry
  const plan = await planAdoption(dir, { env: process.env, identity: { name, version } })
  // Each script once: subcommands and copies in other repositories start the same file.
  const commands = plan.commands.filter(({ command }) => {
    const text = readFileSync(join(dir, command.script), 'utf8')
    const isNew = command.separates && !seen.has(text)
    if (isNew) seen.add(text)
    return isNew
  })
  if (commands.length === 0) return
  counts.skills += 1
  const problem = values.install ? await install(entry, plan) : undefined
  for (const { command } of commands) {
    const reason = problem ?? (await tryCommand(entry, command))
    counts.scripts += 1
    if (reason.startsWith('started')) counts.started += 1
    add(reason, join(found, command.script))
  }
}

/** Installs what the index has of the packages, into a copy; the reason if that fails. */
async function install(entry, plan) {
  let text = plan.files.get('requirements.in')
  const skill = await runtime.repository.mount(entry)
  while (text?.trim()) {
    writeFileSync(join(entry.dir, 'requirements.in'), text)
    try {
      await lockDependencies(runtime, skill, { language: 'python', add: [], update: [], call })
      const locked = await runtime.repository.mount(entry)
      await manageDependencies(runtime, locked, { check: false, call })
      return undefined
    } catch (error) {
      const [, name] = /No matching distribution found for ([\w.-]+)/.exec(error.message) ?? []
      const rest = text.split('\n').filter((line) => !line.toLowerCase().startsWith(name))
      if (name === undefined || rest.join('\n') === text) {
        return `not installed: ${error.message.slice(0, 300)}`
      }
      text = rest.join('\n')
    }
  }
  rmSync(join(entry.dir, 'requirements.in'), { force: true })
  return undefined
}

async function tryCommand(entry, command) {
  const args = { module: entry.name.replaceAll('-', '_'), command, words: ['--help'] }
  const request = { language: 'python', code: CODE, args, entries: [entry] }
  try {
    const limits = { timeout_ms: TIMEOUT_MS }
    const result = await runCodeWithEntries(runtime, { ...request, limits }, call)
    return explainStart(result, command)
  } catch (error) {
    return `refused: ${error.message}`
  }
}

function add(reason, place) {
  const row = rows.get(reason) ?? []
  row.push(place)
  rows.set(reason, row)
}

function printTable() {
  const { skills, scripts, started } = counts
  const share = (count) => `${((count / Math.max(1, scripts)) * 100).toFixed(1)} %`.padStart(8)
  const sorted = [...rows].toSorted(([, a], [, b]) => b.length - a.length)
  for (const [reason, places] of sorted) {
    console.log(`${String(places.length).padStart(5)} ${share(places.length)}  ${reason}`)
    if (values.list)
      for (const each of places) console.log(`${' '.repeat(16)}${relative(root, each)}`)
  }
  console.log(
    `${String(started).padStart(5)} ${share(started)}  started, of ${scripts} scripts of ${skills} skills`,
  )
  if (pending.length > 0)
    console.log(`${total - pending.length} of ${total} folders in ${values.seconds} s`)
}
