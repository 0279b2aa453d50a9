import type { DescribeSkillResult } from '../core/methods/describe-skill/definition.ts'
import type { ListedSkill } from '../core/methods/list-skills/definition.ts'
import type { Manifest } from '../core/skills/manifest/manifest.ts'
import { toManifest } from '../core/skills/manifest/to-manifest.ts'
import type { SkillEntry } from '../core/skills/repository/repository.ts'
import type { SkillPort } from './handle.ts'
import type { RemoteContext } from './remote-context.ts'

/** Skills per page. */
const PAGE_SIZE = 500

/** A skill from `describe_skill`. Runtimes may omit fields that the protocol does not require. */
interface RemoteSkill {
  /** As the caller requested it. Without a version, it means the newest one. */
  reference: { name: string; version?: string }
  skill: Omit<DescribeSkillResult['skill'], 'versions'> &
    Partial<Pick<DescribeSkillResult['skill'], 'versions'>>
  manifest: Manifest
}

/** The skills of a remote runtime. */
export function createRemoteSkills({ client, explainErrors, signal }: RemoteContext): SkillPort {
  const loaded = new WeakMap<SkillEntry, RemoteSkill>()
  const describe = async (name: string, version: string | undefined): Promise<RemoteSkill> => {
    const reference = { name, ...(version !== undefined && { version }) }
    const request = client.describeSkill({ ...reference, detail: 'full' }, { signal })
    const { skill } = await explainErrors(request)
    return { reference, skill, manifest: readManifest(skill) }
  }
  const describeEntry = async (entry: SkillEntry) =>
    loaded.get(entry) ?? (await describe(entry.name, entry.version))
  const listFiles = ({ skill }: RemoteSkill) =>
    (skill.files ?? []).map(({ path, size_bytes: size }) => ({ path, size }))
  const source: SkillPort = {
    async list() {
      const entries: SkillEntry[] = []
      const pages = client.skills({ detail: 'summary', limit: PAGE_SIZE }, { signal })
      for (;;) {
        const { done, value } = await explainErrors(pages.next())
        if (done === true) return entries
        entries.push(toListedEntry(value))
      }
    },
    problems: async () => [],
    async resolve(name, version) {
      const described = await describe(name, version)
      const entry = toDescribedEntry(described.manifest)
      loaded.set(entry, described)
      return entry
    },
    manifest: async (entry) => (await describeEntry(entry)).manifest,
    files: async (entry) => listFiles(await describeEntry(entry)),
    async describe(entry) {
      const described = await describeEntry(entry)
      const { skill, manifest } = described
      // A runtime that omits the documentation still returns it as a file.
      const isLeftOut = skill.skill_md === undefined && skill.files === undefined
      const markdown = isLeftOut
        ? new TextDecoder().decode((await source.read(entry, 'SKILL.md')).bytes)
        : skill.skill_md
      const versions = skill.versions ?? [manifest.version]
      return { manifest, versions, files: listFiles(described), markdown }
    },
    async read(entry, path) {
      const { reference } = loaded.get(entry) ?? { reference: entry }
      const { name, version } = reference
      const params = { name, path, ...(version !== undefined && { version }) }
      const file = await explainErrors(client.readSkillFile(params, { signal }))
      const bytes = Buffer.from(file.content, file.encoding ?? 'utf8')
      return { path, bytes, kind: (file as Partial<typeof file>).kind ?? 'text/plain' }
    },
  }
  return source
}

/** Fills in fields that the protocol does not require. */
function toListedEntry(listed: Partial<ListedSkill>): SkillEntry {
  const { name = '', version = '', description = '', kind = 'action', tags = [] } = listed
  const namespace = listed.namespace ?? name.split('.')[0] ?? ''
  const { short_description: short, inputs = [] } = listed
  const facts = { name, version, description, namespace, kind, tags, inputs }
  return { ...facts, shortDescription: short ?? undefined, dir: '', root: '' }
}

function toDescribedEntry(manifest: Manifest): SkillEntry {
  const { name, version, description, namespace, kind, tags, shortDescription } = manifest
  const inputs = Object.keys(manifest.inputs)
  const facts = { name, version, description, namespace, kind, tags, inputs }
  return { ...facts, shortDescription, dir: '', root: '' }
}

/** Converts the remote description to a manifest as a local one is read. */
function readManifest({
  manifest,
  skill_md_frontmatter: frontMatter = {},
}: Pick<DescribeSkillResult['skill'], 'manifest' | 'skill_md_frontmatter'>): Manifest {
  const source = { toml: { data: manifest }, markdown: { frontMatter: { data: frontMatter } } }
  return toManifest(source as unknown as Parameters<typeof toManifest>[0]).manifest
}
