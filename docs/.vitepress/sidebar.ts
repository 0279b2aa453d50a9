import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A link, or a group of links, as the default theme takes them. */
interface SidebarItem {
  text: string
  link?: string
  items?: SidebarItem[]
  collapsed?: boolean
}

/** Pages of the guide in their order; pages that are not named here follow by name. */
const GUIDE = [
  'index',
  'quickstart',
  'systems',
  'skill-format',
  'linting',
  'comparing',
  'testing',
  'testing-snapshots',
  'testing-coverage',
  'testing-network',
  'testing-conversations',
  'evals',
  'packing',
  'signing',
  'installing',
  'publishing',
  'running',
  'kernels',
  'programs',
  'background',
  'receipts',
  'workspaces',
  'agents',
  'mcp',
  'serving',
  'fleet',
  'console',
  'console-pages',
  'client',
  'library',
  'policy',
  'storage',
  'configuration',
  'commands',
  'security',
  'threat-model',
  'sandbox',
  'operations',
]

/** The sidebar of each part of the site, made from the files that exist below docs/. */
export function listSidebars(docs: URL): Record<string, SidebarItem[]> {
  const reference = [
    { text: 'Reference', items: listPages(docs, 'reference/', ['index']) },
    ...listRules(docs),
  ]
  const decisions = [{ text: 'Decisions', items: listPages(docs, 'adr/', ['README']) }]
  const guide = [{ text: 'Guide', items: listPages(docs, '', GUIDE) }]
  return { '/reference/': reference, '/adr/': decisions, '/': guide }
}

/** One group for each area of lint rules. */
function listRules(docs: URL): SidebarItem[] {
  const folder = 'reference/rules/'
  if (!existsSync(new URL(folder, docs))) return []
  const areas = readdirSync(new URL(folder, docs), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()
  const groups = areas.map((area) => ({
    text: area,
    collapsed: true,
    items: listPages(docs, `${folder}${area}/`, []).map((page) => ({
      ...page,
      text: page.text.slice(area.length + 1),
    })),
  }))
  return [{ text: 'Lint rules', items: [...listPages(docs, folder, []), ...groups] }]
}

/** Links to the pages of a folder, titled by their first heading. */
function listPages(docs: URL, folder: string, order: readonly string[]): SidebarItem[] {
  const directory = new URL(folder, docs)
  if (!existsSync(directory)) return []
  const names = readdirSync(directory)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .toSorted()
  const ordered = [
    ...order.filter((name) => names.includes(name)),
    ...names.filter((name) => !order.includes(name)),
  ]
  return ordered.map((name) => ({
    text: name === 'index' || name === 'README' ? 'Overview' : readTitle(directory, name),
    link: `/${folder}${name === 'index' ? '' : name}`,
  }))
}

function readTitle(directory: URL, name: string): string {
  const text = readFileSync(new URL(`${name}.md`, directory), 'utf8')
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? name
}
