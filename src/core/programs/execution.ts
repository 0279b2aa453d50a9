import type { PolicyRequest } from '../policy/policy-request.ts'
import type { RegisteredRepository } from '../policy/repository-registry.ts'
import type { ResolvedLanguage } from '../languages/resolved-language.ts'
import type { InlinePlan, SandboxPaths, ToolMount } from '../languages/language.ts'
import type { HiddenFolder, HostFolder, Limits } from '../sandbox/backend.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'

/** Paths inside the sandbox. */
export const REPOSITORY = '/repo'
export const WORKSPACE = '/workspace'
export const CODE = '/code'
export const BUILD = '/build'

/** The repository and start folder of a request. */
export interface ExecutionLocation {
  repository: RegisteredRepository | undefined
  cwd: PolicyRequest['cwd']
}

/** The user's toolchains as a run with a repository gets them. */
export interface RepositoryToolchains {
  tools: readonly ToolMount[]
  /** Folders that the user of the run could not read otherwise. */
  folders: readonly HostFolder[]
  hidden: readonly HiddenFolder[]
  searchPath: readonly string[]
  /** The Python that the repository chooses. */
  python: string | undefined
  environment: Readonly<Record<string, string>>
  notices: readonly string[]
}

/** A request with its programs resolved. */
export interface Execution {
  params: ExecuteParams
  location: ExecutionLocation
  resolved: ResolvedLanguage
  /** Undefined for a request without code. */
  inline: InlinePlan | undefined
  tools: readonly ToolMount[]
  /** Undefined without a repository. */
  toolchains: RepositoryToolchains | undefined
  environment: Readonly<Record<string, string>>
  limits: Partial<Limits> & Pick<Limits, 'memoryBytes'>
}

/**
 * Builds the paths inside the sandbox. `build` is the folder of compiled files: the compiler and
 * the run use different ones.
 */
export function buildSandboxPaths(
  { resolved, inline, limits }: Execution,
  build: string,
): SandboxPaths {
  return {
    code: `${CODE}/${inline?.file ?? ''}`,
    build,
    memoryBytes: limits.memoryBytes,
    program(name) {
      const found = resolved.programs.get(name)
      if (!found) throw new Error(`"${name}" was not looked up for ${resolved.language.name}`)
      return found.inside
    },
  }
}

/** Returns the start folder of the program. */
export function resolveStartFolder({ repository, cwd }: ExecutionLocation): string {
  if (!repository || !cwd || !('relative' in cwd)) return WORKSPACE
  return cwd.relative === '.' ? REPOSITORY : `${REPOSITORY}/${cwd.relative}`
}
