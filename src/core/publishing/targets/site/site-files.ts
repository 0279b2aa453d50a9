import { hash } from 'node:crypto'
import { compareSemver } from '../../../../util/semver.ts'
import { BUNDLE_EXTENSION } from '../../../signing/envelope/bundle-file.ts'
import { listCapabilities } from '../../../skills/manifest/capabilities.ts'
import type { SkillRelease } from '../publish-target.ts'
import { formatSettings, RECORD_FILE, SETTINGS_FILE, type SiteState } from './read-site.ts'
import {
  formatJson,
  locatePlugin,
  renderClaudeMarketplace,
  renderCodexMarketplace,
  renderDiscovery,
} from './render-indexes.ts'
import { PAGE_STYLE, renderHomePage, renderSkillPage } from './render-pages.ts'
import { formatSiteRecord, type SiteSkill, type SiteVersion } from './site-record.ts'

/** A file of a site. */
export interface SiteFile {
  /** From the site's folder, with forward slashes. */
  path: string
  bytes: Uint8Array
  isExecutable?: boolean
}

/** Files of one version, which never change once an index names them. */
export function listVersionFiles(release: SkillRelease): SiteFile[] {
  const { name, version, archives, bundle } = release
  const folder = `skills/${name}/${version}`
  return [
    ...archives.map(({ file, bytes }) => ({ path: `${folder}/${file}`, bytes })),
    ...(bundle
      ? archives.map(({ file }) => ({
          path: `${folder}/${file}${BUNDLE_EXTENSION}`,
          bytes: bundle,
        }))
      : []),
    ...listPluginFiles(release),
  ]
}

/** The unpacked version as a plugin, for marketplaces that read folders. */
function listPluginFiles({ name, version, manifest, files }: SkillRelease): SiteFile[] {
  const folder = locatePlugin({ name }, { version })
  const plugin = { name, version, description: getDescription(manifest), skills: './skills/' }
  return [
    { path: `${folder}/.codex-plugin/plugin.json`, bytes: Buffer.from(formatJson(plugin)) },
    ...files.map((file) => ({ ...file, path: `${folder}/skills/${name}/${file.path}` })),
  ]
}

/** The state after a release was added, or the same state if it is there. */
export function addRelease(state: SiteState, release: SkillRelease): SiteState {
  const { name, skill, version } = release
  const before = state.skills.find((each) => each.name === name)
  if (before?.versions.some((each) => each.version === version)) return state
  const added: SiteSkill = {
    name,
    skill,
    versions: [...(before?.versions ?? []), toSiteVersion(release)],
  }
  return replaceSkill(state, added)
}

export function replaceSkill(state: SiteState, skill: SiteSkill): SiteState {
  const others = state.skills.filter(({ name }) => name !== skill.name)
  const sorted: SiteSkill = {
    ...skill,
    versions: skill.versions.toSorted((a, b) => compareSemver(b.version, a.version)),
  }
  return {
    ...state,
    skills: [...others, sorted].sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

function toSiteVersion({ version, tree, manifest, archives, bundle }: SkillRelease): SiteVersion {
  return {
    version,
    digest: tree,
    description: getDescription(manifest),
    capabilities: listCapabilities(manifest).map(({ kind, value }) => `${kind} ${value}`),
    archives: archives.map(({ format, file, digest, bytes }) => ({
      path: `${version}/${file}`,
      digest,
      type: format,
      size: bytes.length,
    })),
    isSigned: bundle !== undefined,
    yanked: null,
  }
}

function getDescription({ frontMatter, description }: SkillRelease['manifest']): string {
  const written = frontMatter['description']
  return typeof written === 'string' ? written.trim() : description
}

/**
 * Files that depend on all skills, in the order in which they are written: each names only what is
 * there already, and the discovery index comes last.
 */
export function listDerivedFiles(state: SiteState): SiteFile[] {
  const style = `sha256-${hash('sha256', PAGE_STYLE, 'base64')}`
  const texts: readonly (readonly [string, string])[] = [
    // GitHub Pages leaves out folders that begin with a dot unless this file exists.
    ['.nojekyll', ''],
    [SETTINGS_FILE, formatSettings(state.settings)],
    ...state.skills.map(
      (skill) => [`skills/${skill.name}/${RECORD_FILE}`, formatSiteRecord(skill)] as const,
    ),
    ...state.skills.map(
      (skill) =>
        [`skills/${skill.name}/index.html`, renderSkillPage(skill, state.settings, style)] as const,
    ),
    ['index.html', renderHomePage(state, style)],
    ['.claude-plugin/marketplace.json', renderClaudeMarketplace(state)],
    ['.agents/plugins/marketplace.json', renderCodexMarketplace(state)],
    ['.well-known/agent-skills/index.json', renderDiscovery(state)],
  ]
  return texts.map(([path, text]) => ({ path, bytes: Buffer.from(text) }))
}
