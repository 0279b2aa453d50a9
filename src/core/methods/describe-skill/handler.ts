import type { Services } from '../../services.ts'
import type { DescribeSkillParams, DescribeSkillResult } from './definition.ts'

/** `describe_skill`: returns the manifest and, depending on `detail`, documentation and files. */
export async function describeSkill(
  { repository }: Pick<Services, 'repository'>,
  params: DescribeSkillParams,
): Promise<DescribeSkillResult> {
  const entry = await repository.resolve(params.name, params.version)
  const versions = await repository.versions(entry.name)
  const detail = params.detail ?? 'summary'
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
