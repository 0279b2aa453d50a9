import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DoctorCheck } from '../check.ts'

const PACKAGE_PARTS = ['package.json', 'templates', 'skills']

/** The package is complete. */
export const packageCheck: DoctorCheck = {
  id: 'package',
  title: 'Package',
  needed: true,
  async run({ packageRoot }) {
    const missing = PACKAGE_PARTS.filter((part) => !existsSync(join(packageRoot, part)))
    return {
      ok: missing.length === 0,
      detail: missing.length === 0 ? packageRoot : `${packageRoot} lacks ${missing.join(', ')}`,
      fix: 'Type "npm ci" in a clone, or install the packed file again',
    }
  },
}
