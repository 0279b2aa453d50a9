import type { ProgramOutcome } from '../runs/job.ts'
import type { Execution } from './execution.ts'

/** Finds causes of a failure in the sandbox, by patterns in its output. */
export function findRuntimeHints(
  { params, location }: Pick<Execution, 'params' | 'location'>,
  { status, isolation }: Pick<ProgramOutcome, 'status' | 'isolation'>,
  printed: string,
): string[] {
  if (status !== 'failure') return []
  const { repository } = location
  return HINTS.filter(({ sign }) => sign.test(printed)).flatMap(({ hint }) => {
    const mode = repository?.mode
    const hostPackages = isolation?.host_packages === true
    const facts = { repository: params.repoId, isReadOnly: mode === 'read-only', hostPackages }
    return hint(facts) ?? []
  })
}

interface HintFacts {
  repository: string | undefined
  isReadOnly: boolean
  hostPackages: boolean
}

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
    hint: () => 'Programs have no network: pass the data as stdin, or in a repository',
  },
  {
    sign: /ModuleNotFoundError|Cannot find (?:module|package) |no required module provides package|cannot load such file|Can't locate \S+ in @INC|there is no package called/,
    hint: ({ repository }) =>
      repository === undefined
        ? 'Packages of a project are found only in its repository: set repoId'
        : 'Packages are not installed by a run: they have to be in the repository',
  },
  {
    sign: /ModuleNotFoundError|Cannot find (?:module|package) /,
    hint: ({ hostPackages }) =>
      hostPackages
        ? undefined
        : 'Packages of this machine are hidden: allow them with --host-packages, or run.host_packages',
  },
]
