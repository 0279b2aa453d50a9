import type { Interpreter } from '../backend.ts'
import { PYTHON_FLAGS } from './python-flags.ts'

/** Command of the harness in an interpreter of its own, by its path inside. */
export function buildHarnessCommand(interpreter: Interpreter): string[] {
  return [interpreter.executable, ...PYTHON_FLAGS, '/guest/harness_main.py']
}
