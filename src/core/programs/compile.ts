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

/** What came of compiling. */
export type CompileResult =
  | {
      /** A folder to be mounted. */
      folder: string
      /** Undefined where it had been compiled before. */
      durationMs: number | undefined
      /** To be called when it has been run. */
      release: () => void
    }
  /** The compiler did not make it. */
  | { outcome: ProgramOutcome }

interface CompileOptions {
  perform: Allowance['perform']
  sinks: ProgramJob['sinks']
  keepsOutput: boolean
}

/**
 * Makes what is run, in a sandbox of its own with a time of its own. The compiler sees the code and
 * nothing else, so that what it makes depends on nothing else and can be kept; where it looks at a
 * project, that is made anew each time.
 */
export async function compileProgram(
  services: Services,
  execution: Execution,
  options: CompileOptions,
): Promise<CompileResult | undefined> {
  const { inline } = execution
  if (!inline?.compile) return undefined
  const { product, command } = inline.compile
  const argv = command(buildSandboxPaths(execution, WORKSPACE))
  const readsProject = inline.project !== undefined && isInProject(execution, inline.project)
  const kept = readsProject ? undefined : findCacheFolder(services)
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'skills-build-'))
  const release = () => {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true })
  }
  try {
    const cache = openCompiledCache(folder)
    const key = computeCompiledKey(collectCompileFacts(execution, argv))
    const known = cache.find(key)
    if (known !== undefined) return { folder: known, durationMs: undefined, release }
    const keepIn = cache.createStagingPath()
    const { compileTimeoutMs, maxTimeoutMs } = services.config.run
    const limits = { wallMs: Math.min(compileTimeoutMs, maxTimeoutMs) }
    const repository = readsProject ? ('read-only' as const) : undefined
    const { perform, sinks, keepsOutput } = options
    const phase = { phase: 'compile', argv, stdin: 'none', repository, limits } as const
    const plan = planProgram(execution, { ...phase, sinks, keepsOutput })
    const outcome = await perform(plan, keepIn)
    if (!isCompiled(outcome, join(keepIn, product))) {
      rmSync(keepIn, { recursive: true, force: true })
      release()
      return { outcome: toCompileFailure(outcome) }
    }
    const { durationMs } = outcome
    return { folder: cache.store(key, keepIn, product), durationMs, release }
  } catch (error) {
    release()
    throw error
  }
}

/** A compiler may end well and have made nothing that could be run, or too much to be kept. */
function toCompileFailure(outcome: ProgramOutcome): ProgramOutcome {
  if (outcome.status !== 'success') return outcome
  const { kept } = outcome
  const why = kept && 'problem' in kept ? `it cannot be kept: ${kept.problem}` : 'it is not there'
  const message = `The compiler ended well, but of what it was to make ${why}`
  return { ...outcome, status: 'failure', error: { type: 'NotCompiled', message } }
}

function isCompiled({ status, kept }: ProgramOutcome, path: string): boolean {
  const isWhole = kept === undefined || 'leftOut' in kept
  return status === 'success' && isWhole && lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** All that decides what a compiler makes. */
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

/** Where compiled things are kept; nowhere where a run could change them. */
function findCacheFolder({ cacheDir, config }: Services): string | undefined {
  if (cacheDir === undefined) return undefined
  const isOpen = Object.values(config.repositories).some(
    ({ path, mode }) => mode === 'read-write' && isBelow(cacheDir, path),
  )
  return isOpen ? undefined : join(cacheDir, 'compiled')
}

/** Whether the folder in which the run starts, or one above it, has this file. */
function isInProject({ place: { repository, cwd } }: Execution, file: string): boolean {
  if (!repository || !cwd || !('relative' in cwd)) return false
  for (let folder = join(repository.path, cwd.relative); ; folder = dirname(folder)) {
    if (lstatSync(join(folder, file), { throwIfNoEntry: false })) return true
    if (folder === repository.path || folder === dirname(folder)) return false
  }
}
