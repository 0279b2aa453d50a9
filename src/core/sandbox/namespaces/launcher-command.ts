import { resolveHostPath } from '../../languages/host-path.ts'
import type { Interpreter } from '../backend.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'

/** Path of the guest's file that starts the launcher, in its current folder. */
export const LAUNCH_FILE = '/proc/self/cwd/launch.py'

/** Command of a launcher on the host. */
export function buildLauncherArgv(interpreter: Interpreter): string[] {
  return [resolveHostPath(interpreter, interpreter.executable), ...PYTHON_FLAGS, LAUNCH_FILE]
}

/** Arguments of a launcher: its task, its descriptors, and its user. */
export function buildLaunchWords(
  kind: 'run' | 'zygote' | 'view',
  { args, info }: { args: number; info: number },
  asRoot: boolean,
): string[] {
  return [kind, String(args), String(info), asRoot ? 'root' : 'user']
}

/** Environment of a launcher on the host. */
export function buildHostEnvironment(interpreter: Interpreter): Record<string, string> {
  const { libraries } = interpreter
  return libraries === undefined ? {} : { LD_LIBRARY_PATH: resolveHostPath(interpreter, libraries) }
}
