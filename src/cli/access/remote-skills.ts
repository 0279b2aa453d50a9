import { ProtocolError, type DescribeSkillResult, type ListedSkill } from '../../client/index.ts'
import type { Manifest, PlainObject } from '../../core/skills/manifest/manifest.ts'
import { toManifest } from '../../core/skills/manifest/to-manifest.ts'
import type { SkillFileContent } from '../../core/skills/repository/repository.ts'
import { checkVersion, parseReference, unknownSkill } from '../find-skill.ts'
import type { Description, FoundSkill, ListedEntry, SkillList } from './access.ts'
import type { Remote } from './remote.ts'

/** Skills that are asked for at once. */
const PAGE = 500

/** Every skill of a remote runtime. */
export async function listRemote({ client, ask, signal }: Remote): Promise<SkillList> {
  const skills: ListedEntry[] = []
  const pages = client.skills({ detail: 'summary', limit: PAGE }, { signal })
  for (;;) {
    const { done, value } = await ask(pages.next())
    if (done === true) return { skills, problems: [] }
    skills.push(toEntry(value))
  }
}

/** A runtime may leave out what the protocol does not demand. */
function toEntry(listed: Partial<ListedSkill>): ListedEntry {
  const { name = '', version = '', description = '', kind = 'action', tags = [] } = listed
  return {
    name,
    version,
    description,
    namespace: listed.namespace ?? name.split('.')[0] ?? '',
    kind,
    tags,
    shortDescription: listed.short_description ?? undefined,
    inputs: listed.inputs ?? [],
  }
}

/** A skill of a remote runtime; guesses what a misspelt name meant, as at home. */
export async function findRemote(remote: Remote, reference: string): Promise<FoundSkill> {
  const { name, version } = parseReference(reference)
  const { client, ask, signal } = remote
  const described = await describe(remote, name, version)
  const manifest = manifestOf(described)
  const chosen = version === undefined ? {} : { version }
  return {
    name: manifest.name,
    version: manifest.version,
    manifest: async () => manifest,
    describe: async () => await describeFully(remote, { name, chosen, described }),
    async read(path) {
      const file = await ask(client.readSkillFile({ name, path, ...chosen }, { signal }))
      return toFile(path, file)
    },
    async execute({ args, input_blobs: blobs, timeout_ms: timeout }, call) {
      const { followRemote } = await import('./remote-runs.ts')
      const params = { name, ...chosen, args, input_blobs: blobs, timeout_ms: timeout }
      return await followRemote(remote, call, async (options) => {
        return await client.executeSkill(params, options)
      })
    },
  }
}

async function describe(
  { client, ask, signal }: Remote,
  name: string,
  version: string | undefined,
): Promise<DescribeSkillResult['skill']> {
  const wanted = version === undefined ? {} : { version }
  try {
    const { skill } = await client.describeSkill({ name, ...wanted, detail: 'full' }, { signal })
    return skill
  } catch (thrown) {
    // What is not there is told as at home; everything else as it is.
    if (thrown instanceof ProtocolError) {
      const there = await versionsOf({ client, ask, signal }, name)
      if (there.known.length > 0 && there.versions.length === 0) {
        throw unknownSkill(name, there.known)
      }
      checkVersion(name, version, there.versions)
    }
    return await ask(Promise.reject(thrown as Error))
  }
}

async function versionsOf(
  remote: Pick<Remote, 'client' | 'ask' | 'signal'>,
  name: string,
): Promise<{ known: string[]; versions: string[] }> {
  const { skills } = await listRemote(remote as Remote).catch(() => ({ skills: [] }))
  const known = skills.map((skill) => skill.name)
  return {
    known,
    versions: skills.filter((each) => each.name === name).map((each) => each.version),
  }
}

/** What the wire says of a skill, read as a manifest of this machine is. */
function manifestOf({
  manifest,
  skill_md_frontmatter: frontMatter = {},
}: {
  manifest: PlainObject
  skill_md_frontmatter?: PlainObject
}): Manifest {
  const source = {
    toml: { data: manifest },
    markdown: { frontMatter: { data: frontMatter } },
  }
  return toManifest(source as unknown as Parameters<typeof toManifest>[0]).manifest
}

interface Described {
  name: string
  chosen: { version?: string }
  described: DescribeSkillResult['skill']
}

/** A runtime may leave the documentation out, which is then read as the file that it is. */
async function describeFully(
  { client, ask, signal }: Remote,
  { name, chosen, described }: Described,
): Promise<Description> {
  const manifest = manifestOf(described)
  const files = (described.files ?? []).map(({ path, size_bytes: size }) => ({ path, size }))
  let markdown = described.skill_md
  if (markdown === undefined && described.files === undefined) {
    const asked = client.readSkillFile({ name, ...chosen, path: 'SKILL.md' }, { signal })
    markdown = (await ask(asked)).content
  }
  return { manifest, versions: described.versions ?? [manifest.version], files, markdown }
}

function toFile(
  path: string,
  file: { content: string; encoding?: 'base64'; kind?: string },
): SkillFileContent {
  const bytes = Buffer.from(file.content, file.encoding ?? 'utf8')
  return { path, bytes, kind: file.kind ?? 'text/plain' }
}
