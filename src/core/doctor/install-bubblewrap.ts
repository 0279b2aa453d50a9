import { runHostProgram, type HostProgramResult } from '../host-programs/run-host-program.ts'
import { SYSTEM_PROGRAM_MS, runSystemProgram } from './run-system-program.ts'

/** A package manager and its arguments for an unattended installation of bubblewrap. */
interface PackageManager {
  program: string
  /** Runs before the installation, if package lists may be missing. */
  before?: readonly string[]
  install: readonly string[]
}

const PACKAGE_MANAGERS: readonly PackageManager[] = [
  { program: 'apt-get', before: ['update'], install: ['install', '-y', 'bubblewrap'] },
  { program: 'dnf', install: ['install', '-y', 'bubblewrap'] },
  { program: 'apk', install: ['add', 'bubblewrap'] },
  { program: 'pacman', install: ['-S', '--noconfirm', 'bubblewrap'] },
]

const INSTALL_TIMEOUT_MS = 600_000

type HostEnvironment = Readonly<Record<string, string | undefined>>

export interface BubblewrapInstallPlan {
  /** Each command as argv. */
  commands: readonly (readonly string[])[]
  /** The equivalent command line. */
  line: string
  /** True if it works without a password. */
  allowed: boolean
}

/** Finds the system's package manager; undefined if it is not a known one. */
export async function planBubblewrapInstall(
  env: HostEnvironment,
  uid: number | undefined = process.getuid?.(),
): Promise<BubblewrapInstallPlan | undefined> {
  for (const manager of PACKAGE_MANAGERS) {
    if (!(await runSystemProgram([manager.program, '--version'], env)).ok) continue
    const isRoot = uid === 0
    const allowed = isRoot || (await checkSudo(env)).ok
    const prefix = isRoot ? [] : ['sudo']
    const steps = manager.before ? [manager.before, manager.install] : [manager.install]
    const commands = steps.map((argv) => [...prefix, manager.program, ...argv])
    const line = commands.map((argv) => argv.join(' ')).join(' && ')
    return { commands, line, allowed }
  }
  return undefined
}

async function checkSudo(env: HostEnvironment): Promise<HostProgramResult> {
  return await runHostProgram(['sudo', '-n', 'true'], {
    env,
    timeoutMs: SYSTEM_PROGRAM_MS,
    keepsSession: true,
  })
}

/** Runs a plan; each command is announced first. Only the last one must succeed. */
export async function runInstallPlan(
  plan: BubblewrapInstallPlan,
  host: { env: HostEnvironment; announce: (command: string) => void },
): Promise<{ ok: boolean; detail: string }> {
  for (const argv of plan.commands) {
    host.announce(argv.join(' '))
    const ended = await runHostProgram(argv, {
      env: { ...host.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeoutMs: INSTALL_TIMEOUT_MS,
      keepsSession: true,
    })
    // A failed update of package lists may still leave the needed package available.
    if (!ended.ok && argv === plan.commands.at(-1)) {
      return { ok: false, detail: ended.stderr.trim() || ended.stdout.trim() }
    }
  }
  return { ok: true, detail: 'installed' }
}
