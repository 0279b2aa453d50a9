// The times of slow test files in the last CI run on main: test/file-times.json.
import { readFileSync } from 'node:fs'

export const FILE = 'test/file-times.json'
/** Seconds in the fast run, which a file should not exceed. Only files beyond it are recorded. */
export const BUDGET = 5
/** Seconds beyond which the check fails. */
export const LIMIT = 10

/** Reads a JSON file; one that is missing or broken ends the script with a sentence. */
export function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    console.error(`${path} cannot be read: ${error.message}`)
    process.exit(2)
  }
}
