import type { AgentLoads, LoadedPart, LoadMode, SkillLoad } from './session-state.ts'

/** Skills that an agent's state retains; the least recently used one is dropped. */
export const MAX_REMEMBERED = 1000

export interface LoadChange {
  skill: string
  /** Undefined keeps the selection of documents. */
  docs: SkillLoad['docs'] | undefined
  /** True if the skill's content is part of requests from now on. */
  load: boolean
  /** Texts to show in requests, body first, in the skill's order. */
  texts: readonly TextStamp[]
  /** Id of the tool call that requested the change, if any. */
  call: string | null
  /** Maximum number of loaded skills. */
  maxLoaded?: number | undefined
  /** With load mode "once": the texts that this change requests again. */
  requested?: ReadonlySet<string | null> | undefined
}

/** A body (null) or a document, with the digest of its text. */
export interface TextStamp {
  doc: string | null
  digest: string
}

/** Loads a skill or changes its selected documents; it becomes the most recently used one. */
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

/** With load mode "once", documents may be selected after the body was shown and removed. */
function isRequestedAgain({ read }: SkillLoad, { requested }: LoadChange): boolean {
  return read && requested !== undefined && requested.size > 0
}

function getSkillName({ name }: SkillLoad): string {
  return name
}

/** State of a skill; the empty state if it was never used. */
export function findSkillLoad(loads: AgentLoads, name: string): SkillLoad {
  const load = loads.skills.find((each) => each.name === name)
  return load ?? { name, loaded: false, read: false, docs: [] }
}

/** Removes skills from requests. Skills that were read may still run. */
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

/** Loads that remain when the next user message starts a turn. */
export function beginTurn(loads: AgentLoads, mode: LoadMode): AgentLoads {
  const remaining = mode === 'turn' ? unloadSkills(loads, () => true) : loads
  return { ...remaining, fresh: [] }
}

/**
 * Loads to show in one request. In mode "once", texts that an earlier request showed are removed; a
 * repeated request of an unchanged conversation still has them.
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
  const shown = new Set(parts.map((part) => part.skill))
  // Documents that were selected before their skill is loaded were not shown yet.
  const waiting = loads.skills.filter(({ loaded }) => !loaded).map(getSkillName)
  const staying = new Set([...shown, ...waiting])
  return unloadSkills({ ...loads, parts }, (name) => !staying.has(name))
}

/**
 * Unchanged parts keep their position and new ones are appended, so the prefix of later requests
 * is unchanged (prompt caching). A changed text counts as new.
 */
function updateParts(parts: readonly LoadedPart[], change: LoadChange): LoadedPart[] {
  const { requested } = change
  const wanted = new Map(change.texts.map((text) => [text.doc, text.digest]))
  const isUnchanged = ({ doc, digest, shownAt }: LoadedPart) =>
    wanted.get(doc) === digest && !(requested?.has(doc) && shownAt !== undefined)
  const remaining = parts.filter((part) => part.skill !== change.skill || isUnchanged(part))
  const present = new Set(
    remaining.filter((part) => part.skill === change.skill).map((part) => part.doc),
  )
  const added = change.texts
    .filter((text) => !present.has(text.doc) && (requested?.has(text.doc) ?? true))
    .map((text): LoadedPart => ({ skill: change.skill, ...text, call: change.call }))
  return [...remaining, ...added]
}

/** Keeps the most recently used skills loaded; 0 means no limit. */
export function limitLoadedSkills(loads: AgentLoads, maxLoaded: number | undefined): AgentLoads {
  if (maxLoaded === undefined || maxLoaded <= 0) return loads
  const loaded = loads.skills.filter((each) => each.loaded)
  const tooMany = new Set(loaded.slice(0, Math.max(0, loaded.length - maxLoaded)).map(getSkillName))
  return tooMany.size === 0 ? loads : unloadSkills(loads, (name) => tooMany.has(name))
}
