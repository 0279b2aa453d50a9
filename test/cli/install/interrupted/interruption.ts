import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { digestFolder } from '../../../../src/core/skills/content/read-content.ts'
import { INHERITED_ENV } from '../../../helpers/inherited-env.ts'
import { BIN, BUILT_MODULES } from '../../../helpers/built.ts'
import { runSkills, type CliResult } from '../../../helpers/skills.ts'

const PRELOAD = fileURLToPath(new URL('stop-at-step.ts', import.meta.url))

/** Folders in which agents of this project look for skills. */
const VISIBLE = ['.agents/skills', '.claude/skills', '.roo/skills']
/** Names of an installation's own folder that are there after every command. */
const WORK = /^(?:\.gitignore|free|lock\.\d+|pending|signatures|staged|swaps)$/

const getEnv = (base: string) => ({ HOME: join(base, 'home') })

/** Runs a command in the project below a base folder. */
export async function runAt(base: string, ...argv: readonly string[]): Promise<CliResult> {
  return await runSkills(argv, { cwd: join(base, 'project'), env: getEnv(base) })
}

/** Runs a command in a process of its own that records the disk before each step. Returns the steps. */
export async function recordSteps(
  base: string,
  record: string,
  argv: readonly string[],
): Promise<{ steps: string[]; code: number }> {
  const { code, stderr } = await startAt(base, { STEPS_RECORD: record }, argv)
  const steps = stderr.split('\n').filter((line) => line.startsWith('step '))
  return { steps, code: Number(code) }
}

/** Runs a command in a process of its own that is killed before a step. */
export async function killAtStep(
  base: string,
  step: number,
  argv: readonly string[],
): Promise<void> {
  const { code } = await startAt(base, { STEPS_KILL: String(step) }, argv)
  expect(code).toBe('SIGKILL')
}

async function startAt(base: string, steps: Record<string, string>, argv: readonly string[]) {
  const args = ['--import', BUILT_MODULES, '--import', PRELOAD, BIN, ...argv]
  const child = spawn(process.execPath, args, {
    cwd: join(base, 'project'),
    env: { ...INHERITED_ENV, ...getEnv(base), STEPS_FOLDER: base, ...steps },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { code: code ?? signal, stderr }
}

/** Skills that agents see: digest or link by path. */
export async function listVisible(base: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const folder of VISIBLE) {
    const path = join(base, 'project', folder)
    for (const name of existsSync(path) ? readdirSync(path) : []) {
      const skill = join(path, name)
      found[`${folder}/${name}`] = lstatSync(skill).isSymbolicLink()
        ? `link ${readlinkSync(skill)}`
        : await digestFolder(skill)
    }
  }
  const roots = join(base, 'home/.local/share/skills/roots')
  const cached = existsSync(roots) ? readdirSync(roots) : []
  for (const name of cached.filter((each) => /^[0-9a-f]{64}$/.test(each))) {
    found[`roots/${name}`] = await digestFolder(join(roots, name, 'files'))
  }
  return found
}

/** Every skill that agents see is there as a whole: as before the command, or as after it. */
export async function findHalfInstalled(
  base: string,
  allowed: readonly Readonly<Record<string, string>>[],
): Promise<string[]> {
  const found = Object.entries(await listVisible(base))
  return found
    .filter(([path, state]) => allowed.every((each) => each[path] !== state))
    .map(([path, state]) => `${path} ${state}`)
}

/** Own names of processes, which differ each time. */
const OWN_NAME = /[0-9a-f]{8}\.\d+-\d+\.(?:[0-9a-f]{24}|\d{13})/g
/** Files of locks, drafts and times. The next fetch of roots removes drafts and locks of dead processes. */
const PASSING =
  /\/\.skills-install(?:$|\/(?!pending\/))|\/roots\/(?:\.staged(?:$|\/)|(?:own-name|lock\.\d+|free|[^/]*\/stamp)$)/

/** All files of project and home with their content, without those that may differ each time. */
export function listFiles(base: string): string[] {
  return listEverything(base).filter((entry) => !PASSING.test(entry.split(' ', 1)[0] ?? ''))
}

/** All files of project and home with their content, but no cache. */
export function listEverything(base: string): string[] {
  return ['project', 'home'].flatMap((top) =>
    readdirSync(join(base, top), { recursive: true, encoding: 'utf8' })
      .map((path) => `${top}/${path}`)
      .filter((path) => !path.startsWith('home/.cache'))
      .map((path) => describeEntry(base, path).replaceAll(OWN_NAME, 'own-name'))
      .sort(),
  )
}

function describeEntry(base: string, path: string): string {
  const stat = lstatSync(join(base, path))
  if (stat.isSymbolicLink()) return `${path} -> ${readlinkSync(join(base, path))}`
  if (stat.isDirectory()) return `${path} folder`
  // A stamp has times of its files.
  const text = path.endsWith('/stamp') ? '' : readFileSync(join(base, path), 'utf8')
  return `${path} ${(stat.mode & 0o777).toString(8)} ${text}`
}

/** Files that dead processes left in the folder of installations. */
export function listLeftovers(base: string): string[] {
  const work = join(base, 'project/.agents/.skills-install')
  if (!existsSync(work)) return []
  const below = ['staged', 'swaps'].flatMap((name) => readdirSync(join(work, name)))
  return [...readdirSync(work).filter((name) => !WORK.test(name)), ...below]
}
