import { SkillsError } from '../../errors.ts'
import { findPython } from '../languages/python.ts'
import type { Services } from '../services.ts'
import type { SandboxProcess } from '../sandbox/backend.ts'
import { chooseBackend } from '../sandbox/backends.ts'
import { guestModules } from '../sandbox/guest-host/guest-files.ts'
import type { SandboxNetwork } from '../sandbox/network.ts'
import { projectFolders } from '../languages/project-folders.ts'
import { openNetwork } from './open-network.ts'
import type { DecidedProgram } from './plan-program.ts'
import type { ProgramPlan } from './program-plan.ts'
import type { RunCall } from './run-call.ts'
import type { RunTrace } from './trace.ts'

/** A program whose sandbox is there. */
export interface StartedProgram {
  sandbox: SandboxProcess
  network: SandboxNetwork | undefined
}

export interface ProgramStart {
  id: string
  decided: DecidedProgram
  call: RunCall
  trace: RunTrace
  blobs: readonly { name: string; path: string }[]
  note: (text: string) => void
}

/** Starts a program in a fresh sandbox. */
export async function startProgram(
  services: Services,
  start: ProgramStart,
): Promise<StartedProgram> {
  const { call, decided, note } = start
  const { run } = services.config
  const backend = await chooseBackend(run.backend)
  const isStrict = run.requireIsolation === 'strict'
  if (isStrict && backend.promises.tier === 'none') throw tooWeak()
  for (const each of [...backend.notes, ...decided.notes]) note(each)
  if (call.signal?.aborted) throw new SkillsError('run/cancelled', 'The run was cancelled')
  const network = await openNetwork({
    request: {
      network: decided.network,
      env: call.env,
      secrets: decided.secrets,
      trace: start.trace,
      onEvent: call.onEvent,
    },
    logs: { note },
  })
  try {
    const sandbox = await backend.start({
      ...requestOf(services, start, network?.environment),
      network: network?.sandbox,
    })
    giveInput(sandbox, decided.plan)
    return { sandbox, network: network?.sandbox }
  } catch (error) {
    network?.sandbox.close()
    throw error
  }
}

function requestOf(
  { config, cacheDir, warm }: Services,
  { id, decided, call, blobs }: ProgramStart,
  proxies: Readonly<Record<string, string>> = {},
) {
  const { plan, limits } = decided
  const { program } = plan
  const { run } = config
  const excluded = projectFolders(config)
  const place = { python: run.python, cwd: call.cwd, env: call.env, cacheDir, excluded }
  return {
    id,
    job: {},
    program: {
      ...program,
      env: { ...decided.environment, ...program.env, ...proxies, ...decided.secrets },
      stdin: plan.stdin === 'none' ? ('none' as const) : ('pipe' as const),
    },
    skills: plan.mountsSkills
      ? plan.skills.map(({ manifest, dir }) => ({ name: manifest.name, dir }))
      : [],
    folders: plan.folders,
    workspace: plan.workspace,
    code: plan.code,
    tools: plan.tools,
    keepIn: call.keepIn,
    blobs,
    interpreter: async () => await findPython({ ...place, modules: guestModules() }),
    limits,
    env: call.env,
    container: run.container,
    strict: run.requireIsolation === 'strict',
    warm,
    signal: call.signal,
  }
}

/** What a program does not read is lost with it. */
function giveInput({ stdin }: SandboxProcess, plan: ProgramPlan): void {
  if (typeof plan.stdin === 'string') return
  if (plan.program.terminal) stdin?.write(plan.stdin)
  else stdin?.end(plan.stdin)
}

function tooWeak(): SkillsError {
  return new SkillsError(
    'sandbox/too-weak',
    'Strict isolation is required, but the backend "process" does not isolate',
    { hint: 'Leave --backend out, or choose bubblewrap or container' },
  )
}
