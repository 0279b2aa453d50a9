import { toPrintable } from '../../../../util/printable.ts'
import { formatBytes } from '../../../../util/quantity.ts'
import { escapeXml } from '../../../../util/xml.ts'
import type { SiteSettings, SiteState } from './read-site.ts'
import { listOffered, type OfferedSkill } from './render-indexes.ts'
import { findNewestVersion, type SiteSkill, type SiteVersion } from './site-record.ts'

/** The only style of the pages, whose digest their policy has. No page has a script or an image. */
const STYLE = `
:root { color-scheme: light dark; --line: #8885; --soft: #8881; --mute: #666; --link: #0550ae }
@media (prefers-color-scheme: dark) { :root { --mute: #aaa; --link: #79b8ff } }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 54rem; padding: 1.5rem 1rem 4rem }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; overflow-wrap: anywhere }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
a { color: var(--link) }
p, li { overflow-wrap: anywhere }
.mute { color: var(--mute) }
ul.skills { list-style: none; margin: 1.5rem 0; padding: 0 }
ul.skills li { border-top: 1px solid var(--line); padding: .8rem 0 }
ul.skills a { font-weight: 600 }
code, pre { background: var(--soft); border-radius: .3rem; font: .875rem/1.5 ui-monospace, monospace }
code { overflow-wrap: anywhere; padding: .1rem .3rem }
pre { overflow-x: auto; padding: .75rem }
pre code { background: none; padding: 0 }
.version { border-top: 1px solid var(--line); padding: .8rem 0 }
.version h3 { font-size: 1rem; margin: 0 }
.yanked h3 { text-decoration: line-through }
`

/** The page that lists all skills. */
export function renderHomePage(state: SiteState, styleDigest: string): string {
  const { name, baseUrl } = state.settings
  const offered = listOffered(state)
  const items = offered.map(renderItem)
  const list =
    items.length === 0
      ? ['<p>No skill is published yet.</p>']
      : ['<ul class="skills">', ...items, '</ul>']
  const install = baseUrl === undefined ? [] : renderCommands(`npx skills add ${baseUrl}`)
  return renderPage({ title: name, styleDigest }, [
    `<h1>${showText(name)}</h1>`,
    `<p class="mute">Skills for agents: ${offered.length}</p>`,
    ...list,
    ...(install.length === 0 ? [] : ['<h2>Install</h2>', ...install]),
    '<h2>Indexes</h2>',
    '<ul>',
    '<li><a href=".well-known/agent-skills/index.json">Discovery index</a></li>',
    '<li><a href=".claude-plugin/marketplace.json">Marketplace of Claude Code</a></li>',
    '<li><a href=".agents/plugins/marketplace.json">Marketplace of Codex</a></li>',
    '</ul>',
  ])
}

function renderItem({ skill, version }: OfferedSkill): string {
  const link = `<a href="skills/${skill.name}/index.html">${showText(skill.name)}</a>`
  return `<li>${link} <span class="mute">${showText(version.version)}</span><br>${showText(version.description)}</li>`
}

/** The page of one skill, with all versions. */
export function renderSkillPage(
  skill: SiteSkill,
  { name, baseUrl }: SiteSettings,
  styleDigest: string,
): string {
  const newest = findNewestVersion(skill)
  const description = newest ? [`<p>${showText(newest.description)}</p>`] : []
  const install =
    newest && baseUrl !== undefined
      ? [
          '<h2>Install</h2>',
          ...renderCommands(`skills install ${baseUrl}#${skill.name}@${newest.version}`),
        ]
      : []
  return renderPage({ title: `${skill.name} · ${name}`, styleDigest }, [
    `<p><a href="../../index.html">${showText(name)}</a></p>`,
    `<h1>${showText(skill.name)}</h1>`,
    `<p class="mute"><code>${showText(skill.skill)}</code></p>`,
    ...description,
    ...install,
    ...(newest ? renderCapabilities(newest) : ['<p>All versions are withdrawn.</p>']),
    '<h2>Versions</h2>',
    ...skill.versions.map(renderVersion),
  ])
}

function renderCapabilities({ capabilities }: SiteVersion): string[] {
  if (capabilities.length === 0) return []
  const items = capabilities.map((each) => `<li><code>${showText(each)}</code></li>`)
  return ['<h2>May use</h2>', '<ul>', ...items, '</ul>']
}

/** Links are relative paths of this site; nothing that a skill contains becomes an address. */
function renderVersion({ version, digest, archives, yanked, isSigned }: SiteVersion): string {
  const files = archives.map(({ path, type, size }) => {
    const signature = isSigned ? ` (<a href="${escapeHtml(path)}.intoto.jsonl">signature</a>)` : ''
    return `<li><a href="${escapeHtml(path)}">${escapeHtml(type)}</a> ${formatBytes(size)}${signature}</li>`
  })
  const reason = yanked === null ? '' : `<p>Withdrawn: ${showText(yanked)}</p>`
  return [
    `<div class="version${yanked === null ? '' : ' yanked'}">`,
    `<h3>${showText(version)}</h3>`,
    reason,
    `<p class="mute"><code>${escapeHtml(digest)}</code></p>`,
    `<ul>${files.join('')}</ul>`,
    '</div>',
  ]
    .filter((line) => line !== '')
    .join('\n')
}

function renderCommands(...commands: readonly string[]): string[] {
  return [`<pre><code>${commands.map(escapeHtml).join('\n')}</code></pre>`]
}

function renderPage(
  { title, styleDigest }: { title: string; styleDigest: string },
  body: readonly string[],
): string {
  const policy = `default-src 'none'; style-src '${styleDigest}'; base-uri 'none'; form-action 'none'`
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(toPrintable(title))}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    ...body,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

/** Text of a skill: isolated, so that its writing direction cannot reorder the text around it. */
function showText(text: string): string {
  return `<bdi>${escapeHtml(toPrintable(text))}</bdi>`
}

/** Safe as text and in attributes with double or single quotes. */
function escapeHtml(text: string): string {
  return escapeXml(text).replaceAll("'", '&#39;')
}

/** The style as the policy names it: its text between the tags. */
export { STYLE as PAGE_STYLE }
