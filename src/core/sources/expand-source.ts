import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isArchiveName } from '../../util/archive-name.ts'
import { formatGithubUrl } from '../git/git-address.ts'
import { HTTP_FORMS, sourceError } from './check-address.ts'
import { FILE_FORMS } from './known/folder.ts'
import { formatGitSource } from './git/format-git-source.ts'

/** `owner/repo`, and what follows; a path that begins with a dot or a slash is none. */
const SHORTHAND = /^[A-Za-z0-9][\w.-]*\/[^/:][^:]*$/
const PAGE = /^\/([^/]+\/[^/]+)(?:\/(tree|blob)\/([^/]+)(?:\/(.*))?)?$/

/**
 * Rewrites what people type and paste to a source that a lock can have: `owner/repo`, pages of
 * github.com, file URLs, and the path of a SKILL.md.
 */
export function expandSource(text: string, cwd: string): string {
  if (/^file:/i.test(text)) return expandSource(parseFileUrl(text), cwd)
  if (/^https:/i.test(text)) return expandPage(text)
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return text
  const path = resolve(cwd, text)
  if (existsSync(path)) return basename(path) === 'SKILL.md' ? dirname(path) : text
  // A mistyped path of a folder here is not the name of a stranger's repository.
  const isPath = existsSync(resolve(cwd, text.split('/')[0] ?? ''))
  if (isPath || !SHORTHAND.test(text) || isArchiveName(text)) return text
  return `github:${text.replace(/\/$/, '')}`
}

function parseFileUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.host !== '' || url.search !== '' || url.hash !== '' || !/^file:\/\/\//i.test(text)) {
    throw sourceError(text, 'expected file:/// and an absolute path', FILE_FORMS)
  }
  try {
    return fileURLToPath(url)
  } catch {
    throw sourceError(text, 'its path cannot be read', FILE_FORMS)
  }
}

/** Addresses of a repository and of its folders; archives and other addresses stay as they are. */
function expandPage(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^(?:www\.)?github\.com$/.test(url.host) || url.username !== '') return text
  const [, name = '', kind, ref, path = ''] = PAGE.exec(url.pathname.replace(/\/$/, '')) ?? []
  const repository = formatGithubUrl(name)
  if (repository === undefined) return text
  if (url.hash !== '') throw sourceError(text, 'a page of a repository has no "#"', HTTP_FORMS)
  const source = formatGitSource({
    url: repository,
    ref: unescapePart(ref),
    folder: unescapePart(kind === 'blob' ? findMarkdownFolder(text, path) : path),
  })
  if (source !== undefined) return source
  throw sourceError(text, 'its branch or its folder cannot be written as a source', HTTP_FORMS)
}

function findMarkdownFolder(text: string, path: string): string {
  const folder = /^(.*\/)?SKILL\.md$/.exec(path)?.slice(1)
  if (folder) return folder[0]?.slice(0, -1) ?? ''
  throw sourceError(text, 'the file is not a SKILL.md', HTTP_FORMS)
}

/** Malformed escapes stay as written; an empty text is undefined. */
function unescapePart(text = ''): string | undefined {
  try {
    return decodeURIComponent(text) || undefined
  } catch {
    return text
  }
}
