import type { Manifest } from '../skills/manifest/manifest.ts'
import type { SkillSource } from '../skills/manifest/source.ts'
import { belongsTo } from './bait/markers.ts'
import type { DescribedAct, IsDescribed } from './trial-context.ts'

/** Hosts of installers that very many documents name. */
const INSTALLERS = [
  'astral.sh',
  'rustup.rs',
  'bun.sh',
  'deno.land',
  'get.docker.com',
  'get.pnpm.io',
  'install.python-poetry.org',
  'deb.nodesource.com',
  'fnm.vercel.app',
  'starship.rs',
]

/**
 * Decides by the visible text of a skill whether an act is its described task: it names what is
 * written or read, and the host. Comments do not count, because no user sees them.
 */
export function readDescribedActs(
  source: SkillSource,
  manifest: Manifest,
  declaredHosts: readonly string[],
): IsDescribed {
  const text = [manifest.description, (source.markdown?.text ?? '').replace(/<!--[^]*?-->/g, '')]
    .join('\n')
    .toLowerCase()
  const namesHost = (host: string) =>
    belongsTo(host, declaredHosts) ||
    text.includes(host.toLowerCase()) ||
    text.includes(cutSubdomain(host))
  const namesFile = (path: string) => namesPath(text, path)
  return (act: DescribedAct) => {
    if (act.kind === 'fetched-code-run') {
      const isKnown = (host: string) => namesHost(host) || belongsTo(host, INSTALLERS)
      return act.hosts.length > 0 && act.hosts.every(isKnown)
    }
    if (act.kind === 'read-and-sent' || act.kind === 'document-sent')
      return act.hosts.every((host) => namesHost(host))
    if (act.kind === 'marker-sent') {
      const what = act.marker.label.replace(/^the variable /, '')
      return namesFile(what) && act.hosts.every(namesHost)
    }
    if (act.kind === 'destruction') return namesFile(act.path) || namesTopFolder(text, act.path)
    return namesFile(act.path) || namesParent(text, act.path)
  }
}

/** Names that say which file is meant without its folder. */
const DISTINCT_NAME = /^\.|^id_\w+$|^[A-Z_]{4,}$|^[A-Z]+\.md$/

/** True if a text in lower case names a file or a variable; common names need their folder. */
function namesPath(text: string, path: string): boolean {
  const segments = path.split('/')
  const name = segments.at(-1) ?? path
  const needed = DISTINCT_NAME.test(name) ? name : segments.slice(-2).join('/')
  return findWord(text, needed.toLowerCase())
}

function findWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const [before = ' ', after = ' '] = [text[at - 1], text[at + word.length]]
    if (!/[\w.-]/.test(before) && !/[\w-]/.test(after)) return true
  }
  return false
}

/** True if the text names the folder below the home, such as `~/Documents`. */
function namesTopFolder(text: string, path: string): boolean {
  const [top = ''] = path.split('/')
  return path.includes('/') && findWord(text, top.toLowerCase())
}

/** True if the text names the folder in which a place of persistence is, such as `.git/hooks`. */
function namesParent(text: string, path: string): boolean {
  const folder =
    /(\.git\/hooks|\.config\/systemd|\.local\/bin|\.claude\/(?:skills|commands|agents|hooks)|\.vscode|launchagents)\//i.exec(
      path,
    )?.[1]
  if (folder !== undefined && text.includes(folder.toLowerCase())) return true
  return path === 'crontab' && /\bcron/.test(text)
}

/** `example.com` of `api.example.com`. */
export function cutSubdomain(host: string): string {
  return host.toLowerCase().split('.').slice(-2).join('.')
}
