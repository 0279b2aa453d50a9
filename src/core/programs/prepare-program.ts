import type { ResolvedLanguage, UnresolvedLanguage } from '../languages/resolved-language.ts'
import { joinLimits, resolveLanguageLimits } from '../languages/language-limits.ts'
import { buildToolEnvironment, listToolMounts } from '../languages/tool-mounts.ts'
import type { Allowance, ProgramJob, ProgramOutcome, SessionFolder } from '../runs/job.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'
import { compileProgram } from './compile.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import { BUILD, buildSandboxPaths, type Execution, type ExecutionLocation } from './execution.ts'
import { checkInstalled } from './find-language.ts'
import {
  addJavaOptions,
  findRepositoryToolchains,
  TOOLCHAIN_LIMITS,
} from './repository-toolchains.ts'
import type { PhaseTimer } from './phase-timer.ts'
import { planProgram } from './plan-program.ts'
import { watchOutput, type WatchedOutput } from './watch-output.ts'

/** Services for preparing a program; `skills doctor` provides only these. */
export type ProgramServices = Pick<Services, 'config' | 'sandboxes' | 'cacheDir'>

/** A request that the policy has allowed. */
interface AllowedRequest {
  params: ExecuteParams
  location: ExecutionLocation
  found: ResolvedLanguage | UnresolvedLanguage
  /** True if the Python that the repository chooses may run instead. */
  isAnyPython: boolean
  call: RunCall
  phases: PhaseTimer
  allowance: Allowance
  /** Destinations for the program itself; a compiler has no network. */
  network: readonly string[]
  session?: SessionFolder | undefined
}

/** A program that is ready to run, or the outcome of the failed compiler. */
export interface PreparedProgram {
  execution: Execution
  auditHash: string
  phase: 'compile' | 'execute'
  job: ProgramJob | ProgramOutcome
  watched: WatchedOutput
  /** Undefined if nothing was compiled. */
  compileMs: number | undefined
  /** Call when the program has ended. */
  release: () => void
}

/** Compiles if needed, in a sandbox of its own with its own timeout. */
export async function prepareProgram(
  services: ProgramServices,
  request: AllowedRequest,
): Promise<PreparedProgram> {
  const { params, location, found, isAnyPython, call, phases, allowance, network, session } =
    request
  checkInstalled(params, found)
  const toolchains = await findRepositoryToolchains(services, location, call)
  const resolved = isAnyPython ? replacePython(found, toolchains?.python) : found
  const execution = planExecution(services, { params, location, resolved, toolchains })
  const { auditHash, timeoutMs, outputBytes, perform } = allowance
  const keepsOutput = params.persistOutput !== false
  phases.enter('compile')
  const compiling = watchOutput(execution, call.onEvent)
  const { sinks } = compiling
  const built = await compileProgram(services, execution, { perform, sinks, keepsOutput })
  const common = { execution, auditHash }
  if (built && 'outcome' in built) {
    const failed = { phase: 'compile', job: built.outcome, watched: compiling } as const
    return { ...common, ...failed, compileMs: undefined, release: () => {} }
  }
  phases.enter('execute')
  const watched = watchOutput(execution, call.onEvent)
  const job = planProgram(execution, {
    phase: 'execute',
    argv: buildArgv(execution),
    stdin: params.stdin === undefined ? 'none' : Buffer.from(params.stdin),
    repository: location.repository?.mode,
    limits: { wallMs: timeoutMs, outputBytes },
    tools: built ? [{ source: built.folder, target: BUILD }] : [],
    sinks: watched.sinks,
    keepsOutput,
    network,
    session,
  })
  const release = () => built?.release()
  return { ...common, phase: 'execute', job, watched, compileMs: built?.durationMs, release }
}

/** Starts the Python that the repository chooses instead of the one in PATH. */
function replacePython(found: ResolvedLanguage, inside: string | undefined): ResolvedLanguage {
  const { isPython, program } = found.candidate
  const replaced = found.programs.get(program)
  if (isPython !== true || inside === undefined || !replaced) return found
  return { ...found, programs: new Map([[program, { ...replaced, inside, environment: {} }]]) }
}

/** Builds what both phases of a request need. */
function planExecution(
  { config }: ProgramServices,
  request: Pick<Execution, 'params' | 'location' | 'resolved' | 'toolchains'>,
): Execution {
  const { params, resolved, toolchains } = request
  const { language, candidate, version } = resolved
  const { code } = params
  const needed = toolchains ? joinLimits(language.limits, TOOLCHAIN_LIMITS) : language.limits
  const limits = resolveLanguageLimits(config.run.limits, needed)
  const own = buildToolEnvironment(resolved, toolchains?.searchPath)
  return {
    ...request,
    inline: code === undefined ? undefined : candidate.inline({ text: code, version }),
    tools: listToolMounts(resolved),
    environment: toolchains ? addJavaOptions({ ...toolchains.environment, ...own }, limits) : own,
    limits,
  }
}

/** Builds the argv of inline code or of a program, with the arguments. */
function buildArgv(execution: Execution): string[] {
  const { params, inline, resolved } = execution
  const { args = [] } = params
  const paths = buildSandboxPaths(execution, BUILD)
  if (inline) return [...inline.run(paths), ...args]
  const { program, buildDirectArgs } = resolved.candidate
  return [paths.program(program), ...(buildDirectArgs ? buildDirectArgs(args) : args)]
}
