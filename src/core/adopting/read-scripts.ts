import type { SkillFile, SkillSource } from '../skills/manifest/source.ts'
import { listSourceTypes, parseAs, ParserLimit } from '../lint/code/javascript-parser.ts'
import {
  openTypeStripper,
  stripUntilClean,
  type TypeStripper,
} from '../lint/code/typescript-parser.ts'
import { listShellNodes } from '../lint/code/shell-facts.ts'
import { ADAPTER } from './adapter.ts'
import { readJavaScriptInterface } from './javascript-interface.ts'
import { chooseProgram, isScriptCandidate, type ScriptProgram } from './script-program.ts'
import { EMPTY_INTERFACE, type ScriptInterface } from './script-interface.ts'
import { readShellInterface } from './shell-interface.ts'
import { fileURLToPath } from 'node:url'
import { openPythonParser, type PythonParser } from '../lint/python/python-parser.ts'
import { SkillsError } from '../../errors.ts'

export interface AdoptedScript {
  path: string
  /** Program that starts it. */
  program: string
  interface: ScriptInterface
}

export interface ScriptReading {
  scripts: readonly AdoptedScript[]
  /** Files that are not commands, with the reason. */
  skipped: readonly { path: string; reason: string }[]
}

export interface ReadOptions {
  python?: string | undefined
  env: Readonly<Record<string, string | undefined>>
  signal?: AbortSignal | undefined
}

export interface ReadContext extends Pick<ReadOptions, 'signal'> {
  parser: PythonParser
  python: string
}

/** Reads with one process of Python, which starts with the first file. */
export async function withPythonParser<T>(
  options: ReadOptions,
  read: (reading: ReadContext) => Promise<T>,
): Promise<T> {
  const parser = openPythonParser(options)
  try {
    return await read({ parser, python: options.python ?? 'python3', signal: options.signal })
  } finally {
    await parser.close()
  }
}

/** Limit on scripts of a skill. */
const MAX_SCRIPTS = 100
const MAX_SCRIPT_BYTES = 512 * 1024

/** Reads the scripts of a skill as data: nothing of it is executed. */
export async function readScripts(
  source: SkillSource,
  context: ReadContext,
): Promise<ScriptReading> {
  const scripts: AdoptedScript[] = []
  const skipped: { path: string; reason: string }[] = []
  const parse = createParsers(context)
  for (const file of listScriptCandidates(source)) {
    context.signal?.throwIfAborted()
    const found =
      scripts.length === MAX_SCRIPTS
        ? { problem: `a skill has at most ${MAX_SCRIPTS} commands` }
        : await readScript(file, source, parse)
    if (found === undefined) continue
    if ('problem' in found) skipped.push({ path: file.path, reason: found.problem })
    else scripts.push(found)
  }
  return { scripts, skipped }
}

/** Files that may be scripts, without those of skills in folders of this one. */
function listScriptCandidates({ files }: SkillSource): SkillFile[] {
  const nested = files.flatMap(({ path }) =>
    path.endsWith('/SKILL.md') ? [path.slice(0, -'SKILL.md'.length)] : [],
  )
  return files.filter(
    (file) =>
      isScriptCandidate(file) &&
      file.path !== ADAPTER &&
      !nested.some((folder) => file.path.startsWith(folder)),
  )
}

/** Undefined for a file that is not started, such as an example. */
async function readScript(
  file: SkillFile,
  source: SkillSource,
  parse: Parse,
): Promise<AdoptedScript | { problem: string } | undefined> {
  const { path } = file
  const obstacle = findObstacle(file)
  const text = obstacle === undefined ? source.read(path) : undefined
  if (!isOffered(path, text, source)) return undefined
  if (obstacle !== undefined) return { problem: obstacle }
  if (text === undefined) return { problem: 'it is too large or not text' }
  const chosen = chooseProgram(path, text)
  if (chosen === undefined) return undefined
  if (typeof chosen === 'string') return { problem: `it is a script of ${chosen}` }
  const found = await parse(chosen, path, text)
  if ('problem' in found) return found
  if (!found.isProgram) return { problem: 'it has only definitions for other files' }
  return { path, program: chosen.program, interface: found }
}

/** Outside of scripts/, a script has a shebang line, or SKILL.md names it. */
function isOffered(path: string, text: string | undefined, { markdown }: SkillSource): boolean {
  if (path.startsWith('scripts/') || markdown?.text.includes(path) === true) return true
  return text?.startsWith('#!') === true && !MATERIAL.test(path)
}

/** Folders of files that the agent reads or copies. */
const MATERIAL =
  /(?:^|\/)(?:assets|templates?|examples?|references?|resources|docs|evals?|fixtures|tests?|__tests__)\//

/** The reason for which a file is not read as a script. */
function findObstacle({ path, type, size }: SkillFile): string | undefined {
  if (type !== 'file') return type === 'symlink' ? 'it is a link' : 'it is not a file'
  if (isHelperFile(path)) return 'its name is that of a module or a test'
  if (!/^[\w./ @+-]+$/.test(path)) return 'its name has characters that no command has'
  return size > MAX_SCRIPT_BYTES ? 'it is too large or not text' : undefined
}

function isHelperFile(path: string): boolean {
  return /(?:^|\/)(?:__\w+__\.py|conftest\.py|(?:test_[^/]*|[^/]*_test)\.py|[^/]*\.(?:test|spec|config)\.\w+|[^/]*\.d\.m?ts)$|\/(?:tests?|node_modules|__tests__)\//.test(
    path,
  )
}

type Parse = (
  program: ScriptProgram,
  path: string,
  text: string,
) => Promise<ScriptInterface | { problem: string }>

function createParsers(context: ReadContext): Parse {
  let stripper: TypeStripper | undefined
  return async ({ program }, path, text) => {
    try {
      switch (program) {
        case 'python3':
          return await readPythonInterface(text, context)
        case 'node':
          return await parseNodeScript(undefined, path, text)
        case 'typescript':
          return await parseNodeScript((stripper ??= openTypeStripper()), path, text)
        case 'bash': {
          const { parse, forEachChild } = await import('unbash')
          return readShellInterface(listShellNodes(parse(text), forEachChild), text)
        }
        default:
          // The arguments of other languages are passed as a list.
          return { ...EMPTY_INTERFACE, parser: 'argv', takesRest: true }
      }
    } catch (thrown) {
      if (thrown instanceof ParserLimit || thrown instanceof RangeError) {
        return { problem: `its parser gave up: ${thrown.message}` }
      }
      throw thrown
    }
  }
}

async function parseNodeScript(stripper: TypeStripper | undefined, path: string, text: string) {
  const stripped = stripper ? stripUntilClean(stripper, { path, text }) : { code: text }
  if ('message' in stripped) return { problem: `it does not parse: ${stripped.message}` }
  const tree = parseAs(await import('acorn'), stripped.code, listSourceTypes(path))
  return 'message' in tree
    ? { problem: `it does not parse: ${tree.message}` }
    : readJavaScriptInterface(tree, text)
}

const READER = fileURLToPath(new URL('./python/arguments.py', import.meta.url))

async function readPythonInterface(
  text: string,
  { parser, python }: ReadContext,
): Promise<ScriptInterface | { problem: string }> {
  const found = await parser.readWith<ScriptInterface | { problem: string }>(READER, text)
  if (parser.unavailableReason === undefined)
    return found ?? { problem: 'the Python parser gave up' }
  throw new SkillsError(
    'language/not-installed',
    `"${python}" cannot be started, which parses the scripts`,
    {
      hint: 'Install Python 3.9 or later, or set run.python to its path',
    },
  )
}
