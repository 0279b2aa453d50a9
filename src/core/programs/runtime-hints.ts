import { formatByteLimit } from '../../util/quantity.ts'
import type { ProgramOutcome } from '../runs/job.ts'
import type { Execution } from './execution.ts'

/** Finds causes of a failure in the sandbox, by patterns in its output. */
export function findRuntimeHints(
  { params, location, limits }: Pick<Execution, 'params' | 'location' | 'limits'>,
  {
    status,
    isolation,
    networkBytes,
  }: Pick<ProgramOutcome, 'status' | 'isolation' | 'networkBytes'>,
  printed: string,
): string[] {
  if (status !== 'failure') return []
  const { repository } = location
  return HINTS.filter(({ sign }) => sign.test(printed)).flatMap(({ hint }) => {
    const mode = repository?.mode
    const hostPackages = isolation?.host_packages === true
    const facts = {
      repository: params.repoId,
      isReadOnly: mode === 'read-only',
      hostPackages,
      hasNetwork: networkBytes !== undefined,
      limits,
    }
    return hint(facts) ?? []
  })
}

interface HintFacts {
  repository: string | undefined
  isReadOnly: boolean
  hostPackages: boolean
  hasNetwork: boolean
  limits: Execution['limits']
}

/** Node names a relative import by its path, and a package by its name. */
const FILE_NOT_FOUND = /Cannot find (?:module|package) ["'][./]/

/** Output of programs in any language that hit a restriction of the sandbox. */
const HINTS: readonly { sign: RegExp; hint: (facts: HintFacts) => string | undefined }[] = [
  {
    sign: /EROFS|Read-only file ?system/i,
    hint: ({ repository, isReadOnly }) =>
      repository !== undefined && isReadOnly
        ? `The repository "${repository}" is mounted read-only: write to /workspace or /tmp`
        : 'Only /workspace and /tmp can be written to',
  },
  {
    sign: /ENOTFOUND|EAI_AGAIN|ENETUNREACH|name resolution|Could not resolve host|Network is unreachable|no such host|UnknownHostException|getaddrinfo/i,
    hint: ({ hasNetwork }) =>
      hasNetwork
        ? 'Programs reach only the destinations that [[programs]] of the policy opens'
        : 'Programs have no network: pass the data as stdin, or in a repository',
  },
  {
    sign: FILE_NOT_FOUND,
    hint: ({ repository }) =>
      repository === undefined
        ? 'Files of a project are found only in its repository: set repoId'
        : undefined,
  },
  {
    sign: /ModuleNotFoundError|Cannot find (?:module|package) (?!["'][./])|no required module provides package|cannot load such file|Can't locate \S+ in @INC|there is no package called/,
    hint: ({ repository }) =>
      repository === undefined
        ? 'Packages of a project are found only in its repository: set repoId'
        : 'Packages are not installed by a run: they have to be in the repository',
  },
  {
    sign: /ModuleNotFoundError|Cannot find (?:module|package) (?!["'][./])/,
    hint: ({ hostPackages }) =>
      hostPackages
        ? undefined
        : 'Packages of this machine are hidden: allow them with --host-packages, or run.host_packages',
  },
  {
    sign: /fork: (?:retry: )?Resource temporarily unavailable|\b(?:spawn|fork)\b[^\n]{0,80} EAGAIN|can't start new thread|pthread_create|uv_thread_create|native thread/,
    hint: ({ limits: { processes } }) =>
      `The run may start ${formatLimit(processes)}processes and threads: set run.limits.processes`,
  },
  {
    sign: /heap out of memory|OutOfMemoryError|Cannot allocate memory|ENOMEM|\bMemoryError\b|bad_alloc|memory allocation of \d+ bytes failed/,
    hint: ({ limits: { memoryBytes } }) =>
      `The run has ${formatByteLimit(memoryBytes)} of memory: set run.limits.memory`,
  },
  {
    sign: /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT|File size limit exceeded|File too large|EFBIG/,
    hint: ({ limits: { workspaceBytes } }) =>
      `The folders of the run are full${workspaceBytes === undefined ? '' : ` at ${formatByteLimit(workspaceBytes)}`}: set run.limits.workspace`,
  },
  {
    sign: /Too many open files|EMFILE/,
    hint: ({ limits: { openFiles } }) =>
      `A process may open ${formatLimit(openFiles)}files: close those that are not used any more`,
  },
]

function formatLimit(limit: number | undefined): string {
  return limit === undefined ? 'no more ' : `${limit} `
}
