import type { SkillEntry } from '../../skills/repository/repository.ts'
import type { Services } from '../../services.ts'
import type { DescribeSkillParams, DescribeSkillResult } from './definition.ts'

/** A skill's manifest and, by detail, its documentation and files. */
export async function describeSkill(
  services: Pick<Services, 'repository'>,
  params: DescribeSkillParams,
): Promise<DescribeSkillResult> {
  const entry = await services.repository.resolve(params.name, params.version)
  const versions = await services.repository.versions(entry.name)
  return describeEntry(services, entry, { detail: params.detail ?? 'summary', versions })
}

/** The same for a skill that is already at hand, such as one that is being written. */
export async function describeEntry(
  { repository }: Pick<Services, 'repository'>,
  entry: SkillEntry,
  { detail, versions }: { detail: 'manifest' | 'summary' | 'full'; versions: readonly string[] },
): Promise<DescribeSkillResult> {
  const manifest = await repository.manifest(entry)
  const { name, version, description, kind, namespace, tags } = manifest
  const skill: DescribeSkillResult['skill'] = {
    manifest: manifest.toml ?? { name, version, description, kind, namespace, tags: [...tags] },
    versions: versions.length > 0 ? versions : [entry.version],
  }
  if (detail === 'manifest') return { skill }
  skill.skill_md_frontmatter = manifest.frontMatter
  if (detail === 'summary') return { skill }
  const files = await repository.files(entry)
  skill.files = files.map(({ path, size }) => ({ path, size_bytes: size }))
  if (files.some((file) => file.path === 'SKILL.md')) {
    const { bytes } = await repository.read(entry, 'SKILL.md')
    skill.skill_md = Buffer.from(bytes).toString('utf8')
  }
  return { skill }
}
