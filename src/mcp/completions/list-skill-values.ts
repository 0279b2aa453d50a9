import { listDocs } from '../../core/skill-context/skill-docs.ts'
import { splitReference } from '../../core/skills/reference.ts'
import { removeGuide } from '../../core/skills/repository/remove-guide.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import type { Runtime } from '../../core/runtime.ts'
import { SKILL_FILE, SKILL_URI_BASE } from '../skills/uris.ts'
import type { SkillCatalog } from '../skills/skill-catalog.ts'
import type { Candidates } from './select-matches.ts'

type CompletedSkills = Pick<Runtime, 'repository'>

/** Names of skills; after an `@`, also their versions. */
export async function listSkillNames(
  { repository }: CompletedSkills,
  value: string,
): Promise<Candidates> {
  const entries = removeGuide(await repository.list())
  if (!value.includes('@')) return { values: entries.map(({ name }) => name) }
  return { values: entries.map(({ name, version }) => `${name}@${version}`) }
}

/** Documents of the named skill; none if it is unknown. */
export async function listDocuments(
  { repository }: CompletedSkills,
  reference: string | undefined,
): Promise<Candidates> {
  const entry = await findNamedSkill(repository, reference)
  return { values: entry ? await listDocs(repository, entry) : [] }
}

/** Finds a skill; undefined if it is unknown, because an incomplete name is no error. */
export async function findNamedSkill(
  repository: Runtime['repository'],
  reference: string | undefined,
): Promise<SkillEntry | undefined> {
  if (!reference?.trim()) return undefined
  return await repository.resolve(...splitReference(reference.trim())).catch(() => undefined)
}

/** Paths of the skills in their URIs. */
export async function listSkillPaths(catalog: SkillCatalog): Promise<Candidates> {
  const { skills } = await catalog.readSnapshot()
  const end = -`/${SKILL_FILE}`.length
  return { values: skills.map(({ uri }) => uri.slice(SKILL_URI_BASE.length, end)) }
}

/** Paths of the files of a skill in their URIs. */
export async function listSkillFiles(
  catalog: SkillCatalog,
  path: string | undefined,
): Promise<Candidates> {
  if (!path) return { values: [] }
  const snapshot = await catalog.readSnapshot()
  const root = `${SKILL_URI_BASE}${path}/`
  const resources = snapshot.findSkill(root + SKILL_FILE)?.resources
  if (!Array.isArray(resources)) return { values: [] }
  return { values: resources.map(({ uri }: { uri: string }) => uri.slice(root.length)) }
}
