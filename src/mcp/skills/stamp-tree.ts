import { readdirSync } from 'node:fs'
import { stampPath } from '../../core/skills/repository/stamps.ts'

/**
 * More than a skill that is offered can have. Of a larger folder, only the first entries are
 * compared.
 */
const MAX_ENTRIES = 10_000

/**
 * Returns a text that changes when anything in a folder changes. Symbolic links are not followed.
 */
export function stampTree(dir: string): string {
  const stamps: string[] = []
  const pending = ['']
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const each of readdirSync(`${dir}/${folder}`, { withFileTypes: true })) {
      if (stamps.length >= MAX_ENTRIES) return stamps.join('\n')
      const path = folder === '' ? each.name : `${folder}/${each.name}`
      stamps.push(`${path} ${stampPath(`${dir}/${path}`)}`)
      if (each.isDirectory()) pending.push(path)
    }
  }
  return stamps.join('\n')
}
