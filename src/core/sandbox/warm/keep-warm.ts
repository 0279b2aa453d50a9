import { findPython, type PythonRequest } from '../../languages/python.ts'
import { guestModules } from '../guest-files.ts'
import { WarmSandboxes } from './warm-sandboxes.ts'

/** Sandboxes at hand for the interpreter that runs will have. */
export function keepWarm(at: PythonRequest): WarmSandboxes {
  return new WarmSandboxes({
    env: at.env,
    interpreter: async () => await findPython({ ...at, modules: guestModules() }),
  })
}
