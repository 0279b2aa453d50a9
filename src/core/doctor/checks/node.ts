import { realpathSync } from 'node:fs'
import type { DoctorCheck } from '../check.ts'

/** Version of the running Node. */
export const nodeCheck: DoctorCheck = {
  id: 'node',
  title: 'Node',
  needed: true,
  async run() {
    const { version, execPath } = process
    const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
    return {
      ok: major > 20 || (major === 20 && minor >= 19),
      detail: `${version} at ${realpathSync(execPath)}`,
      fix: 'Install Node 20.19 or newer',
    }
  },
}
