import { createHash } from 'node:crypto'
import type { HostFolder } from '../sandbox/backend.ts'
import type { ToolMount } from '../languages/language.ts'
import type { ProgramJob, SessionFolder } from '../runs/job.ts'
import { REPOSITORY, resolveStartFolder, WORKSPACE, type Execution } from './execution.ts'

/** Input of one of the two phases. */
interface PhaseOptions
  extends
    Pick<ProgramJob, 'sinks' | 'limits' | 'keepsOutput'>,
    Partial<Pick<ProgramJob, 'tools' | 'network'>> {
  phase: 'compile' | 'execute'
  argv: readonly string[]
  stdin: ProgramJob['stdin']
  /** Undefined if the phase does not mount the repository. */
  repository: HostFolder['mode'] | undefined
  session?: SessionFolder | undefined
}

/** Builds the job of a phase. */
export function planProgram(execution: Execution, options: PhaseOptions): ProgramJob {
  const { params, location, environment, tools, inline, resolved } = execution
  const { repository } = location
  const isSeen = repository !== undefined && options.repository !== undefined
  const toolchains = isSeen ? execution.toolchains : undefined
  return {
    kind: 'execute',
    recordedArgs: describeRecordedArgs(execution, options.phase),
    program: {
      argv: options.argv,
      cwd: isSeen ? resolveStartFolder(location) : WORKSPACE,
      env: environment,
    },
    stdin: options.stdin,
    skills: [],
    mountsSkills: false,
    ...mountSession(options.session, isSeen ? listFolders(execution, options) : []),
    code: inline && {
      file: inline.file,
      text: `${params.code ?? ''}${inline.footer ?? ''}`,
    },
    tools: joinMounts([...tools, ...(options.tools ?? []), ...(toolchains?.tools ?? [])]),
    toolchains: toolchains && { hidden: toolchains.hidden },
    inputBlobs: [],
    limits: { ...execution.limits, ...options.limits },
    repo: params.repoId,
    language: resolved.language.name,
    dropsOutput: true,
    keepsOutput: options.keepsOutput,
    network: options.network,
    sinks: options.sinks,
  }
}

function mountSession(session: SessionFolder | undefined, folders: readonly HostFolder[]) {
  return { workspace: session?.workspace, folders: [...(session?.folders ?? []), ...folders] }
}

/** Lists the repository, and the user's toolchains that need another owner. */
function listFolders(
  { location: { repository }, toolchains }: Execution,
  { repository: mode = 'read-only' }: PhaseOptions,
): HostFolder[] {
  if (!repository) return []
  return [{ source: repository.path, target: REPOSITORY, mode }, ...(toolchains?.folders ?? [])]
}

/** The first mount of a target is kept. */
function joinMounts(mounts: readonly ToolMount[]): ToolMount[] {
  const targets = new Map<string, ToolMount>()
  for (const mount of mounts) if (!targets.has(mount.target)) targets.set(mount.target, mount)
  return [...targets.values()]
}

/** Arguments for the run record. Code and input are stored as digests. */
function describeRecordedArgs(
  { params, resolved, location }: Execution,
  phase: string,
): ProgramJob['recordedArgs'] {
  const { code, stdin, args = [], repoId } = params
  return {
    runtime: params.runtime,
    program: resolved.candidate.program,
    phase,
    args: [...args],
    ...(code !== undefined && { code: describeText(code) }),
    ...(stdin !== undefined && { stdin: describeText(stdin) }),
    ...(repoId !== undefined && { repository: repoId, cwd: resolveStartFolder(location) }),
  }
}

function describeText(text: string): { sha256: string; size_bytes: number } {
  const sha256 = createHash('sha256').update(text).digest('hex')
  return { sha256, size_bytes: Buffer.byteLength(text) }
}
