import { MAX_DESCRIPTION } from '../check-front-matter.ts'
import type { SiteState } from './read-site.ts'
import {
  findNewestVersion,
  type SiteArchive,
  type SiteSkill,
  type SiteVersion,
} from './site-record.ts'

export const DISCOVERY_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'

/** A skill with the version that a site offers. */
export interface OfferedSkill {
  skill: SiteSkill
  version: SiteVersion
}

/** Skills that have a version, by name. */
export function listOffered({ skills }: SiteState): OfferedSkill[] {
  return skills.flatMap((skill) => {
    const version = findNewestVersion(skill)
    return version ? [{ skill, version }] : []
  })
}

/** The discovery index. Addresses are relative to it, so that the site works below any path. */
export function renderDiscovery(state: SiteState): string {
  const skills = listOffered(state).flatMap(({ skill, version }) => {
    const archive = findArchive(version, 'tar.gz')
    if (!archive) return []
    return [
      {
        name: skill.name,
        ...(skill.skill !== skill.name && { skill: skill.skill }),
        type: 'archive',
        description: shortenDescription(version, skill),
        url: `../../skills/${skill.name}/${archive.path}`,
        digest: archive.digest,
        version: version.version,
      },
    ]
  })
  return formatJson({ $schema: DISCOVERY_SCHEMA, skills })
}

/**
 * The marketplace of Claude Code: archives with digests if the address of the site is known, and
 * folders of the site otherwise, which need a copy of the whole site.
 */
export function renderClaudeMarketplace(state: SiteState): string {
  const { name, baseUrl } = state.settings
  const plugins = listOffered(state).map(({ skill, version }) => {
    const zip = findArchive(version, 'zip')
    const isArchive = baseUrl?.startsWith('https:') === true && zip !== undefined
    return {
      name: skill.name,
      description: shortenDescription(version, skill),
      version: version.version,
      source: isArchive
        ? {
            source: 'archive',
            url: `${baseUrl}/skills/${skill.name}/${zip.path}`,
            sha256: zip.digest.replace('sha256:', ''),
          }
        : `./${locatePlugin(skill, version)}`,
      strict: false,
      // The archive has SKILL.md at its root.
      skills: [isArchive ? './' : './skills/'],
    }
  })
  return formatJson({ name, owner: { name }, description: `Skills of ${name}`, plugins })
}

/** The marketplace of Codex: folders of the site. */
export function renderCodexMarketplace(state: SiteState): string {
  const { name } = state.settings
  const plugins = listOffered(state).map(({ skill, version }) => ({
    name: skill.name,
    source: { source: 'local', path: `./${locatePlugin(skill, version)}` },
    policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
    category: 'Productivity',
  }))
  return formatJson({ name, interface: { displayName: name }, plugins })
}

/** Folder of an unpacked version, in the layout of plugins. */
export function locatePlugin(
  { name }: Pick<SiteSkill, 'name'>,
  { version }: Pick<SiteVersion, 'version'>,
): string {
  return `skills/${name}/${version}/plugin`
}

export function findArchive({ archives }: SiteVersion, type: string): SiteArchive | undefined {
  return archives.find((each) => each.type === type)
}

/** Clients drop entries whose description is empty or too long. */
function shortenDescription({ description }: SiteVersion, { name }: SiteSkill): string {
  const text = description.trim() || name
  // A character has at most two units, by which clients count.
  return text.length <= MAX_DESCRIPTION ? text : [...text].slice(0, MAX_DESCRIPTION / 2).join('')
}

export function formatJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
