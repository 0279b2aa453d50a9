import type { AgentLoads, LoadedPart, LoadMode, SkillLoad } from './session-state.ts'

/** Skills that an agent's state remembers; the one that was touched longest ago is forgotten. */
export const MAX_REMEMBERED = 1000

export interface LoadChange {
  skill: string
  /** Undefined leaves the selection of documents as it is. */
  docs: SkillLoad['docs'] | undefined
  /** Whether the skill's content belongs into requests from now on. */
  load: boolean
  /** The texts that requests are to show, body first, in the skill's order. */
  texts: readonly TextStamp[]
  /** Id of the tool call, where one asked. */
  call: string | null
  /** At most so many skills stay loaded. */
  maxLoaded?: number | undefined
  /** Where loads are shown once: the texts that this change asks for, to be shown again. */
  requested?: ReadonlySet<string | null> | undefined
}

/** A body (null) or a document, with the digest of its text. */
export interface TextStamp {
  doc: string | null
  digest: string
}

/** Loads a skill or changes which of its documents are selected; the skill is the newest then. */
export function changeLoads(loads: AgentLoads, change: LoadChange): AgentLoads {
  const before = findSkillLoad(loads, change.skill)
  const after: SkillLoad = {
    name: change.skill,
    loaded: before.loaded || change.load || isRequestedAgain(before, change),
    read: before.read || change.load,
    docs: change.docs ?? before.docs,
  }
  const others = loads.skills.filter((each) => each.name !== change.skill)
  const skills = [...others, after].slice(-MAX_REMEMBERED)
  const forgotten = new Set(others.slice(0, others.length + 1 - skills.length).map(getSkillName))
  const changed: AgentLoads = {
    ...loads,
    skills,
    parts: (after.loaded ? updateParts(loads.parts, change) : loads.parts).filter(
      (part) => !forgotten.has(part.skill),
    ),
    fresh: change.load ? [...new Set([...loads.fresh, change.skill])] : loads.fresh,
  }
  return limitLoadedSkills(changed, change.maxLoaded)
}

/** Whose body was shown once and is gone may still have documents selected. */
function isRequestedAgain({ read }: SkillLoad, { requested: asked }: LoadChange): boolean {
  return read && asked !== undefined && asked.size > 0
}

function getSkillName({ name }: SkillLoad): string {
  return name
}

/** What is known of a skill that may never have been touched. */
export function findSkillLoad(loads: AgentLoads, name: string): SkillLoad {
  const load = loads.skills.find((each) => each.name === name)
  return load ?? { name, loaded: false, read: false, docs: [] }
}

/** Takes skills out of requests. What was read may still run. */
export function unloadSkills(
  loads: AgentLoads,
  isSelected: (skill: string) => boolean,
): AgentLoads {
  return {
    ...loads,
    skills: loads.skills.map((each) =>
      isSelected(each.name) ? { ...each, loaded: false, docs: [] } : each,
    ),
    parts: loads.parts.filter((part) => !isSelected(part.skill)),
  }
}

/** What is left of the loads when the next message of the user begins a turn. */
export function beginTurn(loads: AgentLoads, mode: LoadMode): AgentLoads {
  const remaining = mode === 'turn' ? unloadSkills(loads, () => true) : loads
  return { ...remaining, fresh: [] }
}

/**
 * The loads that one request shows. Where each is shown once, those that an earlier request showed
 * go; a request that is made again, of a conversation that did not go on, still has them.
 */
export function selectLoadsForRequest(
  loads: AgentLoads,
  mode: LoadMode,
  length: number,
): AgentLoads {
  if (mode !== 'once' || loads.parts.length === 0) return loads
  const parts = loads.parts
    .filter((part) => part.shownAt === undefined || part.shownAt === length)
    .map((part) => ({ ...part, shownAt: length }))
  const skills = new Set(parts.map((part) => part.skill))
  return unloadSkills({ ...loads, parts }, (name) => !skills.has(name))
}

/**
 * Parts that stay keep their place, those that are new come last: what a request showed before is
 * not moved, so its beginning stays as it was. A text that changed is new.
 */
function updateParts(parts: readonly LoadedPart[], change: LoadChange): LoadedPart[] {
  const { requested: asked } = change
  const wanted = new Map(change.texts.map((text) => [text.doc, text.digest]))
  const isUnchanged = ({ doc, digest, shownAt }: LoadedPart) =>
    wanted.get(doc) === digest && !(asked?.has(doc) && shownAt !== undefined)
  const kept = parts.filter((part) => part.skill !== change.skill || isUnchanged(part))
  const present = new Set(
    kept.filter((part) => part.skill === change.skill).map((part) => part.doc),
  )
  const added = change.texts
    .filter((text) => !present.has(text.doc) && (asked?.has(text.doc) ?? true))
    .map((text): LoadedPart => ({ skill: change.skill, ...text, call: change.call }))
  return [...kept, ...added]
}

/** At most so many stay loaded, those that were touched last; zero is no limit. */
export function limitLoadedSkills(loads: AgentLoads, maxLoaded: number | undefined): AgentLoads {
  if (maxLoaded === undefined || maxLoaded <= 0) return loads
  const loaded = loads.skills.filter((each) => each.loaded)
  const tooMany = new Set(loaded.slice(0, Math.max(0, loaded.length - maxLoaded)).map(getSkillName))
  return tooMany.size === 0 ? loads : unloadSkills(loads, (name) => tooMany.has(name))
}
