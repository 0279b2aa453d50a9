import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { callMethod, connection } from './api.ts'
import { skillChanges } from './live-events.ts'

/** Numbers of findings of a skill. */
export interface FindingCounts {
  errors: number
  warnings: number
}

interface SkillName {
  name: string
  version: string
}

/** A row that only passes by while the reader scrolls is not checked. */
const SETTLED_MS = 300

const counts = signal<ReadonlyMap<string, FindingCounts>>(new Map())
/** References whose rows are in view and have no counts yet, by the order in which they came. */
const wanted = new Map<string, SkillName>()
let isCounting = false
let countedChanges = skillChanges.peek()

/** Findings of the skill of a row in view; undefined until they are counted. One skill is checked at a time. */
export function useFindingCounts(name: string, version: string): FindingCounts | undefined {
  const reference = `${name}@${version}`
  const changes = skillChanges.value
  useEffect(() => {
    forgetAfter(changes)
    if (counts.peek().has(reference)) return undefined
    const timer = setTimeout(() => {
      wanted.set(reference, { name, version })
      void countWanted()
    }, SETTLED_MS)
    return () => {
      clearTimeout(timer)
      wanted.delete(reference)
    }
  }, [reference, changes])
  return counts.value.get(reference)
}

/** Skills changed, so that their findings may have as well. */
function forgetAfter(changes: number): void {
  if (changes === countedChanges) return
  countedChanges = changes
  counts.value = new Map()
}

async function countWanted(): Promise<void> {
  if (isCounting) return
  isCounting = true
  for (;;) {
    const [next] = wanted
    if (next === undefined) break
    const [reference, skill] = next
    wanted.delete(reference)
    const changes = countedChanges
    const found = await countFindings(skill)
    if (found === 'stop') wanted.clear()
    else if (found !== undefined && changes === countedChanges) {
      counts.value = new Map(counts.peek()).set(reference, found)
    }
  }
  isCounting = false
}

/** Undefined for a skill that cannot be checked: its page says why. `stop` if no call has a chance. */
async function countFindings(skill: SkillName): Promise<FindingCounts | 'stop' | undefined> {
  try {
    const { errors, warnings } = await callMethod('lint_skill', skill)
    return { errors, warnings }
  } catch {
    return connection.value === 'ok' ? undefined : 'stop'
  }
}
