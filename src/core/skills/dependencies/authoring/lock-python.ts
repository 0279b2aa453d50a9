import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { SkillsError } from '../../../../errors.ts'
import { toPrintable } from '../../../../util/printable.ts'
import { resolveHostPath } from '../../../languages/host-path.ts'
import { runPythonModule } from '../../../languages/run-python-module.ts'
import { toPlainObject } from '../../manifest/plain-objects.ts'
import type { Plain } from '../../manifest/manifest.ts'
import { readLock } from '../lock-file.ts'
import { findInterpreter } from '../run-dependencies.ts'
import type { LockContext, PlannedLock } from './lock-dependencies.ts'
import { readOwnFile } from './own-file.ts'

/** A requirement without addresses and extras. */
const REQUIREMENT =
  /^(?<name>[A-Za-z0-9](?:[\w.-]{0,98}[A-Za-z0-9])?)(?: ?[(<>=!~][\w .*+!<>=~,()-]{0,200})?(?: ?; ?[\w .'"<>=!~(),-]{1,300})?$/
/** An option of pip may look like a part of a requirement. */
const OPTION = /(?:^|[\s;])-|--/
const MAX_ROUNDS = 20

interface Wheel {
  name: string
  version: string
  sha256: string
  file: string
  requires: readonly string[]
}

/** Locks the requirements of the .in file next to the lock file, with the wheels for this machine. */
export async function planPythonLock(context: LockContext): Promise<PlannedLock> {
  const { dir, file, add, update } = context
  const declared = posix.join(posix.dirname(file), 'requirements.in')
  let text = readOwnFile(dir, declared) ?? context.adoptedFiles?.get(declared)
  if (text === undefined && add.length === 0) {
    throw new SkillsError('file/not-found', `The skill has no "${declared}" with ranges to lock`, {
      hint: 'Type "skills deps add <skill> <package>" to write one',
    })
  }
  text ??= ''
  for (const spec of add) text = addRequirement(text, spec)
  const wanted = readRequirements(declared, text)
  const before = readLock(readOwnFile(dir, file) ?? '').pins
  const kept = before.filter(({ name }) => update !== 'all' && !update.includes(name))
  const wheels = await resolveWheels(context, wanted, kept)
  const lines = wheels.map(({ name, version, sha256 }) => `${name}==${version} --hash=sha256:${sha256}`)
  const bound = wheels.filter((each) => !each.file.endsWith('-none-any.whl'))
  return {
    before: before.map(({ name, version }) => ({ name, version })),
    after: wheels.map(({ name, version }) => ({ name, version })),
    files: [
      { path: declared, text },
      { path: file, text: `# Written by "skills deps lock" from ${declared}.\n${lines.join('\n')}\n` },
    ],
    notes: bound.map(
      ({ name, file: wheel }) =>
        `"${name}" is pinned to the wheel for this machine, ${wheel}: other machines cannot install it`,
    ),
  }
}

/** Replaces the line of the package, or appends one. */
function addRequirement(text: string, spec: string): string {
  const line = spec.replace(/^([\w.-]+)@/, '$1==').trim()
  const name = REQUIREMENT.exec(line)?.groups?.['name']
  if (name === undefined || !isRequirement(line)) {
    throw new SkillsError('usage/invalid', `Cannot add "${spec}": it is not a package of an index`, {
      hint: 'Write name, name@version or "name>=1.2"',
    })
  }
  const lines = text.split('\n')
  const at = lines.findIndex((each) => isSameName(REQUIREMENT.exec(stripComment(each))?.groups?.['name'], name))
  if (at === -1) return `${text.trimEnd()}${text.trim() === '' ? '' : '\n'}${line}\n`
  lines[at] = line
  return lines.join('\n')
}

function readRequirements(path: string, text: string): string[] {
  const found: string[] = []
  for (const [index, written] of text.split('\n').entries()) {
    const line = stripComment(written)
    if (line === '') continue
    if (!isRequirement(line)) {
      const message = `${path}, line ${index + 1}: "${line}" is not a package with a range`
      throw new SkillsError('skill/invalid', toPrintable(message), {
        hint: 'Options, addresses, paths and extras are not supported: write name>=1.2',
      })
    }
    found.push(line)
  }
  return found
}

function isRequirement(line: string): boolean {
  return REQUIREMENT.test(line) && !OPTION.test(line)
}

function stripComment(line: string): string {
  return line.replace(/(?:^|\s)#.*$/, '').trim().replaceAll(/\s+/g, ' ')
}

/**
 * Asks pip for versions without following dependencies, which could be addresses of source code that
 * pip would execute; reads their requirements here, until nothing changes.
 */
async function resolveWheels(
  context: LockContext,
  wanted: readonly string[],
  kept: readonly { name: string; version: string }[],
): Promise<Wheel[]> {
  if (wanted.length === 0) throw pythonLockError('it declares no package')
  let lines = [...new Set(wanted)].sort()
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const wheels = await askPip(context, lines, kept)
    const needed = wheels.flatMap(({ name, requires }) => requires.flatMap((each) => toLine(name, each)))
    const next = [...new Set([...wanted, ...needed])].sort()
    if (next.join('\n') === lines.join('\n')) return wheels
    lines = next
  }
  throw pythonLockError(`their requirements still change after ${MAX_ROUNDS} rounds`)
}

/** Requirements of an extra do not apply. */
function toLine(owner: string, requirement: string): string[] {
  const line = requirement.replaceAll(/\s+/g, ' ').trim()
  if (/;.*\bextra\b/.test(line)) return []
  if (isRequirement(line)) return [line]
  throw pythonLockError(`"${owner}" needs "${line}", which is not a package with a range`)
}

async function askPip(
  context: LockContext,
  lines: readonly string[],
  kept: readonly { name: string; version: string }[],
): Promise<Wheel[]> {
  const { services, call, from } = context
  const interpreter = await findInterpreter(services, call)
  const folder = await mkdtemp(join(tmpdir(), 'skills-lock-'))
  try {
    const paths = ['in.txt', 'kept.txt', 'report.json'].map((name) => join(folder, name))
    const [input = '', constraints = '', report = ''] = paths
    await writeFile(input, `${lines.join('\n')}\n`)
    await writeFile(constraints, kept.map(({ name, version }) => `${name}==${version}\n`).join(''))
    const ask = async (more: readonly string[]) =>
      await runPythonModule({
        executable: resolveHostPath(interpreter, interpreter.executable),
        args: ['pip', ...FLAGS, ...source(from), '--report', report, '-r', input, ...more],
        env: call.env,
        temporaryFolder: folder,
        signal: call.signal,
      })
    // Kept versions may no longer fit.
    const output = (await ask(['-c', constraints])) === undefined ? undefined : await ask([])
    if (call.signal?.aborted) throw new SkillsError('run/cancelled', 'The command was cancelled')
    if (output !== undefined) throw pipError(output)
    return readPipReport(await readFile(report, 'utf8'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const FLAGS = [
  'install',
  '--dry-run',
  '--no-deps',
  '--ignore-installed',
  '--only-binary=:all:',
  '--no-input',
  '--disable-pip-version-check',
  '--no-cache-dir',
  '--quiet',
]

function source(from: string | undefined): string[] {
  return from === undefined ? [] : ['--no-index', '--find-links', from]
}

function readPipReport(text: string): Wheel[] {
  const { install } = toPlainObject(JSON.parse(text) as Plain)
  const wheels = (Array.isArray(install) ? install : []).map((each): Wheel => {
    const item = toPlainObject(each)
    const { name, version, requires_dist: requires } = toPlainObject(item['metadata'])
    const download = toPlainObject(item['download_info'])
    const hashes = toPlainObject(toPlainObject(download['archive_info'])['hashes'])
    const { sha256 } = hashes
    if (typeof name !== 'string' || typeof version !== 'string' || typeof sha256 !== 'string') {
      throw pythonLockError('pip reports a package without a version or a SHA-256')
    }
    const url = typeof download['url'] === 'string' ? download['url'] : ''
    return {
      name: name.toLowerCase().replaceAll(/[._-]+/g, '-'),
      version,
      sha256,
      file: decodeURIComponent(url.split('/').at(-1) ?? ''),
      requires: Array.isArray(requires) ? requires.filter((line) => typeof line === 'string') : [],
    }
  })
  return wheels.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function isSameName(a: string | undefined, b: string): boolean {
  const fold = (name: string) => name.toLowerCase().replaceAll(/[._-]+/g, '-')
  return a !== undefined && fold(a) === fold(b)
}

function pipError(output: string): SkillsError {
  const lines = output.split('\n').filter((line) => line.startsWith('ERROR: '))
  const shown = (lines.length > 0 ? lines.map((line) => line.slice(7)) : [output.trim()]).join('; ')
  return pythonLockError(toPrintable(shown.replaceAll(/\s+/g, ' ').slice(0, 600)))
}

function pythonLockError(problem: string): SkillsError {
  return new SkillsError('skill/invalid', `The packages cannot be locked: ${problem}`, {
    hint: 'Declare other ranges in requirements.in, or name a folder of wheels with --from',
  })
}
