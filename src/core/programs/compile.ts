import { lstatSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stampFile } from '../languages/stamp-interpreter.ts'
import { isBelow } from '../languages/user-folders.ts'
import type { Allowance, ProgramJob, ProgramOutcome } from '../runs/job.ts'
import type { Services } from '../services.ts'
import { computeCompiledKey, openCompiledCache } from './compiled-cache.ts'
import { buildSandboxPaths, WORKSPACE, type Execution } from './execution.ts'
import { planProgram } from './plan-program.ts'

/** Large programs compile in less, also on a machine that is busy. */
const COMPILE_MS = 120_000

/** Result of a compilation. */
export type CompileResult =
  | {
      /** The folder to mount. */
      folder: string
      /** Undefined if the result came from the cache. */
      durationMs: number | undefined
      /** Call after the run has ended. */
      release: () => void
    }
  /** The compiler failed. */
  | { outcome: ProgramOutcome }

interface CompileOptions {
  perform: Allowance['perform']
  sinks: ProgramJob['sinks']
  keepsOutput: boolean
}

/**
 * Compiles a program in a separate sandbox, with its own timeout. If the compiler sees only the
 * code, the result is cached. If it also reads a project, the result is not cached.
 */
export async function compileProgram(
  services: Pick<Services, 'config' | 'cacheDir'>,
  execution: Execution,
  options: CompileOptions,
): Promise<CompileResult | undefined> {
  const { inline } = execution
  if (!inline?.compile) return undefined
  const { product, command } = inline.compile
  const argv = command(buildSandboxPaths(execution, WORKSPACE))
  const readsProject = inline.project !== undefined && isInProject(execution, inline.project)
  const cacheFolder = readsProject ? undefined : findCacheFolder(services)
  const folder = cacheFolder ?? mkdtempSync(join(tmpdir(), 'skills-build-'))
  const release = () => {
    if (cacheFolder === undefined) rmSync(folder, { recursive: true, force: true })
  }
  try {
    const cache = openCompiledCache(folder)
    const key = computeCompiledKey(collectCompileFacts(execution, argv))
    const cached = cache.find(key)
    if (cached !== undefined) return { folder: cached, durationMs: undefined, release }
    const stagingPath = cache.createStagingPath()
    const limits = { wallMs: Math.min(COMPILE_MS, services.config.run.maxTimeoutMs) }
    const repository = readsProject ? ('read-only' as const) : undefined
    const { perform, sinks, keepsOutput } = options
    const phase = { phase: 'compile', argv, stdin: 'none', repository, limits } as const
    const plan = planProgram(execution, { ...phase, sinks, keepsOutput })
    const outcome = await perform(plan, stagingPath)
    if (!isCompiled(outcome, join(stagingPath, product))) {
      rmSync(stagingPath, { recursive: true, force: true })
      release()
      return { outcome: toCompileFailure(outcome) }
    }
    const { durationMs } = outcome
    return { folder: cache.store(key, stagingPath, product), durationMs, release }
  } catch (error) {
    release()
    throw error
  }
}

/** A compiler may succeed without an executable, or with more output than may be copied. */
function toCompileFailure(outcome: ProgramOutcome): ProgramOutcome {
  if (outcome.status !== 'success') return outcome
  const { kept } = outcome
  const reason = kept && 'problem' in kept ? `cannot be stored: ${kept.problem}` : 'is missing'
  const message = `The compiler succeeded, but its output ${reason}`
  return { ...outcome, status: 'failure', error: { type: 'NotCompiled', message } }
}

function isCompiled({ status, kept }: ProgramOutcome, path: string): boolean {
  const isComplete = kept === undefined || 'leftOut' in kept
  return (
    status === 'success' && isComplete && lstatSync(path, { throwIfNoEntry: false }) !== undefined
  )
}

/** Collects everything that determines the output of the compiler. */
function collectCompileFacts(
  { params, inline, resolved, environment }: Execution,
  argv: readonly string[],
) {
  const tools = [...resolved.programs].map(([name, { real, inside }]) => [
    name,
    inside,
    real,
    stampFile(real),
  ])
  const { code } = params
  return { code, file: inline?.file, footer: inline?.footer, argv, environment, tools }
}

/** Returns the folder of the cache. Undefined if a run could write to it. */
function findCacheFolder({
  cacheDir,
  config,
}: Pick<Services, 'config' | 'cacheDir'>): string | undefined {
  if (cacheDir === undefined) return undefined
  const isWritable = Object.values(config.repositories).some(
    ({ path, mode }) => mode === 'read-write' && isBelow(cacheDir, path),
  )
  return isWritable ? undefined : join(cacheDir, 'compiled')
}

/** True if the working directory, or a parent of it in the repository, contains this file. */
function isInProject({ location: { repository, cwd } }: Execution, file: string): boolean {
  if (!repository || !cwd || !('relative' in cwd)) return false
  for (let folder = join(repository.path, cwd.relative); ; folder = dirname(folder)) {
    if (lstatSync(join(folder, file), { throwIfNoEntry: false })) return true
    if (folder === repository.path || folder === dirname(folder)) return false
  }
}
