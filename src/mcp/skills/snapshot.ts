import type { Resource } from '@modelcontextprotocol/server'
import { DIRECTORY_MIME_TYPE, type Skill } from '@modelcontextprotocol/server/ext/skills'
import type { CarriedFile, CarriedSkill } from './build-skill.ts'
import { BASE, canonical, compareUris, SKILL_FILE } from './uris.ts'

/** The skills of all roots at one moment, as the extension offers them. */
export interface Snapshot {
  readonly skills: readonly Skill[]
  readonly byUri: ReadonlyMap<string, Skill>
  readonly files: ReadonlyMap<string, CarriedFile>
  readonly folders: ReadonlyMap<string, readonly Resource[]>
  /** One resource a skill. */
  readonly listed: readonly Resource[]
}

type Listed = Exclude<Skill['resources'], 'dynamic'>[number]

/** Puts skills together to one tree. */
export function takeSnapshot(carried: readonly CarriedSkill[]): Snapshot {
  const files = new Map<string, CarriedFile>()
  for (const each of carried) for (const file of each.files) files.set(file.uri, file)
  const skills = withInner(carried).sort(compareUris)
  return {
    skills,
    files,
    byUri: new Map(skills.map((skill) => [skill.uri, skill])),
    folders: foldersOf(files.values()),
    listed: carried.map(asResource).sort(compareUris),
  }
}

/** A skill below another one is among its files, as it is for whoever reads the folder. */
function withInner(carried: readonly CarriedSkill[]): Skill[] {
  const inOrder = carried
    .map(({ skill }) => ({ skill, root: skill.uri.slice(0, -SKILL_FILE.length) }))
    .sort((a, b) => (a.root < b.root ? -1 : 1))
  return inOrder.map(({ skill, root }, at) => {
    // Whatever lies below comes right after.
    const isBelow = (place: number) => inOrder[place]?.root.startsWith(root) ?? false
    let end = at + 1
    while (isBelow(end)) end += 1
    const added = inOrder.slice(at + 1, end).flatMap((each) => each.skill.resources as Listed[])
    if (added.length === 0) return skill
    const own = skill.resources as readonly Listed[]
    return { ...skill, resources: [...own, ...added].sort(compareUris) }
  })
}

function asResource({ id, version, skill, files }: CarriedSkill): Resource {
  const { name, description } = skill.frontmatter
  const size = files.find(({ uri }) => uri === skill.uri)?.size
  return {
    uri: skill.uri,
    name,
    description,
    mimeType: 'text/markdown',
    ...(size !== undefined && { size }),
    // What the tools call it.
    _meta: { 'io.modelcontextprotocol.skills/id': `${id}@${version}` },
  }
}

/** Every folder above a file, with what lies directly in it. */
function foldersOf(files: Iterable<CarriedFile>): Map<string, Resource[]> {
  const children = new Map<string, Map<string, Resource>>()
  const put = (folder: string, child: Resource) => {
    const known = children.get(folder)
    if (known?.has(child.uri)) return false
    if (known) known.set(child.uri, child)
    else children.set(folder, new Map([[child.uri, child]]))
    return true
  }
  for (const { uri, mimeType, size } of files) {
    let child: Resource = { uri, name: nameOf(uri), mimeType, size }
    for (let folder = parentOf(uri); folder; folder = parentOf(folder)) {
      if (!put(folder, child)) break
      child = { uri: folder, name: nameOf(folder), mimeType: DIRECTORY_MIME_TYPE }
    }
  }
  return new Map([...children].map(([uri, all]) => [uri, [...all.values()].sort(compareUris)]))
}

function parentOf(uri: string): string | undefined {
  if (uri === BASE) return undefined
  const slash = uri.lastIndexOf('/')
  return slash < BASE.length ? BASE : uri.slice(0, slash)
}

function nameOf(uri: string): string {
  return decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))
}

/** The two are the same for whoever asks by address. */
export function sameSkills(a: Snapshot, b: Snapshot): boolean {
  return JSON.stringify(a.skills) === JSON.stringify(b.skills)
}

/** Looks an address up, however it is written. */
export function findIn<T>(map: ReadonlyMap<string, T>, uri: string): T | undefined {
  const address = canonical(uri)
  return address === undefined ? undefined : map.get(address)
}
