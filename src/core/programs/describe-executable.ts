import { dirname } from 'node:path'
import { getSearchPath } from '../languages/locate-program.ts'
import { listLinks } from '../host-programs/program-links.ts'
import type { ResolvedLanguage, UnresolvedLanguage } from '../languages/resolved-language.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import type { Policy } from '../policy/policy.ts'
import type { ExecutableFacts } from '../policy/policy-request.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'

/** A request with the program that was found for it. */
interface ExecutableRequest {
  params: Pick<ExecuteParams, 'executable' | 'command'>
  found: ResolvedLanguage | UnresolvedLanguage
  call: Pick<RunCall, 'env'>
}

/** Describes the executable for the policy. A missing program needs no rule. */
export async function describeExecutable(
  services: Pick<Services, 'policy' | 'sandboxes'>,
  { params, found, call }: ExecutableRequest,
): Promise<ExecutableFacts | undefined> {
  const requested = params.executable ?? params.command
  const named = requested === undefined ? {} : { asked: requested }
  switch (found.kind) {
    case 'mismatch':
      return { ...named, problem: 'runtime-executable-mismatch', sentence: found.sentence }
    case 'untrusted':
      return { ...named, problem: 'executable-not-trusted', sentence: found.sentence }
    case 'missing':
      return undefined
    case 'resolved': {
      const { path, links } = listProgramPaths(found)
      const known = [path, ...links]
      const folders = [...getSearchPath(call).split(':'), ...known.map((each) => dirname(each))]
      // Reading whole folders takes milliseconds, which only a rule about programs is worth.
      const aliases = restrictsExecutables(await services.policy())
        ? services.sandboxes.answers.aliases.find(path, folders)
        : []
      return {
        ...named,
        name: found.candidate.program,
        path,
        ...withEntries('links', links),
        ...withEntries(
          'aliases',
          aliases.filter((each) => !known.includes(each)),
        ),
      }
    }
  }
}

/** The program's file, and every link on the way to it, also from a shim to what it starts. */
function listProgramPaths({ found, started }: ResolvedLanguage) {
  const paths = [found.path, found.real, started.path, started.real].map(listLinks)
  const path = paths.at(-1)?.at(-1) ?? started.real
  return { path, links: [...new Set(paths.flat())].filter((each) => each !== path) }
}

/** True if the policy has a rule about the programs of languages. */
export function restrictsExecutables({ scopes }: Policy): boolean {
  return scopes.some(({ allow, deny, when }) =>
    [allow, deny, when].some((lists) => lists?.executables !== undefined),
  )
}

function withEntries<Name extends string>(name: Name, entries: readonly string[]) {
  return (entries.length > 0 ? { [name]: entries } : {}) as Partial<Record<Name, readonly string[]>>
}
