import { basename, join } from 'node:path'
import { getAnswerPath, loadAnswer, saveAnswer } from '../cached-answer.ts'
import { isScript } from './is-script.ts'
import { getSearchPath, type LanguageRequest } from '../locate-program.ts'
import { queryProgram, type ProgramAnswer } from '../query-program.ts'
import { stampFile } from '../stamp-interpreter.ts'
import { isSystemPath } from '../toolchains/system-path.ts'
import { checkProgram, searchProgram, type FoundProgram } from '../trusted-program.ts'
import { findManagerShim, type ManagerShim } from './manager-shims.ts'
import { selectManagerVariables } from './manager-variables.ts'

/** The search that found a program. */
export type ShimRequest = Pick<LanguageRequest, 'env' | 'excluded' | 'answers'>

/** A command that prints the path of the program behind a shim. */
interface ShimQuestion {
  path: string
  args: readonly string[]
  readPath: (answer: string) => string | undefined
  /** False if the answer may depend on anything, so that it is not cached. */
  isCached: boolean
}

/**
 * Finds the program that a shim of a version manager starts. A program is asked if it is a script
 * or has another name than its link; any other is returned unchanged.
 */
export async function resolveShim(
  request: ShimRequest,
  name: string,
  found: FoundProgram,
): Promise<FoundProgram | { problem: string }> {
  const question = findQuestion(request, name, found)
  if (!question) return found
  const answer = await askCached(request, question, found)
  if ('words' in answer) return { problem: `"${found.path}" does not start: ${answer.words}` }
  const path = question.readPath(answer.text)
  if (!path?.startsWith('/')) return { problem: `"${found.path}" does not report its path` }
  const checked = checkProgram(path, request.excluded)
  return 'real' in checked ? { path, real: checked.real } : checked
}

function findQuestion(
  request: ShimRequest,
  name: string,
  found: FoundProgram,
): ShimQuestion | undefined {
  const isCandidate = isScript(found.real) || hasOtherName(name, found.real)
  // A hard link has the name of its program: what lies outside of the system is always asked.
  if (!isCandidate && isSystemPath(found.real)) return undefined
  const shim = isCandidate ? findManagerShim(found) : undefined
  const query = getPathQuery(name)
  const isCached = shim !== undefined || !isScript(found.real)
  // The link is started, not its target: a shim selects the program by argv[0].
  if (query) return { path: found.path, ...query, isCached }
  const manager = shim && locateManager(request, shim)
  if (!shim || manager === undefined) return undefined
  const readPath = (answer: string) => answer.split('\n').at(-1)?.trim()
  return { path: manager, args: [shim.subcommand, name], readPath, isCached }
}

/** True for `rustc -> rustup`, false for `ruby -> ruby3.1`. */
function hasOtherName(name: string, real: string): boolean {
  const realName = basename(real)
  return !realName.startsWith(name) || !/^(?:[-.]?\d[\d.]*)?$/.test(realName.slice(name.length))
}

function locateManager(request: ShimRequest, { program }: ManagerShim): string | undefined {
  const { excluded } = request
  if (program.startsWith('/'))
    return 'real' in checkProgram(program, excluded) ? program : undefined
  if (program.includes('/')) return undefined
  return searchProgram(program, { searchPath: getSearchPath(request), excluded }).found[0]?.path
}

/** Increase when the meaning of a cached answer changes. */
const FORMAT = 1
const MAX_IN_MEMORY = 256

/** Asks once for each state of the version managers: a shim may take longer than a sandbox. */
async function askCached(
  request: ShimRequest,
  { path, args, isCached }: ShimQuestion,
  { real }: FoundProgram,
): Promise<ProgramAnswer> {
  const { env, answers } = request
  const ask = async () =>
    await queryProgram(path, args, { searchPath: getSearchPath(request), env })
  if (!isCached) return await ask()
  const { cacheDir, paths } = answers
  const cacheKey = JSON.stringify([path, args, real, stampFile(real), stampSelection(env)])
  const file = cacheDir === undefined ? undefined : getAnswerPath(cacheDir, 'paths', cacheKey)
  const known = paths.get(cacheKey) ?? (file === undefined ? undefined : loadText(file, cacheKey))
  if (known !== undefined) return { text: known }
  const answer = await ask()
  if ('words' in answer) return answer
  if (paths.size >= MAX_IN_MEMORY) paths.clear()
  paths.set(cacheKey, answer.text)
  if (file !== undefined) saveAnswer(file, { format: FORMAT, question: cacheKey, ...answer })
  return answer
}

function loadText(file: string, cacheKey: string): string | undefined {
  const stored = loadAnswer(file) as
    | { format?: unknown; question?: unknown; text?: unknown }
    | undefined
  const isValid = stored?.format === FORMAT && stored.question === cacheKey
  return isValid && typeof stored.text === 'string' ? stored.text : undefined
}

type SelectionEnvironment = Readonly<Record<string, string | undefined>>

/**
 * Stamps everything that known version managers read to select a version for a folder without
 * settings: their variables, their settings and their folders of versions.
 */
function stampSelection(env: SelectionEnvironment): string {
  const files = listSelectionFiles(env).map(stampFile)
  return JSON.stringify([env['PATH'] ?? null, selectManagerVariables(env), files])
}

function listSelectionFiles(env: SelectionEnvironment): string[] {
  const home = env['HOME'] ?? '/'
  const config = env['XDG_CONFIG_HOME'] || join(home, '.config')
  const data = env['XDG_DATA_HOME'] || join(home, '.local/share')
  const roots = ['pyenv', 'rbenv', 'nodenv', 'goenv', 'jenv', 'phpenv', 'plenv'].map(
    (name) => env[`${name.toUpperCase()}_ROOT`] || join(home, `.${name}`),
  )
  const asdf = env['ASDF_DATA_DIR'] || join(home, '.asdf')
  return [
    ...roots.flatMap((root) => [join(root, 'version'), join(root, 'versions')]),
    join(env['RUSTUP_HOME'] || join(home, '.rustup'), 'settings.toml'),
    join(home, '.tool-versions'),
    join(home, '.asdfrc'),
    join(asdf, 'installs'),
    env['MISE_GLOBAL_CONFIG_FILE'] || join(config, 'mise/config.toml'),
    join(env['MISE_DATA_DIR'] || join(data, 'mise'), 'installs'),
    join(env['VOLTA_HOME'] || join(home, '.volta'), 'tools/user/platform.json'),
    join(env['PROTO_HOME'] || join(home, '.proto'), '.prototools'),
  ]
}

/** A question that a program answers with its own path; a shim passes it on. */
interface PathQuery {
  args: readonly string[]
  /** Extracts the path from the answer; undefined if it has none. */
  readPath: (answer: string) => string | undefined
}

const JAVA_HOME_LINE = /^\s*java\.home = (.+)$/m

function createJavaQuery(name: string, prefix = ''): PathQuery {
  return {
    args: [`${prefix}-XshowSettings:properties`, '-version'],
    readPath: (answer) => {
      const home = JAVA_HOME_LINE.exec(answer)?.[1]
      return home && `${home}/bin/${name}`
    },
  }
}

function createQuery(...args: string[]): PathQuery {
  return { args, readPath: (answer) => answer }
}

const PATH_QUERIES: Readonly<Record<string, PathQuery>> = {
  bun: createQuery('-p', 'process.execPath'),
  deno: createQuery('eval', 'console.log(Deno.execPath())'),
  go: { args: ['env', 'GOROOT'], readPath: (root) => `${root}/bin/go` },
  java: createJavaQuery('java'),
  javac: createJavaQuery('javac', '-J'),
  node: createQuery('-p', 'process.execPath'),
  perl: createQuery('-e', 'print $^X'),
  php: createQuery('-r', 'echo PHP_BINARY;'),
  Rscript: createQuery('-e', 'cat(file.path(R.home("bin"), "Rscript"))'),
  ruby: createQuery('-e', 'print RbConfig.ruby'),
  rustc: { args: ['--print', 'sysroot'], readPath: (root) => `${root}/bin/rustc` },
}

/** Returns the question for the path of a program, by its name. */
function getPathQuery(name: string): PathQuery | undefined {
  return Object.hasOwn(PATH_QUERIES, name) ? PATH_QUERIES[name] : undefined
}
