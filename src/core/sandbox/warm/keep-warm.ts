import { findPython, type PythonRequest } from '../../languages/python.ts'
import { guestModules } from '../guest-host/guest-files.ts'
import { WarmSandboxes, type WarmOptions } from './warm-sandboxes.ts'

/** Sandboxes at hand for the interpreter that runs will have. */
export function keepWarm(
  at: PythonRequest & Pick<WarmOptions, 'mostForks' | 'limits'>,
): WarmSandboxes {
  return new WarmSandboxes({
    env: at.env,
    mostForks: at.mostForks,
    limits: at.limits,
    interpreter: async () => await findPython({ ...at, modules: guestModules() }),
  })
}
