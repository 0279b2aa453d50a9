import type { Resource } from '@modelcontextprotocol/server'
import { DIRECTORY_MIME_TYPE, type Skill } from '@modelcontextprotocol/server/ext/skills'
import type { ExtensionFile, ExtensionSkill } from './build-skill.ts'
import { SKILL_URI_BASE, canonicalizeUri, compareUris, SKILL_FILE } from './uris.ts'

/** The offered skills of all roots at one moment. */
export interface SkillSnapshot {
  readonly skills: readonly Skill[]
  readonly byUri: ReadonlyMap<string, Skill>
  readonly files: ReadonlyMap<string, ExtensionFile>
  readonly folders: ReadonlyMap<string, readonly Resource[]>
  /** One resource per skill. */
  readonly listed: readonly Resource[]
}

type ListedFile = Exclude<Skill['resources'], 'dynamic'>[number]

/** Builds the tree of all skills. */
export function buildSnapshot(carried: readonly ExtensionSkill[]): SkillSnapshot {
  const files = new Map<string, ExtensionFile>()
  for (const each of carried) for (const file of each.files) files.set(file.uri, file)
  const skills = addNestedSkills(carried).sort(compareUris)
  return {
    skills,
    files,
    byUri: new Map(skills.map((skill) => [skill.uri, skill])),
    folders: indexFolders(files.values()),
    listed: carried.map(toResource).sort(compareUris),
  }
}

/** Adds the files of nested skills to the outer skill, as in its folder. */
function addNestedSkills(carried: readonly ExtensionSkill[]): Skill[] {
  const inOrder = carried
    .map(({ skill }) => ({ skill, root: skill.uri.slice(0, -SKILL_FILE.length) }))
    .sort((a, b) => (a.root < b.root ? -1 : 1))
  return inOrder.map(({ skill, root }, at) => {
    // Nested skills follow directly in this order.
    const isBelow = (index: number) => inOrder[index]?.root.startsWith(root) ?? false
    let end = at + 1
    while (isBelow(end)) end += 1
    const added = inOrder.slice(at + 1, end).flatMap((each) => each.skill.resources as ListedFile[])
    if (added.length === 0) return skill
    const ownFiles = skill.resources as readonly ListedFile[]
    return { ...skill, resources: [...ownFiles, ...added].sort(compareUris) }
  })
}

function toResource({ id, version, skill, files }: ExtensionSkill): Resource {
  const { name, description } = skill.frontmatter
  const size = files.find(({ uri }) => uri === skill.uri)?.size
  return {
    uri: skill.uri,
    name,
    description,
    mimeType: 'text/markdown',
    ...(size !== undefined && { size }),
    // Name and version for the tools.
    _meta: { 'io.modelcontextprotocol.skills/id': `${id}@${version}` },
  }
}

/** Lists the direct children of every folder above a file. */
function indexFolders(files: Iterable<ExtensionFile>): Map<string, Resource[]> {
  const children = new Map<string, Map<string, Resource>>()
  const put = (folder: string, child: Resource) => {
    const siblings = children.get(folder)
    if (siblings?.has(child.uri)) return false
    if (siblings) siblings.set(child.uri, child)
    else children.set(folder, new Map([[child.uri, child]]))
    return true
  }
  for (const { uri, mimeType, size } of files) {
    let child: Resource = { uri, name: decodeLastSegment(uri), mimeType, size }
    for (let folder = findParent(uri); folder; folder = findParent(folder)) {
      if (!put(folder, child)) break
      child = { uri: folder, name: decodeLastSegment(folder), mimeType: DIRECTORY_MIME_TYPE }
    }
  }
  return new Map([...children].map(([uri, all]) => [uri, [...all.values()].sort(compareUris)]))
}

function findParent(uri: string): string | undefined {
  if (uri === SKILL_URI_BASE) return undefined
  const slash = uri.lastIndexOf('/')
  return slash < SKILL_URI_BASE.length ? SKILL_URI_BASE : uri.slice(0, slash)
}

function decodeLastSegment(uri: string): string {
  return decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))
}

/** True if both snapshots are equal for clients. */
export function hasSameSkills(a: SkillSnapshot, b: SkillSnapshot): boolean {
  return JSON.stringify(a.skills) === JSON.stringify(b.skills)
}

/** Looks up a URI after canonicalizing it. */
export function lookUpUri<T>(map: ReadonlyMap<string, T>, uri: string): T | undefined {
  const address = canonicalizeUri(uri)
  return address === undefined ? undefined : map.get(address)
}
