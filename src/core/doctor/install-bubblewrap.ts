import { runHostProgram, type HostProgramResult } from '../host-programs/run-host-program.ts'
import { ASK_MS, askSystem } from './ask-system.ts'

/** A package manager and the words that install bubblewrap without a question. */
interface Manager {
  program: string
  /** Asked before, where the lists of packages may be missing. */
  before?: readonly string[]
  install: readonly string[]
}

const MANAGERS: readonly Manager[] = [
  { program: 'apt-get', before: ['update'], install: ['install', '-y', 'bubblewrap'] },
  { program: 'dnf', install: ['install', '-y', 'bubblewrap'] },
  { program: 'apk', install: ['add', 'bubblewrap'] },
  { program: 'pacman', install: ['-S', '--noconfirm', 'bubblewrap'] },
]

const INSTALL_MS = 600_000

type Env = Readonly<Record<string, string | undefined>>

/** How bubblewrap gets onto this system. */
export interface InstallPlan {
  /** Each command as its words. */
  commands: readonly (readonly string[])[]
  /** What a person would type. */
  line: string
  /** Whether it works without a password. */
  allowed: boolean
}

/** Finds the system's package manager; undefined where it has none that we know. */
export async function installPlan(
  env: Env,
  uid: number | undefined = process.getuid?.(),
): Promise<InstallPlan | undefined> {
  for (const manager of MANAGERS) {
    if (!(await askSystem([manager.program, '--version'], env)).ok) continue
    const isRoot = uid === 0
    const allowed = isRoot || (await trySudo(env)).ok
    const prefix = isRoot ? [] : ['sudo']
    const steps = manager.before ? [manager.before, manager.install] : [manager.install]
    const commands = steps.map((words) => [...prefix, manager.program, ...words])
    const line = commands.map((words) => words.join(' ')).join(' && ')
    return { commands, line, allowed }
  }
  return undefined
}

async function trySudo(env: Env): Promise<HostProgramResult> {
  return await runHostProgram(['sudo', '-n', 'true'], {
    env,
    timeoutMs: ASK_MS,
    keepsSession: true,
  })
}

/** Carries a plan out; each command is announced before it runs. Only the last one has to succeed. */
export async function carryOut(
  plan: InstallPlan,
  at: { env: Env; announce: (command: string) => void },
): Promise<{ ok: boolean; detail: string }> {
  for (const words of plan.commands) {
    at.announce(words.join(' '))
    const ended = await runHostProgram(words, {
      env: { ...at.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeoutMs: INSTALL_MS,
      keepsSession: true,
    })
    // Lists of packages that cannot all be had may still have the one that is wanted.
    if (!ended.ok && words === plan.commands.at(-1)) {
      return { ok: false, detail: ended.stderr.trim() || ended.stdout.trim() }
    }
  }
  return { ok: true, detail: 'installed' }
}
