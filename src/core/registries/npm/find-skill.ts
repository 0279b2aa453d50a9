import { SkillsError } from '../../../errors.ts'
import { findPackedPathProblem } from '../../packing/path-problems.ts'
import type { PackedFile } from '../../packing/packed-file.ts'
import { JsonValue } from '../../signing/envelope/strict-json.ts'
import { refusedContentError } from '../http/registry-error.ts'

/** A skill in a package. */
interface PackagedSkill {
  name: string
  /** Folder in the package with a slash at its end; empty for the package itself. */
  folder: string
}

const MAX_SKILLS = 200

/** Name and version that a package has in its own package.json. */
export interface PackageIdentity {
  name: string
  version: string
}

/**
 * Removes the common folder of an archive of npm, and refuses another package under the name:
 * the page of a registry shows what was uploaded beside the archive.
 */
export function openPackage(
  files: readonly PackedFile[],
  { name, version }: PackageIdentity,
): { files: PackedFile[]; manifest: JsonValue } {
  const source = `npm:${name}@${version}`
  const refuse = (problem: string) => refusedContentError(source, `in package.json, ${problem}`)
  const root = `${files[0]?.path.split('/', 1)[0]}/`
  if (!files.every(({ path }) => path.startsWith(root))) {
    throw refusedContentError(source, 'its archive has files outside of its folder')
  }
  const inside = files.map((file) => ({ ...file, path: file.path.slice(root.length) }))
  const written = inside.find(({ path }) => path === 'package.json')
  if (!written) throw refusedContentError(source, 'its archive has no package.json')
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(written.bytes).toString('utf8'))
  } catch {
    throw refuse('there is no JSON')
  }
  const manifest = new JsonValue(parsed, '', refuse)
  if (manifest.at('name').value !== name) throw manifest.at('name').refuse(`"${name}"`)
  if (manifest.at('version').value !== version) throw manifest.at('version').refuse(`"${version}"`)
  return { files: inside, manifest }
}

/** Chooses the skill of a package by its name; without a name there must be one only. */
export function findPackagedSkill(
  { files, manifest }: { files: readonly PackedFile[]; manifest: JsonValue },
  wanted: string | undefined,
  source: string,
): PackagedSkill {
  const found = [...listDeclared(files, manifest, source), ...listSkillFolders(files)]
  const unique = found.filter(
    (each, at) => found.findIndex(({ folder }) => folder === each.folder) === at,
  )
  const chosen = wanted === undefined ? unique : unique.filter((each) => matches(each, wanted))
  const [first] = chosen
  if (first && chosen.length === 1) return first
  const names = unique.map(({ name }) => name).join(', ')
  if (unique.length === 0) {
    throw new SkillsError('skill/not-found', `"${source}" has no skill`, {
      hint: 'A package has skills in skills/<name>/SKILL.md, or lists them in agents.skills',
    })
  }
  const problem =
    chosen.length === 0
      ? `has no skill "${wanted}"`
      : `has ${chosen.length} skills${wanted === undefined ? '' : ' for this name'}`
  throw new SkillsError('skill/not-found', `"${source}" ${problem}`, {
    hint: `Add one of them with "#": ${names}`,
  })
}

function matches({ name, folder }: PackagedSkill, wanted: string): boolean {
  return name === wanted || folder.replace(/\/$/, '').split('/').at(-1) === wanted
}

/** Skills that package.json lists. */
function listDeclared(
  files: readonly PackedFile[],
  manifest: JsonValue,
  source: string,
): PackagedSkill[] {
  const agents = manifest.at('agents')
  if (typeof agents.value !== 'object' || agents.value === null) return []
  const skills = agents.at('skills')
  if (skills.isAbsent) return []
  return skills.list(MAX_SKILLS).map((each) => {
    const name = each.at('name').text()
    const written = each.at('path').text()
    const path = written
      .replace(/^\.\//, '')
      .replace(/(?:^|\/)SKILL\.md$/, '')
      .replace(/\/$/, '')
    const isRoot = path === '' || path === '.'
    const problem = isRoot ? undefined : findPackedPathProblem(path)
    if (problem !== undefined) {
      throw refusedContentError(source, `the path ${JSON.stringify(written)} ${problem}`)
    }
    const folder = isRoot ? '' : `${path}/`
    if (files.some((file) => file.path === `${folder}SKILL.md`)) return { name, folder }
    throw refusedContentError(source, `there is no SKILL.md in ${JSON.stringify(written)}`)
  })
}

function listSkillFolders(files: readonly PackedFile[]): PackagedSkill[] {
  return files.flatMap(({ path }) => {
    if (path === 'SKILL.md') return [{ name: 'SKILL.md', folder: '' }]
    const name = /^skills\/([^/]+)\/SKILL\.md$/.exec(path)?.[1]
    return name === undefined ? [] : [{ name, folder: `skills/${name}/` }]
  })
}
