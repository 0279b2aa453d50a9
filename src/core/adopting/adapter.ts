import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Entrypoint of an adopted skill. */
export const ADAPTER = 'code/adopted.py'
/** Its commands: which program starts which script with which arguments. */
export const ADAPTER_DATA = 'code/adopted.json'
/** The first test of an adopted skill. */
export const TEST_FILE = 'tests/adopted.test.toml'
const TEMPLATE = fileURLToPath(new URL('../../../templates/adopt/adopted.py', import.meta.url))

/** The code that starts a command of an adopted skill with the inputs of a call. */
export function readAdapter(): string {
  return readFileSync(TEMPLATE, 'utf8')
}
