import { toPrintable } from '../../util/printable.ts'
import { formatFailure } from '../install/report-installed.ts'
import type { ImportedSkill } from './import-entry.ts'

const VERBS: Readonly<Record<ImportedSkill['status'], string>> = {
  installed: 'installed',
  current: 'current',
  available: 'would install',
  parked: 'parked',
  failed: 'failed',
  unmapped: 'not mapped',
}

/** Lines about one entry, for people. */
export function formatImported(skill: ImportedSkill): string {
  const { status, name, version, tree, source, adopted, error } = skill
  const verb = VERBS[status]
  if (error !== undefined) {
    const from = source === null ? '' : ` from ${source}`
    return formatFailure(`${verb} ${name}${from}`, error)
  }
  const note = adopted ? ' (its folder was there, with the same files)' : ''
  return toPrintable(`${verb} ${name}@${version} ${tree} from ${source}${note}`)
}
