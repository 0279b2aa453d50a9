import { createHash } from 'node:crypto'
import { skillEntry, type Skill } from '@modelcontextprotocol/server/ext/skills'
import { readForMcp } from '../../core/lint/mcp-obstacles.ts'
import { readContainedFile } from '../../core/skills/repository/contained-file.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import { toSkillsError } from '../../errors.ts'
import { detectMimeType } from '../../util/mime.ts'
import { compareUris, buildSkillPath, SKILL_FILE, buildSkillUri } from './uris.ts'

/** A file at the time its digest was computed. */
export interface ExtensionFile {
  uri: string
  /** Root folder of the skill. */
  dir: string
  path: string
  digest: string
  size: number
  mimeType: string
}

/** A skill that the MCP skills extension offers. */
export interface ExtensionSkill {
  id: string
  version: string
  skill: Skill
  files: readonly ExtensionFile[]
}

/** The result of reading a skill's folder. */
export interface BuiltSkill {
  /** Undefined if the skill is not offered. */
  offered?: ExtensionSkill | undefined
  /** Why the skill is not offered, with the same messages as lint. */
  obstacles: readonly string[]
  /** False if reading failed: a later attempt may succeed with the same files. */
  isComplete: boolean
}

/** Size limit of one skill, and therefore of each of its files. */
export const MAX_BYTES: number = 16 * 1024 ** 2

/** Reads a skill's folder. */
export async function buildSkill(entry: SkillEntry): Promise<BuiltSkill> {
  try {
    const { source, obstacles } = readForMcp(entry.dir)
    if (obstacles.length > 0) return { obstacles, isComplete: true }
    const name = source.markdown?.frontMatter.data['name'] as string
    const paths = source.files.filter(({ type }) => type === 'file').map(({ path }) => path)
    const carried = await readSkillFiles(entry, name, paths.filter(isPublished))
    return { offered: carried, obstacles, isComplete: true }
  } catch (thrown) {
    return { obstacles: [describeFailure(thrown)], isComplete: false }
  }
}

/** Hidden files and compiled Python files are not published. */
function isPublished(path: string): boolean {
  return path.split('/').every((part) => !part.startsWith('.') && part !== '__pycache__')
}

async function readSkillFiles(
  { name: id, version, dir }: SkillEntry,
  name: string,
  paths: readonly string[],
): Promise<ExtensionSkill> {
  const root = buildSkillPath(id, name)
  const files: ExtensionFile[] = []
  let markdown = ''
  for (const path of paths) {
    const bytes = await readContainedFile(dir, path, MAX_BYTES)
    if (path === SKILL_FILE) markdown = Buffer.from(bytes).toString('utf8')
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    const uri = buildSkillUri([...root, ...path.split('/')])
    files.push({ uri, dir, path, digest, size: bytes.length, mimeType: detectMimeType(path, bytes) })
  }
  // The SDK parses the front matter as its clients do, which compare the parsed values.
  const skillPath = root.join('/')
  const { frontmatter, uri } = await skillEntry(skillPath, { [SKILL_FILE]: markdown })
  const resources = files.map(({ uri: file, digest, size }) => ({ uri: file, digest, size }))
  return { id, version, files, skill: { uri, frontmatter, resources: resources.sort(compareUris) } }
}

function describeFailure(thrown: unknown): string {
  const { message } = toSkillsError(thrown)
  return message.replace(/^Something unexpected went wrong: /, '').split('\n').join(' ')
}
