import { describeRunTarget } from './describe-target.ts'
import type { RunRecord } from './run-record.ts'
import type { RunQuery } from './run-store.ts'

/** True if a record matches the query. */
export function matchesQuery(record: RunRecord, query: RunQuery): boolean {
  const { status, kind, door, caller, skill, text, isVisible } = query
  const { who } = record
  return (
    isWanted(status, record.status) &&
    isWanted(kind, record.kind) &&
    isWanted(door, who.door) &&
    isWanted(caller, who.caller) &&
    (skill === undefined || usesSkill(record, skill)) &&
    (isVisible === undefined || isVisible(record)) &&
    (text === undefined || containsText(record, text.toLowerCase()))
  )
}

function isWanted(wanted: string | undefined, value: string): boolean {
  return wanted === undefined || wanted === value
}

function usesSkill({ skills }: RunRecord, wanted: string): boolean {
  return skills.some(({ name, version }) => wanted === name || wanted === `${name}@${version}`)
}

function containsText(record: RunRecord, text: string): boolean {
  const parts = [record.run_id, describeRunTarget(record), JSON.stringify(record.request.args)]
  return parts.some((each) => each.toLowerCase().includes(text))
}
