import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { DEFAULT_PATH, findProgram } from '../../util/find-program.ts'
import { listTree } from '../../util/list-tree.ts'
import { toPrintable } from '../../util/printable.ts'
import {
  describeFailure,
  runHostProgram,
  type HostProgramResult,
} from '../host-programs/run-host-program.ts'
import type { GitAddress } from './git-address.ts'

const FETCH_TIMEOUT_MS = 120_000
/** Maximum size of the fetched repository, with the files that are not used. */
const MAX_REPOSITORY_BYTES = 100 * 1024 ** 2
const POLL_MS = 200

/** Variables that git needs to reach a server; none of git's own. */
const PASSED_VARIABLES =
  'PATH HOME XDG_CONFIG_HOME SSL_CERT_FILE SSL_CERT_DIR http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY'.split(
    ' ',
  )

export interface RepositoryRequest {
  address: Pick<GitAddress, 'url' | 'protocol' | 'ref'>
  /** Beginning of messages, such as `The template "x"`. */
  subject: string
  env: Readonly<Record<string, string | undefined>>
  signal?: AbortSignal | undefined
  /** Remedy for a reference that the repository does not have. */
  refHint?: string
}

/** A commit in a bare repository that is removed afterwards. */
export interface GitRepository {
  request: RepositoryRequest
  /** Full id. */
  commit: string
  /** True if the server resolved the reference as a tag. */
  isTag: boolean
  argv: readonly string[]
  options: { env: Record<string, string | undefined>; cwd: string }
  close(): void
}

export async function withRepository<T>(
  request: RepositoryRequest,
  use: (repository: GitRepository) => Promise<T>,
): Promise<T> {
  const repository = await openRepository(request)
  try {
    return await use(repository)
  } finally {
    repository.close()
  }
}

/**
 * Fetches one commit. The repository is never checked out: no hooks, filters, links or submodules
 * apply. The caller closes it, which removes it.
 */
export async function openRepository(request: RepositoryRequest): Promise<GitRepository> {
  const { env, address } = request
  const program = findProgram('git', env['PATH'] ?? DEFAULT_PATH)
  if (program === undefined) {
    throw new SkillsError('file/not-found', 'The program git is not installed', {
      hint: 'Install git, or clone the repository elsewhere and pass the folder',
    })
  }
  const folder = mkdtempSync(join(tmpdir(), 'skills-git-'))
  const close = () => rmSync(folder, { recursive: true, force: true })
  try {
    const git = {
      request,
      argv: createArguments(program, folder),
      options: { env: createEnvironment(env, address.protocol), cwd: folder },
    }
    await fetchCommit(git)
    return { ...git, ...(await resolveCommit(git)), close }
  } catch (thrown) {
    close()
    throw thrown
  }
}

type GitRun = Pick<GitRepository, 'request' | 'argv' | 'options'>

function createArguments(program: string, folder: string): string[] {
  const settings = [
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'gc.auto=0',
    'core.bigFileThreshold=16m',
  ]
  const flags = [...settings, 'maintenance.auto=false'].flatMap((each) => ['-c', each])
  return [program, ...flags, '--git-dir', folder]
}

function createEnvironment(
  env: RepositoryRequest['env'],
  protocol: GitAddress['protocol'],
): Record<string, string | undefined> {
  const passed = Object.fromEntries(PASSED_VARIABLES.map((name) => [name, env[name]]))
  return {
    ...passed,
    LC_ALL: 'C',
    GIT_ALLOW_PROTOCOL: protocol,
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
  }
}

async function fetchCommit({ request, argv, options }: GitRun): Promise<void> {
  const { address, subject, signal } = request
  const run = { ...options, timeoutMs: FETCH_TIMEOUT_MS, signal }
  // Without templates, the new repository has no hooks.
  const created = await runHostProgram([...argv, 'init', '--bare', '--quiet', '--template='], run)
  if (!created.ok) throw gitError(subject, created)
  const tooLarge = new AbortController()
  const poll = setInterval(() => {
    if (measureFolder(options.cwd) > MAX_REPOSITORY_BYTES) tooLarge.abort()
  }, POLL_MS)
  const flags = ['--depth=1', '--no-tags', '--no-recurse-submodules', '--quiet']
  try {
    const fetched = await runHostProgram(
      [...argv, 'fetch', ...flags, '--', address.url, address.ref ?? 'HEAD'],
      { ...run, signal: signal ? AbortSignal.any([signal, tooLarge.signal]) : tooLarge.signal },
    )
    signal?.throwIfAborted()
    if (tooLarge.signal.aborted) throw repositoryTooLargeError(subject)
    if (!fetched.ok) throw gitError(subject, fetched, request.refHint)
  } finally {
    clearInterval(poll)
  }
  // A small repository can be fetched between two measurements.
  if (measureFolder(options.cwd) > MAX_REPOSITORY_BYTES) throw repositoryTooLargeError(subject)
}

function measureFolder(folder: string): number {
  const sizes = listTree(folder).map(
    ({ parentPath, name }) =>
      statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0,
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function resolveCommit({ request, argv, options }: GitRun) {
  const { address, subject, signal } = request
  const resolved = await runHostProgram(
    [...argv, 'rev-parse', '--verify', '--quiet', 'FETCH_HEAD^{commit}'],
    { ...options, timeoutMs: FETCH_TIMEOUT_MS, signal },
  )
  const commit = resolved.stdout.trim()
  if (!resolved.ok || !/^[0-9a-f]{40}$/.test(commit)) {
    throw fetchError(subject, 'its reference is not a commit')
  }
  if (/^[0-9a-f]{40}$/.test(address.ref ?? '') && commit !== address.ref) {
    throw fetchError(subject, `the server sent the commit ${commit}`)
  }
  const head = readFileSync(join(options.cwd, 'FETCH_HEAD'), 'utf8')
  return { commit, isTag: /^[0-9a-f]{40}\t[^\t]*\ttag '/.test(head) }
}

export function gitError(
  subject: string,
  result: HostProgramResult,
  refHint?: string,
): SkillsError {
  const lines = result.stderr.trim().split('\n')
  // Advice of git follows the line with the reason.
  const line = lines.find((each) => /^(?:fatal|error): /.test(each)) ?? lines.at(-1) ?? ''
  const reason = line.replace(/^(?:fatal|error): /, '') || describeFailure(result)
  const ref = /^couldn't find remote ref (.+)$/.exec(reason)?.[1]
  if (ref === 'HEAD') {
    return fetchError(
      subject,
      'its default branch does not exist',
      'Name a branch, a tag or a commit',
    )
  }
  const text = ref === undefined ? reason : `it has no branch and no tag "${ref}"`
  const hint = ref === undefined ? undefined : refHint
  return fetchError(subject, toPrintable(text.slice(0, 300)), hint, ref)
}

// eslint-disable-next-line max-params -- the parts of one sentence
function fetchError(
  subject: string,
  reason: string,
  hint = 'Check the address and the reference, or clone it yourself and pass the folder',
  ref?: string,
): SkillsError {
  return new SkillsError('remote/unreachable', `${subject} cannot be fetched: ${reason}`, {
    hint,
    ...(ref !== undefined && { data: { unknown_reference: ref } }),
  })
}

/** True if a repository has no branch and no tag of this name. */
export function isUnknownReference(thrown: unknown, ref: string): boolean {
  return thrown instanceof SkillsError && thrown.data?.['unknown_reference'] === ref
}

function repositoryTooLargeError(subject: string): SkillsError {
  return new SkillsError(
    'usage/invalid',
    `${subject} cannot be used: its repository is larger than ${MAX_REPOSITORY_BYTES} bytes`,
    { hint: 'Clone it yourself and pass the folder' },
  )
}
