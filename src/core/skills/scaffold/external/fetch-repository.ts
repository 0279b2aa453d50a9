import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SkillsError } from '../../../../errors.ts'
import { DEFAULT_PATH, findProgram } from '../../../../util/find-program.ts'
import { listTree } from '../../../../util/list-tree.ts'
import {
  describeFailure,
  runHostProgram,
  startHostProgram,
  type HostProgramResult,
} from '../../../host-programs/run-host-program.ts'
import { checkEntries, templateError, type TemplateEntry, type TemplateFile } from './template-files.ts'
import type { GitSource } from './template-source.ts'

const FETCH_TIMEOUT_MS = 120_000
const READ_TIMEOUT_MS = 30_000
/** Maximum size of the fetched repository, with the files that the template does not use. */
const MAX_REPOSITORY_BYTES = 100 * 1024 ** 2
const POLL_MS = 200

/** Variables that git needs to reach a server; none of git's own. */
const PASSED_VARIABLES =
  'PATH HOME XDG_CONFIG_HOME SSL_CERT_FILE SSL_CERT_DIR http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY'.split(
    ' ',
  )

interface FetchRequest {
  source: GitSource
  /** The value of --template, for messages. */
  shown: string
  env: Readonly<Record<string, string | undefined>>
  signal?: AbortSignal | undefined
}

/**
 * Reads a template from a git repository. The repository is never checked out: no hooks, filters,
 * links or submodules apply, and paths are checked before they are used.
 */
export async function fetchTemplate(request: FetchRequest): Promise<TemplateFile[]> {
  const { env } = request
  const program = findProgram('git', env['PATH'] ?? DEFAULT_PATH)
  if (program === undefined) {
    throw new SkillsError('file/not-found', 'The program git is not installed', {
      hint: 'Install git, or pass --template a folder',
    })
  }
  const folder = mkdtempSync(join(tmpdir(), 'skills-template-'))
  try {
    const git = { request, program, folder }
    await fetchCommit(git)
    const entries = await listEntries(git)
    checkEntries(entries, request.shown)
    return await readFiles(git, entries)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface GitRun {
  request: FetchRequest
  program: string
  /** A bare repository. */
  folder: string
}

function createArguments({ program, folder }: GitRun, args: readonly string[]): string[] {
  const settings = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'gc.auto=0']
  const flags = [...settings, 'maintenance.auto=false'].flatMap((each) => ['-c', each])
  return [program, ...flags, '--git-dir', folder, ...args]
}

function createEnvironment({ env, source }: FetchRequest): Record<string, string | undefined> {
  const passed = Object.fromEntries(PASSED_VARIABLES.map((name) => [name, env[name]]))
  return {
    ...passed,
    LC_ALL: 'C',
    GIT_ALLOW_PROTOCOL: source.protocol,
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
  }
}

async function fetchCommit(git: GitRun): Promise<void> {
  const { source, shown, signal } = git.request
  const env = createEnvironment(git.request)
  const options = { env, cwd: git.folder, timeoutMs: FETCH_TIMEOUT_MS, signal }
  // Without templates, the new repository has no hooks.
  const created = await runHostProgram(
    createArguments(git, ['init', '--bare', '--quiet', '--template=']),
    options,
  )
  if (!created.ok) throw gitError(shown, created)
  const tooLarge = new AbortController()
  const poll = setInterval(() => {
    if (measureFolder(git.folder) > MAX_REPOSITORY_BYTES) tooLarge.abort()
  }, POLL_MS)
  const flags = ['--depth=1', '--no-tags', '--no-recurse-submodules', '--quiet']
  try {
    const fetched = await runHostProgram(
      createArguments(git, ['fetch', ...flags, '--', source.url, source.ref ?? 'HEAD']),
      { ...options, signal: signal ? AbortSignal.any([signal, tooLarge.signal]) : tooLarge.signal },
    )
    signal?.throwIfAborted()
    if (tooLarge.signal.aborted) {
      throw templateError(shown, `its repository is larger than ${MAX_REPOSITORY_BYTES} bytes`)
    }
    if (!fetched.ok) throw gitError(shown, fetched)
  } finally {
    clearInterval(poll)
  }
}

function measureFolder(folder: string): number {
  const sizes = listTree(folder).map(
    ({ parentPath, name }) => statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0,
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Entries below the template's folder, with the ids of their contents. */
async function listEntries(git: GitRun): Promise<(TemplateEntry & GitEntry)[]> {
  const { source, shown, signal } = git.request
  const tree = `FETCH_HEAD^{commit}:${source.folder ?? ''}`
  const listed = await runHostProgram(
    createArguments(git, ['ls-tree', '-r', '-l', '-z', '--full-tree', tree]),
    { env: createEnvironment(git.request), cwd: git.folder, timeoutMs: READ_TIMEOUT_MS, signal },
  )
  if (!listed.ok && source.folder !== undefined) {
    throw templateError(shown, `its folder "${source.folder}" does not exist in the repository`)
  }
  if (!listed.ok) throw gitError(shown, listed)
  const lines = listed.stdout.split('\0').filter((line) => line !== '')
  return lines.map((line) => {
    const [head, path] = splitOnce(line, '\t')
    const [mode = '', , id = '', size = ''] = head.split(/ +/)
    return { path, id, type: getEntryType(mode), mode, size: Number(size) || 0 }
  })
}

interface GitEntry {
  id: string
  mode: string
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}

function getEntryType(mode: string): TemplateEntry['type'] {
  if (mode === '120000') return 'symlink'
  if (mode === '160000') return 'submodule'
  return mode.startsWith('100') ? 'file' : 'special'
}

/** Reads the contents in one process: `<id> blob <size>`, a line feed, the content, a line feed. */
async function readFiles(
  git: GitRun,
  entries: readonly (TemplateEntry & GitEntry)[],
): Promise<TemplateFile[]> {
  const { shown, signal } = git.request
  const reader = await startHostProgram(createArguments(git, ['cat-file', '--batch']), {
    env: createEnvironment(git.request),
    cwd: git.folder,
    timeoutMs: READ_TIMEOUT_MS,
    signal,
  })
  reader.stdin?.on('error', () => {})
  reader.stdin?.end(entries.map(({ id }) => `${id}\n`).join(''))
  const chunks: Buffer[] = []
  for await (const chunk of reader.stdout ?? []) chunks.push(chunk as Buffer)
  const result = await reader.result
  if (!result.ok) throw gitError(shown, result)
  const all = Buffer.concat(chunks)
  let at = 0
  return entries.map(({ path, mode, size }) => {
    const start = all.indexOf(10, at) + 1
    at = start + size + 1
    return { path, content: all.subarray(start, start + size), isExecutable: mode === '100755' }
  })
}

function gitError(shown: string, result: HostProgramResult): SkillsError {
  const line = result.stderr.trim().split('\n').at(-1) ?? ''
  const reason = line.replace(/^(?:fatal|error): /, '') || describeFailure(result)
  return new SkillsError(
    'remote/unreachable',
    `The template "${shown}" cannot be fetched: ${reason}`,
    { hint: 'Check the address and the reference, or clone it yourself and pass the folder' },
  )
}
