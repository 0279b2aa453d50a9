import { SkillsError } from '../../../../errors.ts'
import {
  formatGithubUrl,
  isGitReference,
  isPlainPath,
  type GitAddress,
} from '../../../git/git-address.ts'
import { TEMPLATES } from '../templates.ts'

/** Location of a template that is not built in. */
export type TemplateSource = FolderSource | GitSource

interface FolderSource {
  type: 'folder'
  path: string
}

export type GitSource = GitAddress & { type: 'git' }

/** Parses a value of --template; undefined for the id of a built-in template. */
export function parseTemplateSource(text: string): TemplateSource | undefined {
  if (TEMPLATES.some(({ id }) => id === text)) return undefined
  const [location = '', ...rest] = text.split('#')
  const fragment = rest.length === 0 ? undefined : rest.join('#')
  const github = location.startsWith('github:') ? formatGithubUrl(location.slice(7)) : undefined
  if (github !== undefined) return createGitSource(github, fragment)
  if (/^git\+(?:https|file):\/\//.test(location)) return createGitSource(location.slice(4), fragment)
  if (/^https:\/\/.*\.git$/.test(location)) return createGitSource(location, fragment)
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) throw unknownSourceError(text)
  if (text.startsWith('.') || text.includes('/')) return { type: 'folder', path: text }
  throw unknownSourceError(text)
}

function createGitSource(url: string, fragment = ''): GitSource {
  const protocol = checkAddress(url)
  const [ref = '', ...folders] = fragment.split(':')
  const folder = folders.join(':')
  if (ref !== '' && !isGitReference(ref)) {
    throw sourceError(`The reference "${ref}" of the template is not valid`)
  }
  if (folder !== '' && !isPlainPath(folder)) {
    throw sourceError(`The folder "${folder}" of the template is not valid`)
  }
  return { type: 'git', url, protocol, ref: ref || undefined, folder: folder || undefined }
}

/** Returns the protocol of an address without credentials, or throws. */
function checkAddress(url: string): GitSource['protocol'] {
  if (!URL.canParse(url)) throw sourceError(`The address "${url}" of the template is not valid`)
  const { protocol, username, password } = new URL(url)
  if (username === '' && password === '') return protocol === 'file:' ? 'file' : 'https'
  throw sourceError('The address of the template contains a user name', {
    hint: 'Omit it: git asks its credential helper',
  })
}

function unknownSourceError(text: string): SkillsError {
  const ids = TEMPLATES.map(({ id }) => id).join(', ')
  return sourceError(`There is no template "${text}"`, {
    hint: `Write one of ${ids}; or ./folder, github:owner/name, https://host/name.git, git+https://host/name, each git address with an optional #ref:folder`,
  })
}

function sourceError(message: string, { hint }: { hint?: string } = {}): SkillsError {
  const syntax = 'Write it as git+https://host/name#ref:folder; ref and folder are optional'
  return new SkillsError('usage/invalid', message, { hint: hint ?? syntax })
}
