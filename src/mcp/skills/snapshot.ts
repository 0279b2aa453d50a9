import type { Resource } from '@modelcontextprotocol/server'
import { DIRECTORY_MIME_TYPE, type Skill } from '@modelcontextprotocol/server/ext/skills'
import { memoize } from '../../util/memoize.ts'
import type { ExtensionFile, ExtensionSkill } from './build-skill.ts'
import { SKILL_URI_BASE, canonicalizeUri, compareUris, SKILL_FILE } from './uris.ts'

/** The offered skills of all roots at one moment. Their files are found on demand. */
export interface SkillSnapshot {
  /** The same object for a skill that did not change. */
  readonly carried: readonly ExtensionSkill[]
  readonly skills: readonly Skill[]
  /** One resource per skill. */
  readonly listed: readonly Resource[]
  findSkill(uri: string): Skill | undefined
  findFile(uri: string): ExtensionFile | undefined
  /** Direct children of a folder above files; undefined if there is no such folder. */
  listFolder(uri: string): readonly Resource[] | undefined
}

type ListedFile = Exclude<Skill['resources'], 'dynamic'>[number]

/** A skill at its folder's URI, which ends with a slash. */
interface RootedSkill {
  root: string
  own: ExtensionSkill
}

/** Builds the tree of all skills. */
export function buildSnapshot(carried: readonly ExtensionSkill[]): SkillSnapshot {
  const rooted = carried
    .map((own) => ({ own, root: own.skill.uri.slice(0, -SKILL_FILE.length) }))
    .sort((a, b) => (a.root < b.root ? -1 : 1))
  const byRoot = new Map(rooted.map((each) => [each.root, each]))
  const skills = addNestedSkills(rooted).sort(compareUris)
  const byUri = new Map(skills.map((skill) => [skill.uri, skill]))
  const folders = new Map<string, readonly Resource[] | undefined>()
  return {
    carried,
    skills,
    listed: rooted.map(({ own }) => toResource(own)).sort(compareUris),
    findSkill: (uri) => byUri.get(canonicalizeUri(uri) ?? ''),
    findFile(uri) {
      const address = canonicalizeUri(uri) ?? ''
      return findSkillsAbove(byRoot, address)
        .map(({ own }) => indexFiles(own).get(address))
        .find((file) => file !== undefined)
    },
    listFolder(uri) {
      const folder = canonicalizeUri(uri)
      if (folder === undefined) return undefined
      const known = folders.get(folder)
      if (known) return known
      const children = listChildren(folder, rooted, byRoot)
      if (children) folders.set(folder, children)
      return children
    },
  }
}

const indexFiles = memoize(
  ({ files }: ExtensionSkill) => new Map(files.map((file) => [file.uri, file])),
)

/** Adds the files of nested skills to the outer skill, as in its folder. */
function addNestedSkills(rooted: readonly RootedSkill[]): Skill[] {
  return rooted.map(({ own: { skill }, root }, at) => {
    // Nested skills follow directly in this order.
    const nested = sliceBelow(rooted, root, at + 1)
    if (nested.length === 0) return skill
    const added = nested.flatMap(({ own }) => own.skill.resources as ListedFile[])
    const ownFiles = skill.resources as readonly ListedFile[]
    return { ...skill, resources: [...ownFiles, ...added].sort(compareUris) }
  })
}

/** The skills from an index on whose folder is inside another. */
function sliceBelow(rooted: readonly RootedSkill[], root: string, from: number): readonly RootedSkill[] {
  const isBelow = (index: number) => rooted[index]?.root.startsWith(root) ?? false
  let end = from
  while (isBelow(end)) end += 1
  return rooted.slice(from, end)
}

const toResource = memoize(({ id, version, skill, files }: ExtensionSkill): Resource => {
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
})

/** The skills whose folder contains an address, innermost first. */
function findSkillsAbove(
  byRoot: ReadonlyMap<string, RootedSkill>,
  address: string,
): RootedSkill[] {
  const found: RootedSkill[] = []
  let slash = address.lastIndexOf('/')
  while (slash >= SKILL_URI_BASE.length) {
    const skill = byRoot.get(address.slice(0, slash + 1))
    if (skill) found.push(skill)
    slash = address.lastIndexOf('/', slash - 1)
  }
  return found
}

// eslint-disable-next-line max-params -- a folder, and the skills in order and by folder
function listChildren(
  folder: string,
  rooted: readonly RootedSkill[],
  byRoot: ReadonlyMap<string, RootedSkill>,
): Resource[] | undefined {
  const prefix = folder === SKILL_URI_BASE ? folder : `${folder}/`
  const children = new Map<string, Resource>()
  const concerned = [
    ...sliceBelow(rooted, prefix, findFirst(rooted, prefix)),
    ...findSkillsAbove(byRoot, prefix).filter(({ root }) => root !== prefix),
  ]
  for (const { own } of concerned) {
    for (const { uri, mimeType, size } of own.files) {
      if (!uri.startsWith(prefix)) continue
      const slash = uri.indexOf('/', prefix.length)
      const child = slash === -1 ? uri : uri.slice(0, slash)
      if (children.has(child)) continue
      const name = decodeURIComponent(child.slice(prefix.length))
      const facts = slash === -1 ? { mimeType, size } : { mimeType: DIRECTORY_MIME_TYPE }
      children.set(child, { uri: child, name, ...facts })
    }
  }
  return children.size === 0 ? undefined : [...children.values()].sort(compareUris)
}

/** Index of the first skill whose folder does not sort before a text. */
function findFirst(rooted: readonly RootedSkill[], text: string): number {
  let [low, high] = [0, rooted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rooted[middle] as RootedSkill).root < text) low = middle + 1
    else high = middle
  }
  return low
}

/** URIs of added, removed and changed files, which include those of the skills. */
export function findChangedUris(old: SkillSnapshot, now: SkillSnapshot): string[] {
  const [before, after] = [new Set(old.carried), new Set(now.carried)]
  const removed = mapDigests(old.carried.filter((each) => !after.has(each)))
  const added = mapDigests(now.carried.filter((each) => !before.has(each)))
  const uris = new Set([...removed.keys(), ...added.keys()])
  return [...uris].filter((uri) => removed.get(uri) !== added.get(uri))
}

/** Digests of all files by URI. */
function mapDigests(carried: readonly ExtensionSkill[]): Map<string, string> {
  return new Map(
    carried.flatMap(({ files }) => files.map(({ uri, digest }) => [uri, digest] as const)),
  )
}
